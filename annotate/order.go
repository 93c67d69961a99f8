package annotate

import (
	"cmp"
	"slices"
	"sort"
)

// What people need first: what ended the session, then what left a request open, then what makes a peer
// discard a whole list or message, then floods, then the rest.
const (
	ended = iota
	leftOpen
	discarded
	flood
	rest
	noted
)

// consequences says what comes of a breach of a rule, for those that do more than break a rule.
var consequences = map[string]int{
	"exit-with-pending": ended, "exit-before-initialize": ended, "probe-killed-server": ended, "version-refused": ended,
	"modern-version-in-initialize": ended, "initialize-result-shape": ended, "hangup-cause": ended, "version-mismatch-disconnect": ended,

	"request-unanswered": leftOpen, "unterminated-line-at-eof": leftOpen, "content-length-framing": leftOpen, "message-spans-lines": leftOpen,
	"response-id-type-changed": leftOpen, "response-unknown-id": leftOpen, "response-duplicate": leftOpen, "error-id-missing": leftOpen,
	"id-null": leftOpen, "id-reused": leftOpen, "id-reused-in-flight": leftOpen, "response-empty": leftOpen, "error-shape": leftOpen,
	"jsonrpc-version": leftOpen, "request-without-id": leftOpen, "notification-with-id": leftOpen, "initialized-missing": leftOpen,
	"initialized-wrong-name": leftOpen, "output-after-stdin-close": leftOpen, "batch-unanswered": leftOpen, "batch-not-allowed": leftOpen,
	"probe-stalled": leftOpen, "two-messages-one-line": leftOpen, "invalid-utf8": leftOpen, "utf8-bom": leftOpen, "json-nan-hint": leftOpen,

	"tool-input-schema-root": discarded, "tool-input-schema-missing": discarded, "null-optional-member": discarded, "schema-result": discarded,
	"cursor-loop": discarded, "content-media-fields": discarded, "content-base64": discarded, "content-type-unknown": discarded,
	"content-type-too-new": discarded, "result-content-missing": discarded, "result-not-object": discarded, "structured-schema": discarded,
	"structured-missing": discarded, "result-type-unknown": discarded, "prompt-content-array": discarded,
}

// ByConsequence returns the findings in the order in which people need them: by what came of them, then
// from errors to warnings, then in the order of the recording; infos come last, but for those that
// explain an end. The slice given is left as it is.
func ByConsequence(findings []Finding) []Finding {
	out := slices.Clone(findings)
	sort.SliceStable(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(levelRank(a.Level), levelRank(b.Level))) < 0
	})
	return out
}

func rank(f *Finding) int {
	r, ok := consequences[f.Rule]
	switch {
	case ok && r == ended:
		return ended
	case f.Level == LevelInfo:
		return noted
	case ok:
		return r
	case f.Count > 1:
		return flood
	}
	return rest
}

func levelRank(l Level) int {
	switch l {
	case LevelError:
		return 0
	case LevelWarning:
		return 1
	}
	return 2
}
