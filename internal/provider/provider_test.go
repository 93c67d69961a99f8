package provider

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/jsonrpc"
)

func TestAppendTool(t *testing.T) {
	for _, c := range []struct {
		name, definition  string
		anthropic, openai string
	}{
		{"whole", `{ "name":"a_b", "title":"T", "description":"say \"hi\"", "inputSchema": { "type" : "object", "properties":{"x y":{"const":"a \\\" b"}} }, "outputSchema":{"type":"object"}, "annotations":{"readOnlyHint":true} }`,
			`{"name":"a_b","description":"say \"hi\"","input_schema":{"type":"object","properties":{"x y":{"const":"a \\\" b"}}}}`,
			`{"type":"function","function":{"name":"a_b","description":"say \"hi\"","parameters":{"type":"object","properties":{"x y":{"const":"a \\\" b"}}}}}`},
		{"bare", `{"name":"a"}`,
			`{"name":"a","input_schema":{"type":"object","properties":{}}}`,
			`{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{}}}}`},
		{"numbers stay", `{"name":"a","inputSchema":{"type":"object","maximum":1.0e2,"x":12345678901234567890}}`,
			`{"name":"a","input_schema":{"type":"object","maximum":1.0e2,"x":12345678901234567890}}`,
			`{"type":"function","function":{"name":"a","parameters":{"type":"object","maximum":1.0e2,"x":12345678901234567890}}}`},
		{"wrong types", `{"name":7,"description":[],"inputSchema":"object"}`,
			`{"name":"","input_schema":{"type":"object","properties":{}}}`,
			`{"type":"function","function":{"name":"","parameters":{"type":"object","properties":{}}}}`},
	} {
		tool := ReadTool([]byte(c.definition))
		if got := string(AppendTool(nil, Anthropic, tool)); got != c.anthropic {
			t.Errorf("%s: anthropic\n got %s\nwant %s", c.name, got, c.anthropic)
		}
		if got := string(AppendTool(nil, OpenAI, tool)); got != c.openai {
			t.Errorf("%s: openai\n got %s\nwant %s", c.name, got, c.openai)
		}
	}
}

func TestCheck(t *testing.T) {
	many := make([]Tool, 129)
	for i := range many {
		many[i] = Tool{Name: "t" + strings.Repeat("x", i/26) + string(rune('a'+i%26)), InputSchema: []byte(`{"type":"object"}`)}
	}
	tool := func(name, description, schema string) []Tool {
		return []Tool{{Name: name, Description: description, InputSchema: []byte(schema)}}
	}
	const object = `{"type":"object"}`
	for _, c := range []struct {
		name              string
		tools             []Tool
		anthropic, openai string // codes, "!" for refused
	}{
		{"fine", tool("get_x-1", "d", `{"type":"object","properties":{"a.b":{"anyOf":[{"type":"string"}]}}}`), "", ""},
		{"dot", tool("files.read", "", object), "name-characters!", "name-characters!"},
		{"umlaut", tool("größe", "", object), "name-characters!", "name-characters!"},
		{"no name", tool("", "", object), "name-length!", "name-length!"},
		{"64", tool(strings.Repeat("a", 64), "", object), "", ""},
		{"65", tool(strings.Repeat("a", 65), "", object), "name-length", "name-length!"},
		{"128", tool(strings.Repeat("a", 128), "", object), "name-length", "name-length!"},
		{"129", tool(strings.Repeat("a", 129), "", object), "name-length!", "name-length!"},
		{"description 1024", tool("a", strings.Repeat("é", 1024), object), "", ""},
		{"description 1025", tool("a", strings.Repeat("é", 1025), object), "", "description-length"},
		{"no schema", []Tool{{Name: "a"}}, "schema-missing", "schema-missing"},
		{"boolean schema", tool("a", "", `true`), "schema-missing", "schema-missing"},
		{"no type", tool("a", "", `{"properties":{}}`), "schema-root-type!", "schema-root-type!"},
		{"list of types", tool("a", "", `{"type":["object","null"]}`), "schema-root-type!", "schema-root-type!"},
		{"anyOf", tool("a", "", `{"type":"object","anyOf":[{"required":["x"]}]}`), "schema-root-keyword!", "schema-root-keyword!"},
		{"allOf and oneOf", tool("a", "", `{"type":"object","allOf":[],"oneOf":[]}`), "schema-root-keyword! schema-root-keyword!", "schema-root-keyword! schema-root-keyword!"},
		{"not", tool("a", "", `{"type":"object","not":{"required":["x"]}}`), "", "schema-root-keyword!"},
		{"root ref", tool("a", "", `{"type":"object","$ref":"#/$defs/x","$defs":{"x":{}}}`), "schema-ref!", "schema-ref!"},
		{"inner ref", tool("a", "", `{"type":"object","properties":{"x":{"items":[{"$ref":"#/$defs/x"}]}}}`), "schema-ref", ""},
		{"property named $ref", tool("a", "", `{"type":"object","properties":{"$ref":{"type":"string"}}}`), "property-name!", ""},
		{"ref as data", tool("a", "", `{"type":"object","properties":{"x":{"enum":[{"$ref":"y"}]}}}`), "", ""},
		{"property names", tool("a", "", `{"type":"object","properties":{"a b":{},"ok.x-1_":{}}}`), "property-name!", ""},
		{"twice", append(tool("a", "", object), tool("a", "", object)...), "name-duplicate!", "name-duplicate!"},
		{"128 tools", many[:128], "", ""},
		{"129 tools", many, "", "too-many-tools!"},
	} {
		for api, want := range map[API]string{Anthropic: c.anthropic, OpenAI: c.openai} {
			var got []string
			for _, w := range Check(api, c.tools) {
				code := w.Code
				if w.Refused {
					code += "!"
				}
				if w.Message == "" || w.API != api {
					t.Errorf("%s: %+v", c.name, w)
				}
				got = append(got, code)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s %s: got %q, want %q", c.name, api, strings.Join(got, " "), want)
			}
		}
	}
}

