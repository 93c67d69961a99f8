package tui

import (
	"slices"

	"github.com/shakescope/shakescope/annotate"
)

const (
	kindNone kind = iota
	kindRequest
	kindNotification
	kindResponse
	kindError
	kindBatch
	kindInvalid
	kindBlank
	kindStderr
	kindEvent
	kindGap
)

var kindNames = [...]annotate.Kind{"", annotate.Request, annotate.Notification, annotate.Response, annotate.ErrorAnswer, annotate.Batch,
	annotate.Invalid, annotate.Blank, annotate.Stderr, annotate.EventEntry, annotate.Gap}

const (
	phaseNone phase = iota
	phaseInitialization
	phaseOperation
	phaseShutdown
	phaseDiscovery
	phaseProbe
)

var phaseNames = [...]annotate.Phase{"", annotate.Initialization, annotate.Operation, annotate.Shutdown, annotate.Discovery, annotate.Probe}

const (
	stateNone state = iota
	statePending
	stateOK
	stateError
	stateToolError
	stateInputRequired
	stateCancelled
	stateOpen
	stateUnmatched
	stateDuplicate
)

var stateNames = [...]annotate.State{"", annotate.Pending, annotate.OK, annotate.Failed, annotate.ToolError, annotate.InputRequired,
	annotate.Cancelled, annotate.Open, annotate.Unmatched, annotate.Duplicate}

const (
	levelNone level = iota
	levelInfo
	levelWarning
	levelError
)

var levelNames = [...]annotate.Level{"", annotate.LevelInfo, annotate.LevelWarning, annotate.LevelError}

// groups names the values of annotate.Entry.Group with the short words of the stream, which are
// never wider than six cells.
var groups = [...]struct {
	name, short string
	role        role
}{
	{"", "", roleUtility},
	{"tools", "tools", roleTools},
	{"resources", "resrc", roleResources},
	{"prompts", "prompt", rolePrompts},
	{"roots", "roots", roleRoots},
	{"sampling", "sampl", roleSampling},
	{"elicitation", "elicit", roleElicitation},
	{"lifecycle", "life", roleLifecycle},
	{"ping", "ping", roleUtility},
	{"cancellation", "cancel", roleUtility},
	{"progress", "prog", roleUtility},
	{"logging", "log", roleUtility},
	{"completion", "compl", roleUtility},
	{"tasks", "tasks", roleUtility},
	{"subscriptions", "subs", roleUtility},
	{"unknown", "other", roleUtility},
}

func index[T comparable](names []T, v T) uint8 {
	if i := slices.Index(names, v); i > 0 {
		return uint8(i)
	}
	return 0
}

func groupIndex(name string) uint8 {
	for i := range groups {
		if groups[i].name == name {
			return uint8(i)
		}
	}
	return uint8(len(groups) - 1)
}
