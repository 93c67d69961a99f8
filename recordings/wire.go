package recordings

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// maxHeld bounds the records that wait for an older frame which has not ended.
const maxHeld = 64 << 20

// wire reads a wire log. It joins the bytes of each stream and frames them as the proxy would: a
// frame has the number of the line in which its first byte stood and the time of the line that
// completed it, so records wait while an older frame is unfinished.
type wire struct {
	lines  lines
	line   wireLine
	header *Header
	damage []Damage
	torn   int64

	open    [4]wireOpen
	queue   []Record // that wait, by number
	held    int      // bytes of theirs
	seq     int64    // of the last record given out
	t       time.Duration
	started bool // a record was read
	over    bool
	lined   bool // the numbers of lines are those in the file
}

// wireOpen is a stream and its unfinished line.
type wireOpen struct {
	framer *jsonrpc.Framer
	number int64 // that it has as a record: of the first line of it, 0 when there is none
	line   int64 // the first line of it
	t0, t  time.Duration
}

func newWire(l lines, name string) *wire {
	w := &wire{lines: l, header: &Header{Format: formatVersion, Imported: &Imported{Format: string(Wire), Source: name}}}
	for s := Stdin; s <= Stderr; s++ {
		w.open[s].framer = jsonrpc.NewFramer(0)
	}
	if first, ok := l.peek(0, sniffed); ok {
		if w.line.parse(first) == nil {
			w.describe(w.line.meta)
		}
	}
	return w
}

func (w *wire) about() (*Header, []Damage, int64) { return w.header, w.damage, w.torn }

// describe takes what the meta line says.
func (w *wire) describe(meta []byte) {
	if meta == nil || json.Unmarshal(meta, &w.header.Imported.Meta) != nil {
		return
	}
	m := w.header.Imported.Meta
	if text, ok := m["started"].(string); ok {
		if start, err := time.Parse(time.RFC3339Nano, text); err == nil {
			w.header.Start = start
		}
	}
	switch command := m["command"].(type) {
	case string:
		w.header.Command = []string{command}
	case []any:
		for _, word := range command {
			if text, ok := word.(string); ok {
				w.header.Command = append(w.header.Command, text)
			}
		}
	}
}

