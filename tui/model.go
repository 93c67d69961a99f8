package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/internal/settings"
)

// model is the whole program. It belongs to the goroutine of the program's event loop.
type model struct {
	opts Options
	ctx  context.Context
	lib  library
	// compares and resends are replaced by tests.
	compares compares
	resends  resends
	now      func() time.Time
	// after makes the command that returns msg after a while; tests replace it along with now.
	after func(d time.Duration, msg tea.Msg) tea.Cmd

	th   *theme
	gl   *glyphs
	keys *keymap
	pen  pen

	w, h    int
	noHints bool
	noMouse bool

	home   *home
	rec    *session // nil: the list of recordings is on screen, or a comparison
	diff   *comparison
	resend *resending
	layers []layer // what lies below, the lowest first
	help   *help
	prompt *prompt
	menu   *menu
	prefix func(m *model, key string) tea.Cmd // takes the next key
	note   note

	dirty   bool
	content string
	frames  int // drawn so far
	opened  int // recordings opened so far

	commands []string // history of the palette
	printed  []string // what is printed when the program ends

	closing []chan struct{} // of recordings that were left

	abort func()
	crash error
	fatal error
}

// note is a short message in the status line.
type note struct {
	text  string
	isErr bool
	until time.Time
}

type noteOver struct{ until time.Time }

func newModel(ctx context.Context, o Options) *model {
	if o.Settings == nil {
		o.Settings = &settings.Settings{}
	}
	set := o.Settings
	if o.Theme == "" {
		o.Theme = set.Theme
	}
	o.ASCII = o.ASCII || set.ASCII
	o.NoMotion = o.NoMotion || set.NoMotion
	m := &model{opts: o, ctx: ctx, now: time.Now, after: after, th: themeFor(o.Theme), gl: unicodeGlyphs(), keys: newKeymap(set.Keys), noMouse: set.NoMouse, dirty: true}
	if o.ASCII {
		m.gl = asciiGlyphs()
	}
	m.pen = pen{th: m.th, gl: m.gl}
	m.lib = &folder{dir: o.Dir}
	m.compares = compareFiles
	m.resends = freshServers{o.Dir, o.Version}
	m.home = newHome(m)
	return m
}

func (m *model) Init() tea.Cmd {
	if m.opts.File == "" {
		return m.home.start()
	}
	cmd := m.open(m.opts.File, m.opts.Title)
	if m.opts.Replay {
		m.rec.replay.want(m.opts.Speed, m.opts.From)
	}
	m.rec.isRoot = true
	return cmd
}

// Update is here for tests, which drive the model without a program.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return m, m.update(msg) }

func (m *model) update(msg tea.Msg) tea.Cmd {
	cmd := m.handle(msg)
	if m.rec == nil {
		return cmd
	}
	if more := m.rec.keepCounting(); more != nil {
		return tea.Batch(cmd, more)
	}
	return cmd
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.dirty = true
		if m.rec != nil {
			return m.rec.resized()
		}
		return nil
	case tea.KeyPressMsg:
		return m.key(msg.String())
	case tea.PasteMsg:
		m.dirty = true
		switch {
		case m.prompt != nil:
			m.prompt.paste(msg.Content)
		case m.rec != nil && m.rec.bar != nil:
			m.rec.bar.insert(msg.Content)
			return m.rec.typed()
		}
		return nil
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return m.click(msg.X, msg.Y)
		}
		return nil
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelDown:
			return m.wheel(msg.X, msg.Y, 3)
		case tea.MouseWheelUp:
			return m.wheel(msg.X, msg.Y, -3)
		}
		return nil
	case tea.ResumeMsg:
		m.dirty = true
		return nil
	case noteOver:
		if !m.note.until.After(msg.until) {
			m.note = note{}
			m.dirty = true
		}
		return nil
	case lookAgain:
		if msg.gen == m.home.gen && m.inHome() {
			return m.home.read()
		}
	case listingMsg:
		return m.home.listed(msg)
	case deleteMsg:
		return m.home.askedDelete(msg)
	case removedMsg:
		return m.home.removed(msg)
	case comparedMsg:
		if c := m.comparisonOf(msg.id); c != nil {
			return c.compared(msg)
		}
		return nil
	case errandTick:
		if c := m.comparisonOf(msg.id); c != nil {
			return c.ticked(msg, m.diff == c)
		}
		if d := m.resendingOf(msg.id); d != nil {
			return d.ticked(msg, m.resend == d)
		}
		return nil
	case resendFound:
		if d := m.resendingOf(msg.id); d != nil {
			return d.read(msg)
		}
		return nil
	case resendDone:
		if d := m.resendingOf(msg.id); d != nil {
			return d.done(msg)
		}
		return nil
	case candidatesMsg:
		return m.candidatesCame(msg)
	case diffPathsMsg:
		return m.diffFound(msg)
	case sessionMsg:
		if s := m.alive(func(s *session) bool { return s.id == msg.of() }); s != nil {
			return s.receive(msg)
		}
		if late, ok := msg.(openedMsg); ok && late.src != nil {
			late.src.close() // it was left before it was open
		}
		return nil
	}
	return nil
}

