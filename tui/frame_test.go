package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// checkFrame holds what is true of every frame: h lines of w cells, and nothing in them but printable
// text and our own styles.
func checkFrame(t *testing.T, frame string, w, h int) {
	t.Helper()
	if w < 1 || h < 1 {
		return
	}
	text := sgr.ReplaceAllString(frame, "")
	lines := strings.Split(text, "\n")
	if w >= minWidth && h >= minHeight && len(lines) != h {
		t.Errorf("%d lines, want %d", len(lines), h)
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got != w {
			t.Errorf("%dx%d: line %d takes %d cells: %q", w, h, i, got, l)
		}
	}
	if !utf8.ValidString(text) {
		t.Errorf("not UTF-8: %q", text)
	}
	for _, r := range text {
		if r == '\n' {
			continue
		}
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x2028 || r == 0x2029 || r == 0xfeff || unicode.Is(unicode.Cs, r) {
			t.Fatalf("%U reached the terminal: %q", r, text)
		}
	}
}

var colour = regexp.MustCompile("\x1b\\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")

func hasColour(s string) bool { return colour.MatchString(s) }

// hostile are texts that must not act on a terminal.
func hostile() []string {
	var all []byte
	for c := range byte(0x20) {
		all = append(all, c, 'x')
	}
	return []string{
		string(all),
		"\x1b]0;owned\x07\x1b]52;c;YWJj\x07\x1b[2J\x1b[H\x1b[31m\x1bPq\x1b\\",
		"\x9b31m\x9d0;owned\x9c \xc2\x9b31m",
		"\u202eevil\u202c \u2066hidden\u2069 \u200e\u200f\u061c",
		"broken \xff\xfe\xc3\x28\xe2\x82 \xf0\x9f\x98 \xed\xa0\x80",
		"\u2028line\u2029para\ufeff\u200b\u200d\U000e0041",
		"tab\tand\r\nlines\rback\x08\x08\x7f",
		strings.Repeat("e\u0301\u0302\u0303", 200) + strings.Repeat("\u0301", 400),
		"日本語のテキスト 한국어 👩‍👩‍👧‍👦 🏳️‍🌈 क्षि ﷽ العربية",
		strings.Repeat("W", 10_000), strings.Repeat("界", 5_000),
		"", " ", "[31m", "%s%n",
	}
}

