package annotate

import (
	"github.com/shakescope/shakescope/internal/schemaguard"
)

// tool is a tool as a list defined it. It is read once and never changes; what is learnt about its
// schemas is kept with it, so that polling a list costs nothing.
type tool struct {
	raw         []byte
	name        string
	named       bool // name is a string
	description string
	input       []byte // inputSchema; nil when absent
	output      []byte // outputSchema; nil when absent or null
	annotations []byte
	schemas     [2]schema // of input and output
}

// schema is what is known of one of a tool's schemas.
type schema struct {
	inspected bool
	facts     schemaguard.Facts
	limits    *schemaguard.NotChecked // why there are no facts
	fallback  schemaguard.Draft       // that it was compiled with, "" when it was not
	compiled  *schemaguard.Schema
	err       error
}

// The schemas of a tool.
const (
	inputSchema = iota
	outputSchema
)

func readTool(raw []byte) *tool {
	t := &tool{raw: raw}
	members(raw, func(key, value []byte) bool {
		switch string(key) {
		case "name":
			t.name, t.named = text(value), isString(value)
		case "description":
			t.description = text(value)
		case "inputSchema":
			t.input = value
		case "outputSchema":
			t.output = nil
			if !isNull(value) {
				t.output = value
			}
		case "annotations":
			t.annotations = value
		}
		return true
	})
	return t
}

// runs remembers which tool a task of the server runs.
func (p *process) runs(taskID string, t *tool) {
	if t == nil {
		return
	}
	if p.taskTools == nil || len(p.taskTools) >= maxLinks {
		p.taskTools = make(map[string]*tool)
	}
	p.taskTools[taskID] = t
}

// source returns the text of a schema, nil when the tool has none.
func (t *tool) source(which int) []byte {
	if which == inputSchema {
		return t.input
	}
	return t.output
}

// facts returns what can be seen in a schema. They are empty where it is beyond all bounds.
func (t *tool) facts(which int) *schemaguard.Facts {
	s := &t.schemas[which]
	if src := t.source(which); !s.inspected && src != nil {
		s.inspected = true
		s.facts, s.limits = schemaguard.Inspect(src)
	}
	return &s.facts
}

// compile makes a schema ready under the dialect that a revision implies. The error says what is wrong
// with it, or why nobody can tell.
func (t *tool) compile(which int, revision string, cache *schemaguard.Cache) (*schemaguard.Schema, error) {
	s := &t.schemas[which]
	if draft := schemaguard.DefaultDraft(revision); s.fallback != draft {
		s.fallback = draft
		s.compiled, s.err = cache.Compile(t.source(which), draft)
	}
	return s.compiled, s.err
}

// hint returns what an annotation of the tool says; known is false where it says nothing.
func (t *tool) hint(name string) (value, known bool) {
	raw := member(t.annotations, name)
	return isTrue(raw), isTrue(raw) || string(raw) == "false"
}

// compiled is the cache of all schemas of a recording, and what checking them has cost so far.
type compiled struct {
	schemaguard.Cache
	work int64
}

// maxSchemaWork bounds the steps that schemas may cost a recording, some five seconds in all.
const maxSchemaWork = 50_000_000

// schemas returns the cache of the recording.
func (v *view) schemas() *compiled { return memo[compiled](v, nil) }

// fit checks a value against a schema of a tool. The error is why nobody can tell, or a schema that is
// itself invalid.
func (v *view) fit(t *tool, which int, instance []byte) ([]schemaguard.Problem, error) {
	c := v.schemas()
	s, err := t.compile(which, v.Entry.Revision, &c.Cache)
	if err != nil {
		return nil, err
	}
	if c.work > maxSchemaWork {
		return nil, &schemaguard.NotChecked{Reason: schemaguard.TooCostly, Detail: "the schemas of this recording have cost enough"}
	}
	verdict := s.Check(instance)
	c.work += verdict.Work
	if verdict.NotChecked != nil {
		return nil, verdict.NotChecked
	}
	return verdict.Problems, nil
}

// toolPage is the tools of a list result, read once for all rules.
type toolPage struct {
	at    Ref
	tools []*tool
}

// listedTools returns the tools of a tools/list result in order; what is no object is nil.
func (v *view) listedTools() []*tool {
	p := memo[toolPage](v, nil)
	if p.at == v.At {
		return p.tools
	}
	p.at, p.tools = v.At, nil
	c := &v.Session.catalogue
	elements(v.outcome.items, func(item []byte) bool {
		var t *tool
		if isObject(item) {
			t = c.read(item)
		}
		p.tools = append(p.tools, t)
		return len(p.tools) < maxListed
	})
	return p.tools
}

// read returns the tool of a definition: the one that the catalogue keeps, if it is spelt alike.
func (c *Catalogue) read(item []byte) *tool {
	if name := member(item, "name"); isString(name) {
		if t := c.tool(text(name)); t != nil && string(t.raw) == string(item) {
			return t
		}
	}
	return readTool(item)
}
