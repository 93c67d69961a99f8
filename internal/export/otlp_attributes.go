package export

import (
	"strconv"

	"github.com/shakescope/shakescope/annotate"
)

// attributes is a list of attributes in JSON.
type attributes struct{ buf []byte }

func (a *attributes) key(name string) {
	if len(a.buf) > 0 {
		a.buf = append(a.buf, ',')
	}
	a.buf = quote(append(a.buf, `{"key":`...), name)
}

func (a *attributes) text(name, value string) {
	if value == "" {
		return
	}
	a.key(name)
	a.buf = append(quote(append(a.buf, `,"value":{"stringValue":`...), value), "}}"...)
}

func (a *attributes) int(name string, n int64) {
	a.key(name)
	a.buf = append(strconv.AppendInt(append(a.buf, `,"value":{"intValue":"`...), n, 10), `"}}`...)
}

// capability names what the entry leans on. An attribute has one value, so what was not declared goes before what was;
// the recording has them all.
func (a *attributes) capability(e *annotate.Entry) {
	if len(e.Capability) == 0 {
		return
	}
	c := &e.Capability[0]
	for i := range e.Capability {
		if e.Capability[i].State == annotate.Undeclared {
			c = &e.Capability[i]
			break
		}
	}
	a.text("shakescope.capability", c.Side+":"+c.Path)
	a.text("shakescope.capability.state", string(c.State))
}

// peers writes who talks, as far as they have said.
func (a *attributes) peers(ends *[2]peer) {
	a.text("shakescope.client.name", ends[0].name)
	a.text("shakescope.client.version", ends[0].version)
	a.text("shakescope.server.name", ends[1].name)
	a.text("shakescope.server.version", ends[1].version)
}

func findingAttributes(f *annotate.Finding) attributes {
	var a attributes
	a.text("shakescope.rule", f.Rule)
	a.text("shakescope.level", string(f.Level))
	a.text("shakescope.by", f.By)
	a.text("shakescope.message", f.Message)
	a.text("shakescope.spec", f.Spec)
	return a
}
