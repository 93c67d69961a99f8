package tui

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// session is one recording on screen.
type session struct {
	m      *model
	id     int
	path   string
	name   string
	isRoot bool // there is no list to go back to

	ctx    context.Context
	cancel context.CancelFunc
	src    *source
	in     chan *batch
	closed chan struct{} // nil until close; closed when the file is

	rows           *rows
	server, client peer
	live           bool
	caughtUp, done bool
	allRows        bool  // done, but for findings
	toEnd          bool  // the end is where the user wants to be as soon as it is there
	checked        int64 // number of the record up to which the rules have run
	state          string
	damage         []recordings.Damage
	stats          *annotate.Stats // nil until the first are made
	err            error

	goal    annotate.Ref // to be selected as soon as it is read
	visited int          // the row that was the goal, none before: from there back leaves the recording
	sel     int          // selected row, none before the first
	follow  bool
	seen    int // entries that were there when following ended
	frozen  bool
	held    []*batch
	heldN   int

	screens map[string]screen
	cur     screenSpec
	list    list // of the stream; shared, so that screens keep the place

	focusDetail bool
	focusStrip  bool // only where there is no focusDetail
	zoomed      bool
	pane        panePlace
	split       int // percent of the list
	mainRect    rect
	detailRect  rect
	strip       int // index into strips
	stripRect   rect
	stripSel    int // the entry that it shows

	view     shown
	bar      *filterBar // nil unless a filter is being typed
	history  []string   // of filters
	searches []string
	search   search
	judges   int // made so far
	notes    *notes
	saving   chan struct{} // closed when the notes that were changed last are saved
	wasAt    int           // row that was left by the last jump

	detail         detail
	summaries      map[int32]string
	fetching       bool
	replay         replay
	times          timeMode
	ticking        bool
	counting       bool // a countMsg is under way
	unfinished     [3]unfinished
	flight         flight
	odd            map[int32]bool // rows whose text was not fit for a terminal
	lastClick      time.Time
	clickedAt      int
	tickCache      tickCache
	scrubX, scrubW int // of the scrubber in the status line
}

// sessionMsg is a message that belongs to one opened recording; those of one that was closed are dropped.
type sessionMsg interface{ of() int }

type owned int

func (o owned) of() int { return int(o) }

type openedMsg struct {
	owned
	src *source
	err error
}

type batchMsg struct {
	owned
	b *batch
}

// secondMsg is the tick while something on screen ages.
type secondMsg struct{ owned }

type timeMode uint8

const (
	timeRelative timeMode = iota
	timeOfDay
	timeDelta
)

func newSession(m *model, path, title string) *session {
	s := &session{m: m, path: path, name: title, rows: newRows(), sel: none, screens: map[string]screen{}, split: 55, follow: true, clickedAt: none, wasAt: none, visited: none, notes: newNotes("")}
	if s.name == "" {
		s.name = strings.TrimSuffix(filepath.Base(path), ".jsonl")
	}
	m.opened++
	s.id = m.opened
	s.ctx, s.cancel = context.WithCancel(m.ctx)
	s.summaries, s.odd = map[int32]string{}, map[int32]bool{}
	s.detail = newDetail(s)
	s.cur = screens()[0]
	s.times = map[string]timeMode{"day": timeOfDay, "delta": timeDelta}[m.opts.Settings.Times]
	s.resized()
	return s
}

func (s *session) start() tea.Cmd {
	id, lib, path := owned(s.id), s.m.lib, s.path
	return func() tea.Msg {
		src, err := lib.open(path)
		return openedMsg{id, src, err}
	}
}

// close ends the loader and lets go of the file, in the background. It may be called again.
func (s *session) close() {
	s.cancel()
	if s.src == nil || s.closed != nil {
		return
	}
	s.closed = make(chan struct{})
	go func(src *source, in chan *batch) {
		defer close(s.closed)
		// The loader may be reading; it ends at its next step, and the file is closed after that.
		for range in {
		}
		src.close()
	}(s.src, s.in)
}

// wait returns the command that waits for the loader's next batch.
func (s *session) wait() tea.Cmd {
	id, in := owned(s.id), s.in
	return func() tea.Msg {
		b, ok := <-in
		if !ok {
			return nil
		}
		return batchMsg{id, b}
	}
}

