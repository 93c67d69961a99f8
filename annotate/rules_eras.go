package annotate

import (
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about the discovery, and about one process or client that speaks both eras.
var eraRules = []Rule{
	{
		ID: "discover-missing", Group: GroupEras, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/discover",
		Title: "A server that serves modern requests does not answer server/discover.",
		Why:   "Clients take it for a legacy server and send initialize, or wait until their time-out.",
		Fix:   "Implement server/discover: it is the one method that every modern server has to have.",
		hooks: []hook{on(onError, discoverRefused, "server/discover"), on(onResult, servedWithoutDiscovery), on(onSilence, discoverIgnored), on(onProcessEnd, discoverIgnored)},
	},
	{
		ID: "discover-result-shape", Group: GroupEras, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/schema#discoverresult",
		Title: "The result of server/discover lacks the versions or the capabilities.",
		Why:   "Without supportedVersions a client cannot choose a version, and may take the server for a legacy one.",
		Fix:   "Send supportedVersions, a list with at least one version, and capabilities, an object. Members of initialize (protocolVersion, serverInfo) do not belong here.",
		hooks: []hook{on(onResult, discoverShape, "server/discover")},
	},
	{
		ID: "discover-no-common-version", Group: GroupEras, Levels: []Level{LevelWarning}, Revisions: mcpspec.ModernOnly, By: Sender,
		Spec:  "2026-07-28/server/discover",
		Title: "The server does not support the version that the discovery was asked in.",
		Why:   "Unless the client speaks one of the listed versions too, the two cannot talk.",
		Fix:   "Update the older side, or let the client ask in a version of the list.",
		hooks: []hook{on(onResult, noCommonVersion, "server/discover")},
	},
	{
		ID: "discover-legacy-versions", Group: GroupEras, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/server/discover",
		Title: "The discovery also lists legacy revisions.",
		Why:   "They can be reached by initialize only; a client that puts one into _meta is refused.",
		Fix:   "Nothing to fix; clients have to choose among the modern ones.",
		hooks: []hook{on(onResult, legacyVersions, "server/discover")},
	},
	{
		ID: "probe-fell-back", Group: GroupEras, Levels: []Level{LevelInfo}, Revisions: mcpspec.All, By: Sender,
		Spec:  "2026-07-28/basic/transports/stdio#backward-compatibility",
		Title: "The client probed with server/discover, and then began a legacy session.",
		Why:   "That is the expected way to find out that a server is a legacy one: neither side did anything wrong. It costs the time until the answer.",
		Fix:   "Nothing to fix. A server that answers -32601 at once makes it quick.",
		hooks: []hook{on(onRequest, fellBack, "initialize")},
	},
	{
		ID: "probe-stalled", Group: GroupEras, Levels: []Level{LevelWarning, LevelInfo}, Revisions: mcpspec.All, By: "server",
		Spec:  "2026-07-28/basic/transports/stdio#backward-compatibility",
		Title: "The server left the probe server/discover unanswered until the client gave up waiting.",
		Why:   "A legacy server may stay silent, but every start then takes as long as the client's time-out.",
		Fix:   "Answer a method that is not known with -32601, before initialize too.",
		hooks: []hook{on(onRequest, probeStalled, "initialize")},
	},
	{
		ID: "fallback-after-modern-error", Group: GroupEras, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/transports/stdio#backward-compatibility",
		Title: "The client sent initialize although the probe's answer was that of a modern server.",
		Why:   "A modern server that has no handshake refuses it, and the connection fails although a common version exists.",
		Fix:   "After a discovery, -32022 or -32021 go on in the modern era, in a version that the server lists.",
		hooks: []hook{on(onRequest, discoveryAsked, "server/discover"), onAnswer(discoveryAnswered, "server/discover"), on(onRequest, fallbackAfterModern, "initialize").whatever()},
	},
	{
		ID: "initialize-refusal-unhelpful", Group: GroupEras, Levels: []Level{LevelWarning}, Likely: true, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
		Title: "A modern server refuses initialize and does not name its versions.",
		Why:   "The user of an older client sees \"method not found\" and cannot know that the client is too old.",
		Fix:   "Answer initialize with an error that names the supported versions, best -32022 with data.supported.",
		hooks: []hook{on(onError, initializeRefused, "initialize").whatever()},
	},
	{
		ID: "era-modern-request-on-legacy-session", Group: GroupEras, Levels: []Level{LevelWarning, LevelInfo}, Revisions: mcpspec.All, By: "client",
		Spec:  "2026-07-28/basic/transports/stdio#backward-compatibility",
		Title: "One client speaks both eras on one process.",
		Why:   "A server for both eras serves each request by what it says; a legacy one ignores the metadata, and the answer means something else than the client thinks.",
		Fix:   "Decide for one era at the start and keep to it.",
		hooks: []hook{on(onRequest, erasMixed), onAnswer(erasSettled)},
	},
	{
		ID: "era-ambiguous-served", Group: GroupEras, Levels: []Level{LevelWarning}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2026-07-28/basic/transports/stdio#backward-compatibility",
		Title: "A legacy server served a modern request before any handshake.",
		Why:   "It ignored the metadata and answered by legacy rules. The client believes that it met a modern server.",
		Fix:   "Refuse requests before initialize; a client should look for resultType before it trusts the answer.",
		hooks: []hook{on(onResult, ambiguousServed).whatever()},
	},
	{
		ID: "era-fields-legacy", Group: GroupEras, Levels: []Level{LevelInfo}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#operation",
		Title: "Results of a legacy session carry members of the modern era.",
		Why:   "Results are open objects, so a legacy client ignores them; they do not make the session a modern one.",
		Fix:   "Nothing to fix; leave them out where strict clients choke.",
		hooks: []hook{on(onResult, modernFields)},
	},
	{
		ID: "era-input-required-on-legacy", Group: GroupEras, Levels: []Level{LevelError}, Revisions: mcpspec.LegacyOnly, By: "server",
		Spec:  "2025-11-25/basic/lifecycle#operation",
		Title: "A legacy session got a result that is none yet: resultType input_required or task.",
		Why:   "A legacy client knows no such results and takes it for the final, empty one.",
		Fix:   "On a legacy session ask with elicitation/create, sampling/createMessage or roots/list, and answer with the result.",
		hooks: []hook{on(onResult, interimOnLegacy)},
	},
	{
		ID: "era-task-shape-in-modern", Group: GroupEras, Levels: []Level{LevelError, LevelInfo}, Revisions: mcpspec.ModernOnly, By: Sender,
		Spec:  "ext-tasks 2026-07-28/tasks#task-creation",
		Title: "Tasks in the form of 2025-11-25 on a modern connection.",
		Why:   "The extension has another form: a server decides by itself, the handle is flat, and times are ttlMs and pollIntervalMs. The other side does not see a task at all.",
		Fix:   "Declare the extension io.modelcontextprotocol/tasks and use its form; drop params.task, the nested task, ttl, pollInterval, execution.taskSupport and capabilities.tasks.",
		hooks: []hook{
			on(onRequest, legacyTaskRequest), on(onResult, legacyTaskResult),
			on(onNotification, legacyTaskNotice, "notifications/tasks", "notifications/tasks/status"),
		},
	},
	{
		ID: "deprecated-feature", Group: GroupEras, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: Sender,
		Spec:  "2026-07-28/deprecated",
		Title: "Roots, sampling or logging are used under 2026-07-28, which deprecates them.",
		Why:   "They still work, but a later revision will drop them.",
		Fix:   "Pass folders as arguments or configuration, call a model from the server, write logs to stderr.",
		hooks: []hook{on(onRequest, deprecatedByRequest), on(onResult, deprecatedByResult), on(onNotification, deprecatedByNotice, "notifications/message")},
	},
}
