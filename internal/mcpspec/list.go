package mcpspec

// List is a list of definitions that a server gives page by page.
type List struct {
	Method string // that asks for it
	Member string // of the result: the items
	Key    string // the member that names an item
	Group  string // the primitive, which is also the capability that the list leans on
	Use    string // the method that uses an item; "" for templates, which are filled in first
}

// The lists. They are shared and must not be changed.
var (
	ToolList     = List{"tools/list", "tools", "name", Tools, "tools/call"}
	PromptList   = List{"prompts/list", "prompts", "name", Prompts, "prompts/get"}
	ResourceList = List{"resources/list", "resources", "uri", Resources, "resources/read"}
	TemplateList = List{"resources/templates/list", "resourceTemplates", "uriTemplate", Resources, ""}
)
