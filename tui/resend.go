package tui

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/jsontree"
	mcp "github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Actions of the dialog that makes a request again.
const (
	actResend    action = "resend"
	actArguments action = "edit-arguments"
	actSetMember action = "set-member"
	actProgram   action = "edit-command"
	actSend      action = "start-and-send"
	actRestore   action = "restore-request"
	actAgain     action = "back-to-request"
	actNewRun    action = "open-new-run"
	actDiffRuns  action = "diff-with-new-run"
)

func resendBindings() []binding {
	return []binding{
		{actResend, keyed("make this request again, to a fresh server: a dialog asks first", "r"), inRecording, "resend", ""},
		{actOpen, keyed("edit the line under the cursor", "enter", "l", "right"), inResend, "resend", "edit"},
		{actArguments, keyed("edit the arguments as JSON", "a"), inResend, "resend", "arguments"},
		{actSetMember, keyed("set a member: PATH=VALUE, as --set", "s"), inResend, "resend", "set"},
		{actProgram, keyed("edit the command", "c"), inResend, "resend", "command"},
		{actRestore, keyed("the request as it was recorded", "u"), inResend, "resend", ""},
		{actSend, keyed("start the server and send the request", "y"), inResend, "resend", "start and send"},
		{actOpen, keyed("open the new recording", "enter", "o", "l", "right"), inResent, "resend", "open the new recording"},
		{actDiffRuns, keyed("diff of the recording (A) and the new one (B)", "D"), inResent, "resend", "diff"},
		{actAgain, keyed("edit and send again", "r"), inResent, "resend", "again"},
	}
}

// answerWithin is how long the server has for each answer.
const answerWithin = 30 * time.Second

// resending is the dialog about one request that is to be made again, and what came of it. Nothing is
// started before the user says so in it.
type resending struct {
	errand
	path string
	name string
	ref  annotate.Ref

	found   *mcp.Recorded // nil until it is read
	err     error         // of reading, or of the run
	line    []byte        // the request as it will be sent
	edited  []string      // paths
	command []string
	dir     string
	theirs  bool   // the command is the recorded one
	reason  string // why the recorded command may not be started
	missing []string

	rows     []formRow
	cur, top int

	stopping bool
	started  time.Time
	cancel   context.CancelFunc
	ended    chan struct{} // closed when nothing of the server is left
	sent     *mcp.Resent   // nil until there is something to show
	lines    []dline
	width    int
}

type formRow struct {
	kind formKind
	path string // of a value: a JSON pointer into the message
	text string
}

type formKind uint8

const (
	formCommand formKind = iota
	formValue
	formNote
	formSend
)

type resendFound struct {
	id      int
	found   *mcp.Recorded
	err     error
	reason  string
	may     bool
	missing []string
	dirGone bool
}

type resendDone struct {
	id, run int
	sent    *mcp.Resent
	err     error
}

// askResend opens the dialog for the selected request, or the one that the selected message answers.
func (s *session) askResend() tea.Cmd {
	m := s.m
	switch {
	case m.opts.Title != "" && s.path == m.opts.File:
		return m.say("not of a recording that comes through a pipe: save it to a file and open that")
	case s.src == nil || s.sel < 0:
		return m.say("there is no request to make again")
	}
	i := s.sel
	if s.rows.at(i).isAnswer() {
		if i = s.pairAt(i); i < 0 {
			return m.say("this answers no request that is known")
		}
	}
	r := s.rows.at(i)
	if r.kind() != kindRequest || r.flags&fromServer != 0 {
		return m.say("only requests of the client can be made again")
	}
	m.opened++
	d := &resending{errand: errand{m: m, id: m.opened, every: time.Second}, path: s.path, name: s.title(), ref: r.ref(), cancel: func() {}}
	m.cover(layer{resend: d})
	id, does, path, ref := d.id, m.resends, d.path, d.ref
	return func() tea.Msg {
		msg := resendFound{id: id}
		if msg.found, msg.err = does.find(path, ref); msg.err != nil {
			return msg
		}
		h := msg.found.Header
		msg.reason, msg.may = does.mayRun(path, h)
		if _, err := os.Stat(h.Dir); h.Dir != "" && err != nil {
			msg.dirGone = true
		}
		for _, name := range h.Env {
			if _, set := os.LookupEnv(name); !set {
				msg.missing = append(msg.missing, name)
			}
		}
		return msg
	}
}

