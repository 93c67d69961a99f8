package mcpshape

// Results that may be cached say for how long and for whom (modern).
var cacheableBase = []member{
	{"_meta", all, 0, &resultMeta},
	{"resultType", modern, modern, &text},
	{"ttlMs", modern, modern, &shape{types: tInteger, bounds: &bounds{low: 0, noHigh: true}}},
	{"cacheScope", modern, modern, &shape{types: tString, enum: []string{"public", "private"}}},
}

// Tools.
var (
	toolSchemaMembers = []member{
		{"type", all, all, &typeObject},
		{"$schema", since2511, 0, &text},
		{"properties", legacy, 0, &objectMap},
		{"required", legacy, 0, &texts},
	}
	inputSchema  = shape{name: "Tool.inputSchema", types: tObject, members: toolSchemaMembers}
	outputSchema = shape{name: "Tool.outputSchema", types: tObject, members: toolSchemaMembers}
	// From 2026-07-28 on the output may be any JSON value.
	freeOutputSchema = shape{name: "Tool.outputSchema", types: tObject, members: []member{{"$schema", all, 0, &text}}}

	toolAnnotations = shape{name: "ToolAnnotations", types: tObject, members: []member{
		{"title", all, 0, &text},
		{"readOnlyHint", all, 0, &flag},
		{"destructiveHint", all, 0, &flag},
		{"idempotentHint", all, 0, &flag},
		{"openWorldHint", all, 0, &flag},
	}}
	toolExecution = shape{name: "ToolExecution", types: tObject, members: []member{
		{"taskSupport", all, 0, &shape{types: tString, enum: []string{"forbidden", "optional", "required"}}},
	}}
	tool = shape{name: "Tool", types: tObject, members: []member{
		{"name", all, all, &text},
		{"title", since2506, 0, &text},
		{"description", all, 0, &text},
		{"inputSchema", all, all, &inputSchema},
		{"outputSchema", r2506 | r2511, 0, &outputSchema},
		{"outputSchema", modern, 0, &freeOutputSchema},
		{"annotations", since2503, 0, &toolAnnotations},
		{"execution", r2511, 0, &toolExecution},
		{"icons", since2511, 0, &icons},
		{"_meta", since2506, 0, &openObject},
	}}
	listToolsResult = shape{name: "ListToolsResult", types: tObject, base: cacheableBase, members: []member{
		{"tools", all, all, &shape{types: tArray, items: &tool}},
		{"nextCursor", all, 0, &text},
	}}

	callToolParams = shape{name: "CallToolRequestParams", types: tObject, base: requestBase, members: []member{
		{"name", all, all, &text},
		{"arguments", all, 0, &openObject},
		{"task", r2511, 0, &taskMetadata},
		{"inputResponses", modern, 0, &inputResponses},
		{"requestState", modern, 0, &text},
	}}
	callToolResult = shape{name: "CallToolResult", types: tObject, base: resultBase, members: []member{
		{"content", all, all, &contentBlocks},
		{"structuredContent", r2506 | r2511, 0, &openObject},
		{"structuredContent", modern, 0, &anyValue},
		{"isError", all, 0, &flag},
	}}
)

