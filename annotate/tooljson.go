package annotate

import "math"

// AppendJSON appends an object of the list tools of `tools --json`.
func (t *ToolAccount) AppendJSON(dst []byte) []byte {
	w := jsonWriter{dst}
	w.buf = append(w.buf, '{') // no comma, whatever stands before it
	w.text("name", t.Name)
	w.textIf("title", t.Title)
	w.text("listed", string(t.Listed))
	if !t.At.IsZero() {
		w.ref("at", t.At)
	}
	w.int("calls", t.Calls)
	w.int("tool_errors", t.ToolErrors)
	w.int("protocol_errors", t.ProtocolErrors)
	w.int("cancelled", t.Cancelled)
	w.int("unanswered", t.Unanswered)
	w.int("input_required", t.InputRequired)
	w.key("latency_ms")
	w.latencies(t.Latency)
	w.key("result_bytes")
	w.open()
	w.int("n", int64(t.Result.N))
	if t.Result.N > 0 {
		w.int("median", t.Result.Median)
		w.int("max", t.Result.Max)
	}
	w.close()
	w.key("wrong_arguments")
	w.openList()
	for i := range t.Misfits {
		t.Misfits[i].append(&w)
	}
	w.closeList()
	if t.Definition != nil {
		w.int("definition_bytes", int64(t.DefinitionBytes))
		w.int("tokens_approx", int64(t.Tokens))
		w.float("share", math.Round(t.Share*1e4)/1e4)
	}
	w.key("risk")
	w.open()
	w.text("class", string(t.Risk.Class))
	w.texts("reasons", t.Risk.Reasons)
	w.truth("contradicted", t.Risk.Contradicted)
	w.close()
	w.key("idempotent")
	w.open()
	w.text("answer", string(t.Idempotency.Answer))
	w.text("reason", t.Idempotency.Reason)
	w.close()
	if t.Contract.Fields != nil {
		w.key("contract")
		w.open()
		w.float("score", t.Contract.Score)
		w.int("of", int64(len(t.Contract.Fields)))
		w.key("fields")
		w.openList()
		for i := range t.Contract.Fields {
			f := &t.Contract.Fields[i]
			w.open()
			w.text("field", f.Name)
			w.float("score", f.Score)
			w.text("reason", f.Reason)
			w.textIf("add", f.Add)
			w.close()
		}
		w.closeList()
		w.close()
	}
	if len(t.Findings) > 0 {
		w.key("findings")
		w.openList()
		for i := range t.Findings {
			t.Findings[i].append(&w)
		}
		w.closeList()
	}
	w.close()
	return w.buf
}

func (m *Misfit) append(w *jsonWriter) {
	w.open()
	w.text("pointer", m.Pointer)
	w.textIf("keyword", m.Keyword)
	w.int("count", m.Count)
	w.text("message", m.Message)
	w.text("rule", m.Rule)
	w.ref("first", m.First)
	w.close()
}

func (w *jsonWriter) texts(name string, list []string) {
	w.key(name)
	w.openList()
	for _, s := range list {
		w.comma()
		w.quote(s)
	}
	w.closeList()
}

// AppendSummary appends the object summary of `tools --json`.
func (r *ToolReport) AppendSummary(dst []byte) []byte {
	w := jsonWriter{dst}
	w.buf = append(w.buf, '{')
	w.int("listed", int64(r.Listed))
	w.key("list_seen")
	w.bool(r.ListSeen)
	w.key("list_complete")
	w.bool(r.ListComplete)
	if !r.ListStale.IsZero() {
		w.int("list_stale_since", r.ListStale.Seq)
	}
	w.int("never_called", int64(r.NeverCalled))
	w.int("not_listed", int64(r.NotListed))
	if r.Beyond > 0 {
		w.int("calls_beyond", r.Beyond)
	}
	w.int("definition_bytes", int64(r.DefinitionBytes))
	w.int("tokens_approx", int64(r.Tokens))
	w.text("tokens_rule", "bytes/4 of the compact definitions (name, description, input_schema), rounded up")
	w.key("risk")
	w.open()
	for _, class := range riskOrder {
		w.int(string(class), int64(r.Risks[class]))
	}
	w.close()
	w.key("contract")
	w.open()
	w.float("mean", math.Round(r.Contract*100)/100)
	w.int("of", int64(len(r.Fields)))
	w.key("fields")
	w.openList()
	for i := range r.Fields {
		f := &r.Fields[i]
		w.open()
		w.text("field", f.Name)
		w.int("stated", int64(f.Stated))
		w.int("in_part", int64(f.Part))
		w.int("not_stated", int64(f.Unset))
		w.close()
	}
	w.closeList()
	w.close()
	w.close()
	return w.buf
}

func (w *jsonWriter) bool(v bool) {
	if v {
		w.buf = append(w.buf, "true"...)
	} else {
		w.buf = append(w.buf, "false"...)
	}
}
