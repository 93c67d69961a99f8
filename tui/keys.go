package tui

import (
	"math/bits"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/shakescope/shakescope/internal/settings"
)

// action is something a user can do. Screens handle actions, never keys.
type action string

const (
	actNone      action = ""
	actDown      action = "down"
	actUp        action = "up"
	actPageDown  action = "page-down"
	actPageUp    action = "page-up"
	actHalfDown  action = "half-page-down"
	actHalfUp    action = "half-page-up"
	actTop       action = "top"
	actBottom    action = "bottom"
	actOpen      action = "open"
	actBack      action = "back"
	actQuit      action = "quit"
	actHelp      action = "help"
	actRedraw    action = "redraw"
	actSuspend   action = "suspend"
	actNextPane  action = "next-pane"
	actPrevPane  action = "previous-pane"
	actNextTab   action = "next-tab"
	actPrevTab   action = "previous-tab"
	actPanePlace action = "pane-position"
	actGrow      action = "grow-list"
	actShrink    action = "shrink-list"
	actZoom      action = "maximise-pane"
	actHints     action = "toggle-hints"
	actFollow    action = "follow"
	actFreeze    action = "freeze"
	actNextError action = "next-error"
	actPrevError action = "previous-error"
	actNextWarn  action = "next-warning"
	actPrevWarn  action = "previous-warning"
	actPair      action = "pair"
	actFlowNext  action = "next-in-flow"
	actFlowPrev  action = "previous-in-flow"
	actDeclared  action = "declared-in"
	actTime      action = "time-format"
	actReplay    action = "replay"
	actPause     action = "pause"
	actStep      action = "step"
	actStepBack  action = "step-back"
	actSlower    action = "slower"
	actFaster    action = "faster"
	actFold      action = "fold"
	actUnfold    action = "unfold"
	actFoldAll   action = "fold-all"
	actUnfoldAll action = "unfold-all"
	actCommand   action = "command"
	actScreen    action = "screen" // followed by the screen's digit: "screen-4"
	actMouse     action = "mouse"
	actSort      action = "sort"
	actZoomIn    action = "zoom-in"
	actZoomOut   action = "zoom-out"
	actFilter    action = "filter"
	actClear     action = "clear-filter"
	actQuick     action = "quick-filters"
	actInclude   action = "include"
	actExclude   action = "exclude"
	actSearch    action = "search"
	actNextMatch action = "next-match"
	actPrevMatch action = "previous-match"
	actMark      action = "mark"
	actToMark    action = "to-mark"
	actMarks     action = "marks"
	actNote      action = "note"
	actCopy      action = "copy"
	actPrint     action = "print-on-exit"
	actExport    action = "export"
	actWrap      action = "wrap"
	actHex       action = "hex"
	actMode      action = "mode"
	actCompress  action = "compress"
	actExplain   action = "explain"
	actWhatIf    action = "what-if"
	actIgnore    action = "ignore-rule"
	actStrip     action = "third-strip"
	actDelete    action = "delete-recording"
	actAside     action = "show-probes"
)

// place is a set of places in which a binding is valid.
type place uint16

const (
	inHome   place = 1 << iota
	inList         // a list of entries: stream, ladder, timeline
	inTable        // any other screen of a recording
	inDetail       // the detail pane has the focus
	inRaw          // … and shows a JSON tree
	inReplay       // the recording is being replayed
	inTimeline
	inFindings
	inLadder
	inHandshake
	inDiff
	inResend // the dialog that makes a request again
	inResent // … when the answer is there

	inRecording = inList | inTable | inDetail | inRaw | inReplay | inTimeline | inFindings | inLadder | inHandshake
	everywhere  = inHome | inRecording | inDiff | inResend | inResent
)

// binding is one line of the key table, from which dispatch, hints, help and docs/keys.md are made.
type binding struct {
	act         action
	key.Binding // keys as tea.KeyPressMsg.String has them, and what they do
	in          place
	group       string
	hint        string // what the hint line says, empty: not there
}

func keyed(does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(keyLabel(keys), does))
}

