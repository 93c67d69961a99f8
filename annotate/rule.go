package annotate

import (
	"slices"
	"sync"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rule is one thing that can be wrong with, or worth seeing in, an MCP stream. Rules are data plus the
// functions hooked to moments of the fold; the package comment says how to write one.
type Rule struct {
	ID     string
	Group  string  // the family, one of the Group constants
	Levels []Level // it can have by what the bytes prove; the usual one first
	// Likely says that bytes alone cannot prove it.
	Likely    bool
	Revisions mcpspec.Set // that have the rule
	By        string      // who is at fault: client, server, environment, or Sender, Receiver
	Spec      string      // page of the specification: 2025-11-25/basic/lifecycle#shutdown
	Title     string      // what it is, in a sentence
	Why       string      // what comes of it
	Fix       string      // what to do

	hooks []hook
}

// Who is at fault, where it depends on the message: the end that sent it, or the other.
const (
	Sender   = "sender"
	Receiver = "receiver"
)

// The families of rules.
const (
	GroupFraming       = "framing"
	GroupEnvelope      = "envelope"
	GroupLifecycle     = "lifecycle"
	GroupMethods       = "methods"
	GroupCapabilities  = "capabilities"
	GroupUtilities     = "progress, cancellation, ping"
	GroupPagination    = "pagination"
	GroupTools         = "tools"
	GroupResources     = "resources"
	GroupPrompts       = "prompts and completion"
	GroupLogging       = "logging"
	GroupRoots         = "roots"
	GroupSampling      = "sampling"
	GroupElicitation   = "elicitation"
	GroupTasks         = "tasks"
	GroupModern        = "modern requests"
	GroupCaching       = "modern results and caching"
	GroupEras          = "discovery and eras"
	GroupRounds        = "multi round-trip requests"
	GroupSubscriptions = "subscriptions"
	GroupTaskExtension = "tasks extension"
	GroupDesign        = "design"
)

// families is the table of all rules: one line a file rules_*.go.
var families = [][]Rule{
	framingRules,
	strayRules,
	lineRules,
	formRules,
	batchRules,
	idRules,
	envelopeRules,
	handshakeRules,
	versionRules,
	featureRules,
	endRules,
	causeRules,
	capabilityRules,
	declarationRules,
	metaRules,
	uiRules,
	methodRules,
	progressRules,
	cancellationRules,
	timeoutRules,
	pingRules,
	paginationRules,
	toolRules,
	listRules,
	toolSchemaRules,
	callRules,
	resultRules,
	contentRules,
	resourceRules,
	promptRules,
	completionRules,
	loggingRules,
	rootRules,
	samplingRules,
	samplingToolRules,
	elicitationRules,
	formSchemaRules,
	elicitationAnswerRules,
	taskRules,
	taskStatusRules,
	modernRules,
	modernErrorRules,
	cachingRules,
	eraRules,
	roundRules,
	retryRules,
	subscriptionRules,
	subscriptionEndRules,
	taskExtensionRules,
	taskExtensionStatusRules,
	designRules,
	designCallRules,
	shapeRules,
}

// moment is when a hook is called.
type moment uint8

// The moments. All but the last three have an Entry. onRequest, onNotification, onResult, onError and
// onInvalid come with a method, onEvent with the name of the event, for hooks that want only some.
const (
	onRequest      moment = iota
	onNotification        // Exchange: the request it is about, if any
	onResult              // Exchange: the request, nil for a lone answer
	onError               // likewise
	onInvalid             // a line or member of a batch that is no message
	onBlank
	onBatch // before its members
	onStderr
	onEvent
	onGap
	onTruncated
	onSilence    // the server can answer no more; once a process, only when its end is in sight
	onSessionEnd // the legacy session is over: another handshake, another process, or the end
	onProcessEnd // another process began, or the end of the recording
	moments
)

func answerMoment(e *Entry) moment {
	if e.Kind == ErrorAnswer {
		return onError
	}
	return onResult
}

// momentSet has the bit 1<<m for each moment m.
type momentSet uint16

const (
	onAnswers  momentSet = 1<<onResult | 1<<onError
	onMessages momentSet = 1<<onRequest | 1<<onNotification | onAnswers
)

// hook calls a function at some moments, for some names; no names means all.
type hook struct {
	at       momentSet
	names    []string
	do       func(v *view)
	anywhere bool
}

// whatever makes the hook run on messages of all revisions: for rules about what one era's messages show
// of the other.
func (h hook) whatever() hook {
	h.anywhere = true
	return h
}

// on makes the hook of one moment.
func on(m moment, do func(v *view), names ...string) hook {
	return hook{at: 1 << m, names: names, do: do}
}

// onAnswer makes the hook of both kinds of answers.
func onAnswer(do func(v *view), methods ...string) hook {
	return hook{at: onAnswers, names: methods, do: do}
}

// onMessage makes the hook of all valid messages.
func onMessage(do func(v *view), methods ...string) hook {
	return hook{at: onMessages, names: methods, do: do}
}

// bound is a hook with its rule.
type bound struct {
	rule     *Rule
	do       func(v *view)
	anywhere bool
}

// dispatch finds the hooks of a moment by name.
type dispatch [moments]struct {
	all    []bound
	byName map[string][]bound
}

var catalog = sync.OnceValue(func() []Rule { return slices.Concat(families...) })

var dispatched = sync.OnceValue(func() *dispatch {
	var d dispatch
	rules := catalog()
	for i := range rules {
		r := &rules[i]
		for _, h := range r.hooks {
			for m := range moments {
				if h.at&(1<<m) == 0 {
					continue
				}
				t := &d[m]
				if len(h.names) == 0 {
					t.all = append(t.all, bound{r, h.do, h.anywhere})
				}
				for _, name := range h.names {
					if t.byName == nil {
						t.byName = make(map[string][]bound)
					}
					t.byName[name] = append(t.byName[name], bound{r, h.do, h.anywhere})
				}
			}
		}
	}
	return &d
})

// Rules returns the catalogue, by family. The slice is the caller's.
func Rules() []Rule { return slices.Clone(catalog()) }

// LookupRule returns the rule of that id, nil when there is none. It is shared and must not be changed.
func LookupRule(id string) *Rule {
	rules := catalog()
	for i := range rules {
		if rules[i].ID == id {
			return &rules[i]
		}
	}
	return nil
}

// applicable returns the revisions that a rule must hold for to be applied to an entry of a revision and era,
// either of which may be unknown: then all that it can be. None is for a version that nobody knows, to which
// no rule is applied.
func applicable(revision, era string) mcpspec.Set {
	switch {
	case revision != "":
		return mcpspec.Of(revision)
	case era == mcpspec.Legacy:
		return mcpspec.LegacyOnly
	case era == mcpspec.Modern:
		return mcpspec.ModernOnly
	}
	return mcpspec.All
}

// view is what a hook sees: an entry, finished but for findings, and the state of the fold after it.
// Nothing of it may be changed or kept, except through report, withdraw and memo (and the misfits of a call, which
// only the rules know).
type view struct {
	Entry    *Entry // nil at onSilence (where no event brought it), onSessionEnd and onProcessEnd
	At       Ref    // where findings go by default; the newest entry at the end moments
	T        time.Duration
	Exchange *exchange
	Process  *process
	Session  *sessionState // the legacy session that is open, or its lead-in
	Reused   bool          // of a request: its id was used before on this session

	call    *call    // of a request or notification: its params
	outcome *outcome // of an answer: its result
	rule    *Rule
	s       *Session
}

// from returns the end that sent the entry.
func (v *view) from() end { return endOf(v.Entry.From) }

// sent returns what the sender of the entry, and the other end, have sent so far.
func (v *view) sent() (own, other *half) {
	return &v.Process.ends[v.from()], &v.Process.ends[v.from().other()]
}

// uncertain reports whether bytes of either end are missing, so that order and pairs prove nothing.
func (v *view) uncertain() bool {
	return v.Process.ends[client].lost || v.Process.ends[server].lost
}
