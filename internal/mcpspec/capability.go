package mcpspec

// Leaf is the form of a capability's value.
type Leaf uint8

// An object is present when it is one, empty or not; a boolean when it is true; a map has keys that
// are free.
const (
	Object Leaf = iota
	Bool
	Map
)

// CapabilityPath is a capability one side can declare. Segments are joined by dots; an extension is
// extensions["id"].
type CapabilityPath struct {
	Side       Side
	Path       string
	Revisions  Set
	Leaf       Leaf
	Deprecated Set
}

var capabilityPaths = []CapabilityPath{
	{Client, "experimental", allRevisions, Map, 0},
	{Client, "roots", allRevisions, Object, r2607},
	{Client, "roots.listChanged", legacyRevisions, Bool, 0},
	{Client, "sampling", allRevisions, Object, r2607},
	{Client, "sampling.tools", r2511 | r2607, Object, r2607},
	{Client, "sampling.context", r2511 | r2607, Object, r2607},
	{Client, "elicitation", r2506 | r2511 | r2607, Object, 0},
	{Client, "elicitation.form", r2511 | r2607, Object, 0},
	{Client, "elicitation.url", r2511 | r2607, Object, 0},
	{Client, "tasks", r2511, Object, 0},
	{Client, "tasks.list", r2511, Object, 0},
	{Client, "tasks.cancel", r2511, Object, 0},
	{Client, "tasks.requests.sampling.createMessage", r2511, Object, 0},
	{Client, "tasks.requests.elicitation.create", r2511, Object, 0},
	{Client, "extensions", r2607, Map, 0},
	{Client, tasksPath, r2607, Object, 0},
	{Client, `extensions["` + UIExtension + `"]`, allRevisions, Object, 0},

	{Server, "experimental", allRevisions, Map, 0},
	{Server, "logging", allRevisions, Object, r2607},
	{Server, "completions", allRevisions &^ r2411, Object, 0},
	{Server, "prompts", allRevisions, Object, 0},
	{Server, "prompts.listChanged", allRevisions, Bool, 0},
	{Server, "resources", allRevisions, Object, 0},
	{Server, "resources.subscribe", allRevisions, Bool, 0},
	{Server, "resources.listChanged", allRevisions, Bool, 0},
	{Server, "tools", allRevisions, Object, 0},
	{Server, "tools.listChanged", allRevisions, Bool, 0},
	{Server, "tasks", r2511, Object, 0},
	{Server, "tasks.list", r2511, Object, 0},
	{Server, "tasks.cancel", r2511, Object, 0},
	{Server, "tasks.requests.tools.call", r2511, Object, 0},
	{Server, "extensions", r2607, Map, 0},
	{Server, tasksPath, r2607, Object, 0},
	{Server, `extensions["` + UIExtension + `"]`, allRevisions, Object, 0},
}

// CapabilityPaths returns every path the specification knows, clients' first. The slice is the
// caller's.
func CapabilityPaths() []CapabilityPath { return append([]CapabilityPath(nil), capabilityPaths...) }

// LookupCapability returns what is known of a path, nil when nothing is.
func LookupCapability(side Side, path string) *CapabilityPath {
	for i := range capabilityPaths {
		if c := &capabilityPaths[i]; c.Side == side && c.Path == path {
			return c
		}
	}
	return nil
}

// Keys of _meta.
const (
	MetaProgressToken      = "progressToken"
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
	MetaSubscriptionID     = "io.modelcontextprotocol/subscriptionId"
	MetaRelatedTask        = "io.modelcontextprotocol/related-task"
	MetaImmediateResponse  = "io.modelcontextprotocol/model-immediate-response"
	MetaRelatedTaskIDs     = "io.modelcontextprotocol/relatedTaskIds"
	MetaUI                 = "ui"
	MetaUIResourceURI      = "ui/resourceUri"
)

// MetaKey says in which revisions the specification (or an official extension) defines a _meta key.
type MetaKey struct {
	Key       string
	Revisions Set
}

var metaKeys = []MetaKey{
	{MetaProgressToken, allRevisions},
	{MetaProtocolVersion, r2607},
	{MetaClientCapabilities, r2607},
	{MetaClientInfo, r2607},
	{MetaLogLevel, r2607},
	{MetaServerInfo, r2607},
	{MetaSubscriptionID, r2607},
	{MetaRelatedTask, r2511},
	{MetaImmediateResponse, r2511},
	{MetaRelatedTaskIDs, r2607},
	{MetaUI, allRevisions},
	{MetaUIResourceURI, allRevisions},
	{"traceparent", r2607},
	{"tracestate", r2607},
	{"baggage", r2607},
}

// MetaKeys returns the _meta keys known. The slice is the caller's.
func MetaKeys() []MetaKey { return append([]MetaKey(nil), metaKeys...) }
