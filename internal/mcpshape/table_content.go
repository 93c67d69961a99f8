package mcpshape

// A content block is decided by its type. Which types exist grew with the revisions.
var (
	contentBlock = shape{name: "ContentBlock", types: tObject, union: &union{tag: "type", alternatives: []alternative{
		{"text", all, &textContent},
		{"image", all, &imageContent},
		{"audio", since2503, &audioContent},
		{"resource_link", since2506, &resourceLink},
		{"resource", all, &embeddedResource},
	}}}
	contentBlocks = shape{types: tArray, items: &contentBlock}

	// Sampling has blocks of its own: no resources, and tool use from 2025-11-25 on.
	samplingBlock = shape{name: "SamplingMessageContentBlock", types: tObject, union: &union{tag: "type", alternatives: []alternative{
		{"text", all, &textContent},
		{"image", all, &imageContent},
		{"audio", since2503, &audioContent},
		{"tool_use", since2511, &toolUseContent},
		{"tool_result", since2511, &toolResultContent},
	}}}
)

var (
	textContent = shape{name: "TextContent", types: tObject, base: contentBase, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"text"}}},
		{"text", all, all, &text},
	}}
	imageContent = shape{name: "ImageContent", types: tObject, base: contentBase, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"image"}}},
		{"data", all, all, &base64},
		{"mimeType", all, all, &text},
	}}
	audioContent = shape{name: "AudioContent", types: tObject, base: contentBase, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"audio"}}},
		{"data", all, all, &base64},
		{"mimeType", all, all, &text},
	}}
	embeddedResource = shape{name: "EmbeddedResource", types: tObject, base: contentBase, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"resource"}}},
		{"resource", all, all, &resourceContents},
	}}
	resourceLink = shape{name: "ResourceLink", types: tObject, base: resourceBase, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"resource_link"}}},
		{"uri", all, all, &uri},
		{"name", all, all, &text},
	}}
	toolUseContent = shape{name: "ToolUseContent", types: tObject, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"tool_use"}}},
		{"id", all, all, &text},
		{"name", all, all, &text},
		{"input", all, all, &openObject},
		{"_meta", all, 0, &openObject},
	}}
	toolResultContent = shape{name: "ToolResultContent", types: tObject, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"tool_result"}}},
		{"toolUseId", all, all, &text},
		{"content", all, all, &contentBlocks},
		{"structuredContent", r2511, 0, &openObject},
		{"structuredContent", modern, 0, &anyValue},
		{"isError", all, 0, &flag},
		{"_meta", all, 0, &openObject},
	}}

	contentBase = []member{
		{"annotations", all, 0, &annotations},
		{"_meta", since2506, 0, &openObject},
	}
)

// The contents of a resource: text or blob.
var (
	resourceContents = shape{name: "ResourceContents", types: tObject, union: &union{alternatives: []alternative{
		{"text", all, &textResourceContents},
		{"blob", all, &blobResourceContents},
	}}}
	textResourceContents = shape{name: "TextResourceContents", types: tObject, base: resourceContentsBase, members: []member{
		{"text", all, all, &text},
	}}
	blobResourceContents = shape{name: "BlobResourceContents", types: tObject, base: resourceContentsBase, members: []member{
		{"blob", all, all, &base64},
	}}
	resourceContentsBase = []member{
		{"uri", all, all, &uri},
		{"mimeType", all, 0, &text},
		{"_meta", since2506, 0, &openObject},
	}
)
