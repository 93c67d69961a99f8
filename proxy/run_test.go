package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// memory is a Tap that keeps everything.
type memory struct {
	mu      sync.Mutex
	streams map[Stream][]byte
	order   []any // Stream of a chunk, or Event
}

func (m *memory) Chunk(s Stream, b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.streams == nil {
		m.streams = map[Stream][]byte{}
	}
	m.streams[s] = append(m.streams[s], b...)
	m.order = append(m.order, s)
}

func (m *memory) Event(e Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.order = append(m.order, e)
}

func (m *memory) events() (all []Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, x := range m.order {
		if e, ok := x.(Event); ok {
			all = append(all, e)
		}
	}
	return all
}

func (m *memory) names() (names []string) {
	for _, e := range m.events() {
		n := e.Name
		if n == "signal" {
			n += " " + e.Signal + " " + e.Reason
		}
		names = append(names, n)
	}
	return names
}

func (m *memory) has(name string) bool { return slices.Contains(m.names(), name) }

// runWith runs command in this process with input as the client's, at the calm pace unless c has one.
func runWith(t *testing.T, c Config, input io.Reader) (Result, string, string, *memory) {
	t.Helper()
	var out, errOut bytes.Buffer
	tap := &memory{}
	c.Stdin, c.Tap = input, tap
	if c.Stdout == nil {
		c.Stdout = &out
	}
	if c.Stderr == nil {
		c.Stderr = &errOut
	}
	if c.pace == nil {
		c.pace = &calmPace
	}
	r, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r, out.String(), errOut.String(), tap
}

// pipe returns a client's input that stays open until the test closes it.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func TestBytesPassUnchangedAndReachTheTap(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	random := make([]byte, 1<<20)
	g := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(g.Uint32())
	}
	for name, data := range map[string][]byte{
		"nothing":            nil,
		"one byte":           []byte("x"),
		"line ends":          []byte("\n\r\n\r\r\n\n\r{}\r\n\n"),
		"no final newline":   []byte("{\"id\":1}\n{\"id\":2}"),
		"bom, nul, bad utf8": []byte("\xef\xbb\xbf{}\n\x00\n\xff\xfe\xc0\xaf\n"),
		"content-length":     []byte("Content-Length: 2\r\n\r\n{}"),
		"65535":              []byte(strings.Repeat("a", 65535) + "\n"),
		"65536":              []byte(strings.Repeat("a", 65536) + "\n"),
		"65537 open":         []byte(strings.Repeat("a", 65537)),
		"one line of 5 MiB":  []byte(strings.Repeat("a", 5<<20) + "\n"),
		"random":             random,
		"only newlines":      bytes.Repeat([]byte("\n"), 200_000),
	} {
		t.Run(name, func(t *testing.T) {
			src, dump := filepath.Join(dir, "src"), filepath.Join(dir, "dump")
			if err := os.WriteFile(src, data, 0o600); err != nil {
				t.Fatal(err)
			}
			r, out, errOut, tap := runWith(t, Config{Command: script(t, "send %s %s ; dump %s ; exit 3", src, src, dump)}, bytes.NewReader(data))
			if r.Code != 3 || r.Signal != "" || len(r.Undelivered) != 0 {
				t.Errorf("result %+v, want code 3", r)
			}
			got, err := os.ReadFile(dump)
			if err != nil {
				t.Fatal(err)
			}
			for what, b := range map[string][]byte{
				"stdin": got, "stdout": []byte(out), "stderr": []byte(errOut),
				"tapped stdin": tap.streams[Stdin], "tapped stdout": tap.streams[Stdout], "tapped stderr": tap.streams[Stderr],
			} {
				if !bytes.Equal(b, data) {
					t.Errorf("%s: %d bytes of %d, or others", what, len(b), len(data))
				}
			}
		})
	}
}

// An answer must never be tapped before its request.
func TestTapSeesAChunkBeforeTheOtherSide(t *testing.T) {
	defer goleak.VerifyNone(t)
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	tap := &memory{}
	done := make(chan error, 1)
	go func() {
		_, err := Run(context.Background(), Config{Command: script(t, "echo"), Stdin: inR, Stdout: outW, Stderr: io.Discard, Tap: tap, pace: &calmPace})
		done <- err
	}()
	const n = 200
	for range n {
		if _, err := inW.WriteString("x"); err != nil {
			t.Fatal(err)
		}
		if _, err := outR.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
	}
	inW.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var got []Stream
	for _, x := range tap.order {
		if s, ok := x.(Stream); ok {
			got = append(got, s)
		}
	}
	want := slices.Repeat([]Stream{Stdin, Stdout}, n)
	if !slices.Equal(got, want) {
		t.Errorf("%d chunks, or not in strict turns: %v", len(got), got)
	}
}