func (d *resending) read(msg resendFound) tea.Cmd {
	d.m.dirty = true
	if d.err = msg.err; msg.err != nil {
		return nil
	}
	d.found, d.line, d.reason, d.missing = msg.found, msg.found.Line, msg.reason, msg.missing
	if msg.may {
		d.command, d.theirs = msg.found.Header.Command, true
		if !msg.dirGone {
			d.dir = msg.found.Header.Dir
		}
	}
	d.lay()
	d.cur = d.firstValue()
	return nil
}

// formMost bounds the values that have a line of their own; all others are set by their path.
const formMost = 500

// lay makes the lines of the form from the request as it will be sent.
func (d *resending) lay() {
	d.rows = append(d.rows[:0], formRow{kind: formCommand})
	tree, err := jsontree.Parse(d.line)
	if err != nil {
		return
	}
	root, ok := tree.Find("/params")
	if !ok {
		d.rows = append(d.rows, formRow{kind: formNote, text: "the request has no params; s sets some"})
	} else {
		_, stop := tree.Span(root)
		for n := root; int(n) < tree.Len(); n++ {
			if start, _ := tree.Span(n); start >= stop {
				break
			}
			if tree.Children(n) > 0 {
				continue
			}
			if len(d.rows) > formMost {
				d.rows = append(d.rows, formRow{kind: formNote, text: "there are more values; s sets one by its path"})
				break
			}
			d.rows = append(d.rows, formRow{formValue, tree.Pointer(n), string(tree.Raw(n))})
		}
	}
	d.rows = append(d.rows, formRow{kind: formSend})
	d.cur = max(0, min(d.cur, len(d.rows)-1))
}

// firstValue is the line of the first argument, or of the first value where there are none.
func (d *resending) firstValue() int {
	first := 0
	for i := range d.rows {
		switch {
		case d.rows[i].kind != formValue:
		case strings.HasPrefix(d.rows[i].path, "/params/arguments"):
			return i
		case first == 0:
			first = i
		}
	}
	return first
}

func (d *resending) act(a action) tea.Cmd {
	switch a {
	case actDown:
		d.move(1)
	case actUp:
		d.move(-1)
	case actPageDown:
		d.move(d.page())
	case actPageUp:
		d.move(-d.page())
	case actHalfDown:
		d.move(d.page() / 2)
	case actHalfUp:
		d.move(-d.page() / 2)
	case actTop:
		d.move(-1 << 30)
	case actBottom:
		d.move(1 << 30)
	case actBack:
		switch {
		case d.running && !d.stopping:
			// The dialog waits until the server is gone; a second time leaves it to that.
			d.stopping = true
			d.cancel()
			return nil
		case d.running:
			return d.m.leave()
		case d.sent != nil:
			return d.act(actAgain)
		}
		return d.m.leave()
	case actAgain:
		if d.sent != nil {
			d.sent, d.lines, d.cur, d.top = nil, nil, 0, 0
			d.lay()
			d.cur = len(d.rows) - 1
		}
	case actDiffRuns:
		if to := d.newRun(); to != "" {
			return d.m.openDiff(d.path, to)
		}
		return d.m.say("there is no recording of the new run")
	case actOpen:
		return d.enter()
	default:
		if string(a) == string(actScreen)+"-0" {
			return d.m.toHome()
		}
		if d.found == nil || d.running || d.sent != nil {
			return nil
		}
		return d.edit(a)
	}
	return nil
}

// enter does what the line under the cursor is for; of an outcome it opens the new recording.
func (d *resending) enter() tea.Cmd {
	switch {
	case d.sent != nil:
		if to := d.newRun(); to != "" {
			return d.m.open(to, "")
		}
		return d.m.say("there is no recording of the new run")
	case d.found == nil || d.running || d.cur >= len(d.rows):
		return nil
	}
	switch d.rows[d.cur].kind {
	case formCommand:
		return d.edit(actProgram)
	case formSend:
		return d.edit(actSend)
	case formValue:
		d.editValue(d.rows[d.cur].path)
	}
	return nil
}

func (d *resending) newRun() string {
	if d.sent == nil {
		return ""
	}
	return d.sent.Recording
}

