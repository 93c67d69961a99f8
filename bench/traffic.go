package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/shakescope/shakescope/recordings"
)

// traffic is a session as servers and clients have them: a handshake, then calls of tools with
// their answers (of which one in ten is an error), progress, log messages and pings. The same seed
// gives the same bytes.
type traffic struct {
	random *rand.Rand
	mean   int // bytes a message, line end included
	line   []byte
	id     int
	owed   int // bytes by which the messages so far miss the mean
}

func newTraffic(mean int) *traffic {
	return &traffic{random: rand.New(rand.NewPCG(7, uint64(mean))), mean: mean}
}

// handshake are the messages that open a session.
var handshake = []struct {
	stream recordings.Stream
	line   string
}{
	{recordings.Stdin, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}}`},
	{recordings.Stdout, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{},"tools":{}},"serverInfo":{"name":"bench-server","version":"1.0.0"}}}`},
	{recordings.Stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
	{recordings.Stdin, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
	{recordings.Stdout, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"search","description":"Finds text.","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}}]}}`},
}

// exchange gives one call and all that comes of it. A line is valid until the next one.
func (t *traffic) exchange(yield func(recordings.Stream, []byte)) {
	t.id++
	id := 1000 + t.id
	if t.id%20 == 0 {
		yield(recordings.Stdin, t.fixed(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		yield(recordings.Stdout, t.fixed(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
		return
	}
	progress := t.id%3 == 0
	meta := ""
	if progress {
		meta = fmt.Sprintf(`"_meta":{"progressToken":%d},`, id)
	}
	yield(recordings.Stdin, t.fixed(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s"name":"search","arguments":{"query":"%s"}}}`, id, meta, t.words(20+t.random.IntN(60))))
	if progress {
		for i := range 2 {
			yield(recordings.Stdout, t.fixed(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%d,"total":3}}`, id, i+1))
		}
	}
	if t.id%4 == 0 {
		yield(recordings.Stdout, t.fixed(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"search","data":"%s"}}`, t.words(60)))
	}
	switch {
	case t.id%20 == 7:
		yield(recordings.Stdout, t.fixed(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"internal error: %s"}}`, id, t.words(40)))
	case t.id%20 == 13:
		yield(recordings.Stdout, t.stretched(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}],"isError":true}}`, id))
	default:
		yield(recordings.Stdout, t.stretched(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, id))
	}
}

func (t *traffic) fixed(format string, args ...any) []byte {
	t.line = fmt.Appendf(t.line[:0], format, args...)
	t.line = append(t.line, '\n')
	t.owed += t.mean - len(t.line)
	return t.line
}

// stretched makes a line whose text brings the mean back to where it should be, on average: most
// are short, some very long, as results are.
func (t *traffic) stretched(format string, id int) []byte {
	spread := math.Exp(t.random.NormFloat64() - 0.5) // mean 1
	n := max(0, int(float64(t.owed+t.mean-len(format)-4)*spread))
	return t.fixed(format, id, t.words(n))
}

// words gives n bytes of text as it stands inside a JSON string, escapes included.
func (t *traffic) words(n int) string {
	var b strings.Builder
	for b.Len() < n {
		switch k := t.random.IntN(40); k {
		case 0:
			b.WriteString(`\n`)
		case 1:
			b.WriteString(`\"quoted\" `)
		case 2:
			b.WriteString(`größer `)
		default:
			b.WriteString(vocabulary[k%len(vocabulary)])
		}
	}
	text := b.String()
	// Not in the middle of an escape or a character.
	for n > 0 && n < len(text) && (text[n-1] == '\\' || text[n]&0xC0 == 0x80) {
		n--
	}
	return text[:min(n, len(text))]
}

var vocabulary = [...]string{"the ", "server ", "returned ", "path/to/some/file.go ", "line ", "1234 ", "matches ", "of ", "function ", "in ", "value ", "error ", "no "}

// record writes a recording of count messages of this traffic as `run` would, at a pace of about fifty a
// second on a clock of its own, and returns the bytes that travelled.
func (t *traffic) record(path string, count int) (raw int64, err error) {
	if err := os.RemoveAll(path); err != nil {
		return 0, err
	}
	var now time.Duration
	h := recordings.NewHeader([]string{"server", "--stdio"})
	// The clock stands while a chunk is taken and written: both may ask for it at any time.
	clock := &ticker{}
	r, err := recordings.CreateAt(path, h, recordings.RecorderOptions{Clock: clock.now})
	if err != nil {
		return 0, err
	}
	n := 0
	put := func(s recordings.Stream, line []byte) {
		now += time.Duration(t.random.Int64N(int64(40 * time.Millisecond)))
		clock.set(now)
		r.Chunk(s, line)
		raw += int64(len(line))
		n++
	}
	r.Event(recordings.Event{Name: "spawn", PID: 4242})
	for _, m := range handshake {
		put(m.stream, []byte(m.line+"\n"))
	}
	for n < count {
		t.exchange(put)
	}
	if err := r.Close(); err != nil {
		return 0, err
	}
	return raw, nil
}
