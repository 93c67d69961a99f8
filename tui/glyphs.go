package tui

// glyphs is the set of symbols a screen is drawn with. Every one is a single cell wide, so both sets
// give the same columns.
type glyphs struct {
	ascii bool

	c2s, s2c, stderr, control            string
	failure, warning, info               string
	requested, pending, ok, toolError    string
	rpcError, cancelled, open, unmatched string
	input                                string
	declared, undeclared, unknown        string
	live, waiting, crashed, cut          string
	cursor, pairTop, pairMid, pairBottom string
	rule, vertical                       string
	barFull, barEmpty, tick, head        string
	play, pause, both, dot, down         string
	folded, unfolded, ellipsis, times    string
	thumb, track, asc                    string
	arrowLeft, arrowRight, dotted, dead  string
	busy, mark                           string
	shorn, note                          string
	laneTop, laneBottom                  string
	boxes                                []string // eighths of a bar, empty to full
}

func unicodeGlyphs() *glyphs {
	return &glyphs{
		c2s: "→", s2c: "←", stderr: "┊", control: "■",
		failure: "✗", warning: "⚠", info: "ℹ",
		requested: "○", pending: "…", ok: "✓", toolError: "!",
		rpcError: "✗", cancelled: "⊘", open: "◌", unmatched: "?", input: "↩",
		declared: "✓", undeclared: "✗", unknown: "?",
		live: "●", waiting: "◐", crashed: "✗", cut: "⚠",
		cursor: "▌", pairTop: "╭", pairMid: "│", pairBottom: "╰",
		rule: "─", vertical: "│",
		barFull: "━", barEmpty: "─", tick: "╿", head: "●",
		play: "▶", pause: "‖", both: "⇄", dot: "·", down: "↓",
		folded: "▸", unfolded: "▾", ellipsis: "…", times: "×",
		thumb: "┃", track: "│", asc: "↑",
		arrowLeft: "◄", arrowRight: "►", dotted: "┄", dead: "╳",
		busy: "━", mark: "┿", shorn: "⟂", note: "¶", laneTop: "╮", laneBottom: "╯",
		boxes: []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	}
}

func asciiGlyphs() *glyphs {
	return &glyphs{
		ascii: true,
		c2s:   ">", s2c: "<", stderr: ":", control: "#",
		failure: "E", warning: "W", info: "I",
		requested: "o", pending: ".", ok: "+", toolError: "!",
		rpcError: "x", cancelled: "~", open: "@", unmatched: "?", input: "r",
		declared: "+", undeclared: "x", unknown: "?",
		live: "*", waiting: "o", crashed: "x", cut: "!",
		cursor: ">", pairTop: ",", pairMid: "|", pairBottom: "`",
		rule: "-", vertical: "|",
		barFull: "=", barEmpty: ".", tick: "!", head: "O",
		play: ">", pause: "=", both: "=", dot: "-", down: "v",
		folded: "+", unfolded: "-", ellipsis: "~", times: "x",
		thumb: "#", track: "|", asc: "^",
		arrowLeft: "<", arrowRight: ">", dotted: ".", dead: "X",
		busy: "=", mark: "+", shorn: "%", note: "n", laneTop: ".", laneBottom: "'",
		boxes: []string{" ", "_", ".", "-", "=", "o", "O", "#", "@"},
	}
}
