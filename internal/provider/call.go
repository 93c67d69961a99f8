package provider

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/jsonrpc"
)

// CallID is the id under which a model knows a call. Hosts make it or take the model's own; it travels to the
// server only where a host says so (Claude Code does, in _meta). Else it is made of the request's JSON-RPC id, so
// that a call and its result can be matched.
func CallID(api API, id jsonrpc.ID, params []byte) string {
	if own := text(member(params, "_meta", "claudecode/toolUseId")); own != "" {
		return own
	}
	prefix := "toolu_"
	if api == OpenAI {
		prefix = "call_"
	}
	raw := id.Raw()
	if s, ok := jsonrpc.Unquote([]byte(raw)); ok {
		raw = s
	}
	return prefix + strings.Map(func(r rune) rune {
		if plain(r) {
			return r
		}
		return '_'
	}, raw)
}

// AppendCall appends a call as the model wrote it: a tool_use block, or an assistant's message with tool_calls.
// arguments are raw JSON; nil is an empty object.
func AppendCall(dst []byte, api API, id, name string, arguments []byte) []byte {
	if arguments == nil {
		arguments = []byte("{}")
	}
	if api == Anthropic {
		dst = append(dst, `{"type":"tool_use","id":`...)
		dst = quote(dst, id)
		dst = append(dst, `,"name":`...)
		dst = quote(dst, name)
		dst = append(dst, `,"input":`...)
		dst = compact(dst, arguments)
		return append(dst, '}')
	}
	dst = append(dst, `{"role":"assistant","content":null,"tool_calls":[{"id":`...)
	dst = quote(dst, id)
	dst = append(dst, `,"type":"function","function":{"name":`...)
	dst = quote(dst, name)
	dst = append(dst, `,"arguments":`...)
	dst = quote(dst, string(compact(nil, arguments))) // a string that holds JSON
	return append(dst, "}}]}"...)
}

// AppendResult appends the result of a tools/call as the model reads it: a tool_result block, or a message of the
// role tool. result is raw JSON.
func AppendResult(dst []byte, api API, id string, result []byte) []byte {
	return appendAnswer(dst, api, id, blocks(api, result), string(member(result, "isError")) == "true")
}

// AppendError does the same for a call that was answered with a JSON-RPC error.
func AppendError(dst []byte, api API, id string, e *jsonrpc.ErrorObject) []byte {
	message := e.Message
	if message == "" {
		message = "error"
	}
	said := fmt.Sprintf("MCP error %d: %s", e.Code, message)
	return appendAnswer(dst, api, id, []block{{text: said}}, true)
}

func appendAnswer(dst []byte, api API, id string, content []block, failed bool) []byte {
	if api == OpenAI {
		var texts []string
		for i := range content {
			texts = append(texts, content[i].text)
		}
		dst = append(dst, `{"role":"tool","tool_call_id":`...)
		dst = quote(dst, id)
		dst = append(dst, `,"content":`...)
		dst = quote(dst, strings.Join(texts, "\n"))
		return append(dst, '}')
	}
	dst = append(dst, `{"type":"tool_result","tool_use_id":`...)
	dst = quote(dst, id)
	if len(content) > 0 {
		dst = append(dst, `,"content":[`...)
		for i := range content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = content[i].append(dst)
		}
		dst = append(dst, ']')
	}
	if failed {
		dst = append(dst, `,"is_error":true`...)
	}
	return append(dst, '}')
}

// block is one piece of a result: bytes of a type that the API takes, or else a text.
type block struct {
	text  string
	kind  string // image, document; "" is text
	media string
	data  []byte // raw JSON string of base64
}

func (b *block) append(dst []byte) []byte {
	if b.kind == "" {
		dst = append(dst, `{"type":"text","text":`...)
		dst = quote(dst, b.text)
		return append(dst, '}')
	}
	dst = append(dst, `{"type":"`+b.kind+`","source":{"type":"base64","media_type":`...)
	dst = quote(dst, b.media)
	dst = append(dst, `,"data":`...)
	dst = compact(dst, b.data)
	return append(dst, "}}"...)
}

// blocks translates the content of a result.
func blocks(api API, result []byte) []block {
	var out []block
	for _, c := range elements(member(result, "content")) {
		out = append(out, blockOf(api, c))
	}
	if structured := member(result, "structuredContent"); len(out) == 0 && isObject(structured) {
		out = append(out, block{text: string(compact(nil, structured))})
	}
	return out
}

func blockOf(api API, c []byte) block {
	switch kind := text(member(c, "type")); kind {
	case "text":
		return block{text: text(member(c, "text"))}
	case "image", "audio":
		return bytesBlock(api, kind, text(member(c, "mimeType")), member(c, "data"), "")
	case "resource":
		r := member(c, "resource")
		uri := text(member(r, "uri"))
		if t := member(r, "text"); t != nil {
			return block{text: text(t)}
		}
		return bytesBlock(api, "resource", text(member(r, "mimeType")), member(r, "blob"), uri)
	case "resource_link":
		said := "[resource"
		for _, name := range []string{"name", "uri", "mimeType", "description"} {
			if s := text(member(c, name)); s != "" {
				said += " " + s
			}
		}
		return block{text: said + "]"}
	}
	return block{text: string(compact(nil, c))}
}

// imageTypes are those that the Messages API takes.
var imageTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

// bytesBlock is a block of base64, where the API takes the type; else a sentence that says what was there.
func bytesBlock(api API, what, media string, data []byte, uri string) block {
	if api == Anthropic && len(data) > 1 && data[0] == '"' {
		switch {
		case imageTypes[media]:
			return block{kind: "image", media: media, data: data}
		case media == "application/pdf" && what == "resource":
			return block{kind: "document", media: media, data: data}
		}
	}
	if media != "" {
		what += " " + media
	}
	if uri != "" {
		what += " " + uri
	}
	n := len(strings.TrimRight(text(data), "="))
	return block{text: fmt.Sprintf("[%s, %d bytes, not shown to the model]", what, n*3/4)}
}
