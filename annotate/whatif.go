package annotate

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// CapabilityName names one capability of one side, as `--without SIDE:PATH` does.
type CapabilityName struct{ Side, Path string }

// WhatIf says what would have been wrong if a capability had not been declared.
type WhatIf struct {
	CapabilityName
	Declared bool      // it was declared at all; without, nothing changes
	Count    int64     // messages that lean on it, answers not counted
	Messages []Ref     // the first of them
	Findings []Finding // those that are not there as it is
}

// maxWhatIfRefs bounds the messages that a WhatIf names.
const maxWhatIfRefs = 1000

// Without folds the recording a second time with the capability taken out of every declaration, and
// compares. It reads the recording twice.
func Without(open Source, name CapabilityName) (*WhatIf, error) {
	out := &WhatIf{CapabilityName: name}
	is, err := Collect(open, nil)
	if err != nil {
		return nil, err
	}
	late := newLater()
	edit := func(rec *recordings.Record) *recordings.Record {
		data, did := withoutDeclaration(rec, name)
		if !did {
			return rec
		}
		out.Declared = true
		c := *rec // the record itself stays as it was decoded
		c.Data = data
		return &c
	}
	if _, err := pass(open, nil, edit, nil, func(u *Update) error {
		for i := range u.Entries {
			out.lean(&u.Entries[i])
		}
		return late.take(u)
	}); err != nil {
		return nil, err
	}
	for _, f := range late.all() {
		if !slices.ContainsFunc(is.Findings, func(g Finding) bool {
			return g.Rule == f.Rule && g.At == f.At && g.By == f.By && g.Level == f.Level && g.Count == f.Count
		}) {
			out.Findings = append(out.Findings, f)
		}
	}
	return out, nil
}

// lean counts an entry that leans on the capability.
func (x *WhatIf) lean(e *Entry) {
	for _, c := range e.leans() {
		if c.Side == x.Side && within(c.Path, x.Path) && c.State == Undeclared {
			x.Count++
			if len(x.Messages) < maxWhatIfRefs {
				x.Messages = append(x.Messages, e.Ref)
			}
			return
		}
	}
}

// within reports whether path is the capability name or a part of it.
func within(path, name string) bool {
	return path == name || len(path) > len(name) && path[:len(name)] == name && (path[len(name)] == '.' || path[len(name)] == '[')
}

// withoutDeclaration takes a capability out of the message in a record, if it declares it there.
func withoutDeclaration(rec *recordings.Record, name CapabilityName) ([]byte, bool) {
	if rec.Kind != recordings.FrameRecord {
		return nil, false
	}
	if name.Side == client.String() {
		if rec.Stream != recordings.Stdin {
			return nil, false
		}
		for _, place := range [][]string{{"params", "capabilities"}, {"params", "_meta", mcpspec.MetaClientCapabilities}} {
			if data, did := withoutCapability(rec.Data, place, name.Path); did {
				return data, true
			}
		}
		return nil, false
	}
	if rec.Stream != recordings.Stdout {
		return nil, false
	}
	return withoutCapability(rec.Data, []string{"result", "capabilities"}, name.Path)
}

// withoutCapability removes a path from the capabilities object that stands at a place in a message.
func withoutCapability(message []byte, place []string, path string) ([]byte, bool) {
	caps := member(message, place...)
	if caps == nil || !declares(caps, path) {
		return nil, false
	}
	keys := segments(path)
	if path == "elicitation.form" && member(caps, keys...) == nil {
		keys = keys[:1] // an empty elicitation object is what declares the form
	}
	return removeMember(message, append(slices.Clone(place), keys...))
}

// removeMember returns a copy of obj without the member at a path.
func removeMember(obj []byte, path []string) ([]byte, bool) {
	did := false
	out := []byte{'{'}
	for key, value := range jsonrpc.Members(obj) {
		if key == path[0] {
			if len(path) == 1 {
				did = true
				continue
			}
			if inner, ok := removeMember(value, path[1:]); ok {
				did, value = true, inner
			}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, key)
		out = append(append(out, ':'), value...)
	}
	return append(out, '}'), did
}

// MarshalJSON writes the answer as `caps --without --json` has it.
func (x WhatIf) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	w.open()
	w.text("side", x.Side)
	w.text("path", x.Path)
	w.key("declared")
	w.buf = strconv.AppendBool(w.buf, x.Declared)
	w.int("messages", x.Count)
	w.refs("at", x.Messages)
	w.key("findings")
	w.openList()
	for i := range x.Findings {
		x.Findings[i].append(&w)
	}
	w.closeList()
	w.close()
	return w.buf, nil
}