// keyTable lists the default keys. Where a key has several meanings, the binding for the fewest
// places wins.
func keyTable() []binding {
	table := []binding{
		{actDown, keyed("down", "j", "down"), everywhere, "move", ""},
		{actUp, keyed("up", "k", "up"), everywhere, "move", ""},
		{actPageDown, keyed("page down", "space", "pgdown"), everywhere, "move", ""},
		{actPageUp, keyed("page up", "b", "pgup"), everywhere, "move", ""},
		{actHalfDown, keyed("half a page down", "ctrl+d"), everywhere, "move", ""},
		{actHalfUp, keyed("half a page up", "ctrl+u"), everywhere, "move", ""},
		{actTop, keyed("top; shows what is new", "g", "home"), everywhere, "move", ""},
		{actBottom, keyed("bottom; follows a live recording", "G", "end"), everywhere, "move", ""},
		{actOpen, keyed("open", "enter", "l", "right"), everywhere, "move", "open"},
		{actBack, keyed("back; q quits at the root", "esc", "q"), everywhere, "move", "back"},

		{actPause, keyed("pause, go on", "space"), inReplay, "replay", "pause"},
		{actStep, keyed("one entry on", "."), inReplay, "replay", "step"},
		{actStepBack, keyed("one entry back", ","), inReplay, "replay", ""},
		{actSlower, keyed("half the speed", "{"), inReplay, "replay", ""},
		{actFaster, keyed("twice the speed", "}"), inReplay, "replay", "faster"},
		{actTop, keyed("to the start", "g", "home"), inReplay, "replay", ""},
		{actBottom, keyed("to the end", "G", "end"), inReplay, "replay", ""},

		{actFold, keyed("fold, or go to the parent", "h", "left"), inRaw, "tree", ""},
		{actUnfold, keyed("unfold", "l", "right"), inRaw, "tree", ""},
		{actFoldAll, keyed("fold all", "c"), inRaw, "tree", ""},
		{actUnfoldAll, keyed("unfold all", "o"), inRaw, "tree", ""},
		{actWrap, keyed("the exact text, wrapped", "w"), inRaw, "tree", ""},
		{actHex, keyed("the exact bytes", "x"), inRaw, "tree", ""},

		{actPair, keyed("the other half of the pair", "p"), inList | inDetail, "go", "pair"},
		{actFlowPrev, keyed("previous entry of this flow", "("), inList | inDetail, "go", ""},
		{actFlowNext, keyed("next entry of this flow", ")"), inList | inDetail, "go", ""},
		{actNextError, keyed("next error", "e"), inRecording, "go", "errors"},
		{actPrevError, keyed("previous error", "E"), inRecording, "go", ""},
		{actNextWarn, keyed("next warning", "w"), inRecording &^ inRaw, "go", ""},
		{actPrevWarn, keyed("previous warning", "W"), inRecording &^ inRaw, "go", ""},
		{actDeclared, keyed("where the capability was declared", "d"), inList | inDetail, "go", ""},
		{actExplain, keyed("explain the finding: why, how to fix, page", "i"), inRecording, "go", ""},
		{actIgnore, keyed("ignore this rule in this recording; again: heed it", "I"), inFindings, "go", "ignore"},
		{actWhatIf, keyed("what would break without this capability", "x"), inHandshake, "go", "what if"},

		{actFilter, keyed("filter by server, client, label, command, state", "/"), inHome, "find", "filter"},
		{actClear, keyed("clear the filter", "ctrl+l"), inHome, "find", ""},
		{actAside, keyed("show, hide probes, resends and throw-away starts", "a"), inHome, "find", "probes"},
		{actDelete, keyed("delete the recording and its notes", "D"), inHome, "find", "delete"},
		{actFilter, keyed("filter: show only what matches", "/"), inRecording, "find", "filter"},
		{actSearch, keyed("search in this message", "/"), inDetail | inRaw, "find", "search"},
		{actClear, keyed("clear the filter", "ctrl+l"), inRecording, "find", ""},
		{actQuick, keyed("quick filters", "F"), inRecording, "find", ""},
		{actInclude, keyed("only what is like this one, or has this value", "+"), inList | inDetail | inRaw, "find", ""},
		{actExclude, keyed("all but what is like this one, or has this value", "-"), inList | inDetail | inRaw, "find", ""},
		{actSearch, keyed("search: highlight and go to matches in the whole file", "ctrl+f"), inRecording, "find", ""},
		{actNextMatch, keyed("next match", "n"), inRecording, "find", ""},
		{actPrevMatch, keyed("previous match", "N"), inRecording, "find", ""},
		{actMark, keyed("put a mark here: m and a letter", "m"), inRecording, "find", ""},
		{actToMark, keyed("go to a mark: ' and its letter; '' goes back", "'"), inRecording, "find", ""},
		{actMarks, keyed("list of marks and notes", "M"), inRecording, "find", ""},
		{actNote, keyed("write a note", ";"), inRecording, "find", ""},
		{actCopy, keyed("copy", "y"), inRecording, "find", ""},
		{actPrint, keyed("print this value when the program ends", "Y"), inRecording, "find", ""},
		{actExport, keyed("export what is shown", "X"), inRecording, "find", ""},

		{actFollow, keyed("follow the newest entry", "f"), inRecording, "view", "follow"},
		{actFreeze, keyed("freeze the view; the recording goes on", "="), inRecording, "view", ""},
		{actReplay, keyed("replay from here, or leave the replay", "R"), inRecording, "view", "replay"},
		{actTime, keyed("times: since the start, of day, since the line above", "t"), inRecording, "view", ""},
		{actSort, keyed("sort the stream: number, latency, size, method", "s"), inList, "view", ""},
		{actCompress, keyed("hide ping and progress", "c"), inLadder, "view", "compress"},
		{actMode, keyed("by request, by method", "v"), inTimeline, "view", "by method"},
		modelBinding(),
		{actNextTab, keyed("next tab of the detail pane", "]"), inRecording, "view", ""},
		{actPrevTab, keyed("previous tab of the detail pane", "["), inRecording, "view", ""},
		{actNextPane, keyed("next pane", "tab"), inRecording, "view", "pane"},
		{actPrevPane, keyed("previous pane", "shift+tab"), inRecording, "view", ""},
		{actPanePlace, keyed("detail pane: auto, right, bottom, off", "P"), inRecording, "view", ""},
		{actStrip, keyed("third strip: timeline, findings, off (from 200x60)", "T"), inRecording, "view", ""},
		{actShrink, keyed("smaller list", "<"), inRecording, "view", ""},
		{actGrow, keyed("larger list", ">"), inRecording, "view", ""},
		{actZoom, keyed("one pane on the whole screen", "z"), inRecording, "view", ""},
		{actZoomIn, keyed("zoom in", "+"), inTimeline, "view", "zoom"},
		{actZoomOut, keyed("zoom out", "-"), inTimeline, "view", ""},
		{actFold, keyed("pan left", "h", "left"), inTimeline, "view", ""},
		{actUnfold, keyed("pan right", "l", "right"), inTimeline, "view", ""},
	}
	table = append(append(table, diffBindings()...), resendBindings()...)
	for _, s := range screens() {
		table = append(table, binding{actScreen + action("-"+s.key), keyed(s.title, s.key), inRecording &^ inRaw, "screens", ""})
	}
	return append(table,
		binding{actScreen + "-0", keyed("recordings", "0"), inRecording&^inRaw | inDiff | inResend | inResent, "screens", ""},
		binding{actCommand, keyed("command: 123, +90s, theme NAME …; tab completes", ":"), everywhere, "app", ""},
		binding{actHints, keyed("hide this line", "H"), everywhere, "app", ""},
		binding{actMouse, keyed("mouse on, off", "f2"), everywhere, "app", ""},
		binding{actRedraw, keyed("draw again", "ctrl+r"), everywhere, "app", ""},
		binding{actSuspend, keyed("suspend", "ctrl+z"), everywhere, "app", ""},
		binding{actHelp, keyed("help for this screen", "?"), everywhere, "app", "help"},
		binding{actQuit, keyed("quit", "ctrl+c"), everywhere, "app", ""},
	)
}