func TestEventsOfAnOrdinaryRun(t *testing.T) {
	defer goleak.VerifyNone(t)
	_, _, _, tap := runWith(t, Config{Command: script(t, "echo ; exit 0")}, strings.NewReader("hello\n"))
	names := tap.names()
	if len(names) < 5 || names[0] != "spawn" || names[len(names)-1] != "exit" {
		t.Errorf("events %q: want spawn first, exit last", names)
	}
	for _, n := range []string{"client_closed_stdin", "server_closed_stdout", "server_closed_stderr"} {
		if !slices.Contains(names, n) {
			t.Errorf("events %q lack %s", names, n)
		}
	}
	for _, e := range tap.events() {
		switch {
		case e.Name == "spawn" && (e.PID == 0 || e.Reason == ""):
			t.Errorf("spawn %+v", e)
		case e.Name == "exit" && (e.Code == nil || *e.Code != 0 || e.Signal != ""):
			t.Errorf("exit %+v", e)
		}
	}
}

// The server's end is enough; the client need not close anything.
func TestServerExitsWhileInputStaysOpen(t *testing.T) {
	defer goleak.VerifyNone(t)
	in, _ := pipe(t)
	r, out, _, tap := runWith(t, Config{Command: script(t, "out last ; exit 7")}, in)
	if r.Code != 7 || out != "last" {
		t.Errorf("code %d, output %q", r.Code, out)
	}
	if tap.has("client_closed_stdin") {
		t.Error("the client is said to have closed its input")
	}
	// The client's input is still usable: nothing was left reading it.
	in.SetReadDeadline(time.Now().Add(time.Millisecond))
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading on: %v", err)
	}
}

func TestServerClosesItsOutput(t *testing.T) {
	defer goleak.VerifyNone(t)
	in, inW := pipe(t)
	out, outW := pipe(t)
	dump := filepath.Join(t.TempDir(), "dump")
	go func() {
		b, err := io.ReadAll(out) // ends although the server lives
		if err != nil || string(b) != "first\n" {
			t.Errorf("output %q, %v", b, err)
		}
		inW.WriteString("later\n")
		inW.Close()
	}()
	r, _, _, tap := runWith(t, Config{Command: script(t, "outln first ; closeout ; dump %s ; exit 5", dump), Stdout: outW}, in)
	if got, err := os.ReadFile(dump); r.Code != 5 || string(got) != "later\n" {
		t.Errorf("code %d; the server got %q, %v", r.Code, got, err)
	}
	if names := tap.names(); slices.Index(names, "server_closed_stdout") > slices.Index(names, "client_closed_stdin") {
		t.Errorf("events %q", names)
	}
}

func TestServerClosesItsInput(t *testing.T) {
	defer goleak.VerifyNone(t)
	in, inW := pipe(t)
	ready, readyW := pipe(t)
	go func() {
		lineOf(t, ready)
		for range 50 {
			inW.Write(make([]byte, 10_000))
		}
		inW.Close()
	}()
	r, _, _, tap := runWith(t, Config{Command: script(t, "closein ; outln ready ; sleep 200 ; exit 4"), Stdout: readyW}, in)
	if r.Code != 4 {
		t.Errorf("code %d", r.Code)
	}
	if got := len(tap.streams[Stdin]); got != 500_000 {
		t.Errorf("%d bytes of the client's input tapped", got)
	}
	var told int64
	for _, e := range tap.events() {
		if e.Name == "write_failed" {
			told += e.Bytes
			if !strings.HasPrefix(e.Reason, "stdin: ") {
				t.Errorf("reason %q", e.Reason)
			}
		}
	}
	if told != 500_000 || r.Undelivered[Stdin] != 500_000 {
		t.Errorf("undelivered: events say %d, the result %d, want 500000", told, r.Undelivered[Stdin])
	}
}