func (w *wire) next(rec *Record) error {
	for {
		if w.release(rec) {
			return nil
		}
		if w.over {
			return io.EOF
		}
		line, pos, ok := w.lines.next()
		if !ok {
			if line, pos, ok = w.last(); !ok {
				if w.over {
					w.closeAll()
				}
				continue
			}
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := w.line.parse(line); err != nil {
			w.report(Damage{Line: w.lines.number, Offset: pos, Bytes: int64(len(line)), Reason: err.Error(), Torn: w.lines.ended && w.torn > 0})
			continue
		}
		w.torn = 0
		if w.add(rec) {
			w.seq = rec.Seq
			return nil
		}
	}
}

// last deals with the end of the file. It returns false when there is no line left.
func (w *wire) last() ([]byte, int64, bool) {
	rest, pos := w.lines.rest()
	number := w.lines.number + 1
	if w.lines.tooLong() {
		w.lines.skipRest()
		w.report(Damage{Line: number, Offset: pos, Bytes: w.lines.offset - pos, Reason: "line too long"})
		return nil, 0, false
	}
	if err := w.lines.err; err != nil {
		w.report(Damage{Line: number, Offset: pos, Reason: err.Error(), Torn: true})
		w.lines.err = nil
		w.over = true
	}
	if len(rest) == 0 {
		w.over = true
		return nil, 0, false
	}
	w.torn = int64(len(rest))
	w.lines.skipRest()
	return rest, pos, true
}

func (w *wire) report(d Damage) {
	if len(w.damage) < maxDamage {
		w.damage = append(w.damage, d)
	}
}

// add takes the line that was read. It returns true when that gave a record which can go out at
// once, and has filled rec with it.
func (w *wire) add(rec *Record) bool {
	l := &w.line
	if l.meta != nil || l.event == "" && l.stream == Control {
		return false
	}
	if !w.started {
		w.started = true
		w.header.Imported.NoTime = !l.timed
	}
	if !l.timed {
		l.t = w.t
	}
	t := l.t
	w.t = t
	if l.event != "" {
		return w.event(rec, t)
	}
	o := &w.open[l.stream]
	number := w.lines.number
	l.data = append(l.data, l.eol...)
	// Usually the line is one frame, which can go out at once and need not be copied.
	direct := bytes.IndexByte(l.data, '\n') == len(l.data)-1 && len(w.queue) == 0 && !w.blocked(l.stream)
	filled := false
	emit := func(f jsonrpc.Frame, partial bool) {
		frame := Record{
			Kind: FrameRecord, Seq: number, T: t, T0: t, Stream: l.stream, Data: f.Data, EOL: f.EOL,
			Partial: partial, Size: int64(len(f.Data)), Line: w.lineNumber(number),
		}
		if o.number > 0 {
			frame.Seq, frame.T0, frame.Line = o.number, o.t0, w.lineNumber(o.line)
			o.number = 0
		}
		if !direct {
			w.hold(frame)
			return
		}
		frame.Seq = max(frame.Seq, w.seq+1)
		*rec, filled = frame, true
	}
	o.framer.Push(l.data)
	for {
		f, ok := o.framer.Next()
		if !ok {
			break
		}
		emit(f, false)
	}
	if l.partial {
		if f, ok := o.framer.Close(); ok {
			emit(f, true)
		}
	}
	if o.framer.Pending() > 0 {
		if o.number == 0 {
			o.number, o.line, o.t0 = number, number, t
		}
		o.t = t
	}
	return filled
}

func (w *wire) lineNumber(n int64) int64 {
	if !w.lined {
		return 0
	}
	return n
}

// blocked reports whether another stream has an unfinished line.
func (w *wire) blocked(s Stream) bool {
	for other := Stdin; other <= Stderr; other++ {
		if other != s && w.open[other].number > 0 {
			return true
		}
	}
	return false
}

// event gives the event of the line, and before it what ends with it.
func (w *wire) event(rec *Record, t time.Duration) bool {
	l := &w.line
	e := &Event{Name: l.event, Code: l.code, Signal: l.signal, Reason: l.reason, Bytes: l.bytes, PID: l.pid}
	switch l.event {
	case "server_exit":
		e.Name = "exit"
	case "client_closed_stdin":
		w.closeStream(Stdin)
	case "server_closed_stdout":
		w.closeStream(Stdout)
	case "client_spawn":
		w.closeAll()
	}
	r := Record{Kind: EventRecord, Seq: w.lines.number, T: t, T0: t, Event: e, Line: w.lineNumber(w.lines.number)}
	if len(w.queue) > 0 || w.blocked(Control) {
		w.hold(r)
		return false
	}
	r.Seq = max(r.Seq, w.seq+1)
	*rec = r
	return true
}

func (w *wire) closeAll() {
	for s := Stdin; s <= Stderr; s++ {
		w.closeStream(s)
	}
}

// closeStream ends a stream: its unfinished line is a partial frame.
func (w *wire) closeStream(s Stream) {
	o := &w.open[s]
	f, ok := o.framer.Close()
	if !ok {
		return
	}
	w.hold(Record{
		Kind: FrameRecord, Seq: o.number, T: o.t, T0: o.t0, Stream: s, Data: f.Data, EOL: jsonrpc.None,
		Partial: true, Size: int64(len(f.Data)), Line: w.lineNumber(o.line),
	})
	o.number = 0
}

// hold puts a record into the queue.
func (w *wire) hold(rec Record) {
	rec.Data = bytes.Clone(rec.Data)
	w.held += len(rec.Data) + 200
	i := len(w.queue)
	for i > 0 && w.queue[i-1].Seq > rec.Seq {
		i--
	}
	w.queue = slices.Insert(w.queue, i, rec)
	if w.held > maxHeld {
		// A line that never ends must not keep the rest of the log waiting.
		for s := Stdin; s <= Stderr; s++ {
			if o := &w.open[s]; o.number > 0 {
				o.number = w.lines.number
			}
		}
	}
}

// release gives the oldest record that waits, if nothing older is unfinished.
func (w *wire) release(rec *Record) bool {
	if len(w.queue) == 0 {
		return false
	}
	for s := Stdin; s <= Stderr; s++ {
		if n := w.open[s].number; n > 0 && n < w.queue[0].Seq {
			return false
		}
	}
	*rec = w.queue[0]
	w.queue = slices.Delete(w.queue, 0, 1)
	w.held -= len(rec.Data) + 200
	rec.Seq = max(rec.Seq, w.seq+1)
	w.seq = rec.Seq
	return true
}

// wireLine is one line of a wire log. Its slices are reused.
type wireLine struct {
	timed   bool
	t       time.Duration
	stream  Stream
	data    []byte
	eol     []byte
	partial bool
	event   string
	code    *int
	signal  string
	reason  string
	bytes   int64
	pid     int
	meta    []byte
	bare    bool // a message without its bytes
	payload bool // it has some
}

var wireStreams = [...]string{Stdin: "c2s", Stdout: "s2c", Stderr: "stderr"}

// isWire reports whether a line looks like one of a wire log.
func isWire(line []byte) bool {
	var l wireLine
	if l.parse(line) != nil {
		return false
	}
	return l.meta != nil || l.stream != Control && l.payload && !l.bare || l.event != "" && l.timed
}

// parse reads one line.
func (l *wireLine) parse(line []byte) error {
	*l = wireLine{data: l.data[:0], eol: append(l.eol[:0], '\n')}
	if l.fast(line) {
		return nil
	}
	*l = wireLine{data: l.data[:0], eol: append(l.eol[:0], '\n')}
	return l.slow(line)
}

// fast reads the usual line in its usual spelling.
func (l *wireLine) fast(line []byte) bool {
	c := cursor{b: line}
	if !c.skip(`{"t_ms":`) {
		return false
	}
	var ok bool
	if l.t, ok = c.milliseconds(); !ok {
		return false
	}
	l.timed, l.payload = true, true
	switch {
	case c.skip(`,"dir":"c2s","raw":"`):
		l.stream = Stdin
	case c.skip(`,"dir":"s2c","raw":"`):
		l.stream = Stdout
	case c.skip(`,"dir":"stderr","raw":"`):
		l.stream = Stderr
	default:
		return false
	}
	end := len(line) - 2
	if end < c.i || line[end] != '"' || line[end+1] != '}' {
		return false
	}
	l.data, ok = appendUnescaped(l.data, line[c.i:end])
	return ok
}

// milliseconds reads a decimal number of milliseconds without exponent.
func (c *cursor) milliseconds() (time.Duration, bool) {
	whole, ok := c.number()
	if !ok || whole > 1e12 {
		return 0, false
	}
	t := time.Duration(whole) * time.Millisecond
	if !c.skip(".") {
		return t, true
	}
	start := c.i
	unit := time.Millisecond
	for c.i < len(c.b) && c.b[c.i]-'0' <= 9 {
		unit /= 10
		t += time.Duration(c.b[c.i]-'0') * unit
		c.i++
	}
	return t, c.i > start && c.i-start <= 6
}

// slow reads any line.
func (l *wireLine) slow(line []byte) error {
	err := eachMember(line, func(name string, value []byte) error {
		switch name {
		case "meta":
			if value[0] == '{' {
				l.meta = value
			}
		case "t_ms":
			var ms float64
			if err := json.Unmarshal(value, &ms); err != nil {
				return err
			}
			l.timed = true
			l.t = time.Duration(ms*float64(time.Millisecond) + 0.5)
		case "dir":
			text, _ := jsonrpc.Unquote(value)
			for s := Stdin; s <= Stderr; s++ {
				if wireStreams[s] == text {
					l.stream = s
					return nil
				}
			}
			return fmt.Errorf("no direction %.40s", value)
		case "raw":
			l.payload = true
			return l.text(&l.data, value)
		case "raw_b64":
			l.payload = true
			var text []byte
			if err := l.text(&text, value); err != nil {
				return err
			}
			var err error
			l.data, err = base64.StdEncoding.AppendDecode(l.data[:0], text)
			return err
		case "eol":
			return l.text(&l.eol, value)
		case "partial":
			l.partial = string(value) == "true"
		case "event":
			l.event, _ = jsonrpc.Unquote(value)
		case "code":
			code := 0
			if json.Unmarshal(value, &code) == nil {
				l.code = &code
			}
		case "signal":
			l.signal, _ = jsonrpc.Unquote(value)
		case "reason", "error":
			l.reason, _ = jsonrpc.Unquote(value)
		case "bytes":
			l.bytes, _ = integer(value)
		case "pid":
			pid, _ := integer(value)
			l.pid = int(pid)
		case "gen", "bytes_b64":
			l.bare = true
		}
		return nil
	})
	if l.partial {
		l.eol = l.eol[:0]
	}
	if err == nil && l.bare {
		return fmt.Errorf("%w: a message without raw or raw_b64", errLine)
	}
	return err
}

func (l *wireLine) text(dst *[]byte, value []byte) error {
	if value[0] != '"' {
		return fmt.Errorf("not a string: %.40s", value)
	}
	var ok bool
	if *dst, ok = appendUnescaped((*dst)[:0], value[1:len(value)-1]); !ok {
		return errLine
	}
	return nil
}
