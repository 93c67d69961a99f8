package tui

import (
	"bytes"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/jsontree"
)

// copyMax is what terminals take by OSC 52; many take no more.
const copyMax = 74_000

// copyable is something of the selected entry that can be copied.
type copyable struct {
	key, name string
	data      func(e *annotate.Entry) ([]byte, bool)
}

// copies lists what can be copied of an entry. Copies are the exact bytes unless they are called pretty.
func (s *session) copies() []copyable {
	line := func(f func(l dline) (string, bool)) func(*annotate.Entry) ([]byte, bool) {
		return func(*annotate.Entry) ([]byte, bool) {
			l, ok := s.detail.line()
			if !ok {
				return nil, false
			}
			text, ok := f(l)
			return []byte(text), ok
		}
	}
	node := func(f func(t *jsontree.Tree, n jsontree.Node) ([]byte, bool)) func(*annotate.Entry) ([]byte, bool) {
		return func(*annotate.Entry) ([]byte, bool) {
			t, n := s.detail.node()
			if n == jsontree.None {
				return nil, false
			}
			return f(t, n)
		}
	}
	value := node(func(t *jsontree.Tree, n jsontree.Node) ([]byte, bool) {
		if t.Kind(n) == jsontree.String {
			return []byte(t.Text(n)), true
		}
		return t.Raw(n), true
	})
	return []copyable{
		{"y", "value", func(e *annotate.Entry) ([]byte, bool) {
			if b, ok := value(e); ok {
				return b, true
			}
			if l, ok := s.detail.line(); ok && s.detailFocused() && l.ptr == "" {
				return []byte(strings.TrimSpace(lineText(l))), true
			}
			return e.Raw, e.Raw != nil
		}},
		{"r", "raw line", func(e *annotate.Entry) ([]byte, bool) { return e.Raw, e.Raw != nil }},
		{"P", "pretty JSON", func(e *annotate.Entry) ([]byte, bool) {
			b, ok := jsontree.Pretty(e.Raw, 100)
			return bytes.TrimRight(b, "\n"), ok
		}},
		{"p", "JSON pointer", node(func(t *jsontree.Tree, n jsontree.Node) ([]byte, bool) { return []byte(t.Pointer(n)), true })},
		{"q", "jq path", node(func(t *jsontree.Tree, n jsontree.Node) ([]byte, bool) { return []byte(t.JQ(n)), true })},
		{"k", "key", node(func(t *jsontree.Tree, n jsontree.Node) ([]byte, bool) {
			k, ok := t.Key(n)
			return []byte(k), ok
		})},
		{"i", "id", func(e *annotate.Entry) ([]byte, bool) { return []byte(e.ID), e.ID != "" }},
		{"l", "line as shown", line(func(l dline) (string, bool) { return strings.TrimSpace(lineText(l)), true })},
		{"c", "command that resends it", func(e *annotate.Entry) ([]byte, bool) {
			if e.Kind != annotate.Request || e.From != "client" {
				return nil, false
			}
			return []byte("shakescope resend " + shellWord(s.path) + " --seq " + itoa(e.Seq)), true
		}},
		{"m", "Markdown", func(e *annotate.Entry) ([]byte, bool) { return s.markdown(e), true }},
	}
}

