package mcpshape

var (
	listChanged = shape{types: tObject, members: []member{{"listChanged", all, 0, &flag}}}

	clientCapabilities = shape{name: "ClientCapabilities", types: tObject, members: []member{
		{"experimental", all, 0, &objectMap},
		{"extensions", modern, 0, &objectMap},
		{"roots", legacy, 0, &listChanged},
		{"roots", modern, 0, &openObject}, // its flag went with the notification
		{"sampling", until2506, 0, &openObject},
		{"sampling", since2511, 0, &shape{types: tObject, members: []member{
			{"context", all, 0, &openObject},
			{"tools", all, 0, &openObject},
		}}},
		{"elicitation", r2506, 0, &openObject},
		{"elicitation", since2511, 0, &shape{types: tObject, members: []member{
			{"form", all, 0, &openObject},
			{"url", all, 0, &openObject},
		}}},
		{"tasks", r2511, 0, &shape{types: tObject, members: []member{
			{"list", all, 0, &openObject},
			{"cancel", all, 0, &openObject},
			{"requests", all, 0, &shape{types: tObject, members: []member{
				{"sampling", all, 0, &shape{types: tObject, members: []member{{"createMessage", all, 0, &openObject}}}},
				{"elicitation", all, 0, &shape{types: tObject, members: []member{{"create", all, 0, &openObject}}}},
			}}},
		}}},
	}}

	serverCapabilities = shape{name: "ServerCapabilities", types: tObject, members: []member{
		{"experimental", all, 0, &objectMap},
		{"extensions", modern, 0, &objectMap},
		{"logging", all, 0, &openObject},
		{"completions", since2503, 0, &openObject},
		{"prompts", all, 0, &listChanged},
		{"resources", all, 0, &shape{types: tObject, members: []member{
			{"subscribe", all, 0, &flag},
			{"listChanged", all, 0, &flag},
		}}},
		{"tools", all, 0, &listChanged},
		{"tasks", r2511, 0, &shape{types: tObject, members: []member{
			{"list", all, 0, &openObject},
			{"cancel", all, 0, &openObject},
			{"requests", all, 0, &shape{types: tObject, members: []member{
				{"tools", all, 0, &shape{types: tObject, members: []member{{"call", all, 0, &openObject}}}},
			}}},
		}}},
	}}
)

var (
	initializeParams = shape{name: "InitializeRequestParams", types: tObject, base: requestBase, members: []member{
		{"protocolVersion", all, all, &text},
		{"capabilities", all, all, &clientCapabilities},
		{"clientInfo", all, all, &implementation},
	}}
	initializeResult = shape{name: "InitializeResult", types: tObject, base: resultBase, members: []member{
		{"protocolVersion", all, all, &text},
		{"capabilities", all, all, &serverCapabilities},
		{"serverInfo", all, all, &implementation},
		{"instructions", all, 0, &text},
	}}
	discoverResult = shape{name: "DiscoverResult", types: tObject, base: cacheableBase, members: []member{
		{"supportedVersions", all, all, &texts},
		{"capabilities", all, all, &serverCapabilities},
		{"instructions", all, 0, &text},
	}}

	cancelledParams = shape{name: "CancelledNotificationParams", types: tObject, base: notificationBase, members: []member{
		{"requestId", all, all &^ r2511, &requestID}, // 2025-11-25: tasks are cancelled otherwise, so it may be missing
		{"reason", all, 0, &text},
	}}
	progressParams = shape{name: "ProgressNotificationParams", types: tObject, base: notificationBase, members: []member{
		{"progressToken", all, all, &progressToken},
		{"progress", all, all, &number},
		{"total", all, 0, &number},
		{"message", since2503, 0, &text},
	}}
	setLevelParams = shape{name: "SetLevelRequestParams", types: tObject, base: requestBase, members: []member{
		{"level", all, all, &loggingLevel},
	}}
	logParams = shape{name: "LoggingMessageNotificationParams", types: tObject, base: notificationBase, members: []member{
		{"level", all, all, &loggingLevel},
		{"logger", all, 0, &text},
		{"data", all, all, &anyValue},
	}}
)

// Subscriptions of the modern era.
var (
	subscriptionFilter = shape{name: "SubscriptionFilter", types: tObject, members: []member{
		{"toolsListChanged", all, 0, &flag},
		{"promptsListChanged", all, 0, &flag},
		{"resourcesListChanged", all, 0, &flag},
		{"resourceSubscriptions", all, 0, &texts},
		{"taskIds", all, 0, &texts}, // of the tasks extension
	}}
	listenParams = shape{name: "SubscriptionsListenRequestParams", types: tObject, base: requestBase, members: []member{
		{"notifications", all, all, &subscriptionFilter},
	}}
	listenResult = shape{name: "SubscriptionsListenResult", types: tObject, members: []member{
		{"resultType", all, all, &text},
		{"_meta", all, all, &shape{name: "SubscriptionsListenResultMeta", types: tObject, members: []member{
			{"io.modelcontextprotocol/subscriptionId", all, all, &requestID},
			{"io.modelcontextprotocol/serverInfo", all, 0, &implementation},
		}}},
	}}
	acknowledgedParams = shape{name: "SubscriptionsAcknowledgedNotificationParams", types: tObject, base: notificationBase, members: []member{
		{"notifications", all, all, &subscriptionFilter},
	}}
)

// Data of the errors whose shape a revision fixes.
var (
	urlElicitationData = shape{name: "URLElicitationRequiredData", types: tObject, members: []member{
		{"elicitations", all, all, &shape{types: tArray, items: &elicitURLParams}},
	}}
	unsupportedVersionData = shape{name: "UnsupportedProtocolVersionData", types: tObject, members: []member{
		{"supported", all, all, &texts},
		{"requested", all, all, &text},
	}}
	missingCapabilityData = shape{name: "MissingRequiredClientCapabilityData", types: tObject, members: []member{
		{"requiredCapabilities", all, all, &clientCapabilities},
	}}
)
