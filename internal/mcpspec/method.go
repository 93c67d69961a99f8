package mcpspec

import "sync"

// Side is the end of a link: who sends, or who declares.
type Side string

// The sides. Either is said of a sender; Both, Receiver and Sender of who must declare a capability.
const (
	Client   Side = "client"
	Server   Side = "server"
	Either   Side = "both"
	Receiver Side = "receiver"
	Sender   Side = "sender"
)

// Other returns the opposite of Client or Server.
func (s Side) Other() Side {
	if s == Client {
		return Server
	}
	return Client
}

// The groups. The first six are the primitives.
const (
	Tools         = "tools"
	Resources     = "resources"
	Prompts       = "prompts"
	Roots         = "roots"
	Sampling      = "sampling"
	Elicitation   = "elicitation"
	Lifecycle     = "lifecycle"
	Ping          = "ping"
	Cancellation  = "cancellation"
	Progress      = "progress"
	Logging       = "logging"
	Completion    = "completion"
	Tasks         = "tasks"
	Subscriptions = "subscriptions"
	Unknown       = "unknown" // of a method the specification does not know
)

// IsPrimitive reports whether a group is one of the six primitives.
func IsPrimitive(group string) bool {
	switch group {
	case Tools, Resources, Prompts, Roots, Sampling, Elicitation:
		return true
	}
	return false
}

// ShortGroup is a group in at most six letters, for where there is no room; "" for what is none.
func ShortGroup(group string) string {
	switch group {
	case Tools, Roots, Ping, Tasks:
		return group
	case Resources:
		return "resrc"
	case Prompts:
		return "prompt"
	case Sampling:
		return "sampl"
	case Elicitation:
		return "elicit"
	case Lifecycle:
		return "life"
	case Cancellation:
		return "cancel"
	case Progress:
		return "prog"
	case Logging:
		return "log"
	case Completion:
		return "compl"
	case Subscriptions:
		return "subs"
	case Unknown:
		return "other"
	}
	return ""
}

// The phases in which methods normally sit.
const (
	Initialization = "initialization"
	Operation      = "operation"
	Shutdown       = "shutdown"
	Discovery      = "discovery"
)

// Need is a capability a method leans on. Of is Client, Server, Receiver, Sender or Either (both ends).
type Need struct {
	Of   Side
	Path string
}

// Method is a request or notification of the specification.
type Method struct {
	Name         string
	Notification bool
	Group        string
	Phase        string // where it normally sits
	Early        bool   // proper during initialization too
	Revisions    Set    // that know it as a message of its own
	Embedded     Set    // that know it only inside an input_required result
	Extended     Set    // in which an official extension supplies it
	Extension    string
	Deprecated   Set
	Paginated    bool
	Cacheable    bool // its modern result carries ttlMs and cacheScope
	Interim      bool // its modern result may be input_required

	from       Side
	fromModern Side // where it differs
	need       Need
	needNot    Set  // revisions in which nothing need be declared
	needModern Need // where it differs
}

// The official extensions.
const (
	TasksExtension = "io.modelcontextprotocol/tasks"
	UIExtension    = "io.modelcontextprotocol/ui"
)

// ExtensionPath returns the capability path of an extension.
func ExtensionPath(id string) string { return `extensions["` + id + `"]` }

const tasksPath = `extensions["` + TasksExtension + `"]`

var taskExt = Need{Either, tasksPath}

func serverNeed(path string) Need { return Need{Server, path} }
func clientNeed(path string) Need { return Need{Client, path} }

