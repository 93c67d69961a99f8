package recordings

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

const (
	// maxMessage bounds a message that is gathered from several lines, and a log that is one JSON value.
	maxMessage  = 64 << 20
	maxDocument = 256 << 20

	// primed is how much of a log is read before its header is given out: what is not certain about a
	// log, and from which end it was written, often shows only in the middle.
	primed = 8 << 20
)

// sender says who sent a message, as far as the log does.
type sender uint8

// fromWriter and fromReader are of logs that one end wrote from its own view.
const (
	unsaid sender = iota
	fromClient
	fromServer
	fromWriter // what the end that kept the log sent
	fromReader // what it was sent
)

func (s sender) other() sender {
	return [...]sender{unsaid, fromServer, fromClient, fromReader, fromWriter}[s]
}

// logItem is what a line of a foreign log, or several, say happened.
type logItem struct {
	line      int64
	at        time.Time     // zero: the log does not say
	after     time.Duration // since the start, where the log counts from there
	timed     bool
	from      sender
	link      string // tells connections apart in a log that was not kept by one end
	stderr    bool
	data      []byte // owned
	eol       jsonrpc.EOL
	partial   bool
	truncated bool
	event     *Event
}

// foreignLog reads one format. It hands what it finds to the foreign it is given; line is borrowed, and
// has no LF.
type foreignLog interface {
	line(f *foreign, line []byte)
	end(f *foreign)
}

// foreign is the source of a log that is neither a recording nor a wire log.
type foreign struct {
	lines  lines
	log    foreignLog
	header *Header
	damage []Damage
	torn   int64

	number int64 // of the line that is read, from 1
	pos    int64 // where it stands
	open   bool  // it has no line end
	lined  bool  // the numbers of lines are those in the file

	queue   []logItem
	held    int
	over    bool
	senders senders
	view    sender            // who kept the log, as the caller says
	views   map[string]sender // by link: who kept the log
	seq     int64
	t       time.Duration
}

func newForeign(l lines, format Format, name string, log foreignLog) *foreign {
	f := &foreign{
		lines: l, log: log, views: map[string]sender{},
		header: &Header{Format: formatVersion, Imported: &Imported{Format: string(format), Source: name}},
	}
	for f.held < primed && f.read() {
	}
	f.header.Imported.NoTime = true
	for i := range f.queue {
		it := &f.queue[i]
		if it.timed && f.header.Imported.NoTime {
			f.header.Imported.NoTime = false
			f.header.Start = it.at
		}
		if f.views[it.link] == unsaid {
			f.views[it.link] = keeper(it)
		}
	}
	return f
}

func (f *foreign) about() (*Header, []Damage, int64) { return f.header, f.damage, f.torn }