// key handles one key press.
func (m *model) key(key string) tea.Cmd {
	m.dirty = true
	if m.note.isErr {
		m.note = note{}
	}
	if key == "ctrl+c" {
		return tea.Quit
	}
	switch {
	case m.prefix != nil:
		next := m.prefix
		m.prefix, m.note = nil, note{}
		return next(m, key)
	case m.prompt != nil:
		return m.prompt.key(m, key)
	case m.menu != nil:
		return m.menu.key(m, key)
	case m.help != nil:
		return m.help.key(m, key)
	case m.rec != nil && m.rec.bar != nil:
		return m.rec.barKey(key)
	}
	return m.act(m.keys.action(key, m.places()))
}

// places says where the user is, as far as keys go.
func (m *model) places() place {
	switch {
	case m.rec != nil:
		return m.rec.places()
	case m.diff != nil:
		return inDiff
	case m.resend != nil:
		return m.resend.places()
	}
	return inHome
}

// act does what is the same everywhere and hands the rest on.
func (m *model) act(a action) tea.Cmd {
	switch a {
	case actNone:
		m.dirty = false
		return nil
	case actQuit:
		return tea.Quit
	case actHelp:
		m.help = newHelp(m)
		return nil
	case actHints:
		m.noHints = !m.noHints
		if m.rec != nil {
			return m.rec.resized()
		}
		return nil
	case actMouse:
		m.noMouse = !m.noMouse
		if m.noMouse {
			return m.say("mouse off: the terminal's own selection works")
		}
		return m.say("mouse on")
	case actRedraw:
		return tea.ClearScreen
	case actSuspend:
		return tea.Suspend
	case actCommand:
		return m.askCommand()
	}
	if m.rec != nil {
		return m.rec.act(a)
	}
	if m.diff != nil {
		return m.diff.act(a)
	}
	if m.resend != nil {
		return m.resend.act(a)
	}
	return m.home.act(a)
}

// open puts a recording on screen.
func (m *model) open(path, title string) tea.Cmd {
	s := newSession(m, path, title)
	m.cover(layer{rec: s})
	return s.start()
}

// close lets go of what is open. Temporary files are gone when it returns, unless a disk hangs.
func (m *model) close() {
	above := m.everything()
	m.put(layer{})
	m.layers = nil
	for _, l := range above {
		m.release(l)
	}
	late := time.After(closeWait)
	for _, closed := range m.closing {
		select {
		case <-closed:
		case <-late:
			return
		}
	}
}

// leaving remembers a recording that is being closed.
func (m *model) leaving(s *session) {
	if s.closed != nil {
		m.closing = append(m.closing, s.closed)
	}
}

const closeWait = 2 * time.Second

// say shows a message for three seconds.
func (m *model) say(text string) tea.Cmd {
	until := m.now().Add(3 * time.Second)
	m.note = note{text: text, until: until}
	m.dirty = true
	return m.after(3*time.Second, noteOver{until})
}

func after(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// complain shows an error until the next key.
func (m *model) complain(text string) tea.Cmd {
	m.note = note{text: text, isErr: true}
	m.dirty = true
	return nil
}

const (
	minWidth  = 40
	minHeight = 10
)

func (m *model) tooSmall() bool { return m.w < minWidth || m.h < minHeight }

// hintRows is 1 where there is room for the line of hints.
func (m *model) hintRows() int {
	if m.noHints || m.h < 16 || m.w < 60 {
		return 0
	}
	return 1
}

// body is what lies between the header and the status line.
func (m *model) body() rect {
	bar := m.barRows()
	return rect{0, 1 + bar, m.w, max(m.h-2-bar-m.hintRows(), 1)}
}

func (m *model) click(x, y int) tea.Cmd {
	m.dirty = true
	switch {
	case m.help != nil:
		m.help = nil
		return nil
	case m.menu != nil:
		m.menu = nil
		return nil
	case m.prompt != nil:
		return nil
	case m.rec != nil:
		return m.rec.click(x, y)
	case m.diff != nil:
		return m.diff.click(x, y)
	case m.resend != nil:
		return m.resend.click(x, y)
	}
	return m.home.click(x, y)
}

func (m *model) wheel(x, y, by int) tea.Cmd {
	m.dirty = true
	switch {
	case m.help != nil:
		m.help.scroll(by)
		return nil
	case m.rec != nil:
		return m.rec.wheel(x, y, by)
	case m.diff != nil:
		m.diff.move(by)
		return nil
	case m.resend != nil:
		m.resend.move(by)
		return nil
	}
	m.home.move(by)
	return nil
}

// atRoot reports whether going back ends the program.
func (m *model) atRoot() bool {
	switch {
	case len(m.layers) > 0 || m.diff != nil || m.resend != nil:
		return false
	case m.rec == nil:
		return m.home.filter == ""
	}
	return m.rec.isRoot && m.rec.atRoot()
}

// report is the line about what was looked at.
func (m *model) report() string {
	if m.rec == nil {
		return ""
	}
	return m.rec.report()
}

type rect struct{ x, y, w, h int }

func (r rect) has(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }
