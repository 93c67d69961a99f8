package tui

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/compare"
	"github.com/shakescope/shakescope/recordings"
)

// comparison is the screen that says how recording B differs from recording A. Of both it holds the
// report, which is bounded, and what was opened of them.
type comparison struct {
	errand
	paths [2]string
	exact bool
	sides [2]*session // opened from here; nil until then

	cancel context.CancelFunc
	read   *comparing
	report *compare.Report
	err    error

	quick  [quickGrades]bool // what alone is shown; none set: all
	filter string
	rows   []diffRow
	cur    int
	top    int

	lastClick time.Time
}

// compares says how recording b differs from a. It blocks, and tells u how far it is.
type compares func(ctx context.Context, a, b string, exact bool, u *comparing) (*compare.Report, error)

// compareFiles is what compares in the program.
func compareFiles(ctx context.Context, a, b string, exact bool, u *comparing) (*compare.Report, error) {
	side := func(i int, path string) compare.Side {
		var reader *recordings.Reader
		return compare.Side{
			Name: recordingName(path),
			Open: func() (_ *recordings.Reader, err error) {
				u.opened(i)
				reader, err = recordings.Open(path)
				return reader, err
			},
			Seen: func(rec *recordings.Record) error {
				u.seen(i, reader, rec)
				return ctx.Err()
			},
		}
	}
	return compare.Options{Exact: exact}.Recordings(side(0, a), side(1, b))
}

// recordingName is the name of a file of recordings, for people.
func recordingName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }

type comparedMsg struct {
	id, run int
	report  *compare.Report
	err     error
}

const comparingEvery = 200 * time.Millisecond

// openDiff shows how recording b differs from a.
func (m *model) openDiff(a, b string) tea.Cmd {
	m.opened++
	c := &comparison{errand: errand{m: m, id: m.opened, every: comparingEvery}, paths: [2]string{a, b}, cancel: func() {}}
	m.cover(layer{diff: c})
	m.note = note{}
	return c.start()
}

// start compares, in the background. What is on screen stays until there is something new.
func (c *comparison) start() tea.Cmd {
	c.cancel()
	ctx, cancel := context.WithCancel(c.m.ctx)
	c.run++
	c.running, c.cancel, c.err = true, cancel, nil
	u := new(comparing)
	c.read = u
	c.m.dirty = true
	id, run, does, a, b, exact := c.id, c.run, c.m.compares, c.paths[0], c.paths[1], c.exact
	return tea.Batch(c.tick(), func() tea.Msg {
		defer cancel()
		r, err := does(ctx, a, b, exact, u)
		if err != nil {
			r = nil
		}
		return comparedMsg{id, run, r, err}
	})
}

func (c *comparison) compared(msg comparedMsg) tea.Cmd {
	if msg.run != c.run {
		return nil
	}
	c.m.dirty = true
	c.running = false
	if c.err = msg.err; msg.err == nil {
		c.report = msg.report
		c.lay()
	}
	return nil
}

// stop ends a comparison under way; what was on screen before stays.
func (c *comparison) stop() {
	c.cancel()
	c.run++
	c.running = false
}