// Resources.
var (
	resourceBase = []member{
		{"title", since2506, 0, &text},
		{"description", all, 0, &text},
		{"mimeType", all, 0, &text},
		{"size", all, 0, &integer},
		{"annotations", all, 0, &annotations},
		{"icons", since2511, 0, &icons},
		{"_meta", since2506, 0, &openObject},
	}
	resource = shape{name: "Resource", types: tObject, base: resourceBase, members: []member{
		{"uri", all, all, &uri},
		{"name", all, all, &text},
	}}
	resourceTemplate = shape{name: "ResourceTemplate", types: tObject, members: []member{
		{"uriTemplate", all, all, &uriTemplate},
		{"name", all, all, &text},
		{"title", since2506, 0, &text},
		{"description", all, 0, &text},
		{"mimeType", all, 0, &text},
		{"annotations", all, 0, &annotations},
		{"icons", since2511, 0, &icons},
		{"_meta", since2506, 0, &openObject},
	}}
	listResourcesResult = shape{name: "ListResourcesResult", types: tObject, base: cacheableBase, members: []member{
		{"resources", all, all, &shape{types: tArray, items: &resource}},
		{"nextCursor", all, 0, &text},
	}}
	listTemplatesResult = shape{name: "ListResourceTemplatesResult", types: tObject, base: cacheableBase, members: []member{
		{"resourceTemplates", all, all, &shape{types: tArray, items: &resourceTemplate}},
		{"nextCursor", all, 0, &text},
	}}
	readResourceParams = shape{name: "ReadResourceRequestParams", types: tObject, base: requestBase, members: []member{
		{"uri", all, all, &uri},
		{"inputResponses", modern, 0, &inputResponses},
		{"requestState", modern, 0, &text},
	}}
	readResourceResult = shape{name: "ReadResourceResult", types: tObject, base: cacheableBase, members: []member{
		{"contents", all, all, &shape{types: tArray, items: &resourceContents}},
	}}
	subscribeParams = shape{name: "SubscribeRequestParams", types: tObject, base: requestBase, members: []member{
		{"uri", all, all, &uri},
	}}
	resourceUpdatedParams = shape{name: "ResourceUpdatedNotificationParams", types: tObject, base: notificationBase, members: []member{
		{"uri", all, all, &uri},
	}}
)

// Prompts and completion.
var (
	promptArgument = shape{name: "PromptArgument", types: tObject, members: []member{
		{"name", all, all, &text},
		{"title", since2506, 0, &text},
		{"description", all, 0, &text},
		{"required", all, 0, &flag},
	}}
	prompt = shape{name: "Prompt", types: tObject, members: []member{
		{"name", all, all, &text},
		{"title", since2506, 0, &text},
		{"description", all, 0, &text},
		{"arguments", all, 0, &shape{types: tArray, items: &promptArgument}},
		{"icons", since2511, 0, &icons},
		{"_meta", since2506, 0, &openObject},
	}}
	listPromptsResult = shape{name: "ListPromptsResult", types: tObject, base: cacheableBase, members: []member{
		{"prompts", all, all, &shape{types: tArray, items: &prompt}},
		{"nextCursor", all, 0, &text},
	}}
	getPromptParams = shape{name: "GetPromptRequestParams", types: tObject, base: requestBase, members: []member{
		{"name", all, all, &text},
		{"arguments", all, 0, &stringMap},
		{"inputResponses", modern, 0, &inputResponses},
		{"requestState", modern, 0, &text},
	}}
	promptMessage = shape{name: "PromptMessage", types: tObject, members: []member{
		{"role", all, all, &role},
		{"content", all, all, &contentBlock},
	}}
	getPromptResult = shape{name: "GetPromptResult", types: tObject, base: resultBase, members: []member{
		{"description", all, 0, &text},
		{"messages", all, all, &shape{types: tArray, items: &promptMessage}},
	}}

	completionReference = shape{name: "CompletionReference", types: tObject, union: &union{tag: "type", alternatives: []alternative{
		{"ref/prompt", all, &shape{name: "PromptReference", types: tObject, members: []member{
			{"name", all, all, &text},
			{"title", since2506, 0, &text},
		}}},
		{"ref/resource", all, &shape{name: "ResourceReference", types: tObject, members: []member{
			{"uri", all, all, &uriTemplate},
		}}},
	}}}
	completeParams = shape{name: "CompleteRequestParams", types: tObject, base: requestBase, members: []member{
		{"ref", all, all, &completionReference},
		{"argument", all, all, &shape{types: tObject, members: []member{
			{"name", all, all, &text},
			{"value", all, all, &text},
		}}},
		{"context", since2506, 0, &shape{types: tObject, members: []member{{"arguments", all, 0, &stringMap}}}},
	}}
	completeResult = shape{name: "CompleteResult", types: tObject, base: resultBase, members: []member{
		{"completion", all, all, &shape{types: tObject, members: []member{
			{"values", all, all, &shape{types: tArray, items: &text, maxItems: 100}},
			{"total", all, 0, &integer},
			{"hasMore", all, 0, &flag},
		}}},
	}}
)
