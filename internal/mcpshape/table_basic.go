package mcpshape

// Shapes without a name of their own.
var (
	anyValue    = shape{types: tAny}
	text        = shape{types: tString}
	flag        = shape{types: tBoolean}
	integer     = shape{types: tInteger}
	number      = shape{types: tNumber}
	openObject  = shape{types: tObject}
	uri         = shape{types: tString, format: formatURI}
	uriTemplate = shape{types: tString, format: formatURITemplate}
	base64      = shape{types: tString, format: formatByte}
	dateTime    = shape{types: tString, format: formatDateTime}
	texts       = shape{types: tArray, items: &text}
	unitRange   = shape{types: tNumber, bounds: &bounds{low: 0, high: 1}}
	stringMap   = shape{types: tObject, others: &text}
	objectMap   = shape{types: tObject, others: &openObject}
	typeObject  = shape{types: tString, enum: []string{"object"}}
	typeString  = shape{types: tString, enum: []string{"string"}}
)

// Shapes of single values that have a name.
var (
	requestID     = shape{name: "RequestId", types: tString | tInteger}
	progressToken = shape{name: "ProgressToken", types: tString | tInteger}
	role          = shape{name: "Role", types: tString, enum: []string{"user", "assistant"}}
	loggingLevel  = shape{name: "LoggingLevel", types: tString,
		enum: []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}}
)

// Metadata. The modern era made it carry what the handshake carried.
var (
	requestMeta = shape{name: "RequestMeta", types: tObject, members: []member{
		{"progressToken", all, 0, &progressToken},
		{"io.modelcontextprotocol/protocolVersion", modern, modern, &text},
		{"io.modelcontextprotocol/clientCapabilities", modern, modern, &clientCapabilities},
		{"io.modelcontextprotocol/clientInfo", modern, 0, &implementation},
		{"io.modelcontextprotocol/logLevel", modern, 0, &loggingLevel},
	}}
	notificationMeta = shape{name: "NotificationMeta", types: tObject, members: []member{
		{"io.modelcontextprotocol/subscriptionId", modern, 0, &requestID},
	}}
	resultMeta = shape{name: "ResultMeta", types: tObject, members: []member{
		{"io.modelcontextprotocol/serverInfo", modern, 0, &implementation},
	}}
)

// Members that every params object or result has.
var (
	requestBase      = []member{{"_meta", all, modern, &requestMeta}}
	notificationBase = []member{{"_meta", all, 0, &notificationMeta}}
	resultBase       = []member{
		{"_meta", all, 0, &resultMeta},
		{"resultType", modern, modern, &text},
	}
	// A client's answer inside inputResponses has no resultType.
	answerBase = []member{{"_meta", all, 0, &openObject}}
)

var (
	emptyParams       = shape{name: "RequestParams", types: tObject, base: requestBase}
	emptyNotification = shape{name: "NotificationParams", types: tObject, base: notificationBase}
	emptyResult       = shape{name: "EmptyResult", types: tObject, base: resultBase}
	paginatedParams   = shape{name: "PaginatedRequestParams", types: tObject, base: requestBase, members: []member{
		{"cursor", all, 0, &text},
	}}
)

var (
	icon = shape{name: "Icon", types: tObject, members: []member{
		{"src", all, all, &uri},
		{"mimeType", all, 0, &text},
		{"sizes", all, 0, &texts},
		{"theme", all, 0, &shape{types: tString, enum: []string{"light", "dark"}}},
	}}
	icons          = shape{types: tArray, items: &icon}
	implementation = shape{name: "Implementation", types: tObject, members: []member{
		{"name", all, all, &text},
		{"version", all, all, &text},
		{"title", since2506, 0, &text},
		{"description", since2511, 0, &text},
		{"websiteUrl", since2511, 0, &uri},
		{"icons", since2511, 0, &icons},
	}}
	annotations = shape{name: "Annotations", types: tObject, members: []member{
		{"audience", all, 0, &shape{types: tArray, items: &role}},
		{"priority", all, 0, &unitRange},
		{"lastModified", since2506, 0, &dateTime},
	}}
)
