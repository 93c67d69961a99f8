package tui

import (
	"math/bits"
	"slices"
	"strings"

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

	inRecording = inList | inTable | inDetail | inRaw | inReplay | inTimeline | inFindings | inLadder | inHandshake
	everywhere  = inHome | inRecording
)

// binding is one line of the key table, from which dispatch, hints, help and docs/keys.md are made.
type binding struct {
	act   action
	keys  []string // as tea.KeyPressMsg.String has them
	in    place
	group string
	help  string
	hint  string // what the hint line says, empty: not there
}

// keyTable lists the default keys. Where a key has several meanings, the binding for the fewest
// places wins.
func keyTable() []binding {
	table := []binding{
		{actDown, []string{"j", "down"}, everywhere, "move", "down", ""},
		{actUp, []string{"k", "up"}, everywhere, "move", "up", ""},
		{actPageDown, []string{"space", "pgdown"}, everywhere, "move", "page down", ""},
		{actPageUp, []string{"b", "pgup"}, everywhere, "move", "page up", ""},
		{actHalfDown, []string{"ctrl+d"}, everywhere, "move", "half a page down", ""},
		{actHalfUp, []string{"ctrl+u"}, everywhere, "move", "half a page up", ""},
		{actTop, []string{"g", "home"}, everywhere, "move", "top; shows what is new", ""},
		{actBottom, []string{"G", "end"}, everywhere, "move", "bottom; follows a live recording", ""},
		{actOpen, []string{"enter", "l", "right"}, everywhere, "move", "open", "open"},
		{actBack, []string{"esc", "q"}, everywhere, "move", "back; q quits at the root", "back"},

		{actPause, []string{"space"}, inReplay, "replay", "pause, go on", "pause"},
		{actStep, []string{"."}, inReplay, "replay", "one entry on", "step"},
		{actStepBack, []string{","}, inReplay, "replay", "one entry back", ""},
		{actSlower, []string{"{"}, inReplay, "replay", "half the speed", ""},
		{actFaster, []string{"}"}, inReplay, "replay", "twice the speed", "faster"},
		{actTop, []string{"g", "home"}, inReplay, "replay", "to the start", ""},
		{actBottom, []string{"G", "end"}, inReplay, "replay", "to the end", ""},

		{actFold, []string{"h", "left"}, inRaw, "tree", "fold, or go to the parent", ""},
		{actUnfold, []string{"l", "right"}, inRaw, "tree", "unfold", ""},
		{actFoldAll, []string{"c"}, inRaw, "tree", "fold all", ""},
		{actUnfoldAll, []string{"o"}, inRaw, "tree", "unfold all", ""},
		{actWrap, []string{"w"}, inRaw, "tree", "the exact text, wrapped", ""},
		{actHex, []string{"x"}, inRaw, "tree", "the exact bytes", ""},

		{actPair, []string{"p"}, inList | inDetail, "go", "the other half of the pair", "pair"},
		{actFlowPrev, []string{"("}, inList | inDetail, "go", "previous entry of this flow", ""},
		{actFlowNext, []string{")"}, inList | inDetail, "go", "next entry of this flow", ""},
		{actNextError, []string{"e"}, inRecording, "go", "next error", "errors"},
		{actPrevError, []string{"E"}, inRecording, "go", "previous error", ""},
		{actNextWarn, []string{"w"}, inRecording &^ inRaw, "go", "next warning", ""},
		{actPrevWarn, []string{"W"}, inRecording &^ inRaw, "go", "previous warning", ""},
		{actDeclared, []string{"d"}, inList | inDetail, "go", "where the capability was declared", ""},
		{actExplain, []string{"i"}, inRecording, "go", "explain the finding: why, how to fix, page", ""},
		{actWhatIf, []string{"x"}, inHandshake, "go", "what would break without this capability", "what if"},

		{actFilter, []string{"/"}, inRecording, "find", "filter: show only what matches", "filter"},
		{actSearch, []string{"/"}, inDetail | inRaw, "find", "search in this message", "search"},
		{actClear, []string{"ctrl+l"}, inRecording, "find", "clear the filter", ""},
		{actQuick, []string{"F"}, inRecording, "find", "quick filters", ""},
		{actInclude, []string{"+"}, inList | inDetail | inRaw, "find", "only what is like this one, or has this value", ""},
		{actExclude, []string{"-"}, inList | inDetail | inRaw, "find", "all but what is like this one, or has this value", ""},
		{actSearch, []string{"ctrl+f"}, inRecording, "find", "search: highlight and go to matches in the whole file", ""},
		{actNextMatch, []string{"n"}, inRecording, "find", "next match", ""},
		{actPrevMatch, []string{"N"}, inRecording, "find", "previous match", ""},
		{actMark, []string{"m"}, inRecording, "find", "put a mark here: m and a letter", ""},
		{actToMark, []string{"'"}, inRecording, "find", "go to a mark: ' and its letter; '' goes back", ""},
		{actMarks, []string{"M"}, inRecording, "find", "list of marks and notes", ""},
		{actNote, []string{";"}, inRecording, "find", "write a note", ""},
		{actCopy, []string{"y"}, inRecording, "find", "copy", ""},
		{actPrint, []string{"Y"}, inRecording, "find", "print this value when the program ends", ""},
		{actExport, []string{"X"}, inRecording, "find", "export what is shown", ""},

		{actFollow, []string{"f"}, inRecording, "view", "follow the newest entry", "follow"},
		{actFreeze, []string{"="}, inRecording, "view", "freeze the view; the recording goes on", ""},
		{actReplay, []string{"R"}, inRecording, "view", "replay from here, or leave the replay", "replay"},
		{actTime, []string{"t"}, inRecording, "view", "times: since the start, of day, since the line above", ""},
		{actSort, []string{"s"}, inList, "view", "sort the stream: number, latency, size, method", ""},
		{actCompress, []string{"c"}, inLadder, "view", "hide ping and progress", "compress"},
		{actMode, []string{"v"}, inTimeline, "view", "by request, by method", "by method"},
		{actNextTab, []string{"]"}, inRecording, "view", "next tab of the detail pane", ""},
		{actPrevTab, []string{"["}, inRecording, "view", "previous tab of the detail pane", ""},
		{actNextPane, []string{"tab"}, inRecording, "view", "next pane", "pane"},
		{actPrevPane, []string{"shift+tab"}, inRecording, "view", "previous pane", ""},
		{actPanePlace, []string{"P"}, inRecording, "view", "detail pane: auto, right, bottom, off", ""},
		{actShrink, []string{"<"}, inRecording, "view", "smaller list", ""},
		{actGrow, []string{">"}, inRecording, "view", "larger list", ""},
		{actZoom, []string{"z"}, inRecording, "view", "one pane on the whole screen", ""},
		{actZoomIn, []string{"+"}, inTimeline, "view", "zoom in", "zoom"},
		{actZoomOut, []string{"-"}, inTimeline, "view", "zoom out", ""},
		{actFold, []string{"h", "left"}, inTimeline, "view", "pan left", ""},
		{actUnfold, []string{"l", "right"}, inTimeline, "view", "pan right", ""},
	}
	for _, s := range screens() {
		table = append(table, binding{actScreen + action("-"+s.key), []string{s.key}, inRecording &^ inRaw, "screens", s.title, ""})
	}
	return append(table,
		binding{actScreen + "-0", []string{"0"}, inRecording &^ inRaw, "screens", "recordings", ""},
		binding{actCommand, []string{":"}, everywhere, "app", "command: 123, +90s, theme NAME …; tab completes", ""},
		binding{actHints, []string{"H"}, everywhere, "app", "hide this line", ""},
		binding{actMouse, []string{"f2"}, everywhere, "app", "mouse on, off", ""},
		binding{actRedraw, []string{"ctrl+r"}, everywhere, "app", "draw again", ""},
		binding{actSuspend, []string{"ctrl+z"}, everywhere, "app", "suspend", ""},
		binding{actHelp, []string{"?"}, everywhere, "app", "help for this screen", "help"},
		binding{actQuit, []string{"ctrl+c"}, everywhere, "app", "quit", ""},
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
		for _, key := range b.keys {
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
			b.keys = keys
			continue
		}
		b.keys = slices.DeleteFunc(slices.Clone(b.keys), func(key string) bool {
			for k := range table {
				if slices.Contains(bound[string(table[k].act)], key) && table[k].in&b.in != 0 && b.act != actQuit {
					return true
				}
			}
			return false
		})
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
		for _, key := range b.keys {
			if k.binding(key, in) == &k.table[i] {
				keys = append(keys, key)
			}
		}
		if len(keys) > 0 {
			b.keys = keys
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

// KeyTable writes the keys of all places as a Markdown document, for docs/keys.md.
func KeyTable() string {
	names := []struct {
		in   place
		text string
	}{
		{inHome, "recordings"}, {inList, "stream, ladder"}, {inTable, "other screens"}, {inDetail, "detail"}, {inRaw, "raw"},
		{inReplay, "replay"}, {inTimeline, "timeline"}, {inFindings, "findings"}, {inLadder, "ladder"}, {inHandshake, "handshake"},
	}
	var b strings.Builder
	b.WriteString("# Keys\n\nMade from the table in tui/keys.go. Where a key has several meanings, the one for the fewest places wins.\nThe last column is the name by which the palette (`:`) and the settings file (settings.md) know it.\n")
	group := ""
	for _, bind := range keyTable() {
		if bind.group != group {
			group = bind.group
			b.WriteString("\n## " + group + "\n\n| keys | does | where | action |\n|---|---|---|---|\n")
		}
		where := "everywhere"
		if bind.in != everywhere {
			var in []string
			for _, n := range names {
				if bind.in&n.in != 0 {
					in = append(in, n.text)
				}
			}
			where = strings.Join(in, ", ")
			if bind.in&inRecording == inRecording {
				where = "in a recording"
			}
		}
		keys := make([]string, len(bind.keys))
		for i, k := range bind.keys {
			keys[i] = "`" + k + "`"
		}
		b.WriteString("| " + strings.Join(keys, " ") + " | " + bind.help + " | " + where + " | `" + string(bind.act) + "` |\n")
	}
	return b.String()
}
