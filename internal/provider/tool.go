package provider

import "github.com/shakescope/shakescope/jsonrpc"

// Tool is what a model gets to see of a tool.
type Tool struct {
	Name        string
	Description string // "" is left out
	InputSchema []byte // raw JSON; nil when the definition has none
}

// ReadTool reads an MCP tool definition. What is missing or of another type is left empty.
func ReadTool(definition []byte) Tool {
	var t Tool
	for name, value := range jsonrpc.Members(definition) {
		switch name {
		case "name":
			t.Name = text(value)
		case "description":
			t.Description = text(value)
		case "inputSchema":
			t.InputSchema = value
		}
	}
	return t
}

// noArguments stands for a schema that is missing: both APIs want an object.
const noArguments = `{"type":"object","properties":{}}`

// AppendTool appends the definition of a tool as it stands in the list of tools of a request.
func AppendTool(dst []byte, api API, t Tool) []byte {
	schema := "input_schema"
	if api == OpenAI {
		schema = "parameters"
		dst = append(dst, `{"type":"function","function":`...)
	}
	dst = append(dst, `{"name":`...)
	dst = quote(dst, t.Name)
	if t.Description != "" {
		dst = append(dst, `,"description":`...)
		dst = quote(dst, t.Description)
	}
	dst = append(dst, `,"`+schema+`":`...)
	if isObject(t.InputSchema) {
		dst = compact(dst, t.InputSchema)
	} else {
		dst = append(dst, noArguments...)
	}
	dst = append(dst, '}')
	if api == OpenAI {
		dst = append(dst, '}')
	}
	return dst
}

// Tokens estimates what n bytes of definitions cost in a prompt: a quarter of them, rounded up. Tokenizers are
// nobody's promise; for JSON in English the truth is rarely farther off than a third.
func Tokens(n int) int { return (n + 3) / 4 }
