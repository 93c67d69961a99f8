package compare

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// schemaCase is one entry of testdata/schema_changes.txt.
type schemaCase struct {
	name, before, after string
	verdicts            []string
}

func readSchemaCases(t testing.TB) []schemaCase {
	t.Helper()
	b, err := os.ReadFile("testdata/schema_changes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []schemaCase
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		switch mark {
		case "=":
			out = append(out, schemaCase{name: rest})
		case "-":
			out[len(out)-1].before = rest
		case "+":
			out[len(out)-1].after = rest
		case "input", "output":
			out[len(out)-1].verdicts = append(out[len(out)-1].verdicts, line)
		}
	}
	return out
}

func (c *schemaCase) judged() []string {
	var out []string
	for _, d := range []Direction{Input, Output} {
		list := Schemas([]byte(c.before), []byte(c.after), d)
		for _, s := range list {
			out = append(out, fmt.Sprintf("%s %s: %s (%s)", d, s.Grade, s.Words, s.Why))
		}
		if len(list) == 0 {
			out = append(out, d.String()+" same")
		}
	}
	return out
}

// TestSchemaChanges holds the table: each change of a schema with its words, its grade and the reason.
func TestSchemaChanges(t *testing.T) {
	cases := readSchemaCases(t)
	if len(cases) < 40 {
		t.Fatalf("%d cases only", len(cases))
	}
	var file strings.Builder
	file.WriteString("# Changes of schemas: what they are called and how they are graded. `go test ./internal/compare -update` writes the\n# verdicts, which are to be read before they are committed.\n")
	for _, c := range cases {
		have := c.judged()
		fmt.Fprintf(&file, "\n= %s\n- %s\n+ %s\n%s\n", c.name, c.before, c.after, strings.Join(have, "\n"))
		if diff := cmp.Diff(c.verdicts, have); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/schema_changes.txt", []byte(file.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page(t, "schema changes", schemaTable(cases))
}

// schemaTable is the table of docs/diff.md.
func schemaTable(cases []schemaCase) string {
	var b strings.Builder
	b.WriteString("| change | in words | in an input schema | in an output schema |\n|---|---|---|---|\n")
	cell := strings.NewReplacer("|", "\\|", "\n", " ")
	for _, c := range cases {
		var words, input, output []string
		for _, d := range []Direction{Input, Output} {
			for _, s := range Schemas([]byte(c.before), []byte(c.after), d) {
				verdict := fmt.Sprintf("**%s**: %s", s.Grade, s.Why)
				if d == Output {
					output = append(output, verdict)
					continue
				}
				words, input = append(words, s.Words), append(input, verdict)
			}
		}
		if words == nil {
			words, input, output = []string{"–"}, []string{"same"}, []string{"same"}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell.Replace(c.name), cell.Replace(strings.Join(words, "; ")),
			cell.Replace(strings.Join(slices.Compact(input), "; ")), cell.Replace(strings.Join(slices.Compact(output), "; ")))
	}
	return b.String()
}

// page holds that a part of docs/diff.md, between two comments, is what the code says.
func page(t *testing.T, part, want string) {
	t.Helper()
	const path = "../../docs/diff.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start, end := "<!-- "+part+": written by go test ./internal/compare -update -->\n", "<!-- end of "+part+" -->"
	before, rest, ok := strings.Cut(string(b), start)
	have, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no part %q", path, part)
	}
	if have == want {
		return
	}
	if !*update {
		t.Errorf("the %s of %s are out of date; `go test ./internal/compare -update` writes them anew", part, path)
		return
	}
	if err := os.WriteFile(path, []byte(before+start+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// FuzzSchemas holds what is true of any two schemas: nothing differs from itself, and what one way narrows, the
// other way widens.
func FuzzSchemas(f *testing.F) {
	for _, c := range readSchemaCases(f) {
		f.Add(c.before, c.after)
	}
	f.Add(`{"allOf":[{"$ref":"#"},{"$ref":"#/allOf/0"}]}`, `{"anyOf":[{"$ref":"#"}],"not":{"$ref":"#"}}`)
	f.Add(`{"properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/properties/a"}}}`, `true`)
	f.Add(`{"type":[],"enum":[]}`, `{"type":["null","string"],"const":null}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, d := range []Direction{Input, Output} {
			if same := Schemas([]byte(a), []byte(a), d); len(same) > 0 {
				t.Fatalf("%s differs from itself: %+v", a, same)
			}
		}
		there, back := moves(Schemas([]byte(a), []byte(b), Input)), moves(Schemas([]byte(b), []byte(a), Input))
		for i := range back {
			place, m, _ := strings.Cut(back[i], "\x00")
			back[i] = place + "\x00" + string("\x00\x02\x01\x03"[m[0]])
		}
		slices.Sort(back)
		if diff := cmp.Diff(there, back); diff != "" && json.Valid([]byte(a)) && json.Valid([]byte(b)) {
			t.Fatalf("%s\n%s\nthere and back (-there +back):\n%s", a, b, diff)
		}
	})
}

// moves are the places of changes with what they do to the set of values.
func moves(list []SchemaChange) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.Path+"\x00"+string(rune(s.moved)))
	}
	slices.Sort(out)
	return out
}
