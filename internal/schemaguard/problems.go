package schemaguard

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// fault is a problem while it is worked on. Its words are made when it is known to be shown: a hostile
// schema makes half a million of them.
type fault struct {
	path    []string
	keyword string
	name    string               // of the member that is missing
	because string               // member that demands it
	kind    jsonschema.ErrorKind // what else it is about
	want    []string             // types
	count   int                  // of alternatives of which none fits
	alien   bool                 // and which are all for another kind of value
	prefix  string               // before the words
	value   any
}

// problemsOf flattens the library's tree of causes.
func problemsOf(err *jsonschema.ValidationError, value any) []Problem {
	r := reader{root: value}
	faults := r.faults(err)
	slices.SortStableFunc(faults, compareFaults)
	faults = slices.CompactFunc(faults, func(a, b fault) bool { return compareFaults(a, b) == 0 })
	if len(faults) > MaxProblems {
		faults = faults[:MaxProblems]
	}
	problems := make([]Problem, len(faults))
	for i, f := range faults {
		problems[i] = Problem{Pointer: pointer(f.path), Keyword: f.keyword, Message: f.message()}
		if f.name == "" {
			problems[i].Value = rawText(f.value)
		}
	}
	return problems
}

// compareFaults makes an order out of what the library found in the order of Go's maps.
func compareFaults(a, b fault) int {
	if c := slices.CompareFunc(a.path, b.path, compareTokens); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(a.keyword, b.keyword), cmp.Compare(a.name, b.name), cmp.Compare(a.because, b.because)); c != 0 {
		return c
	}
	return cmp.Compare(a.message(), b.message())
}

// compareTokens puts items of an array in their order: 2 before 10.
func compareTokens(a, b string) int {
	x, errA := strconv.Atoi(a)
	y, errB := strconv.Atoi(b)
	switch {
	case errA == nil && errB == nil && x != y:
		return cmp.Compare(x, y)
	case (errA == nil) != (errB == nil): // numbers first, so that this is an order
		if errA == nil {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

var tokenEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(tokenEscapes.Replace(token))
	}
	return b.String()
}

type reader struct{ root any }

// at returns the value at a path.
func (r reader) at(path []string) any {
	v := r.root
	for _, token := range path {
		switch parent := v.(type) {
		case map[string]any:
			v = parent[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			v = parent[i]
		default:
			return nil
		}
	}
	return v
}

func (r reader) all(causes []*jsonschema.ValidationError) []fault {
	if len(causes) == 1 {
		return r.faults(causes[0])
	}
	var out []fault
	for _, c := range causes {
		out = append(out, r.faults(c)...)
	}
	return out
}

func (r reader) faults(err *jsonschema.ValidationError) []fault {
	if err.ErrorKind == nil {
		return nil // of a branch of which only the outcome matters
	}
	f := fault{path: err.InstanceLocation, kind: err.ErrorKind}
	f.value = r.at(f.path)
	if k := err.ErrorKind.KeywordPath(); len(k) > 0 {
		f.keyword = k[0]
	}
	switch k := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return r.all(err.Causes)
	case *kind.AnyOf:
		f.keyword = "anyOf"
		return r.alternatives(f, err.Causes)
	case *kind.OneOf:
		f.keyword = "oneOf"
		if len(k.Subschemas) < 2 {
			return r.alternatives(f, err.Causes)
		}
	case *kind.Type:
		f.want = k.Want
	case *kind.FalseSchema:
		f.keyword = "false"
	case *kind.Not:
		f.keyword = "not"
	case *kind.Required:
		return f.lacking(k.Missing, "")
	case *kind.Dependency:
		f.keyword = "dependencies"
		return f.lacking(k.Missing, k.Prop)
	case *kind.DependentRequired:
		return f.lacking(k.Missing, k.Prop)
	case *kind.AdditionalProperties:
		var out []fault
		for _, name := range k.Properties {
			f.path = slices.Concat(err.InstanceLocation, []string{name})
			f.value = r.at(f.path)
			out = append(out, f)
		}
		return out
	case *kind.PropertyNames:
		return r.badName(f, k.Property, err.Causes)
	}
	return []fault{f}
}

// lacking makes a fault of each missing member; because names the one that demands them, if one does.
func (f fault) lacking(names []string, because string) []fault {
	out := make([]fault, len(names))
	for i, name := range names {
		f.name, f.because = name, because
		out[i] = f
	}
	return out
}

// badName words what is wrong with the name of a member, and points to the member.
func (r reader) badName(f fault, name string, causes []*jsonschema.ValidationError) []fault {
	path := slices.Concat(f.path, []string{name})
	value := r.at(path)
	out := reader{root: name}.all(causes)
	for i := range out {
		out[i].path, out[i].keyword, out[i].prefix = path, f.keyword, "name "
	}
	if len(out) == 0 {
		f.path, f.value = path, value
		return []fault{f}
	}
	return out
}

// alternatives explains why none fits, by the one that was evidently meant if there is one: all others
// fail at the type of the value itself, or at a constant that tells alternatives apart.
func (r reader) alternatives(f fault, causes []*jsonschema.ValidationError) []fault {
	var meant []fault
	candidates := 0
	var want []string
	onlyTypes := true
	for _, c := range causes {
		faults := r.faults(c)
		if !differs(faults, len(f.path)) {
			candidates++
			meant = faults
		}
		if len(faults) == 1 && len(faults[0].path) == len(f.path) && faults[0].want != nil {
			want = append(want, faults[0].want...)
		} else {
			onlyTypes = false
		}
	}
	switch {
	case onlyTypes && len(want) > 0:
		slices.Sort(want)
		f.want = slices.Compact(want)
		return []fault{f}
	case candidates == 1:
		return meant
	}
	f.count, f.alien = len(causes), candidates == 0
	return []fault{f}
}

// differs tells whether an alternative is for another kind of value: wrong type, const or enum of the
// value itself, or const or enum of a member of it.
func differs(faults []fault, depth int) bool {
	for _, f := range faults {
		below := len(f.path) - depth
		switch {
		case below == 0 && f.want != nil:
			return true
		case below <= 1 && (f.keyword == "const" || f.keyword == "enum"):
			return true
		}
	}
	return false
}
