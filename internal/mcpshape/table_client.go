package mcpshape

// Sampling.
var (
	// One block, or from 2025-11-25 on an array of them.
	samplingContent  = samplingBlock
	samplingContents = shape{name: samplingBlock.name, types: tObject | tArray, union: samplingBlock.union, items: &samplingBlock}

	samplingMessage = shape{name: "SamplingMessage", types: tObject, members: []member{
		{"role", all, all, &role},
		{"content", until2506, until2506, &samplingContent},
		{"content", since2511, since2511, &samplingContents},
		{"_meta", since2511, 0, &openObject},
	}}
	modelPreferences = shape{name: "ModelPreferences", types: tObject, members: []member{
		{"hints", all, 0, &shape{types: tArray, items: &shape{name: "ModelHint", types: tObject, members: []member{{"name", all, 0, &text}}}}},
		{"costPriority", all, 0, &unitRange},
		{"speedPriority", all, 0, &unitRange},
		{"intelligencePriority", all, 0, &unitRange},
	}}
	createMessageMembers = []member{
		{"messages", all, all, &shape{types: tArray, items: &samplingMessage}},
		{"modelPreferences", all, 0, &modelPreferences},
		{"systemPrompt", all, 0, &text},
		{"includeContext", all, 0, &shape{types: tString, enum: []string{"none", "thisServer", "allServers"}}},
		{"temperature", all, 0, &number},
		{"maxTokens", all, all, &integer},
		{"stopSequences", all, 0, &texts},
		{"metadata", all, 0, &openObject},
		{"tools", since2511, 0, &shape{types: tArray, items: &tool}},
		{"toolChoice", since2511, 0, &shape{name: "ToolChoice", types: tObject, members: []member{
			{"mode", all, 0, &shape{types: tString, enum: []string{"auto", "required", "none"}}},
		}}},
		{"task", r2511, 0, &taskMetadata},
	}
	createMessageParams = shape{name: "CreateMessageRequestParams", types: tObject, base: clientRequestBase, members: createMessageMembers}
	createMessageResult = shape{name: "CreateMessageResult", types: tObject, base: answerBase, members: []member{
		{"role", all, all, &role},
		{"content", until2506, until2506, &samplingContent},
		{"content", since2511, since2511, &samplingContents},
		{"model", all, all, &text},
		{"stopReason", all, 0, &text},
	}}

	// What a server asks of a client: a request of its own until 2025-11-25, embedded in a result later.
	clientRequestBase = []member{
		{"_meta", legacy, 0, &requestMeta},
		{"_meta", modern, 0, &openObject},
	}
)

// Roots.
var (
	rootsParams     = shape{name: "ListRootsRequestParams", types: tObject, base: clientRequestBase}
	listRootsResult = shape{name: "ListRootsResult", types: tObject, base: answerBase, members: []member{
		{"roots", all, all, &shape{types: tArray, items: &root}},
	}}
	root = shape{name: "Root", types: tObject, members: []member{
		{"uri", all, all, &uri},
		{"name", all, 0, &text},
		{"_meta", since2506, 0, &openObject},
	}}
)

// Elicitation.
var (
	elicitParams = shape{name: "ElicitRequestParams", types: tObject, union: &union{
		tag: "mode", absent: &elicitFormParams,
		alternatives: []alternative{
			{"form", since2511, &elicitFormParams},
			{"url", since2511, &elicitURLParams},
		},
		lax: r2506, // had no modes
	}}
	elicitFormParams = shape{name: "ElicitRequestFormParams", types: tObject, base: clientRequestBase, members: []member{
		{"mode", since2511, 0, &shape{types: tString, enum: []string{"form"}}},
		{"message", all, all, &text},
		{"requestedSchema", all, all, &requestedSchema},
		{"task", r2511, 0, &taskMetadata},
	}}
	elicitURLParams = shape{name: "ElicitRequestURLParams", types: tObject, base: clientRequestBase, members: []member{
		{"mode", all, all, &shape{types: tString, enum: []string{"url"}}},
		{"message", all, all, &text},
		{"elicitationId", r2511, r2511, &text},
		{"url", all, all, &uri},
		{"task", r2511, 0, &taskMetadata},
	}}
	elicitResult = shape{name: "ElicitResult", types: tObject, base: answerBase, members: []member{
		{"action", all, all, &shape{types: tString, enum: []string{"accept", "decline", "cancel"}}},
		{"content", r2506, 0, &shape{types: tObject, others: &shape{types: tString | tNumber | tBoolean}}},
		{"content", since2511, 0, &shape{types: tObject, others: &shape{types: tString | tNumber | tBoolean | tArray, items: &text}}},
	}}
	elicitationCompleteParams = shape{name: "ElicitationCompleteNotificationParams", types: tObject, base: notificationBase, members: []member{
		{"elicitationId", all, all, &text},
	}}
)