// keymap finds actions by key.
type keymap struct {
	table []binding
	byKey map[string][]int
}

func newKeymap(bound map[string][]string) *keymap {
	k := &keymap{table: rebound(keyTable(), bound), byKey: map[string][]int{}}
	for i, b := range k.table {
		for _, key := range b.Keys() {
			k.byKey[key] = append(k.byKey[key], i)
		}
	}
	return k
}

// rebound gives actions other keys. A key that is given to an action is taken from all others that it
// would get in the way of.
func rebound(table []binding, bound map[string][]string) []binding {
	for i := range table {
		b := &table[i]
		if keys, ok := bound[string(b.act)]; ok {
			b.SetKeys(keys...)
			continue
		}
		b.SetKeys(slices.DeleteFunc(slices.Clone(b.Keys()), func(key string) bool {
			for k := range table {
				if slices.Contains(bound[string(table[k].act)], key) && table[k].in&b.in != 0 && b.act != actQuit {
					return true
				}
			}
			return false
		})...)
	}
	return table
}

// checkKeys reports the first binding that cannot be: of an unknown action, or of a key that is given
// to two actions in the same place.
func checkKeys(s *settings.Settings) error {
	table := keyTable()
	names := make([]string, 0, len(s.Keys))
	for name := range s.Keys {
		names = append(names, name)
	}
	slices.Sort(names)
	in := func(act string) (places place) {
		for i := range table {
			if string(table[i].act) == act {
				places |= table[i].in
			}
		}
		return places
	}
	for n, name := range names {
		if in(name) == 0 {
			return s.Fault("keys."+name, "there is no such action; docs/keys.md lists them")
		}
		for _, key := range s.Keys[name] {
			if key == "ctrl+c" && name != string(actQuit) {
				return s.Fault("keys."+name, "ctrl+c always quits")
			}
			for _, other := range names[:n] {
				if slices.Contains(s.Keys[other], key) && in(other)&in(name) != 0 {
					return s.Fault("keys."+name, "%q is bound to %s too", key, other)
				}
			}
		}
	}
	return nil
}

