package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestDemoSpeaksByTheBook holds every message of the demo's visit against the official schema of its
// revision, so that the demo's mistakes are only the ones it means to make.
func TestDemoSpeaksByTheBook(t *testing.T) {
	const revision = "2025-11-25"
	spec := filepath.Join(corpus(t), "spec")
	var schema struct {
		Defs map[string]struct {
			Properties struct{ Method struct{ Const string } }
		} `json:"$defs"`
	}
	file := filepath.Join(spec, "schema", revision+".schema.json")
	load(t, file, &schema)
	var methods struct {
		Methods []struct {
			Method     string
			ResultType map[string][]string
		}
	}
	load(t, filepath.Join(spec, "methods.json"), &methods)

	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mcp.json", document); err != nil {
		t.Fatal(err)
	}
	typeOf, resultOf := map[string]string{}, map[string]string{}
	for name, def := range schema.Defs {
		if method := def.Properties.Method.Const; method != "" {
			typeOf[method] = name
		}
	}
	for _, m := range methods.Methods {
		if types := m.ResultType[revision]; len(types) > 0 {
			resultOf[m.Method] = types[0]
		}
	}
	check := func(line, name string, value any) {
		t.Helper()
		def, err := compiler.Compile("mcp.json#/$defs/" + name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := def.Validate(value); err != nil {
			t.Errorf("not a %s: %s\n%v", name, line, err)
		}
	}

	visit, err := os.ReadFile(filepath.Join("..", "internal", "demo", "testdata", "visit.txt"))
	if err != nil {
		t.Fatal(err)
	}
	other := map[string]string{"client": "server", "server": "client"}
	asked := map[string]string{} // method, by sender and id
	checked, mistakes := 0, 0
	for line := range strings.Lines(string(visit)) {
		side, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
		}
		if json.Unmarshal([]byte(text), &m) != nil {
			mistakes++
			continue
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		checked++
		switch {
		case m.Method == "server/discover": // of the other era
		case m.Method != "":
			asked[side+string(m.ID)] = m.Method
			check(line, typeOf[m.Method], value)
		case m.Result != nil:
			check(line, "JSONRPCResultResponse", value)
			method := asked[other[side]+string(m.ID)]
			name := resultOf[method]
			if name == "" {
				name = "EmptyResult"
			}
			check(line, name, value.(map[string]any)["result"])
		default:
			check(line, "JSONRPCErrorResponse", value)
		}
	}
	if checked < 80 || mistakes != 1 {
		t.Errorf("%d messages checked, %d lines that are none", checked, mistakes)
	}
}