// The flat schemas that elicitation may ask with.
var (
	requestedSchema = shape{name: "ElicitRequest.requestedSchema", types: tObject, members: []member{
		{"type", all, all, &typeObject},
		{"$schema", since2511, 0, &text},
		{"properties", all, all, &shape{types: tObject, others: &primitiveSchema}},
		{"required", all, 0, &texts},
	}}
	primitiveSchema = shape{name: "PrimitiveSchemaDefinition", types: tObject, union: &union{tag: "type", alternatives: []alternative{
		{"string", all, &textSchema},
		{"number", all, &numberSchema},
		{"integer", all, &numberSchema},
		{"boolean", all, &booleanSchema},
		{"array", since2511, &multiSelectSchema},
	}}}
	textSchema = shape{types: tObject, union: &union{
		alternatives: []alternative{
			{"oneOf", since2511, &titledEnumSchema},
			{"enum", all, &enumSchema},
		},
		absent: &stringSchema,
	}}
	stringSchema = shape{name: "StringSchema", types: tObject, base: primitiveBase, members: []member{
		{"type", all, all, &typeString},
		{"minLength", all, 0, &integer},
		{"maxLength", all, 0, &integer},
		{"format", all, 0, &shape{types: tString, enum: []string{"email", "uri", "date", "date-time"}}},
		{"default", since2511, 0, &text},
	}}
	numberSchema = shape{name: "NumberSchema", types: tObject, base: primitiveBase, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"number", "integer"}}},
		{"minimum", all, 0, &number},
		{"maximum", all, 0, &number},
		{"default", since2511, 0, &number},
	}}
	booleanSchema = shape{name: "BooleanSchema", types: tObject, base: primitiveBase, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"boolean"}}},
		{"default", all, 0, &flag},
	}}
	enumSchema = shape{name: "EnumSchema", types: tObject, base: primitiveBase, members: []member{
		{"type", all, all, &typeString},
		{"enum", all, all, &texts},
		{"enumNames", all, 0, &texts},
		{"default", since2511, 0, &text},
	}}
	titledEnumSchema = shape{name: "TitledSingleSelectEnumSchema", types: tObject, base: primitiveBase, members: []member{
		{"type", all, all, &typeString},
		{"oneOf", all, all, &titledValues},
		{"default", all, 0, &text},
	}}
	titledValues = shape{types: tArray, items: &shape{types: tObject, members: []member{
		{"const", all, all, &text},
		{"title", all, all, &text},
	}}}
	multiSelectSchema = shape{name: "MultiSelectEnumSchema", types: tObject, base: primitiveBase, members: []member{
		{"type", all, all, &shape{types: tString, enum: []string{"array"}}},
		{"items", all, all, &shape{types: tObject, union: &union{alternatives: []alternative{
			{"anyOf", all, &shape{types: tObject, members: []member{{"anyOf", all, all, &titledValues}}}},
			{"enum", all, &shape{types: tObject, members: []member{
				{"type", all, all, &typeString},
				{"enum", all, all, &texts},
			}}},
		}}}},
		{"minItems", all, 0, &integer},
		{"maxItems", all, 0, &integer},
		{"default", all, 0, &texts},
	}}
	primitiveBase = []member{
		{"title", all, 0, &text},
		{"description", all, 0, &text},
	}
)

// Multi round-trip requests: a result that asks, and the retry that answers (modern).
var (
	inputRequiredResult = shape{name: "InputRequiredResult", types: tObject, base: resultBase, members: []member{
		{"inputRequests", all, 0, &inputRequests},
		{"requestState", all, 0, &text},
	}}
	inputRequests = shape{types: tObject, others: &inputRequest}
	inputRequest  = shape{name: "InputRequest", types: tObject, union: &union{tag: "method", alternatives: []alternative{
		{"sampling/createMessage", all, &shape{types: tObject, members: []member{{"params", all, all, &createMessageParams}}}},
		{"elicitation/create", all, &shape{types: tObject, members: []member{{"params", all, all, &elicitParams}}}},
		{"roots/list", all, &shape{types: tObject, members: []member{{"params", all, 0, &rootsParams}}}},
	}}}
	inputResponses = shape{types: tObject, others: &inputResponse}
	inputResponse  = shape{name: "InputResponse", types: tObject, union: &union{alternatives: []alternative{
		{"action", all, &elicitResult},
		{"roots", all, &listRootsResult},
		{"model", all, &createMessageResult},
		{"role", all, &createMessageResult},
	}}}
)
