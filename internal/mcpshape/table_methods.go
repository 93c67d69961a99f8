package mcpshape

// method gives the shapes of one method in some revisions.
type method struct {
	in           revisions
	notification bool
	must         revisions // in which params may not be absent
	params       *shape
	result       *shape
}

// lookup returns nil when the revision does not have the method, or has it as something else.
func lookup(kind Kind, name string, rev revisions) *method {
	of := methods[name]
	for i := range of {
		if m := &of[i]; m.in&rev != 0 && m.notification == (kind == Notification) {
			return m
		}
	}
	return nil
}

// methods are those of all revisions, by name. What servers ask of clients is embedded in results from
// 2026-07-28 on, but can be looked up by method there too.
var methods = map[string][]method{
	"initialize":                {{in: legacy, must: legacy, params: &initializeParams, result: &initializeResult}},
	"notifications/initialized": {{in: legacy, notification: true, params: &emptyNotification}},
	"server/discover":           {{in: modern, must: modern, params: &emptyParams, result: &discoverResult}},
	"ping":                      {{in: legacy, params: &emptyParams, result: &emptyResult}},
	"notifications/cancelled":   {{in: all, notification: true, must: all, params: &cancelledParams}},
	"notifications/progress":    {{in: all, notification: true, must: all, params: &progressParams}},
	"logging/setLevel":          {{in: legacy, must: legacy, params: &setLevelParams, result: &emptyResult}},
	"notifications/message":     {{in: all, notification: true, must: all, params: &logParams}},

	"tools/list":                       {{in: all, must: modern, params: &paginatedParams, result: &listToolsResult}},
	"tools/call":                       {{in: all, must: all, params: &callToolParams, result: &callToolOutcome}},
	"notifications/tools/list_changed": {{in: all, notification: true, params: &emptyNotification}},

	"resources/list":                       {{in: all, must: modern, params: &paginatedParams, result: &listResourcesResult}},
	"resources/templates/list":             {{in: all, must: modern, params: &paginatedParams, result: &listTemplatesResult}},
	"resources/read":                       {{in: all, must: all, params: &readResourceParams, result: &readResourceOutcome}},
	"resources/subscribe":                  {{in: legacy, must: legacy, params: &subscribeParams, result: &emptyResult}},
	"resources/unsubscribe":                {{in: legacy, must: legacy, params: &subscribeParams, result: &emptyResult}},
	"notifications/resources/list_changed": {{in: all, notification: true, params: &emptyNotification}},
	"notifications/resources/updated":      {{in: all, notification: true, must: all, params: &resourceUpdatedParams}},

	"prompts/list":                       {{in: all, must: modern, params: &paginatedParams, result: &listPromptsResult}},
	"prompts/get":                        {{in: all, must: all, params: &getPromptParams, result: &getPromptOutcome}},
	"notifications/prompts/list_changed": {{in: all, notification: true, params: &emptyNotification}},
	"completion/complete":                {{in: all, must: all, params: &completeParams, result: &completeResult}},

	"roots/list":                         {{in: all, params: &rootsParams, result: &listRootsResult}},
	"notifications/roots/list_changed":   {{in: legacy, notification: true, params: &emptyNotification}},
	"sampling/createMessage":             {{in: all, must: all, params: &createMessageParams, result: &createMessageOutcome}},
	"elicitation/create":                 {{in: since2506, must: all, params: &elicitParams, result: &elicitOutcome}},
	"notifications/elicitation/complete": {{in: r2511, notification: true, must: all, params: &elicitationCompleteParams}},

	"subscriptions/listen":                     {{in: modern, must: modern, params: &listenParams, result: &listenResult}},
	"notifications/subscriptions/acknowledged": {{in: modern, notification: true, must: modern, params: &acknowledgedParams}},

	"tasks/get": {
		{in: r2511, must: all, params: &taskIDParams, result: &taskResult},
		{in: modern, must: all, params: &taskIDParams, result: &extTaskResult},
	},
	"tasks/cancel": {
		{in: r2511, must: all, params: &taskIDParams, result: &taskResult},
		{in: modern, must: all, params: &taskIDParams, result: &emptyResult},
	},
	"tasks/result":               {{in: r2511, must: all, params: &taskIDParams, result: &emptyResult}}, // and what the task's method demands
	"tasks/list":                 {{in: r2511, params: &paginatedParams, result: &listTasksResult}},
	"tasks/update":               {{in: modern, must: all, params: &extUpdateParam, result: &emptyResult}},
	"notifications/tasks/status": {{in: r2511, notification: true, must: all, params: &taskStatusParams}},
	"notifications/tasks":        {{in: modern, notification: true, must: all, params: &extTaskParams}},
}