func (c *comparison) act(a action) tea.Cmd {
	page := max(c.listHeight()-1, 1)
	switch a {
	case actDown:
		c.move(1)
	case actUp:
		c.move(-1)
	case actPageDown:
		c.move(page)
	case actPageUp:
		c.move(-page)
	case actHalfDown:
		c.move(page / 2)
	case actHalfUp:
		c.move(-page / 2)
	case actTop:
		c.set(0, 1)
	case actBottom:
		c.set(len(c.rows)-1, -1)
	case actOpen:
		return c.enter()
	case actSideA:
		return c.openSide(0)
	case actSideB:
		return c.openSide(1)
	case actExample:
		if x := c.change(c.cur); x != nil && x.Evidence != nil && x.Evidence.Failed > 0 {
			return c.openAt(strings.Index("ab", x.Evidence.Side), x.Evidence.First)
		}
		return c.m.say("no recorded value fails here")
	case actNextError, actPrevError:
		dir, _, _ := stepOf(a)
		line, ok := stepLines(c.cur, len(c.rows), dir, func(n int) bool {
			x := c.change(n)
			return x != nil && x.Grade == compare.Breaking
		})
		if c.cur = line; !ok {
			return c.m.say(map[bool]string{true: "no further", false: "no earlier"}[dir > 0] + " breaking change")
		}
	case actSwap:
		c.paths[0], c.paths[1] = c.paths[1], c.paths[0]
		c.sides[0], c.sides[1] = c.sides[1], c.sides[0]
		c.report, c.rows = nil, nil
		return tea.Batch(c.start(), c.m.say("sides swapped: A is "+recordingName(c.paths[0])))
	case actExact:
		c.exact = !c.exact
		said := "what changes with every run (times, ids, ports, temporary folders) is put aside again"
		if c.exact {
			said = "also comparing what changes with every run: times, ids, ports, temporary folders"
		}
		return tea.Batch(c.start(), c.m.say(said))
	case actQuick:
		c.quickMenu()
	case actFilter:
		c.m.prompt = &prompt{label: "/", input: newInput(c.filter), first: c.filter, changed: c.sift, done: func(_ *model, text string) tea.Cmd {
			c.sift(text)
			return nil
		}}
	case actClear:
		c.quick = [quickGrades]bool{}
		c.sift("")
	case actBack:
		switch {
		case c.running && c.report != nil:
			c.stop()
			return c.m.say("stopped; this is the comparison before")
		case c.running:
			c.stop()
		case c.filtered():
			return c.act(actClear)
		}
		return c.m.leave()
	default:
		if string(a) == string(actScreen)+"-0" {
			return c.m.toHome()
		}
	}
	return nil
}

// enter opens the message that the line is about: where the change is to be seen, which is B unless it
// is gone from there.
func (c *comparison) enter() tea.Cmd {
	a, b := c.refs(c.cur)
	switch {
	case !b.IsZero():
		return c.openSide(1)
	case !a.IsZero():
		return c.openSide(0)
	}
	return c.m.say("this line is about no message of its own")
}

// openSide shows the message that the selected line is about in recording A or B.
func (c *comparison) openSide(n int) tea.Cmd {
	a, b := c.refs(c.cur)
	ref := [2]annotate.Ref{a, b}[n]
	letter := string(rune('A' + n))
	if ref.IsZero() {
		if other := [2]annotate.Ref{b, a}[n]; !other.IsZero() {
			return c.m.say(letter + " has no message for this; " + string(rune('B'-n)) + " has #" + itoa(other.Seq))
		}
		return c.m.say("this line is about no message of its own")
	}
	return c.openAt(n, ref)
}

// openAt shows a message of recording A, 0, or B, 1.
func (c *comparison) openAt(n int, ref annotate.Ref) tea.Cmd {
	if n < 0 {
		return nil
	}
	var cmd tea.Cmd
	if c.sides[n] == nil || c.sides[n].err != nil {
		// A recording that is open already is not opened twice: its notes have one writer.
		path := c.paths[n]
		s := c.m.alive(func(s *session) bool { return s.path == path && s.err == nil })
		if s == nil {
			s = newSession(c.m, path, "")
			cmd = s.start()
		}
		c.sides[n] = s
	}
	s := c.sides[n]
	c.m.cover(layer{rec: s})
	return tea.Batch(cmd, s.resized(), s.show("1"), s.visit(ref))
}

// sideOf is the letter of a recording that lies over a comparison, "" for none.
func (m *model) sideOf(s *session) string {
	if n := len(m.layers); n > 0 && m.layers[n-1].diff != nil {
		for k, side := range m.layers[n-1].diff.sides {
			if side == s {
				return string(rune('A' + k))
			}
		}
	}
	return ""
}

// visit goes to a message as soon as it is read. From there one step back leaves the recording.
func (s *session) visit(ref annotate.Ref) tea.Cmd {
	s.goal, s.visited = ref, none
	return s.reach()
}

// reach goes to the goal if it is there.
func (s *session) reach() tea.Cmd {
	if s.goal.IsZero() {
		return nil
	}
	i := int(s.rows.find(s.goal))
	if i < 0 && s.allRows {
		i = s.rows.firstFrom(s.goal.Seq)
	}
	if i < 0 || i >= s.limit() {
		if s.allRows {
			s.goal = annotate.Ref{}
			return s.m.complain("the message is not in the recording any more")
		}
		return nil
	}
	s.goal = annotate.Ref{}
	cmd := s.goTo(i)
	if s.detailRect.h == 0 {
		cmd = tea.Batch(cmd, s.openDetail())
	}
	s.visited = s.sel
	return cmd
}
