package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/shakescope/shakescope/internal/mcpshape"
)

var shapeRevisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// shapeMethod is an entry of the corpus' methods.json.
type shapeMethod struct {
	Method, Kind      string
	Revisions         []string
	EmbeddedRevisions []string
	Types             map[string]struct {
		Message, Params string
		Result          []string
	}
}

// TestShapes holds the tables of mcpshape against the official schemas: on every params and result of the
// corpus, on values generated from the schemas, and on each of these with one thing changed, both must
// call the same values valid. Where they differ on purpose, shapeExceptions says why.
func TestShapes(t *testing.T) {
	corpus := corpus(t)
	var spec struct{ Methods []shapeMethod }
	data, err := os.ReadFile(filepath.Join(corpus, "spec", "methods.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		t.Fatal(err)
	}
	seeds := shapeSeeds(t, corpus)
	j := &shapeJudge{t: t, kinds: map[string]int{}, used: map[string]int{}}
	for _, revision := range shapeRevisions {
		o := openOracle(t, filepath.Join(corpus, "spec", "schema", revision+".schema.json"))
		for _, m := range spec.Methods {
			kind := mcpshape.Params
			if m.Kind == "notification" {
				kind = mcpshape.Notification
			}
			official := slices.Contains(m.Revisions, revision)
			if known := mcpshape.Known(kind, m.Method, revision); known != official && len(m.EmbeddedRevisions) == 0 && !strings.Contains(m.Method, "tasks") {
				t.Errorf("%s in %s: known %v, official %v", m.Method, revision, known, official)
			}
			types, ok := m.Types[revision]
			if !ok || strings.HasPrefix(types.Params, "ext-tasks") {
				continue
			}
			message := strings.Split(types.Message, ".")[0]
			base := "JSONRPCRequest"
			if kind == mcpshape.Notification {
				base = "JSONRPCNotification"
			}
			params := []string{message + "/properties/params", base + "/properties/params"}
			j.subject(m.Method, revision, kind, o, func(any) [][]string { return [][]string{params} }, seeds[shapeKey{kind, m.Method}])
			optional := mcpshape.Check(kind, m.Method, revision, nil, func(mcpshape.Problem) { official = false }) && official
			if required := o.requires(message, "params"); required == optional && slices.Contains(m.Revisions, revision) {
				t.Errorf("%s in %s: params required %v, optional in our tables %v", m.Method, revision, required, optional)
			}
			if kind == mcpshape.Params && len(types.Result) > 0 {
				j.subject(m.Method, revision, mcpshape.Result, o, func(v any) [][]string { return resultTypes(types.Result, v) }, seeds[shapeKey{mcpshape.Result, m.Method}])
			}
		}
		for _, name := range slices.Sorted(slices.Values(mcpshape.Types())) {
			if _, ok := o.defs[name]; ok {
				j.named(name, revision, o)
			}
		}
	}
	t.Logf("%d values compared, %d valid; exceptions used: %v", j.compared, j.valid, j.used)
	for _, e := range shapeExceptions {
		if j.used[e.name] == 0 {
			t.Errorf("exception %q is never needed", e.name)
		}
	}
	if j.compared < 100_000 || j.valid < 10_000 {
		t.Errorf("only %d values compared, %d of them valid", j.compared, j.valid)
	}
}

// resultTypes gives the official types that a result is held against. The official unions are decided by
// what the result says it is, as the text has it: any object with a resultType is an InputRequiredResult
// to the schema.
func resultTypes(all []string, v any) [][]string {
	own, task, asking := "", "", ""
	for _, name := range all {
		switch name {
		case "CreateTaskResult":
			task = name
		case "InputRequiredResult":
			asking = name
		default:
			own = name
		}
	}
	m, _ := v.(map[string]any)
	if _, ok := m["task"]; ok && task != "" && m["content"] == nil && m["action"] == nil {
		return [][]string{{task}}
	}
	if what, ok := m["resultType"].(string); ok && asking != "" {
		switch what {
		case "input_required":
			return [][]string{{asking}}
		case "complete":
			return [][]string{{own}}
		}
		return [][]string{{"Result"}} // of an extension: nothing else is known
	}
	return [][]string{{own}}
}

type shapeKey struct {
	kind   mcpshape.Kind
	method string
}

// shapeSeeds collects params and results of all recorded sessions, public cases and examples of rules, a
// few of each structure.
func shapeSeeds(t *testing.T, corpus string) map[shapeKey][]any {
	t.Helper()
	seeds := map[shapeKey][]any{}
	outlines := map[string]int{}
	add := func(key shapeKey, raw json.RawMessage) {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return
		}
		o := fmt.Sprint(key, outline(v, 5))
		if outlines[o]++; outlines[o] <= 2 {
			seeds[key] = append(seeds[key], v)
		}
	}
	message := func(raw []byte, asked map[string]string, dir string) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			Result json.RawMessage
		}
		if json.Unmarshal(raw, &m) != nil {
			return
		}
		other := map[string]string{"c2s": "s2c", "s2c": "c2s"}[dir]
		switch {
		case m.Method != "" && m.ID != nil:
			asked[dir+string(m.ID)] = m.Method
			if m.Params != nil {
				add(shapeKey{mcpshape.Params, m.Method}, m.Params)
			}
		case m.Method != "" && m.Params != nil:
			add(shapeKey{mcpshape.Notification, m.Method}, m.Params)
		case m.Result != nil && asked[other+string(m.ID)] != "":
			add(shapeKey{mcpshape.Result, asked[other+string(m.ID)]}, m.Result)
		}
	}
	var files []string
	for _, pattern := range []string{"transcripts/*.jsonl", "cases/cases/*.jsonl"} {
		found, _ := filepath.Glob(filepath.Join(corpus, pattern))
		files = append(files, found...)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		asked := map[string]string{}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var l struct{ Dir, Raw string }
			if json.Unmarshal(lines.Bytes(), &l) == nil && l.Raw != "" {
				message([]byte(l.Raw), asked, l.Dir)
			}
		}
		if err := lines.Err(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		f.Close()
	}
	var rules struct {
		Rules []struct {
			ExampleExpanded []struct {
				From string
				Msg  json.RawMessage
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(corpus, "spec", "rules.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &rules); err != nil {
		t.Fatal(err)
	}
	for _, r := range rules.Rules {
		asked := map[string]string{}
		for _, l := range r.ExampleExpanded {
			message(l.Msg, asked, map[string]string{"client": "c2s", "server": "s2c"}[l.From])
		}
	}
	if len(seeds) < 40 {
		t.Errorf("params and results of only %d kinds found", len(seeds))
	}
	return seeds
}

// oracle is an official schema.
type oracle struct {
	t        *testing.T
	doc      map[string]any
	defs     map[string]any
	root     string
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

func openOracle(t *testing.T, file string) *oracle {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{t: t, doc: v.(map[string]any), root: "$defs", compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	if _, ok := o.doc["definitions"]; ok {
		o.root = "definitions"
	}
	o.defs = o.doc[o.root].(map[string]any)
	o.patch()
	// Formats are compared in mcpshape's own tests: the older schemas would assert them, the newer not.
	for _, name := range []string{"uri", "uri-template", "byte"} {
		o.compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	if err := o.compiler.AddResource("schema://official/schema", v); err != nil {
		t.Fatal(err)
	}
	return o
}

// patch mends what the official schemas lost when they were generated: numbers became integers in the
// answers of elicitation, and JSON values may be neither null nor fractions.
func (o *oracle) patch() {
	if o.defs["JSONValue"] != nil {
		o.defs["JSONValue"] = map[string]any{}
	}
	result, ok := o.defs["ElicitResult"]
	if !ok {
		return
	}
	mended := false
	var mend func(v any)
	mend = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if list, ok := v["type"].([]any); ok {
				if i := slices.Index(list, any("integer")); i >= 0 {
					list[i], mended = "number", true
				}
			}
			for _, member := range v {
				mend(member)
			}
		case []any:
			for _, item := range v {
				mend(item)
			}
		}
	}
	mend(result)
	if !mended {
		o.t.Error("answers of elicitation need no patch any more")
	}
}

func (o *oracle) requires(def, member string) bool {
	d, _ := o.defs[def].(map[string]any)
	required, _ := d["required"].([]any)
	return slices.Contains(required, any(member))
}

// schema compiles a place under the definitions; nil where the document has none.
func (o *oracle) schema(place string) *jsonschema.Schema {
	if s, ok := o.compiled[place]; ok {
		return s
	}
	var s *jsonschema.Schema
	if follow(o.doc, "#/"+o.root+"/"+place) != nil {
		var err error
		if s, err = o.compiler.Compile("schema://official/schema#/" + o.root + "/" + place); err != nil {
			o.t.Fatalf("%s: %v", place, err)
		}
	}
	o.compiled[place] = s
	return s
}

// valid tells whether one of the groups holds, all places of it.
func (o *oracle) valid(groups [][]string, v any) (bool, error) {
	var failed error
	for _, places := range groups {
		failed = nil
		for _, place := range places {
			if s := o.schema(place); s != nil && failed == nil {
				failed = s.Validate(v)
			}
		}
		if failed == nil {
			return true, nil
		}
	}
	return false, failed
}

// shapeJudge compares verdicts.
type shapeJudge struct {
	t        *testing.T
	compared int
	valid    int
	kinds    map[string]int // of disagreements
	used     map[string]int
}

func (j *shapeJudge) subject(method, revision string, kind mcpshape.Kind, o *oracle, types func(any) [][]string, seeds []any) {
	values := slices.Clone(seeds)
	for variant := range 12 {
		g := generator{doc: o.doc, variant: variant}
		own := g.value(follow(o.doc, "#/"+o.root+"/"+types(nil)[0][0]))
		if m, ok := own.(map[string]any); ok && m["resultType"] == "x" {
			m["resultType"] = "complete"
		}
		values = append(values, own)
		if kind == mcpshape.Result {
			for _, extra := range []string{"CreateTaskResult", "InputRequiredResult"} {
				if o.defs[extra] != nil {
					v := g.value(o.defs[extra])
					if m, ok := v.(map[string]any); ok && extra == "InputRequiredResult" {
						m["resultType"] = "input_required"
					}
					values = append(values, v)
				}
			}
		}
	}
	name := fmt.Sprintf("%s %s %s", []string{"params of", "result of", "notification"}[kind], method, revision)
	check := func(raw []byte, report func(mcpshape.Problem)) {
		if !mcpshape.Check(kind, method, revision, raw, report) {
			j.t.Fatalf("%s is unknown", name)
		}
	}
	j.values(name, values, o, types, check)
}

// named compares a type by its name.
func (j *shapeJudge) named(typeName, revision string, o *oracle) {
	var values []any
	for variant := range 12 {
		g := generator{doc: o.doc, variant: variant}
		values = append(values, g.value(o.defs[typeName]))
	}
	check := func(raw []byte, report func(mcpshape.Problem)) {
		if !mcpshape.CheckType(typeName, revision, raw, report) {
			j.t.Fatalf("%s of %s is unknown", typeName, revision)
		}
	}
	j.values("type "+typeName+" "+revision, values, o, func(any) [][]string { return [][]string{{typeName}} }, check)
}

type shapeCheck func(raw []byte, report func(mcpshape.Problem))

func (j *shapeJudge) values(name string, values []any, o *oracle, types func(any) [][]string, check shapeCheck) {
	seen := map[string]bool{}
	for _, v := range values {
		j.compare(name, "", v, o, types, check)
		if line := outline(v, 6); !seen[line] && len(seen) < 16 {
			seen[line] = true
			mutate(v, 70, func(what string, changed any) { j.compare(name, what, changed, o, types, check) })
		}
	}
}

func (j *shapeJudge) compare(name, what string, v any, o *oracle, types func(any) [][]string, check shapeCheck) {
	raw, err := json.Marshal(v)
	if err != nil {
		j.t.Fatal(err)
	}
	official, failed := o.valid(types(v), v)
	var problems []mcpshape.Problem
	check(raw, func(p mcpshape.Problem) {
		if p.Keyword != "format" {
			problems = append(problems, p)
		}
	})
	j.compared++
	if official {
		j.valid++
	}
	if official == (len(problems) == 0) {
		return
	}
	d := disagreement{name: name, value: v, problems: problems, failed: failed}
	for _, e := range shapeExceptions {
		if e.match(d) {
			j.used[e.name]++
			return
		}
	}
	if j.kinds[d.String()]++; j.kinds[d.String()] == 1 {
		j.t.Errorf("%s, %s\n%s\nofficial: %v (%v)\nours: %+v", name, what, raw, official, failed, problems)
	}
}

// disagreement is a value that only one side calls valid: ours when failed is set.
type disagreement struct {
	name     string
	value    any
	problems []mcpshape.Problem
	failed   error
}

// String is the same for disagreements of one kind.
func (d disagreement) String() string {
	if d.failed == nil {
		return fmt.Sprint(d.problems[0].Type, d.problems[0].Keyword, d.problems[0].Want)
	}
	return d.name + shapeNoise.ReplaceAllString(d.failed.Error(), "")
}

// shapeNoise is what differs in the words of the oracle though the reason is the same.
var shapeNoise = regexp.MustCompile(`got [a-z]+,|'[^']*'`)

// shapeException is a difference that is meant.
type shapeException struct {
	name  string // with the reason
	match func(d disagreement) bool
}

// stricter matches a value that only ours calls invalid, and every problem of which f accepts.
func stricter(f func(d disagreement, p mcpshape.Problem) bool) func(disagreement) bool {
	return func(d disagreement) bool {
		if d.failed != nil {
			return false
		}
		for _, p := range d.problems {
			if !f(d, p) {
				return false
			}
		}
		return true
	}
}

var shapeExceptions = []shapeException{
	{"a completion has at most 100 values in all revisions: the text says so, older schemas do not", stricter(func(_ disagreement, p mcpshape.Problem) bool {
		return p.Keyword == "maxItems" && p.Path == "/completion/values"
	})},
	{"the official ResourceContents is the common part of its two forms, ours is either form", stricter(func(d disagreement, p mcpshape.Problem) bool {
		return strings.HasPrefix(d.name, "type ResourceContents ") && p.Keyword == "required" && p.Want == "text or blob"
	})},
	{"a broken enumeration passes officially as a plain string with members of no meaning", stricter(func(_ disagreement, p mcpshape.Problem) bool {
		return p.Type == "EnumSchema" || p.Type == "TitledSingleSelectEnumSchema"
	})},
	{"_meta is an object everywhere: the text says so, some params and answers leave it out", stricter(func(_ disagreement, p mcpshape.Problem) bool {
		return p.Path == "/_meta" || p.Path == "/_meta/progressToken"
	})},
	{"a task handle of the extension, which the official schema does not hold", stricter(func(d disagreement, p mcpshape.Problem) bool {
		m, _ := d.value.(map[string]any)
		return m["resultType"] == "task" && p.Type == "CreateTaskResult"
	})},
}
