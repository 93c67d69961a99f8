package schemaguard

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	errorkind "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// oracle is another validator, that of github.com/santhosh-tekuri/jsonschema. What it says is reduced to
// what both say: outcomes of compiling, and places and keywords of problems.
type oracle struct{ root *jsonschema.Schema }

var libraryDrafts = map[Draft]*jsonschema.Draft{
	Draft202012: jsonschema.Draft2020, Draft201909: jsonschema.Draft2019, Draft07: jsonschema.Draft7, Draft06: jsonschema.Draft6, Draft04: jsonschema.Draft4,
}

type nothingLoads struct{}

func (nothingLoads) Load(string) (any, error) { return nil, fs.ErrPermission }

// libraryPattern is a pattern as this package runs it: patterns are not what is compared.
type libraryPattern struct{ *pattern }

func (p libraryPattern) MatchString(s string) bool { return p.program.MatchString(s) }
func (p libraryPattern) String() string            { return p.source }

// newOracle returns what compiling comes to: nothing, a reason, or where the schema is invalid. The schema
// names its dialect: of one that is assumed, the library asserts formats.
func newOracle(schema string, fallback Draft) (*oracle, string) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return nil, string(NotJSON)
	}
	draft := fallback
	if root, ok := doc.(map[string]any); ok {
		if named, ok := root["$schema"].(string); ok {
			draft = DraftOf(named)
			delete(root, "$schema")
		}
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nothingLoads{})
	c.UseRegexpEngine(func(source string) (jsonschema.Regexp, error) {
		p, err := compilePattern(source, maxProgram)
		if err != nil {
			p = mustPattern("") // schemas with such patterns are not compared
		}
		return libraryPattern{p}, nil
	})
	c.DefaultDraft(libraryDrafts[draft])
	if err := c.AddResource(nowhere, doc); err != nil {
		return nil, err.Error()
	}
	root, err := c.Compile(nowhere)
	var invalid *jsonschema.SchemaValidationError
	var load *jsonschema.LoadURLError
	switch {
	case err == nil:
		return &oracle{root}, ""
	case errors.As(err, &invalid):
		var v *jsonschema.ValidationError
		errors.As(invalid.Err, &v)
		return nil, "invalid\n" + libraryPlaces(v)
	case errors.As(err, &load):
		return nil, string(RemoteRef)
	}
	return nil, string(BadRef)
}

func (o *oracle) check(instance string) string {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(instance))
	if err != nil {
		return string(NotJSON)
	}
	var v *jsonschema.ValidationError
	if errors.As(o.root.Validate(doc), &v) {
		return libraryPlaces(v)
	}
	return ""
}

// libraryFault is a problem of the library, as far as it is compared.
type libraryFault struct {
	path    []string
	keyword string
	isType  bool
}

func libraryPlaces(err *jsonschema.ValidationError) string {
	var lines []string
	for _, f := range libraryFaults(err) {
		lines = append(lines, place(pointer(f.path), f.keyword))
	}
	return strings.Join(places(lines), "\n")
}

// place leaves out where names are bad: the library loses the place.
func place(pointer, keyword string) string {
	if keyword == "propertyNames" {
		pointer = "…"
	}
	return pointer + " " + keyword
}

func places(lines []string) []string {
	slices.Sort(lines)
	return slices.Compact(lines)
}

func libraryFaults(err *jsonschema.ValidationError) []libraryFault {
	if err.ErrorKind == nil {
		return nil
	}
	f := libraryFault{path: err.InstanceLocation}
	if k := err.ErrorKind.KeywordPath(); len(k) > 0 {
		f.keyword = k[0]
	}
	all := func() (out []libraryFault) {
		for _, c := range err.Causes {
			out = append(out, libraryFaults(c)...)
		}
		return out
	}
	switch k := err.ErrorKind.(type) {
	case *errorkind.Schema, *errorkind.Group, *errorkind.AllOf, *errorkind.Reference:
		return all()
	case *errorkind.AnyOf:
		return libraryAlternatives(f, err.Causes)
	case *errorkind.OneOf:
		if len(k.Subschemas) < 2 {
			return libraryAlternatives(f, err.Causes)
		}
	case *errorkind.Type:
		f.isType = true
	case *errorkind.FalseSchema:
		f.keyword = "false"
	case *errorkind.Not:
		f.keyword = "not"
	case *errorkind.Dependency:
		f.keyword = "dependencies"
	case *errorkind.AdditionalProperties:
		var out []libraryFault
		for _, name := range k.Properties {
			out = append(out, libraryFault{path: slices.Concat(f.path, []string{name}), keyword: f.keyword})
		}
		return out
	case *errorkind.PropertyNames:
		return []libraryFault{f}
	}
	return []libraryFault{f}
}

// libraryAlternatives looks for the alternative that was meant as this package does.
func libraryAlternatives(f libraryFault, causes []*jsonschema.ValidationError) []libraryFault {
	var meant []libraryFault
	candidates, onlyTypes := 0, true
	for _, c := range causes {
		faults := libraryFaults(c)
		differs := slices.ContainsFunc(faults, func(g libraryFault) bool {
			below := len(g.path) - len(f.path)
			return below == 0 && g.isType || below <= 1 && (g.keyword == "const" || g.keyword == "enum")
		})
		if !differs {
			candidates++
			meant = faults
		}
		onlyTypes = onlyTypes && len(faults) == 1 && len(faults[0].path) == len(f.path) && faults[0].isType
	}
	switch {
	case onlyTypes:
		f.isType = true
	case candidates == 1:
		return meant
	}
	return []libraryFault{f}
}