// shellWord quotes a word for a POSIX shell.
func shellWord(w string) string {
	if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// markdown describes an entry for a bug report: nothing in it is read as markup.
func (s *session) markdown(e *annotate.Entry) []byte {
	var b bytes.Buffer
	i := s.sel
	b.WriteString("#" + itoa(e.Seq) + " " + string(e.Kind) + " " + inCode(s.rows.names.text(s.rows.at(i).method())) + ", " + seconds(e.T) + " s\n")
	for _, f := range s.findingsAt(i) {
		b.WriteString("\n- " + string(f.Level) + " " + inCode(f.Rule) + ": " + inCode(f.Message) + "\n")
	}
	text, ok := jsontree.Pretty(e.Raw, 100)
	lang := "json"
	if !ok {
		text, lang = e.Raw, "text"
	}
	fence := "```"
	for bytes.Contains(text, []byte(fence)) {
		fence += "`"
	}
	b.WriteString("\n" + fence + lang + "\n")
	b.Write(bytes.TrimRight(text, "\n"))
	b.WriteString("\n" + fence + "\n")
	return b.Bytes()
}

func inCode(s string) string {
	s = strings.ReplaceAll(shorn(s), "`", "'")
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// withPayload calls then with the selected entry and its payload, at once or when it is read.
func (s *session) withPayload(then func(e *annotate.Entry) tea.Cmd) tea.Cmd {
	if cmd := s.needSelection(); cmd != nil {
		return cmd
	}
	i := s.sel
	if p := s.detail.payloadOf(i); p != nil {
		return then(&p.entry)
	}
	w := s.want(i)
	if !s.rows.at(i).hasPayload() || s.src == nil || s.src.read == nil {
		return then(&w.entry)
	}
	id, read := owned(s.id), s.src.read
	return func() tea.Msg {
		e := w.entry
		err := fill1(&e, read, w)
		return doneMsg{id, func(s *session) tea.Cmd {
			if err != nil {
				return s.m.complain(err.Error())
			}
			return then(&e)
		}}
	}
}

// doneMsg goes on with something after a file was read or written.
type doneMsg struct {
	owned
	then func(s *session) tea.Cmd
}

// copyMenu asks what is to be copied.
func (s *session) copyMenu() tea.Cmd {
	return s.withPayload(func(e *annotate.Entry) tea.Cmd {
		n := &menu{title: "copy"}
		var have []copyable
		for _, c := range s.copies() {
			if data, ok := c.data(e); ok {
				n.items = append(n.items, menuItem{key: c.key, name: c.name, about: bytesText(int64(len(data))) + "  " + clip(string(data), 200)})
				have = append(have, c)
			}
		}
		if len(have) == 0 {
			return s.m.say("nothing to copy here")
		}
		n.pick = func(_ *model, k int) tea.Cmd {
			data, _ := have[k].data(e)
			return s.copy(have[k].name, data)
		}
		s.m.menu = n
		s.m.dirty = true
		return nil
	})
}

// copy puts data on the clipboard of the terminal. What terminals refuse for its size goes to a file.
func (s *session) copy(name string, data []byte) tea.Cmd {
	if len(data) > copyMax {
		id := owned(s.id)
		data = bytes.Clone(data)
		return func() tea.Msg {
			path, err := writeTemp(data)
			return doneMsg{id, func(s *session) tea.Cmd {
				if err != nil {
					return s.m.complain(err.Error())
				}
				return s.m.say(bytesText(int64(len(data))) + " is too much for a terminal's clipboard; written to " + path)
			}}
		}
	}
	return tea.Batch(tea.SetClipboard(string(data)), s.m.say("copied "+name+", "+bytesText(int64(len(data)))+" (OSC 52)"))
}

func writeTemp(data []byte) (string, error) {
	f, err := os.CreateTemp("", "shakescope-copy-*")
	if err != nil {
		return "", err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return "", err
	}
	return f.Name(), f.Close()
}

// printLater has the value under the cursor printed when the program ends, for terminals without a
// clipboard.
func (s *session) printLater() tea.Cmd {
	return s.withPayload(func(e *annotate.Entry) tea.Cmd {
		data, ok := s.copies()[0].data(e)
		if !ok {
			return s.m.say("nothing to print here")
		}
		s.m.printed = append(s.m.printed, string(data))
		return s.m.say(bytesText(int64(len(data))) + " will be printed when you quit")
	})
}

// line is the line under the cursor of the detail pane.
func (d *detail) line() (dline, bool) {
	if d.s.detailRect.h == 0 || d.tab == tabRaw && d.raw.treeShown() {
		return dline{}, false
	}
	d.build(d.s.detailRect.w)
	if d.cur < 0 || d.cur >= len(d.lines) {
		return dline{}, false
	}
	return d.lines[d.cur], true
}

// node is the value under the cursor of the detail pane, in the tree of its message.
func (d *detail) node() (*jsontree.Tree, jsontree.Node) {
	if !d.s.detailFocused() || !d.raw.tree.ok() {
		return nil, jsontree.None
	}
	t := d.raw.tree.tree
	if d.tab == tabRaw {
		if d.raw.mode != rawTreeMode {
			return nil, jsontree.None
		}
		return t, t.NodeAt(d.cur)
	}
	if l, ok := d.line(); ok && l.ptr != "" && d.tab == tabAnnotated {
		if n, exact := t.Find(l.ptr); exact {
			return t, n
		}
	}
	return nil, jsontree.None
}

// lineText is the text of a line of the pane.
func lineText(l dline) string {
	var b strings.Builder
	for _, sg := range l.segs {
		b.WriteString(sg.text)
	}
	return b.String()
}

func (d *detail) lineText(i int) string {
	if i < 0 || i >= len(d.lines) {
		return ""
	}
	return lineText(d.lines[i])
}