// Results that come in several forms. Legacy ones show it by their members, modern ones by resultType.
var (
	callToolOutcome = shape{types: tObject, union: &union{
		tag: "resultType", lax: legacy,
		alternatives: []alternative{
			{"complete", modern, &callToolResult},
			{"input_required", modern, &inputRequiredResult},
			{"task", modern, &extTaskHandle},
		},
		absent:  &callToolOrTask,
		unknown: &emptyResult,
	}}
	callToolOrTask = shape{types: tObject, union: &union{
		alternatives: []alternative{
			{"content", all, &callToolResult},
			{"task", r2511, &createTaskResult},
		},
		absent: &callToolResult,
	}}
	readResourceOutcome = shape{types: tObject, union: &union{
		tag: "resultType", lax: legacy,
		alternatives: []alternative{
			{"complete", modern, &readResourceResult},
			{"input_required", modern, &inputRequiredResult},
		},
		absent:  &readResourceResult,
		unknown: &emptyResult,
	}}
	getPromptOutcome = shape{types: tObject, union: &union{
		tag: "resultType", lax: legacy,
		alternatives: []alternative{
			{"complete", modern, &getPromptResult},
			{"input_required", modern, &inputRequiredResult},
		},
		absent:  &getPromptResult,
		unknown: &emptyResult,
	}}
	createMessageOutcome = shape{types: tObject, union: &union{
		alternatives: []alternative{
			{"content", all, &createMessageResult},
			{"task", r2511, &createTaskResult},
		},
		absent: &createMessageResult,
	}}
	elicitOutcome = shape{types: tObject, union: &union{
		alternatives: []alternative{
			{"action", all, &elicitResult},
			{"task", r2511, &createTaskResult},
		},
		absent: &elicitResult,
	}}
)

// namedType is a type that [CheckType] knows.
type namedType struct {
	in    revisions
	shape *shape
}

var namedTypes = map[string]namedType{
	"Annotations":                         {all, &annotations},
	"AudioContent":                        {since2503, &audioContent},
	"BlobResourceContents":                {all, &blobResourceContents},
	"BooleanSchema":                       {since2506, &booleanSchema},
	"CallToolResult":                      {all, &callToolResult},
	"ClientCapabilities":                  {all, &clientCapabilities},
	"CompleteResult":                      {all, &completeResult},
	"ContentBlock":                        {all, &contentBlock},
	"CreateMessageRequestParams":          {all, &createMessageParams},
	"CreateMessageResult":                 {all, &createMessageResult},
	"CreateTaskResult":                    {r2511, &createTaskResult},
	"ElicitRequestFormParams":             {since2506, &elicitFormParams},
	"ElicitRequestParams":                 {since2506, &elicitParams},
	"ElicitRequestURLParams":              {since2511, &elicitURLParams},
	"ElicitResult":                        {since2506, &elicitResult},
	"EmbeddedResource":                    {all, &embeddedResource},
	"Icon":                                {since2511, &icon},
	"ImageContent":                        {all, &imageContent},
	"Implementation":                      {all, &implementation},
	"InputRequest":                        {modern, &inputRequest},
	"InputRequests":                       {modern, &inputRequests},
	"InputRequiredResult":                 {modern, &inputRequiredResult},
	"InputResponse":                       {modern, &inputResponse},
	"InputResponses":                      {modern, &inputResponses},
	"ListRootsResult":                     {all, &listRootsResult},
	"LoggingLevel":                        {all, &loggingLevel},
	"MissingRequiredClientCapabilityData": {modern, &missingCapabilityData},
	"ModelPreferences":                    {all, &modelPreferences},
	"NumberSchema":                        {since2506, &numberSchema},
	"PrimitiveSchemaDefinition":           {since2506, &primitiveSchema},
	"ProgressToken":                       {all, &progressToken},
	"Prompt":                              {all, &prompt},
	"PromptArgument":                      {all, &promptArgument},
	"PromptMessage":                       {all, &promptMessage},
	"RequestId":                           {all, &requestID},
	"RequestMeta":                         {all, &requestMeta},
	"RequestedSchema":                     {since2506, &requestedSchema},
	"Resource":                            {all, &resource},
	"ResourceContents":                    {all, &resourceContents},
	"ResourceLink":                        {since2506, &resourceLink},
	"ResourceTemplate":                    {all, &resourceTemplate},
	"Role":                                {all, &role},
	"Root":                                {all, &root},
	"SamplingMessage":                     {all, &samplingMessage},
	"ServerCapabilities":                  {all, &serverCapabilities},
	"StringSchema":                        {since2506, &stringSchema},
	"SubscriptionFilter":                  {modern, &subscriptionFilter},
	"Task":                                {r2511, &task},
	"TextContent":                         {all, &textContent},
	"TextResourceContents":                {all, &textResourceContents},
	"Tool":                                {all, &tool},
	"ToolAnnotations":                     {since2503, &toolAnnotations},
	"ToolResultContent":                   {since2511, &toolResultContent},
	"ToolUseContent":                      {since2511, &toolUseContent},
	"URLElicitationRequiredData":          {r2511, &urlElicitationData},
	"UnsupportedProtocolVersionData":      {modern, &unsupportedVersionData},
}

// Types returns the names that [CheckType] knows, in no order.
func Types() []string {
	names := make([]string, 0, len(namedTypes))
	for name := range namedTypes {
		names = append(names, name)
	}
	return names
}
