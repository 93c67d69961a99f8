package annotate

import (
	"fmt"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Rules about arrays of messages, which only 2025-03-26 knows.
var batchRules = []Rule{
	{
		ID: "batch-not-allowed", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: Sender,
		Spec:  "2025-06-18/changelog",
		Title: "Several messages were sent as one array.",
		Why:   "Batches were part of MCP in 2025-03-26 only. Peers refuse the array, drop it or end the connection.",
		Fix:   "Send each message on a line of its own.",
		hooks: []hook{on(onBatch, batchRefused), on(onRequest, initializeInArray, "initialize")},
	},
	{
		ID: "batch-in-2024-11-05", Group: GroupEnvelope, Levels: []Level{LevelWarning}, Revisions: mcpspec.Through(mcpspec.Rev20241105), By: Sender,
		Spec:  "2024-11-05/basic/messages",
		Title: "Several messages were sent as one array, which 2024-11-05 does not speak of.",
		Why:   "Plain JSON-RPC knows batches, the schema of this revision does not: whether the peer takes them is luck.",
		Fix:   "Send each message on a line of its own.",
		hooks: []hook{on(onBatch, batchRefused), on(onRequest, initializeInArray, "initialize")},
	},
	{
		ID: "batch-initialize", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250326) & mcpspec.Through(mcpspec.Rev20250326), By: Sender,
		Spec:  "2025-03-26/basic/lifecycle#initialization",
		Title: "initialize stands in a batch.",
		Why:   "It must come alone: before its answer nothing else may be asked, and the revision that allows batches is not agreed on yet.",
		Fix:   "Send initialize as a message of its own and wait for the answer.",
		hooks: []hook{on(onRequest, initializeInBatch, "initialize")},
	},
	{
		ID: "batch-empty", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250326) & mcpspec.Through(mcpspec.Rev20250326), By: Sender,
		Spec:  "2025-03-26/basic/index#batching",
		Title: "A batch is empty, or mixes calls and answers.",
		Why:   "A batch holds requests and notifications, or answers, and at least one of them. Peers answer with an error or not at all.",
		Fix:   "Send nothing when there is nothing to send; keep answers apart.",
		hooks: []hook{on(onInvalid, batchEmpty), on(onBatch, batchMixed)},
	},
	{
		ID: "batch-unanswered", Group: GroupEnvelope, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250326) & mcpspec.Through(mcpspec.Rev20250326), By: Receiver,
		Spec:  "2025-03-26/basic/index#batching",
		Title: "No request of a batch was answered.",
		Why:   "Under 2025-03-26 everybody must be able to receive batches; some peers drop the array without a word.",
		Fix:   "Handle each member as a message of its own; answers may come back as an array or one by one.",
		hooks: []hook{onAnswer(noteBatch), on(onSilence, batchUnanswered)},
	},
}

func batchRefused(v *view) {
	f := Finding{Message: "an array of " + counted(v.Entry.Members, "message", "messages") + ", under " + v.Entry.Revision}
	if v.Entry.Era == mcpspec.Modern {
		f.Spec = mcpspec.Rev20260728 + "/basic/transports/stdio"
	}
	v.reportOn(v.Entry.From, f)
}

// initializeInArray is about the array that opens a session: what revision holds for it, only initialize
// itself tells.
func initializeInArray(v *view) {
	e := v.Entry
	if e.Sub == NoSub {
		return
	}
	if p := v.Process; !p.session.opened.set() {
		v.reportOn(e.From, Finding{At: Ref{e.Seq, NoSub}, Message: "initialize stands in an array of messages"})
	}
}

func initializeInBatch(v *view) {
	if v.Entry.Sub != NoSub {
		v.report(Finding{Message: "initialize is a member of a batch"})
	}
}

func batchEmpty(v *view) {
	if v.Entry.Reason == jsonrpc.EmptyBatch {
		v.reportOn(v.Entry.From, Finding{Message: "an empty batch: []"})
	}
}

func batchMixed(v *view) {
	calls, answers := 0, 0
	elements(v.Entry.Raw, func(one []byte) bool {
		switch {
		case !isObject(one):
		case member(one, "method") != nil:
			calls++
		case member(one, "result") != nil || member(one, "error") != nil:
			answers++
		}
		return true
	})
	if calls > 0 && answers > 0 {
		v.reportOn(v.Entry.From+" mixed", Finding{Message: counted(calls, "request or notification", "requests or notifications") + " and " + counted(answers, "answer", "answers") + " in one batch"})
	}
}

// batches remembers which batches had an answer to any of their members, and in the end which had none.
type batches struct{ answered, silent map[int64]bool }

func (m *batches) say(set *map[int64]bool, batch int64) {
	if *set == nil || len(*set) >= maxLinks {
		*set = make(map[int64]bool)
	}
	(*set)[batch] = true
}

func noteBatch(v *view) {
	if x := v.Exchange; x != nil && x.At.Sub != NoSub {
		m := memo[batches](v, v.Process)
		m.say(&m.answered, x.At.Seq)
	}
}

// batchUnanswered looks at the batches of which not one request was answered, though the other end was
// there to do it: it wrote something later, or had a second.
func batchUnanswered(v *view) {
	p := v.Process
	m := memo[batches](v, p)
	for _, from := range []end{client, server} {
		own, other := &p.ends[from], &p.ends[from.other()]
		for x := own.oldest; x != nil; {
			batch := x.At.Seq
			first := x
			var members []Ref
			refused := false
			for ; x != nil && x.At.Seq == batch; x = x.newer {
				members = append(members, x.At)
				refused = refused || x.cancelled() || x.unsure || x.unsound || x.lenient || !x.probable.IsZero() && !x.brokenAnswer
			}
			if first.At.Sub == NoSub || first.revision != mcpspec.Rev20250326 || refused || first.late || m.answered[batch] {
				continue
			}
			if other.last.At.Seq < batch && v.T-first.T < time.Second {
				continue
			}
			m.say(&m.silent, batch)
			v.report(Finding{
				At: Ref{batch, NoSub}, By: from.other().String(), Count: len(members), Related: members,
				Message: fmt.Sprintf("none of the %d requests of this batch was answered", len(members)),
			})
		}
	}
}