// placesOf is what this package says, reduced likewise.
func placesOf(problems []Problem) string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, place(p.Pointer, p.Keyword))
	}
	return strings.Join(places(lines), "\n")
}

// comparison counts what was compared.
type comparison struct{ pairs, faulty, invalid int }

// compare holds both validators against each other. The schema names its dialect.
func (n *comparison) compare(t *testing.T, schema string, instances ...string) {
	t.Helper()
	s, err := Compile([]byte(schema), Draft202012)
	ours := ""
	var invalid *Invalid
	var refused *NotChecked
	switch {
	case errors.As(err, &invalid):
		n.invalid++
		ours = "invalid\n" + placesOf(invalid.Problems)
		if len(invalid.Problems) == MaxProblems {
			return // the library gives more
		}
	case errors.As(err, &refused):
		switch refused.Reason {
		case RemoteRef, BadRef:
			ours = string(refused.Reason)
		default:
			return // bounds that the library does not have
		}
	}
	o, theirs := newOracle(schema, Draft202012)
	if ours != theirs {
		t.Errorf("%s\nours   %s\ntheirs %s", schema, ours, theirs)
		return
	}
	if o == nil {
		return
	}
	for _, instance := range instances {
		v := s.Check([]byte(instance))
		if v.NotChecked != nil && v.NotChecked.Reason != NotJSON || len(v.Problems) == MaxProblems || v.Work > 50_000 {
			continue
		}
		n.pairs++
		ours := placesOf(v.Problems)
		if v.NotChecked != nil {
			ours = string(v.NotChecked.Reason)
		} else if ours != "" {
			n.faulty++
		}
		if theirs := o.check(instance); ours != theirs {
			t.Errorf("%s\n%s\nours   %s\ntheirs %s", schema, instance, ours, theirs)
		}
	}
}

// Schemas and instances that nobody thought of.
func TestGeneratedAgainstLibrary(t *testing.T) {
	var n comparison
	drafts := []Draft{Draft04, Draft06, Draft07, Draft201909, Draft202012}
	const schemas = 1_500
	for i := range schemas {
		g := &generator{Rand: rand.New(rand.NewPCG(1, uint64(i))), draft: drafts[i%len(drafts)], wild: i%10 == 0}
		schema := g.document()
		instances := make([]string, 6)
		for j := range instances {
			instances[j] = g.instance(3)
		}
		if n.compare(t, schema, instances...); t.Failed() {
			return
		}
	}
	if n.pairs < 5*schemas || n.faulty < n.pairs/5 || n.invalid < schemas/50 {
		t.Errorf("too little was compared: %+v", n)
	}
}

// Each schema of the table under every dialect, against each instance.
func TestTableAgainstLibrary(t *testing.T) {
	var n comparison
	for _, name := range dialectNames {
		for _, schema := range tableSchemas {
			n.compare(t, withDialect(schema, name), tableInstances...)
		}
		for _, schema := range formatSchemas {
			n.compare(t, withDialect(schema, name), formatInstances...)
			n.compare(t, withDialect(schema, name), `1`, `null`, `["x"]`)
		}
	}
	if n.pairs < 15_000 || n.faulty < 4_000 || n.invalid < 100 {
		t.Errorf("too little was compared: %+v", n)
	}
}

var dialectNames = map[Draft]string{
	Draft04: "http://json-schema.org/draft-04/schema#", Draft06: "http://json-schema.org/draft-06/schema#", Draft07: "http://json-schema.org/draft-07/schema#",
	Draft201909: "https://json-schema.org/draft/2019-09/schema", Draft202012: "https://json-schema.org/draft/2020-12/schema",
}

// withDialect puts $schema in front of the members of a schema that is an object.
func withDialect(schema, name string) string {
	comma := ","
	if schema == "{}" {
		comma = ""
	}
	return `{"$schema":` + strconv.Quote(name) + comma + schema[1:]
}

// FuzzAgainstLibrary keeps away from what the library does wrong, which is said where it is left out.
func FuzzAgainstLibrary(f *testing.F) {
	for i, schema := range tableSchemas {
		f.Add(withDialect(schema, dialectNames[Draft07]), tableInstances[i%len(tableInstances)])
		f.Add(withDialect(schema, dialectNames[Draft202012]), tableInstances[(3*i)%len(tableInstances)])
	}
	f.Fuzz(func(t *testing.T, schema, instance string) {
		doc, _, refused := decode([]byte(schema), 4096)
		if refused != nil || doc.kind != objectKind || len(instance) > 4096 || bytes.Contains([]byte(schema), []byte(`\u`)) {
			return
		}
		if name, _ := doc.str("$schema"); DraftOf(name) == "" || strings.Count(schema, "$schema") > 1 {
			return
		}
		for _, word := range []string{
			`"const"`, `"if"`, `"contains"`, `"propertyNames"`, // count beside $ref even in old dialects
			`id"`, `Anchor"`, `"$anchor"`, `$dynamicRef`, `$recursiveRef`, // resources found in another order
			`json-schema.org/draft`, // a dialect as the target of a reference is compiled from its text
			`"format"`, `"pattern`,  // semver and period are formats there; patterns that are not reached are tried
		} {
			if strings.Contains(schema[min(len(schema), 60):], word) {
				return
			}
		}
		new(comparison).compare(t, schema, instance)
	})
}