// One line a method; the columns a line leaves out are empty.
var methods = []Method{
	{Name: "initialize", Group: Lifecycle, Phase: Initialization, Revisions: legacyRevisions, from: Client},
	{Name: "notifications/initialized", Notification: true, Group: Lifecycle, Phase: Initialization, Revisions: legacyRevisions, from: Client},
	{Name: "server/discover", Group: Lifecycle, Phase: Discovery, Revisions: r2607, from: Client, Cacheable: true},
	{Name: "ping", Group: Ping, Phase: Operation, Early: true, Revisions: legacyRevisions, from: Either},
	{Name: "notifications/cancelled", Notification: true, Group: Cancellation, Phase: Operation, Revisions: allRevisions, from: Either},
	{Name: "notifications/progress", Notification: true, Group: Progress, Phase: Operation, Revisions: allRevisions, from: Either, fromModern: Server},

	{Name: "tools/list", Group: Tools, Phase: Operation, Revisions: allRevisions, from: Client, need: serverNeed("tools"), Paginated: true, Cacheable: true},
	{Name: "tools/call", Group: Tools, Phase: Operation, Revisions: allRevisions, from: Client, need: serverNeed("tools"), Interim: true},
	{Name: "notifications/tools/list_changed", Notification: true, Group: Tools, Phase: Operation, Revisions: allRevisions, from: Server, need: serverNeed("tools.listChanged")},

	{Name: "resources/list", Group: Resources, Phase: Operation, Revisions: allRevisions, from: Client, need: serverNeed("resources"), Paginated: true, Cacheable: true},
	{Name: "resources/templates/list", Group: Resources, Phase: Operation, Revisions: allRevisions, from: Client, need: serverNeed("resources"), Paginated: true, Cacheable: true},
	{Name: "resources/read", Group: Resources, Phase: Operation, Revisions: allRevisions, from: Client, need: serverNeed("resources"), Cacheable: true, Interim: true},
	{Name: "resources/subscribe", Group: Resources, Phase: Operation, Revisions: legacyRevisions, from: Client, need: serverNeed("resources.subscribe")},
	{Name: "resources/unsubscribe", Group: Resources, Phase: Operation, Revisions: legacyRevisions, from: Client, need: serverNeed("resources.subscribe")},
	{Name: "notifications/resources/list_changed", Notification: true, Group: Resources, Phase: Operation, Revisions: allRevisions, from: Server, need: serverNeed("resources.listChanged")},
	{Name: "notifications/resources/updated", Notification: true, Group: Resources, Phase: Operation, Revisions: allRevisions, from: Server, need: serverNeed("resources.subscribe")},

	{Name: "prompts/list", Group: Prompts, Phase: Operation, Revisions: allRevisions, from: Client, need: serverNeed("prompts"), Paginated: true, Cacheable: true},
	{Name: "prompts/get", Group: Prompts, Phase: Operation, Revisions: allRevisions, from: Client, need: serverNeed("prompts"), Interim: true},
	{Name: "notifications/prompts/list_changed", Notification: true, Group: Prompts, Phase: Operation, Revisions: allRevisions, from: Server, need: serverNeed("prompts.listChanged")},

	{Name: "completion/complete", Group: Completion, Phase: Operation, Revisions: allRevisions, from: Client, need: serverNeed("completions"), needNot: r2411},
	{Name: "logging/setLevel", Group: Logging, Phase: Operation, Revisions: legacyRevisions, from: Client, need: serverNeed("logging")},
	{Name: "notifications/message", Notification: true, Group: Logging, Phase: Operation, Early: true, Revisions: allRevisions, from: Server, need: serverNeed("logging"), Deprecated: r2607},

	{Name: "roots/list", Group: Roots, Phase: Operation, Revisions: legacyRevisions, Embedded: r2607, from: Server, need: clientNeed("roots"), Deprecated: r2607},
	{Name: "notifications/roots/list_changed", Notification: true, Group: Roots, Phase: Operation, Revisions: legacyRevisions, from: Client, need: clientNeed("roots.listChanged")},
	{Name: "sampling/createMessage", Group: Sampling, Phase: Operation, Revisions: legacyRevisions, Embedded: r2607, from: Server, need: clientNeed("sampling"), Deprecated: r2607},
	{Name: "elicitation/create", Group: Elicitation, Phase: Operation, Revisions: r2506 | r2511, Embedded: r2607, from: Server, need: clientNeed("elicitation")},
	{Name: "notifications/elicitation/complete", Notification: true, Group: Elicitation, Phase: Operation, Revisions: r2511, from: Server, need: clientNeed("elicitation.url")},

	{Name: "subscriptions/listen", Group: Subscriptions, Phase: Operation, Revisions: r2607, from: Client},
	{Name: "notifications/subscriptions/acknowledged", Notification: true, Group: Subscriptions, Phase: Operation, Revisions: r2607, from: Server},

	{Name: "tasks/get", Group: Tasks, Phase: Operation, Revisions: r2511, Extended: r2607, Extension: TasksExtension, from: Either, fromModern: Client, need: Need{Receiver, "tasks"}, needModern: taskExt},
	{Name: "tasks/result", Group: Tasks, Phase: Operation, Revisions: r2511, from: Either, need: Need{Receiver, "tasks"}},
	{Name: "tasks/list", Group: Tasks, Phase: Operation, Revisions: r2511, from: Either, need: Need{Receiver, "tasks.list"}, Paginated: true},
	{Name: "tasks/cancel", Group: Tasks, Phase: Operation, Revisions: r2511, Extended: r2607, Extension: TasksExtension, from: Either, fromModern: Client, need: Need{Receiver, "tasks.cancel"}, needModern: taskExt},
	{Name: "notifications/tasks/status", Notification: true, Group: Tasks, Phase: Operation, Revisions: r2511, from: Either, need: Need{Sender, "tasks"}},
	{Name: "tasks/update", Group: Tasks, Phase: Operation, Extended: r2607, Extension: TasksExtension, from: Client, needModern: taskExt},
	{Name: "notifications/tasks", Notification: true, Group: Tasks, Phase: Operation, Extended: r2607, Extension: TasksExtension, from: Server, needModern: taskExt},
}

var byName = sync.OnceValue(func() map[string]*Method {
	m := make(map[string]*Method, len(methods))
	for i := range methods {
		m[methods[i].Name] = &methods[i]
	}
	return m
})

// Lookup returns the method of that name, nil when the specification has none. The method is shared
// and must not be changed.
func Lookup(name string) *Method { return byName()[name] }

// Methods returns all methods in the order of the specification's chapters.
func Methods() []*Method {
	out := make([]*Method, len(methods))
	for i := range methods {
		out[i] = &methods[i]
	}
	return out
}

// Primitive returns the primitive the method belongs to, "" when it is lifecycle or a utility.
func (m *Method) Primitive() string {
	if IsPrimitive(m.Group) {
		return m.Group
	}
	return ""
}

// In reports whether the method may travel as a message in a revision, extensions included.
func (m *Method) In(rev string) bool { return (m.Revisions | m.Extended).Has(rev) }

// From returns who may send the method in a revision.
func (m *Method) From(rev string) Side {
	if m.fromModern != "" && EraOf(rev) == Modern {
		return m.fromModern
	}
	return m.from
}

// Needs returns the capability the method leans on in a revision. Needs that depend on params
// (sampling.tools, elicitation.url, tasks.requests.*) are not among them.
func (m *Method) Needs(rev string) (Need, bool) {
	n := m.need
	if EraOf(rev) == Modern && m.needModern.Path != "" {
		n = m.needModern
	}
	if n.Path == "" || m.needNot.Has(rev) {
		return Need{}, false
	}
	return n, true
}