func TestCallAndResult(t *testing.T) {
	for _, c := range []struct {
		name, result, anthropic, openai string
	}{
		{"text", `{"content":[{"type":"text","text":"a\n"},{"type":"text","text":"b"}]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"a\n"},{"type":"text","text":"b"}]}`,
			`{"role":"tool","tool_call_id":"i","content":"a\n\nb"}`},
		{"tool error", `{"content":[{"type":"text","text":"no"}],"isError":true}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"no"}],"is_error":true}`,
			`{"role":"tool","tool_call_id":"i","content":"no"}`},
		{"nothing", `{"content":[]}`, `{"type":"tool_result","tool_use_id":"i"}`, `{"role":"tool","tool_call_id":"i","content":""}`},
		{"image", `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}`,
			`{"role":"tool","tool_call_id":"i","content":"[image image/png, 3 bytes, not shown to the model]"}`},
		{"an image of another type", `{"content":[{"type":"image","mimeType":"image/svg+xml","data":"AA=="}]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"[image image/svg+xml, 1 bytes, not shown to the model]"}]}`,
			`{"role":"tool","tool_call_id":"i","content":"[image image/svg+xml, 1 bytes, not shown to the model]"}`},
		{"audio", `{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAA="}]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"[audio audio/wav, 2 bytes, not shown to the model]"}]}`,
			`{"role":"tool","tool_call_id":"i","content":"[audio audio/wav, 2 bytes, not shown to the model]"}`},
		{"embedded text", `{"content":[{"type":"resource","resource":{"uri":"f://x","text":"T"}}]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"T"}]}`, `{"role":"tool","tool_call_id":"i","content":"T"}`},
		{"embedded image and pdf", `{"content":[{"type":"resource","resource":{"uri":"f://x","mimeType":"image/gif","blob":"AAAA"}},{"type":"resource","resource":{"uri":"f://y","mimeType":"application/pdf","blob":"BBBB"}}]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"AAAA"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"BBBB"}}]}`,
			`{"role":"tool","tool_call_id":"i","content":"[resource image/gif f://x, 3 bytes, not shown to the model]\n[resource application/pdf f://y, 3 bytes, not shown to the model]"}`},
		{"link", `{"content":[{"type":"resource_link","uri":"f://x","name":"n","description":"d"}]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"[resource n f://x d]"}]}`,
			`{"role":"tool","tool_call_id":"i","content":"[resource n f://x d]"}`},
		{"structured only", `{"structuredContent":{ "a": 1 },"content":[]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"{\"a\":1}"}]}`, `{"role":"tool","tool_call_id":"i","content":"{\"a\":1}"}`},
		{"structured beside text", `{"structuredContent":{"a":1},"content":[{"type":"text","text":"a is 1"}]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"a is 1"}]}`, `{"role":"tool","tool_call_id":"i","content":"a is 1"}`},
		{"unknown block", `{"content":[{"type":"video", "x":1}]}`,
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"{\"type\":\"video\",\"x\":1}"}]}`, `{"role":"tool","tool_call_id":"i","content":"{\"type\":\"video\",\"x\":1}"}`},
		{"hostile", "{\"content\":[7,null,[[]],{\"type\":\"image\",\"data\":{\"a\":[1,2]},\"mimeType\":\"image/png\"},{\"type\":\"text\",\"text\":\"\xff\"}]}",
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"7"},{"type":"text","text":"null"},{"type":"text","text":"[[]]"},{"type":"text","text":"[image image/png, 0 bytes, not shown to the model]"},{"type":"text","text":"` + "\ufffd" + `"}]}`,
			`{"role":"tool","tool_call_id":"i","content":"7\nnull\n[[]]\n[image image/png, 0 bytes, not shown to the model]\n` + "\ufffd" + `"}`},
	} {
		for api, want := range map[API]string{Anthropic: c.anthropic, OpenAI: c.openai} {
			if got := string(AppendResult(nil, api, "i", []byte(c.result))); got != want || !json.Valid([]byte(got)) {
				t.Errorf("%s %s:\n got %s\nwant %s", c.name, api, got, want)
			}
		}
	}
	if got, want := string(AppendCall(nil, Anthropic, "i", "n", []byte(`{ "a": [1, 2] }`))), `{"type":"tool_use","id":"i","name":"n","input":{"a":[1,2]}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := string(AppendCall(nil, OpenAI, "i", "n", []byte(`{ "a": "b" }`))), `{"role":"assistant","content":null,"tool_calls":[{"id":"i","type":"function","function":{"name":"n","arguments":"{\"a\":\"b\"}"}}]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	failed := &jsonrpc.ErrorObject{Code: -32602, Message: "no such tool"}
	if got, want := string(AppendError(nil, Anthropic, "i", failed)), `{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"MCP error -32602: no such tool"}],"is_error":true}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCallID(t *testing.T) {
	for _, c := range []struct{ id, params, anthropic, openai string }{
		{"7", `{}`, "toolu_7", "call_7"},
		{`"a b/ü"`, `{}`, "toolu_a_b__", "call_a_b__"},
		{"1.5", `{}`, "toolu_1_5", "call_1_5"},
		{"7", `{"_meta":{"claudecode/toolUseId":"toolu_01x"}}`, "toolu_01x", "toolu_01x"},
	} {
		id := jsonrpc.ParseID([]byte(c.id))
		got := []string{CallID(Anthropic, id, []byte(c.params)), CallID(OpenAI, id, []byte(c.params))}
		if want := []string{c.anthropic, c.openai}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", c.id, got, want)
		}
	}
}

// Whatever comes in, JSON goes out.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"AAAA"}]}`))
	f.Add([]byte(`{"structuredContent":{"a":[1,{"b":"\\\""}]},"content":[]}`))
	f.Add([]byte("{\"content\":[\"\xff\",{\"type\":\"resource\",\"resource\":{\"blob\":[]}}]}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		for _, api := range APIs() {
			for what, out := range map[string][]byte{
				"result": AppendResult(nil, api, "i", raw), "call": AppendCall(nil, api, "i", "n", raw), "tool": AppendTool(nil, api, ReadTool(raw)),
			} {
				if !json.Valid(out) {
					t.Fatalf("%s of %s for %s: %s", what, raw, api, out)
				}
			}
			Check(api, []Tool{ReadTool(raw)})
		}
	})
}