func (s *session) receive(msg sessionMsg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		s.m.dirty = true
		if msg.err != nil {
			s.err = msg.err
			if s.isRoot {
				s.m.fatal = msg.err
				return tea.Quit
			}
			return nil
		}
		s.src, s.live = msg.src, msg.src.live
		s.follow = s.live
		s.in = make(chan *batch)
		startLoading(s.ctx, s.src, s.in)
		return tea.Batch(s.readNotesOf(), s.wait())
	case batchMsg:
		if msg.b.crash != nil {
			s.m.crash = msg.b.crash
			return tea.Quit
		}
		if s.frozen {
			s.held = append(s.held, msg.b)
			s.heldN += len(msg.b.items)
			s.m.dirty = true
			return s.wait()
		}
		return tea.Batch(s.take(msg.b), s.wait())
	case secondMsg:
		s.ticking = false
		if s.aging() {
			s.m.dirty = true
		}
		return s.tick()
	case replayTick:
		return s.replayed(msg)
	case summariesMsg:
		return s.summarised(msg)
	case payloadMsg:
		return s.detail.loaded(msg)
	case judgeMsg:
		return s.judged(msg)
	case countMsg:
		s.counting = false
		return nil // keepCounting comes after each message
	case previewMsg:
		return s.tryTyped(msg)
	case notesMsg:
		return s.noted(msg)
	case doneMsg:
		return msg.then(s)
	case screenMsg:
		s.m.dirty = true
		if sc, ok := s.screens[msg.screen]; ok {
			if r, ok := sc.(receiver); ok {
				return r.receive(s, msg.data)
			}
		}
	}
	return nil
}

// take puts a batch into the rows.
func (s *session) take(b *batch) tea.Cmd {
	s.m.dirty = true
	p := 0
	for i := 0; i <= len(b.items); i++ {
		for ; p < len(b.patches) && b.patches[p].n <= i; p++ {
			s.rows.apply(&b.patches[p].Patch)
			if k := s.rows.find(b.patches[p].At); k >= 0 {
				s.detail.changed(int(k))
				s.rejudge(int(k))
			}
		}
		if i < len(b.items) {
			s.rows.add(&b.items[i])
		}
	}
	s.allRows = s.allRows || b.allRows
	s.checked = max(s.checked, b.checked)
	s.rows.addFindings(none, b.findings, int32(s.rows.n-1))
	s.hear(b.said)
	s.rows.updateBreaks()
	if b.server.name != "" {
		s.server = b.server
	}
	if b.client.name != "" {
		s.client = b.client
	}
	if b.stats != nil {
		s.stats = b.stats
	}
	s.caughtUp = s.caughtUp || b.caughtUp
	s.unfinished = b.unfinished
	if b.allRows || b.done {
		s.allRows = true
		s.live, s.follow = false, s.follow && s.live
		s.state, s.damage = cmp.Or(b.state, s.state), append(s.damage, b.damage...)
	}
	s.done = s.done || b.done
	if b.err != nil {
		s.err = b.err
	}
	if s.replay.on {
		return tea.Batch(s.replayGrown(), s.fetch(), s.tick())
	}
	if s.replay.wanted && (b.done || s.caughtUp) {
		return s.startReplay()
	}
	cmd := s.judgeNew()
	switch {
	case s.rows.n == 0:
	case s.follow, s.toEnd:
		_, last := s.ends()
		cmd = tea.Batch(cmd, s.moveTo(last))
		s.toEnd = s.toEnd && !s.allRows
	case s.sel < 0:
		// A saved recording opens at its start.
		first, _ := s.ends()
		cmd = tea.Batch(cmd, s.moveTo(first))
	}
	return tea.Batch(cmd, s.reach(), s.fetch(), s.tick())
}

// limit is the number of entries that are to be seen: all, or those up to the playhead.
func (s *session) limit() int {
	if s.replay.on {
		return s.replay.head
	}
	return s.rows.n
}

// clock is the time on the recording's clock up to which things have aged.
func (s *session) clock() time.Duration {
	if s.replay.on {
		return s.replay.at
	}
	if s.live && s.src != nil && s.src.header != nil && !s.src.header.Start.IsZero() {
		return s.m.now().Sub(s.src.header.Start)
	}
	if s.rows.n == 0 {
		return 0
	}
	return s.rows.at(s.rows.n - 1).t()
}

// aging reports whether something on screen changes with time alone.
func (s *session) aging() bool { return s.live && !s.replay.on && len(s.rows.pending) > 0 }

