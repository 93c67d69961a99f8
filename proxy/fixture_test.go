package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test binary is also the server, the server's children and the proxy process of these tests:
//
//	binary fixture OP ARG… ; OP ARG… ; …    a server scripted on its command line, see fixture
//	binary proxy COMMAND…                   Run as the whole process, at the quick pace if QUICK is set
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "fixture":
			os.Exit(fixture(os.Args[2:]))
		case "proxy":
			os.Exit(proxyProcess(os.Args[2:]))
		}
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else a fixture takes a second to exit
	os.Exit(m.Run())
}

// quickPace climbs the same ladder in less time.
var quickPace = pace{
	look:   5 * time.Millisecond,
	idle:   300 * time.Millisecond,
	orphan: 100 * time.Millisecond,
	term:   300 * time.Millisecond,
	signal: 400 * time.Millisecond,
	last:   100 * time.Millisecond,
	exit:   50 * time.Millisecond,
	parent: 20 * time.Millisecond,
	stall:  50 * time.Millisecond,
}

// calmPace is for servers that end by themselves: a slow machine must not make the ladder climb.
var calmPace = func() pace {
	p := quickPace
	p.idle, p.term, p.signal, p.orphan, p.stall = time.Minute, time.Minute, time.Minute, time.Minute, time.Minute
	return p
}()

// proxyProcess is what internal/cli does, without a recording. EVENTS names a file for the events.
func proxyProcess(command []string) int {
	c := Config{Command: command, WholeProcess: true, pace: &calmPace}
	if os.Getenv("QUICK") != "" {
		c.pace = &quickPace
	}
	if path := os.Getenv("EVENTS"); path != "" {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			panic(err)
		}
		c.Tap = eventFile{f}
	}
	if os.Getenv("OPEN") != "" {
		c.Open = func() int { return 1 }
	}
	r, err := Run(context.Background(), c)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return r.Code
}

type eventFile struct{ f *os.File }

func (eventFile) Chunk(Stream, []byte) {}
func (e eventFile) Event(v Event)      { fmt.Fprintln(e.f, v.Name, v.Signal, v.Reason) }

// fixture does what the words say, one step after the other.
func fixture(words []string) int {
	for len(words) > 0 {
		step := words
		if i := indexOf(words, ";"); i >= 0 {
			step, words = words[:i], words[i+1:]
		} else {
			words = nil
		}
		arg := func(i int) string { return step[i] }
		number := func(i int) int {
			n, err := strconv.Atoi(step[i])
			must(err)
			return n
		}
		if len(step) == 0 {
			continue
		}
		switch arg(0) {
		case "out":
			os.Stdout.WriteString(arg(1))
		case "outln":
			os.Stdout.WriteString(arg(1) + "\n")
		case "err":
			os.Stderr.WriteString(arg(1))
		case "send": // FILE FILE: to standard output and standard error, both at once
			done := make(chan bool)
			for i, to := range []*os.File{os.Stdout, os.Stderr} {
				go func() {
					b, err := os.ReadFile(arg(i + 1))
					must(err)
					to.Write(b)
					done <- true
				}()
			}
			defer func() { <-done; <-done }()
		case "dump": // FILE: standard input to its end
			f, err := os.Create(arg(1))
			must(err)
			io.Copy(f, os.Stdin)
			f.Close()
		case "echo":
			io.Copy(os.Stdout, os.Stdin)
		case "line":
			oneByteLine()
		case "flood": // N BYTES to standard output, "errflood" to standard error
			pour(os.Stdout, number(1))
		case "errflood":
			pour(os.Stderr, number(1))
		case "swallow": // N bytes of standard input
			io.CopyN(io.Discard, os.Stdin, int64(number(1)))
		case "all": // "flood" and "errflood" at once, while standard input is swallowed
			go io.Copy(io.Discard, os.Stdin)
			go pour(os.Stderr, number(1))
			pour(os.Stdout, number(1))
		case "pid": // FILE
			must(os.WriteFile(arg(1)+".new", []byte(strconv.Itoa(os.Getpid())), 0o600))
			must(os.Rename(arg(1)+".new", arg(1)))
		case "mark": // FILE
			must(os.WriteFile(arg(1), []byte("x"), 0o600))
		case "sleep": // MS
			time.Sleep(time.Duration(number(1)) * time.Millisecond)
		case "forever":
			for {
				time.Sleep(time.Hour)
			}
		case "args":
			fmt.Printf("%q", step[1:])
		case "env":
			fmt.Print(os.Getenv(arg(1)))
		case "cwd":
			d, _ := os.Getwd()
			fmt.Print(d)
		case "closein":
			os.Stdin.Close()
		case "closeout":
			os.Stdout.Close()
		case "closeerr":
			os.Stderr.Close()
		case "exit":
			return number(1)
		case "await": // FILE: until it is there
			for {
				if _, err := os.Stat(arg(1)); err == nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
		// The rest of the words, up to the last word "parent", is done by a child; what follows by us.
		case "child": // shares the streams
			spawn(step, words, true, false)
		case "daemon": // the same, in a session of its own
			spawn(step, words, true, true)
		case "background": // in a session of its own, holding none of the streams
			spawn(step, words, false, true)
		default:
			if !platformStep(step) {
				fmt.Fprintln(os.Stderr, "fixture: no step", step)
				return 99
			}
		}
	}
	return 0
}

// spawn starts the child and does what is left to its parent.
func spawn(step, words []string, share, session bool) {
	words = append(append(step[1:len(step):len(step)], ";"), words...)
	mine := []string(nil)
	for i := len(words) - 1; i >= 0; i-- {
		if words[i] == "parent" {
			words, mine = words[:i], words[i+1:]
			break
		}
	}
	exe, err := os.Executable()
	must(err)
	c := exec.Command(exe, append([]string{"fixture"}, words...)...)
	if share {
		c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	}
	if session {
		ownSession(c)
	}
	must(c.Start())
	os.Exit(fixture(mine))
}

func pour(w io.Writer, n int) {
	b := bytes.Repeat([]byte("0123456789abcdef"), 4<<10)
	for n > 0 {
		k, err := w.Write(b[:min(n, len(b))])
		if err != nil {
			os.Exit(77)
		}
		n -= k
	}
}

func oneByteLine() {
	var b [1]byte
	for {
		if n, err := os.Stdin.Read(b[:]); err != nil || n == 1 && b[0] == '\n' {
			return
		}
	}
}

func indexOf(words []string, w string) int {
	for i, x := range words {
		if x == w {
			return i
		}
	}
	return -1
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fixture:", err)
		os.Exit(98)
	}
}

// script turns "out a; exit 3" into the command of a fixture. Words are split at spaces.
func script(t testing.TB, format string, args ...any) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{exe, "fixture"}, strings.Fields(fmt.Sprintf(format, args...))...)
}

// lineOf reads one line.
func lineOf(t testing.TB, r io.Reader) string {
	t.Helper()
	s, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("reading a line: %v (got %q)", err, s)
	}
	return s
}