// action returns what key does where all of the places in hold.
func (k *keymap) action(key string, in place) action {
	if b := k.binding(key, in); b != nil {
		return b.act
	}
	return actNone
}

// binding returns the binding of key where in holds: of several the one for the fewest places.
func (k *keymap) binding(key string, in place) *binding {
	var best *binding
	for _, i := range k.byKey[key] {
		b := &k.table[i]
		if b.in&in == 0 || best != nil && bits.OnesCount16(uint16(b.in)) >= bits.OnesCount16(uint16(best.in)) {
			continue
		}
		best = b
	}
	return best
}

// valid lists the bindings that are in force where in holds, each with the keys that really lead to it.
func (k *keymap) valid(in place) []binding {
	var out []binding
	for i, b := range k.table {
		if b.in&in == 0 {
			continue
		}
		var keys []string
		for _, key := range b.Keys() {
			if k.binding(key, in) == &k.table[i] {
				keys = append(keys, key)
			}
		}
		if len(keys) > 0 {
			b.SetKeys(keys...)
			out = append(out, b)
		}
	}
	return out
}

// keyLabel writes keys for people.
func keyLabel(keys []string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		switch k {
		case "down":
			k = "↓"
		case "up":
			k = "↑"
		case "left":
			k = "←"
		case "right":
			k = "→"
		case "pgdown":
			k = "PgDn"
		case "pgup":
			k = "PgUp"
		case "home":
			k = "Home"
		case "end":
			k = "End"
		default:
			if len(k) > 1 && k[0] == 'f' && k[1] >= '1' && k[1] <= '9' {
				k = "F" + k[1:]
			}
		}
		out[i] = k
	}
	return strings.Join(out, " ")
}