// tick starts the one tick a second, if anything needs it and it is not under way.
func (s *session) tick() tea.Cmd {
	if s.ticking || !s.aging() {
		return nil
	}
	s.ticking = true
	return s.m.after(time.Second, secondMsg{owned(s.id)})
}

// moveTo selects a row.
func (s *session) moveTo(i int) tea.Cmd {
	n := s.limit()
	if n == 0 {
		s.sel = none
		return nil
	}
	s.sel = max(0, min(i, n-1))
	s.m.dirty = true
	s.list.showAround(s, s.sel, margin)
	return tea.Batch(s.detail.show(s.sel), s.fetch())
}

// goTo is moveTo by the user's will: it ends following.
func (s *session) goTo(i int) tea.Cmd {
	s.unfollow()
	i = max(0, min(i, s.limit()-1))
	if s.sel >= 0 && (i < s.sel-1 || i > s.sel+1) {
		s.wasAt = s.sel
	}
	if s.view.judge != nil && i < s.limit() && !s.isShown(i) {
		s.view.judge.set(int32(i), true)
		s.view.extra = append(s.view.extra, int32(i))
		s.view.gen++
		return tea.Batch(s.moveTo(i), s.m.say("#"+itoa(s.rows.at(i).seq())+" does not match the filter; shown all the same"))
	}
	return s.moveTo(i)
}

// allJudges are those of the filter in force, of the one on trial, and of the one that esc goes back to.
func (s *session) allJudges() []*judge {
	judges := []*judge{s.view.judge, s.view.trial}
	if s.bar != nil && s.bar.was.judge != s.view.judge {
		judges = append(judges, s.bar.was.judge)
	}
	return slices.DeleteFunc(judges, func(j *judge) bool { return j == nil })
}

// rejudge has the filters look once more at a row that changed.
func (s *session) rejudge(i int) {
	for _, j := range s.allJudges() {
		if !slices.Contains(s.view.extra, int32(i)) {
			j.changed(i)
		}
	}
}

// judgeNew has the filters look at what is new.
func (s *session) judgeNew() tea.Cmd {
	var cmds []tea.Cmd
	for _, j := range []*judge{s.view.judge, s.view.trial} {
		if j != nil {
			cmds = append(cmds, j.run(s))
		}
	}
	if s.view.trial != nil && s.view.trial.done() {
		cmds = append(cmds, s.adopt())
	}
	return tea.Batch(cmds...)
}

func (s *session) unfollow() {
	s.toEnd = false
	if s.follow {
		s.follow = false
		s.seen = s.limit()
	}
}

// setFollow follows the newest entry.
func (s *session) setFollow() tea.Cmd {
	s.follow = true
	return s.moveTo(s.limit() - 1)
}

func (s *session) title() string {
	server, client := s.server.String(), s.client.String()
	if server == "" && s.src != nil && s.src.header != nil {
		server = s.src.header.Label
	}
	switch {
	case server != "" && client != "":
		return server + " " + s.m.gl.both + " " + client
	case server != "" || client != "":
		return server + client
	}
	return s.name
}

// revision is the newest revision that rules were applied of.
func (s *session) revision() string {
	for i := s.limit() - 1; i >= 0 && i >= s.limit()-64; i-- {
		if e := s.rows.eras[s.rows.at(i).era]; e.revision != "" {
			return e.revision
		}
	}
	return ""
}

func (s *session) places() place {
	in := s.screen().places()
	if s.stripFocused() {
		in = s.stripScreen().places()
	}
	if s.detailFocused() {
		in = in&^(inTimeline|inFindings) | inDetail
		if s.detail.tab == tabRaw {
			in |= inRaw
		}
	}
	if s.replay.on {
		in |= inReplay
	}
	return in
}

// wall is the wall clock at t of the recording, if known.
func (s *session) wall(t time.Duration) (time.Time, bool) {
	if s.src == nil || s.src.header == nil || s.src.header.Start.IsZero() {
		return time.Time{}, false
	}
	return s.src.header.Start.Add(t).Local(), true
}

func (s *session) report() string {
	if s.rows.n == 0 {
		return ""
	}
	c := s.rows.counts
	what := s.path
	if s.m.opts.Title != "" {
		what = s.name
	}
	return "shakescope: " + what + ": " + plural(int64(s.rows.n), "entry") + ", findings: " + plural(int64(c[levelError]), "error") + ", " +
		plural(int64(c[levelWarning]), "warning")
}
