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

// groups names the values of annotate.Entry.Group.
var groups = [...]struct {
	name string
	role role
}{
	{"", roleUtility},
	{"tools", roleTools},
	{"resources", roleResources},
	{"prompts", rolePrompts},
	{"roots", roleRoots},
	{"sampling", roleSampling},
	{"elicitation", roleElicitation},
	{"lifecycle", roleLifecycle},
	{"ping", roleUtility},
	{"cancellation", roleUtility},
	{"progress", roleUtility},
	{"logging", roleUtility},
	{"completion", roleUtility},
	{"tasks", roleUtility},
	{"subscriptions", roleUtility},
	{"unknown", roleUtility},
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