func TestClientClosesOurOutput(t *testing.T) {
	defer goleak.VerifyNone(t)
	in, _ := pipe(t)
	out, outW := pipe(t)
	go func() {
		io.ReadFull(out, make([]byte, 1000))
		out.Close()
	}()
	r, _, _, tap := runWith(t, Config{Command: script(t, "flood 100000000 ; exit 0"), Stdout: outW}, in)
	if r.Code == 0 {
		t.Errorf("the server never learned of it: %+v", r)
	}
	if !tap.has("client_closed_stdout") || r.Undelivered[Stdout] == 0 {
		t.Errorf("events %q, undelivered %v", tap.names(), r.Undelivered)
	}
}

// Error output is drained, and answers go on, although nobody reads it.
func TestNobodyReadsStderr(t *testing.T) {
	defer goleak.VerifyNone(t)
	_, errW := pipe(t)
	const size = 5 << 20
	r, out, _, tap := runWith(t, Config{Command: script(t, "errflood %d ; out answer", size), Stderr: errW, pace: &quickPace}, strings.NewReader(""))
	if out != "answer" || r.Code != 0 {
		t.Errorf("code %d, output %q", r.Code, out)
	}
	if n := len(tap.streams[Stderr]); n != size {
		t.Errorf("%d of %d bytes tapped", n, size)
	}
	if n := r.Undelivered[Stderr]; n <= 0 || n > size {
		t.Errorf("undelivered %d", n)
	}
}

func TestStderrIsClosed(t *testing.T) {
	defer goleak.VerifyNone(t)
	errR, errW := pipe(t)
	errR.Close()
	r, out, _, tap := runWith(t, Config{Command: script(t, "errflood 1000000 ; out answer"), Stderr: errW}, strings.NewReader(""))
	if out != "answer" || r.Code != 0 || len(tap.streams[Stderr]) != 1_000_000 || r.Undelivered[Stderr] != 1_000_000 {
		t.Errorf("%+v, output %q, %d bytes tapped", r, out, len(tap.streams[Stderr]))
	}
}

// A reader that is late, but reads, gets everything.
func TestSlowReaderOfStderrGetsAll(t *testing.T) {
	defer goleak.VerifyNone(t)
	errR, errW := pipe(t)
	const size = 1 << 20 // what the relay holds
	got := make(chan int)
	go func() {
		time.Sleep(3 * quickPace.stall)
		n, _ := io.Copy(io.Discard, errR)
		got <- int(n)
	}()
	hasty := calmPace
	hasty.stall = quickPace.stall
	r, _, _, _ := runWith(t, Config{Command: script(t, "errflood %d", size), Stderr: errW, pace: &hasty}, strings.NewReader(""))
	errW.Close()
	if n := <-got; n != size || len(r.Undelivered) != 0 {
		t.Errorf("%d of %d bytes, undelivered %v", n, size, r.Undelivered)
	}
}

// Last words that the client has not read when the server ends wait for it.
func TestLastWordsWaitForTheClient(t *testing.T) {
	defer goleak.VerifyNone(t)
	in, _ := pipe(t)
	out, outW := pipe(t)
	const size = 110_000
	got := make(chan int)
	go func() {
		time.Sleep(3 * quickPace.idle)
		n, _ := io.Copy(io.Discard, out)
		got <- int(n)
	}()
	r, _, _, _ := runWith(t, Config{Command: script(t, "flood %d ; exit 3", size), Stdout: outW, pace: &quickPace}, in)
	if n := <-got; n != size || r.Code != 3 {
		t.Errorf("%d of %d bytes, code %d", n, size, r.Code)
	}
}

func TestArgumentsFolderAndEnvironment(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := filepath.Join(t.TempDir(), "wörk dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	exe, _ := os.Executable()
	args := []string{"", " ", "a b", "it's", `"q"`, `\`, `a\"b\\`, "$HOME", "%PATH%", "*", "--", "-o", "ü 日本 \U0001f469", "tab\t"}
	_, out, _, _ := runWith(t, Config{Command: append([]string{exe, "fixture", "args"}, args...)}, strings.NewReader(""))
	if want := quotedList(args); out != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
	_, out, _, _ = runWith(t, Config{Command: script(t, "cwd ; out | ; env X"), Dir: dir, Env: append(os.Environ(), "X=a\"b ü")}, strings.NewReader(""))
	cwd, x, _ := strings.Cut(out, "|")
	if a, _ := filepath.EvalSymlinks(cwd); !strings.HasSuffix(a, "wörk dir") || x != "a\"b ü" {
		t.Errorf("folder %q, variable %q", cwd, x)
	}
}

func quotedList(args []string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Quote(a))
	}
	b.WriteByte(']')
	return b.String()
}
