// Package provider shows what a model gets to see of MCP: the definitions of tools, a call and its result in the
// forms of two model APIs, and what of the definitions those APIs would refuse.
//
// Between an MCP server and a model stands a host, which translates. What it sends is not on the wire that
// shakescope records; these are the usual translations, those of the hosts and SDKs in the field:
//
//	MCP                         Anthropic Messages              OpenAI Chat Completions
//	tool name                   name                            function.name
//	tool description            description                     function.description
//	tool inputSchema            input_schema                    function.parameters
//	title, annotations,         not sent                        not sent
//	  outputSchema, _meta
//	tools/call                  tool_use block                  an assistant's tool_calls
//	result                      tool_result block               message of role tool
//	result with isError         is_error true                   its text alone
//	protocol error              tool_result with is_error       its text
//	text, embedded text         text block                      text
//	image, embedded image       image block, base64             a sentence: such messages take no image
//	embedded PDF                document block, base64          a sentence
//	audio, other bytes, links   a sentence                      a sentence
//	structuredContent           left out beside content, else   likewise
//	                            as text
//
// Raw JSON goes through as it came, without the white space between its tokens. Everything appended is valid
// JSON provided that the raw values given are; texts that are no UTF-8 get U+FFFD.
//
// The limits in [Check] were looked up on 2026-11-30; docs/tools.md names the sources.
package provider

// API is a model API.
type API string

// The APIs.
const (
	Anthropic API = "anthropic" // Messages
	OpenAI    API = "openai"    // Chat Completions
)

// APIs lists the model APIs, in the order in which reports name them. The slice is the caller's.
func APIs() []API { return []API{Anthropic, OpenAI} }

// Title is the API's name for people.
func (a API) Title() string {
	if a == OpenAI {
		return "OpenAI Chat Completions"
	}
	return "Anthropic Messages"
}