// edit changes the request or the command, or starts the server.
func (d *resending) edit(a action) tea.Cmd {
	switch a {
	case actArguments:
		path := "/params/arguments"
		if _, ok := jsonrpc.Lookup(d.line, "params", "arguments"); !ok && d.found.Method != "tools/call" {
			path = "/params"
		}
		d.editValue(path)
	case actSetMember:
		d.m.prompt = &prompt{label: "set PATH=VALUE ", input: newInput("params.arguments."), check: d.checkSet, done: func(m *model, text string) tea.Cmd {
			line, path, err := mcp.Assign(d.line, text)
			if err != nil {
				return m.complain(err.Error())
			}
			return d.change(line, path)
		}}
	case actProgram:
		d.m.prompt = &prompt{label: "command ", input: newInput(quotedWords(d.command)), check: checkWords, done: func(_ *model, text string) tea.Cmd {
			words, slip := splitWords(text)
			if slip != nil {
				return nil
			}
			if !slices.Equal(words, d.command) {
				// What a user typed starts where the user is.
				d.command, d.theirs, d.dir = words, false, ""
			}
			d.lay()
			return nil
		}}
	case actRestore:
		d.line, d.edited = d.found.Line, nil
		d.lay()
		return d.m.say("the request is as it was recorded")
	case actSend:
		return d.start()
	}
	return nil
}

// editMost bounds what is edited as one line of text.
const editMost = 64 << 10

// editValue lets the user write a value of the message as JSON.
func (d *resending) editValue(path string) {
	raw := []byte("{}")
	if tree, err := jsontree.Parse(d.line); err == nil {
		if n, ok := tree.Find(path); ok {
			raw = tree.Raw(n)
		}
	}
	if len(raw) > editMost {
		d.m.complain(bytesText(int64(len(raw))) + " are too much for a line of text: s sets single members by their paths")
		return
	}
	in := newInput(string(raw))
	in.most = editMost
	d.m.prompt = &prompt{label: dotted(path) + " = ", input: in, check: checkJSON, done: func(m *model, text string) tea.Cmd {
		line, err := mcp.Edit(d.line, path, []byte(text))
		if err != nil {
			return m.complain(err.Error())
		}
		return d.change(line, path)
	}}
}

// change takes a changed request.
func (d *resending) change(line []byte, path string) tea.Cmd {
	if m := jsonrpc.Decode(line); m.Kind != jsonrpc.Request {
		return d.m.complain("with that, the message is no request any more")
	}
	if string(line) != string(d.line) && !slices.Contains(d.edited, dotted(path)) {
		d.edited = append(d.edited, dotted(path))
	}
	d.line = line
	d.lay()
	return nil
}

// start starts the server and sends the request, in the background.
func (d *resending) start() tea.Cmd {
	m := d.m
	if len(d.command) == 0 {
		return tea.Batch(m.complain("no command to start: c takes the server's command"), d.edit(actProgram))
	}
	ctx, cancel := context.WithCancel(m.ctx)
	d.run++
	d.stopping = false
	d.running, d.cancel, d.err, d.started, d.top = true, cancel, nil, m.now(), 0
	d.ended = make(chan struct{})
	id, run, does, ended := d.id, d.run, m.resends, d.ended
	request := mcp.Request{
		Command:   mcp.Command{Words: slices.Clone(d.command), Dir: d.dir, Reply: d.found.Replies.Reply},
		Handshake: d.found.Handshake, Line: slices.Clone(d.line), Timeout: answerWithin,
	}
	return tea.Batch(d.tick(), func() tea.Msg {
		defer close(ended)
		defer cancel()
		sent, err := does.send(ctx, request)
		return resendDone{id, run, sent, err}
	})
}

func (d *resending) done(msg resendDone) tea.Cmd {
	if msg.run != d.run {
		return nil
	}
	d.m.dirty = true
	d.running = false
	switch {
	case msg.err != nil && errors.Is(msg.err, context.Canceled):
		return d.m.say("stopped before the server was there")
	case msg.err != nil:
		d.err = msg.err
		return nil
	}
	d.sent, d.lines, d.cur, d.top = msg.sent, nil, 0, 0
	if msg.sent.RecordingErr != nil {
		return d.m.complain("the recording is not whole: " + msg.sent.RecordingErr.Error())
	}
	return nil
}

// dotted writes a JSON pointer as people do: params.arguments.list[0]; pointers that cannot be written so stay.
func dotted(pointer string) string {
	if !strings.HasPrefix(pointer, "/") || strings.ContainsAny(pointer, ".[]~ ") {
		return pointer
	}
	var b strings.Builder
	for i, step := range strings.Split(pointer[1:], "/") {
		switch {
		case i > 0 && step != "" && strings.Trim(step, "0123456789") == "":
			b.WriteString("[" + step + "]")
		case i > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}