func TestHostileText(t *testing.T) {
	for n, evil := range hostile() {
		for _, ascii := range []bool{false, true} {
			t.Run(fmt.Sprint(n, ascii), func(t *testing.T) {
				s := newScript()
				s.b.server, s.b.client = peer{evil, evil}, peer{evil, evil}
				s.event(0, recordings.Event{Name: evil, Reason: evil, Signal: evil})
				f := []annotate.Finding{{Rule: evil, Level: annotate.LevelError, By: evil, Message: evil, Path: evil, Spec: evil, Related: []annotate.Ref{{Seq: 1, Sub: annotate.NoSub}}}}
				q := s.request(time.Second, "client", 1, annotate.Entry{Method: evil, Target: evil, Primitive: "tools", Capability: caps("server", evil, annotate.Undeclared, 1), Findings: f, Era: evil, Revision: evil, Touches: []string{evil}},
					mustJSON(t, map[string]any{evil: evil, "list": []string{evil}, "deep": map[string]any{evil: map[string]any{evil: evil}}}))
				s.notify(time.Second, "server", annotate.Entry{Method: "notifications/progress", Group: "progress", Flow: q, Progress: &annotate.Progress{Progress: 1, Total: 2, Message: evil}}, mustJSON(t, evil))
				p := s.request(time.Second, "client", 2, annotate.Entry{Method: evil, Target: evil, Group: evil}, `{}`)
				s.answer(time.Second, p, annotate.Failed, `"error":{"code":-1,"message":`+mustJSON(t, evil)+`}`)
				s.add(time.Second, annotate.Entry{Kind: annotate.Stderr, Stream: recordings.Stderr}, evil)
				s.add(time.Second, annotate.Entry{Kind: annotate.Invalid, Stream: recordings.Stdout, Reason: "not_json", Offset: len(evil) / 2}, evil)
				s.add(time.Second, annotate.Entry{Kind: annotate.Request, ID: evil, Stream: recordings.Stdout, Method: "x"}, `{"jsonrpc":"2.0","id":`+evil+`}`)
				s.add(time.Second, annotate.Entry{Kind: annotate.Gap, Stream: recordings.Control, GapInfo: &recordings.Gap{Reason: evil, Bytes: map[string]int64{"in": 4}}}, "")
				lq := s.request(time.Second, "client", 3, annotate.Entry{Method: "tools/list", Primitive: "tools"}, `{}`)
				s.answer(time.Second, lq, annotate.OK, `"result":{"tools":[{"name":`+mustJSON(t, evil)+`,"title":`+mustJSON(t, evil)+`,"description":`+mustJSON(t, evil)+`}]}`)
				s.b.findings = f
				s.b.stats = &annotate.Stats{Latency: annotate.Latencies{N: 1, Max: 1}, LatencyByMethod: map[string]annotate.Latencies{evil: {N: 1}}}
				s.b.err = nil
				for _, size := range [][2]int{{80, 24}, {200, 60}, {40, 10}} {
					if ascii && size[0] != 80 {
						continue
					}
					d := drive(t, Options{ASCII: ascii}, &shelf{listings: []listing{{path: evil, label: evil, state: evil, server: peer{evil, evil}, client: peer{evil, evil}, revision: evil, exitSignal: evil}}}, size[0], size[1])
					d.list()
					checkFrame(t, d.frame(), size[0], size[1])
					s.on(d)
					d.m.rec.name = evil
					for range s.b.items {
						checkFrame(t, d.frame(), size[0], size[1])
						if size[0] == 80 {
							d.keys("enter")
							for range 4 {
								checkFrame(t, d.frame(), size[0], size[1])
								d.keys("j", "]")
							}
							d.keys("esc")
						}
						d.keys("j")
						if d.m.rec == nil {
							t.Fatal("left the recording")
						}
					}
					d.m.rec.notes.note(d.m.rec.rows.at(d.m.rec.sel).ref(), "a "+evil)
					for _, key := range []string{"2", "3", "v", "v", "4", "enter", "1", "5", "6", "j", "j", "j", "7", "?", "esc", "1", "M", "esc", "y", "esc", "k", "y", "esc", "F", "esc",
						"+", "F", "esc", "ctrl+l", "i", "1", "enter", "]", "w", "x", "x", "esc", "/", "tab", "tab", "esc", "1", ":", "tab", "tab", "esc", "X", "esc", "s", "s", "s", "s", "c", "R", "."} {
						d.keys(key)
						checkFrame(t, d.frame(), size[0], size[1])
						if ascii && strings.ContainsFunc(sgr.ReplaceAllString(d.frame(), ""), func(r rune) bool { return r > 0x7e }) {
							t.Errorf("not ASCII: %q", d.frame())
						}
					}
					d.keys("/")
					d.send(tea.PasteMsg{Content: evil})
					checkFrame(t, d.frame(), size[0], size[1])
					d.keys("esc", ":")
					d.send(tea.PasteMsg{Content: evil})
					checkFrame(t, d.frame(), size[0], size[1])
					d.keys("esc")
					d.run(d.m.rec.searchFor(evil))
					checkFrame(t, d.frame(), size[0], size[1])
					d.run(d.m.rec.apply(`method == "nothing"`, []chip{{evil, "kind == request"}}, false))
					checkFrame(t, d.frame(), size[0], size[1])
					for _, c := range evil {
						if c < 0x7f {
							d.send(press(":"))
							d.send(press(string(c)))
							checkFrame(t, d.frame(), size[0], size[1])
							d.keys("esc")
						}
						break
					}
				}
			})
		}
	}
}