// read takes in the next line. It returns false at the end.
func (f *foreign) read() bool {
	if f.over {
		return false
	}
	line, pos, ok := f.lines.next()
	f.number = f.lines.number
	if !ok {
		if line, pos, ok = f.last(); !ok {
			return !f.over
		}
	}
	f.pos = pos
	if f.number == 1 {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	f.log.line(f, line)
	return true
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// last deals with what has no line end. It returns false when there is nothing.
func (f *foreign) last() ([]byte, int64, bool) {
	rest, pos := f.lines.rest()
	f.number = f.lines.number + 1
	if f.lines.tooLong() {
		f.lines.skipRest()
		f.report(f.number, pos, f.lines.offset-pos, "line too long")
		return nil, 0, false
	}
	if err := f.lines.err; err != nil {
		f.report(f.number, pos, int64(len(rest)), err.Error())
	}
	if len(rest) == 0 || f.open {
		f.over = true
		f.log.end(f)
		return nil, 0, false
	}
	f.open = true
	f.lines.skipRest()
	return rest, pos, true
}

func (f *foreign) report(line, pos, n int64, reason string) {
	if len(f.damage) < maxDamage {
		f.damage = append(f.damage, Damage{Line: line, Offset: pos, Bytes: n, Reason: reason, Torn: f.over})
	}
}

// unread reports the line that is read as one that says nothing.
func (f *foreign) unread(line []byte, format string, args ...any) {
	f.report(f.number, f.pos, int64(len(line)), fmt.Sprintf(format, args...))
}

func (f *foreign) put(it logItem) {
	if it.line == 0 {
		it.line = f.number
	}
	if !it.at.IsZero() {
		it.timed = true
	}
	if it.truncated {
		f.header.Imported.Truncated = true
	}
	f.held += len(it.data) + 200
	f.queue = append(f.queue, it)
}

// message puts a message as a log has it in a string or at the end of a line: data is borrowed. A message
// travelled in one line, so line ends that a log has in it are its own.
func (f *foreign) message(it logItem, data []byte) {
	data = bytes.TrimRight(data, "\r\n")
	if it.eol == "" && !it.partial {
		it.eol = jsonrpc.LF
	}
	if bytes.IndexByte(data, '\n') < 0 {
		it.data = bytes.Clone(data)
		f.put(it)
		return
	}
	f.header.Imported.Reencoded = true
	it.data = onOneLine(nil, data)
	f.put(it)
}

// stderr puts text that the server wrote on standard error, line by line.
func (f *foreign) stderr(it logItem, text []byte) {
	it.stderr, it.eol = true, jsonrpc.LF
	for line := range bytes.SplitSeq(bytes.TrimRight(text, "\r\n"), []byte("\n")) {
		it.data = bytes.Clone(line)
		f.put(it)
	}
}

func (f *foreign) next(rec *Record) error {
	for len(f.queue) == 0 {
		if !f.read() && len(f.queue) == 0 {
			return io.EOF
		}
	}
	it := f.queue[0]
	f.queue = f.queue[1:]
	f.held -= len(it.data) + 200
	f.seq = max(f.seq+1, it.line)
	switch {
	case !it.at.IsZero() && !f.header.Start.IsZero():
		f.t = max(f.t, it.at.Sub(f.header.Start))
	case it.timed:
		f.t = max(f.t, it.after)
	}
	*rec = Record{Kind: FrameRecord, Seq: f.seq, T: f.t, T0: f.t}
	if f.lined {
		rec.Line = it.line
	}
	if it.event != nil {
		rec.Kind, rec.Event = EventRecord, it.event
		return nil
	}
	rec.Data, rec.EOL, rec.Partial, rec.Truncated, rec.Size = it.data, it.eol, it.partial, it.truncated, int64(len(it.data))
	rec.Stream = Stderr
	if !it.stderr {
		rec.Stream = f.stream(&it)
	}
	return nil
}

// stream says on which stream a message travelled.
func (f *foreign) stream(it *logItem) Stream {
	from := it.from
	if from == fromWriter || from == fromReader {
		view := f.view
		if view == unsaid {
			if f.views[it.link] == unsaid {
				f.views[it.link] = keeper(it)
			}
			view = f.views[it.link]
		}
		if format := Format(f.header.Imported.Format); view == unsaid && format != GoSDK && format != MCPSpy {
			view = fromClient // as people draw arrows
		}
		switch {
		case view == unsaid:
			from = unsaid
		case from == fromWriter:
			from = view
		default:
			from = view.other()
		}
	}
	if f.senders.of(it.data, from) == fromServer {
		return Stdout
	}
	return Stdin
}

// From says which end kept a log that tells only what was read and what was written, or that has
// arrows: "client" or "server". Without it the messages tell, as far as they do. It must be called
// before the first [Reader.Next], and is an error for logs of other formats.
func (r *Reader) From(side string) error {
	f, ok := r.src.(*foreign)
	if ok {
		ok = false
		for i := range f.queue {
			ok = ok || f.queue[i].from == fromWriter || f.queue[i].from == fromReader
		}
	}
	if !ok {
		return fmt.Errorf("a log in the format %s does not depend on the end that kept it", r.format)
	}
	switch side {
	case "client":
		f.view = fromClient
	case "server":
		f.view = fromServer
	default:
		return fmt.Errorf("no end is called %q: client or server", side)
	}
	return nil
}
