package export

import (
	"encoding/json"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Collect is [annotate.Collect] with the secrets masked, in the entries and the findings. It learns the secrets in
// its first pass, so that one is masked also where it stands before the message that gives it away. Entries for
// which keep is false are left out; keep, which may be nil, sees them as they are. A nil r masks nothing, a nil yield
// saves a pass.
func Collect(open annotate.Source, r *redact.Redactor, keep func(*annotate.Entry) bool, yield func(*annotate.Entry) error) (*annotate.Recording, error) {
	c := cleaner{r: r}
	var early func(*recordings.Record) error
	var each func(*annotate.Entry) error
	if r != nil {
		h, err := header(open)
		if err != nil {
			return nil, err
		}
		Header(r, h) // what the command line gives away comes first
		early = c.learn
	}
	if yield != nil {
		each = func(e *annotate.Entry) error {
			if keep != nil && !keep(e) {
				return nil
			}
			c.entry(e)
			return yield(e)
		}
	}
	rec, err := annotate.CollectTwice(open, early, each)
	if err != nil {
		return nil, err
	}
	rec.Header = Header(r, rec.Header)
	Recording(r, rec)
	return rec, nil
}

// header reads only the header of a recording.
func header(open annotate.Source) (*recordings.Header, error) {
	reader, err := open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return reader.Header(), nil
}

// Header returns a header with its secrets masked; the one given stays as it is.
func Header(r *redact.Redactor, h *recordings.Header) *recordings.Header {
	if r == nil || h == nil {
		return h
	}
	out := *h
	out.Command = r.Command(h.Command)
	out.Dir = r.Text(h.Dir)
	out.Label = r.Text(h.Label)
	out.Parent = r.Text(h.Parent)
	if h.Env != nil {
		out.Env = make([]string, len(h.Env))
		for i, name := range h.Env {
			out.Env[i] = r.Text(name)
		}
	}
	if h.Imported != nil {
		imported := *h.Imported
		imported.Source = r.Text(imported.Source)
		if raw, err := json.Marshal(imported.Meta); err == nil && imported.Meta != nil {
			imported.Meta = nil
			json.Unmarshal(r.JSON(raw), &imported.Meta)
			if words, ok := h.Imported.Meta["command"].([]any); ok && imported.Meta != nil {
				imported.Meta["command"] = commandOf(r, words)
			}
		}
		out.Imported = &imported
	}
	return &out
}

// commandOf masks a command line that an imported log brought along.
func commandOf(r *redact.Redactor, words []any) []any {
	list := make([]string, len(words))
	for i, w := range words {
		list[i], _ = w.(string)
	}
	out := make([]any, len(words))
	for i, w := range r.Command(list) {
		out[i] = w
	}
	return out
}

// Recording masks the secrets in what is said of a recording as a whole.
func Recording(r *redact.Redactor, rec *annotate.Recording) {
	if r == nil {
		return
	}
	rec.Findings = findings(r, rec.Findings)
	Stats(r, rec.Stats)
}

// Stats masks the secrets in the capabilities that the two ends stated.
func Stats(r *redact.Redactor, s *annotate.Stats) {
	if r == nil || s == nil {
		return
	}
	s.Capabilities.Client = r.JSON(s.Capabilities.Client)
	s.Capabilities.Server = r.JSON(s.Capabilities.Server)
	for _, side := range []*annotate.MethodCounts{&s.Methods.Client, &s.Methods.Server} {
		side.Request, side.Notification = names(r, side.Request), names(r, side.Notification)
	}
	s.PerRequest = names(r, s.PerRequest)
	s.LatencyByMethod = names(r, s.LatencyByMethod)
	s.Requested, s.Negotiated = r.Text(s.Requested), r.Text(s.Negotiated)
	s.OddRequested, s.OddNegotiated = r.JSON(s.OddRequested), r.JSON(s.OddNegotiated)
}

// names masks the secrets in names that peers made up.
func names[V any](r *redact.Redactor, m map[string]V) map[string]V {
	for name, v := range m {
		if masked := r.Text(name); masked != name {
			delete(m, name)
			m[masked] = v
		}
	}
	return m
}

// findings returns findings with their secrets masked.
func findings(r *redact.Redactor, list []annotate.Finding) []annotate.Finding {
	if len(list) == 0 {
		return list
	}
	out := make([]annotate.Finding, len(list))
	for i, f := range list {
		f.Message = r.Text(f.Message)
		f.Path = r.Text(f.Path)
		out[i] = f
	}
	return out
}

// cleaner masks entries. It remembers which records hold something to mask, a bit each, so that all the others need not
// be looked at again.
type cleaner struct {
	r     *redact.Redactor
	dirty map[int64]uint64 // by the number divided by 64
}

// learn takes in the secrets of a record.
func (c *cleaner) learn(rec *recordings.Record) error {
	if rec.Kind == recordings.FrameRecord && rec.Seq > 0 && c.r.LearnLog(int(rec.Stream), rec.Data) {
		if c.dirty == nil {
			c.dirty = make(map[int64]uint64)
		}
		c.dirty[rec.Seq/64] |= 1 << (rec.Seq % 64)
	}
	return nil
}

func (c *cleaner) mayHold(e *annotate.Entry) bool {
	return c.r.Echoes() || c.dirty[e.Seq/64]&(1<<(e.Seq%64)) != 0
}

// entry masks the secrets in an entry and in what was derived from it. The record's bytes stay as they are.
func (c *cleaner) entry(e *annotate.Entry) {
	if c.r == nil {
		return
	}
	if len(e.Raw) > 0 && c.mayHold(e) {
		if raw := c.r.Log(int(e.Stream), e.Raw); len(raw) == 0 || &raw[0] != &e.Raw[0] {
			e.Raw = raw
			if e.Message != nil {
				m := jsonrpc.Decode(raw)
				e.Message = &m
			}
		}
	}
	e.Target = c.r.Text(e.Target)
	e.Findings = findings(c.r, e.Findings)
	if e.Err != nil && e.Err.Message != "" {
		masked := *e.Err
		masked.Message = c.r.Text(masked.Message)
		masked.Data, masked.Raw = nil, nil
		if e.Message != nil && e.Message.Err != nil {
			masked.Data, masked.Raw = e.Message.Err.Data, e.Message.Err.Raw
		}
		e.Err = &masked
	}
	if e.Progress != nil && e.Progress.Message != "" {
		masked := *e.Progress
		masked.Message = c.r.Text(masked.Message)
		e.Progress = &masked
	}
	if e.Event != nil && e.Event.Reason != "" {
		masked := *e.Event
		masked.Reason = c.r.Text(masked.Reason)
		e.Event = &masked
	}
	if len(e.Defects) > 0 {
		masked := make([]jsonrpc.Defect, len(e.Defects))
		for i, d := range e.Defects {
			d.Path, d.Detail = c.r.Text(d.Path), c.r.Text(d.Detail)
			masked[i] = d
		}
		e.Defects = masked
	}
}
