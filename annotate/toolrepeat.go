package annotate

// Answer is yes, no or unknown.
type Answer string

// The answers.
const (
	Yes     Answer = "yes"
	No      Answer = "no"
	Unknown Answer = "unknown"
)

// Idempotency says whether a second call with the same arguments changes nothing more, and why one thinks so.
type Idempotency struct {
	Answer Answer
	Reason string
}

// Verbs by what a repeated call does.
var (
	sameAgain = wordSet("set put replace overwrite write save store enable disable mark assign select toggle_on upsert resize emulate configure mute unmute follow unfollow subscribe unsubscribe protect unprotect star unstar")
	moreAgain = wordSet("create add insert append send reply forward post publish notify tweet email invite pay buy order charge transfer run exec execute start spawn launch push commit import upload click press type trigger toggle clone fork generate register record schedule submit copy duplicate increment dispatch share comment")
	goneAgain = wordSet("delete remove drop purge unlink destroy rm revoke uninstall close stop kill terminate clear")
)

// idempotencyOf judges a tool. differs says that the recording shows two results for one set of arguments although
// the tool is called idempotent.
func idempotencyOf(t *traits, differs bool) Idempotency {
	verb := t.effect.verb
	if differs {
		return Idempotency{No, "says idempotentHint, and returned something else for the same arguments in this recording"}
	}
	if code := t.runsCode(); code != "" {
		if t.repeatable && t.repeatableKnown {
			return Idempotency{Unknown, "says idempotentHint, but what it runs is the model's choice"}
		}
		return Idempotency{No, "what it runs is the model's choice"}
	}
	if routerClaim(t).class != "" {
		return Idempotency{Unknown, "depends on which of its jobs is asked for"}
	}
	switch {
	case t.effect.kind == kindReads, t.effect.kind == kindComputes:
		if t.repeatableKnown && !t.repeatable && !t.readOnly {
			return Idempotency{Unknown, "its name says that it only reads or computes, its idempotentHint is false"}
		}
		return Idempotency{Yes, "only reads or computes (" + t.effect.from + ")"}
	case t.readOnly && (t.effect.kind == kindUnsaid || softVerbs()[verb] || !t.effect.named):
		return Idempotency{Yes, "says readOnlyHint"}
	}
	key := t.hasProperty(func(name string) bool {
		w := nameWords(name)
		return hasWords(w, "idempotency") || hasWords(w, "idempotent") || hasWords(w, "client", "token") || hasWords(w, "dedupe") || hasWords(w, "deduplication") || hasWords(w, "transaction", "id") && t.says(`\b(?:once|twice|duplicat|retr)`)
	})
	adds := moreAgain()[verb] || t.effect.kind == kindSends
	switch {
	case key != "":
		return Idempotency{Yes, "takes a key that tells a repetition (argument " + shortID(key) + "), if the caller gives the same"}
	case t.repeatableKnown && t.repeatable && adds && !t.says(`\b(?:ensure|if (?:it does not|it doesn't|not) (?:already )?exist|already exists?|succeeds? silently|idempotent|only if)\b`):
		return Idempotency{Unknown, "says idempotentHint, but " + verb + " usually does it again"}
	case t.repeatableKnown && t.repeatable:
		return Idempotency{Yes, "says idempotentHint"}
	case adds && t.says(`\b(?:idempotent|ensure)\b`):
		return Idempotency{Yes, "its description says that a second call finds what the first one made"}
	case adds:
		return Idempotency{No, "a second call does it again (" + t.effect.from + ")"}
	case sameAgain()[verb]:
		return Idempotency{Yes, "a second call leaves the same behind (" + t.effect.from + ")"}
	case goneAgain()[verb] && (t.effect.kind == kindDestroys || verb == "close" || verb == "stop"):
		return Idempotency{Yes, "a second call finds nothing left to do (" + t.effect.from + "); it may report an error"}
	case t.repeatableKnown:
		return Idempotency{No, "says idempotentHint false"}
	}
	if verb == "" {
		return Idempotency{Unknown, "neither name, description nor hints tell"}
	}
	return Idempotency{Unknown, verb + " can mean either, and there is no idempotentHint"}
}
