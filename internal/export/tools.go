package export

import (
	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// Tools reviews the tools of a recording, with the secrets masked in what is said of them. Sizes are those of what
// travelled. A nil r masks nothing.
func Tools(open annotate.Source, r *redact.Redactor) (*annotate.ToolReport, *annotate.Recording, error) {
	var review annotate.ToolReview
	var early func(*recordings.Record) error
	if r != nil {
		h, err := header(open)
		if err != nil {
			return nil, nil, err
		}
		Header(r, h)
		c := cleaner{r: r}
		early = c.learn
	}
	rec, err := annotate.CollectTwice(open, early, func(e *annotate.Entry) error {
		review.Add(e)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	report := review.Report()
	if r != nil {
		for i := range report.Tools {
			maskTool(r, &report.Tools[i])
		}
	}
	return report, rec, nil
}

func maskTool(r *redact.Redactor, t *annotate.ToolAccount) {
	t.Name, t.Title = r.Text(t.Name), r.Text(t.Title)
	if t.Definition != nil {
		// As a part of the message in which it came: there a property named password is no password.
		line := append([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`), t.Definition...)
		line = r.Line(append(line, "]}}"...))
		if list, ok := jsonrpc.Lookup(line, "result", "tools"); ok && len(list) > 2 {
			t.Definition = list[1 : len(list)-1]
		}
		if raw, ok := jsonrpc.Lookup(t.Definition, "description"); ok {
			t.Description, _ = jsonrpc.Unquote(raw)
		}
	}
	for i := range t.Misfits {
		t.Misfits[i].Message, t.Misfits[i].Pointer = r.Text(t.Misfits[i].Message), r.Text(t.Misfits[i].Pointer)
	}
	for i, reason := range t.Risk.Reasons {
		t.Risk.Reasons[i] = r.Text(reason)
	}
	for i := range t.Contract.Fields {
		t.Contract.Fields[i].Reason = r.Text(t.Contract.Fields[i].Reason)
	}
	t.Findings = findings(r, t.Findings)
}
