package demo

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/shakescope/shakescope/jsonrpc"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	// The two ends of TestProcesses are this test program itself.
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case ClientVerb:
			exit(Visit(context.Background(), os.Args[5:], os.Stdin, os.Stderr, Options{}))
		case "wrap": // in the place of shakescope
			cmd := exec.Command(os.Args[3], os.Args[4:]...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
			exit(cmd.Run())
		case "fail":
			exit(errors.New("failed as asked"))
		case ServerVerb:
			exit(Server(context.Background(), os.Stdin, os.Stdout, os.Stderr, Options{}))
		}
	}
	goleak.VerifyTestMain(m)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// log writes down what both sides write, in the order of writing.
type log struct {
	mu    sync.Mutex
	lines []string
}

type logged struct {
	io.WriteCloser
	log  *log
	side string
}

func (w logged) Write(b []byte) (int, error) {
	w.log.mu.Lock()
	w.log.lines = append(w.log.lines, w.side+" "+strings.TrimSuffix(string(b), "\n"))
	w.log.mu.Unlock()
	return w.WriteCloser.Write(b)
}

// play has the two peers meet without processes and returns what they wrote.
func play(t *testing.T, o Options) (lines []string, stderr string) {
	t.Helper()
	var l log
	var errs bytes.Buffer
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := Server(context.Background(), toServer, logged{fromServer, &l, "server"}, &errs, o)
		fromServer.Close()
		served <- err
	}()
	if err := Client(context.Background(), toClient, logged{fromClient, &l, "client"}, o); err != nil {
		t.Errorf("client: %v", err)
	}
	if err := <-served; err != nil {
		t.Errorf("server: %v", err)
	}
	return l.lines, errs.String()
}

func TestVisitIsTheSameEachTime(t *testing.T) {
	const golden = "testdata/visit.txt"
	lines, stderr := play(t, Options{})
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the visit has changed (-want +got):\n%s", diff)
	}
	for _, part := range []string{"is open on stdio", "no longer wants request", "harbour closes"} {
		if !strings.Contains(stderr, part) {
			t.Errorf("stderr does not say %q:\n%s", part, stderr)
		}
	}
	for i := range 20 {
		again, _ := play(t, Options{Pace: time.Duration(i%3) * 50 * time.Microsecond})
		if diff := cmp.Diff(lines, again); diff != "" {
			t.Fatalf("run %d differs:\n%s", i, diff)
		}
	}
}

// TestShowsEverything holds the list of what a viewer is promised, against the messages.
func TestShowsEverything(t *testing.T) {
	lines, _ := play(t, Options{})
	methods := map[string]bool{}
	var requests, answers, invalid, toolErrors int
	codes := map[int64]bool{}
	for _, line := range lines {
		side, data, _ := strings.Cut(line, " ")
		m := jsonrpc.Decode([]byte(data))
		switch m.Kind {
		case jsonrpc.Request:
			requests++
			methods[side+" "+m.Method] = true
		case jsonrpc.Notification:
			methods[side+" "+m.Method] = true
		case jsonrpc.Response:
			answers++
			if v, _ := jsonrpc.Lookup(m.Result, "isError"); string(v) == "true" {
				toolErrors++
			}
		case jsonrpc.Error:
			answers++
			codes[m.Err.Code] = true
		default:
			invalid++
			if side != "server" {
				t.Errorf("the client wrote %q", data)
			}
		}
		if len(m.Defects) > 0 && m.Kind != jsonrpc.Invalid {
			t.Errorf("%s: defects %v", line, m.Defects)
		}
	}
	for _, want := range []string{
		"client server/discover", "client initialize", "client notifications/initialized", "client ping", "client logging/setLevel",
		"client tools/list", "client tools/call", "server notifications/tools/list_changed",
		"client resources/list", "client resources/templates/list", "client resources/read", "client resources/subscribe",
		"client resources/unsubscribe", "server notifications/resources/updated",
		"client prompts/list", "client prompts/get", "client completion/complete", "server notifications/prompts/list_changed",
		"server notifications/progress", "client notifications/cancelled", "server notifications/message",
		"server sampling/createMessage", "server elicitation/create", "server roots/list", "client notifications/roots/list_changed",
	} {
		if !methods[want] {
			t.Errorf("the visit does not show %s", want)
		}
	}
	if requests-answers != 1 {
		t.Errorf("%d requests, %d answers: all but the cancelled one are to be answered", requests, answers)
	}
	if invalid != 1 || toolErrors != 1 {
		t.Errorf("%d lines that are no message, %d tool errors, want one of each", invalid, toolErrors)
	}
	for _, code := range []int64{methodNotFound, invalidParams, -32002} {
		if !codes[code] {
			t.Errorf("no error %d", code)
		}
	}
}

func TestFlagIsAPicture(t *testing.T) {
	flag, err := base64.StdEncoding.DecodeString(bluePeter)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(flag)); err != nil {
		t.Error(err)
	}
	if size := fmt.Sprintf(`"size":%d`, len(flag)); !strings.Contains(resourcePages[1], size) {
		t.Errorf("the list does not say %s", size)
	}
}

// TestServer asks what the visit does not.
func TestServer(t *testing.T) {
	const open = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}`
	tests := []struct {
		name, send, want string
	}{
		{"before the handshake", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Not initialized"}}`},
		{"unknown method", `{"jsonrpc":"2.0","id":"a","method":"tasks/list"}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found"}}`},
		{"version of its own", open, `"protocolVersion":"2025-11-25"`},
		{"second handshake", open + "\n" + open, `"Already initialized"`},
		{"bad level", open + "\n" + `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`, `"Unknown level"`},
		{"bad cursor", open + "\n" + `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"page-9"}}`, `"Unknown cursor"`},
		{"no argument", open + "\n" + `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"log_entry"}}`, `"Argument ship is missing"`},
		{"nothing to complete", open + "\n" + `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"log_entry"},"argument":{"name":"ship","value":"z"}}}`, `{"values":[],"total":0,"hasMore":false}`},
		{"input ends during a call", open + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"await_tide"}}`, `"id":1,"error":`},
		{"input ends during a question", open + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast"}}`, `"isError":true`},
		{"odd lines are survived", "nonsense\n\n[]\n" + open, `"serverInfo"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if err := Server(context.Background(), strings.NewReader(test.send+"\n"), &out, &errs, Options{}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), test.want) {
				t.Errorf("no %s in:\n%s", test.want, &out)
			}
		})
	}
}

// TestClientComplains puts a server before the client that is not the one of the story.
func TestClientComplains(t *testing.T) {
	tests := []struct {
		name, says, want string
	}{
		{"gone at once", "", errClosed.Error()},
		{"modern", `{"jsonrpc":"2.0","id":"probe-1","result":{}}` + "\n", "not refused"},
		{"refuses", `{"jsonrpc":"2.0","id":"probe-1","error":{"code":-32601,"message":"no"}}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"not you"}}` + "\n", "handshake: initialize: error -32602: not you"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, w := io.Pipe()
			lines := strings.SplitAfter(test.says, "\n")
			var c closer
			c.wrote = func() { // one line for each that the client writes
				if len(lines) > 0 && lines[0] != "" {
					line := lines[0]
					lines = lines[1:]
					go io.WriteString(w, line)
					return
				}
				go w.Close()
			}
			c.closed = func() { w.Close() }
			err := Client(context.Background(), r, &c, Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

type closer struct{ wrote, closed func() }

func (c *closer) Write(b []byte) (int, error) { c.wrote(); return len(b), nil }
func (c *closer) Close() error                { c.closed(); return nil }

func TestProcesses(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	if err := Run(t.Context(), self, []string{"wrap"}, &errs, Options{}); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	if !strings.Contains(errs.String(), "harbour closes") {
		t.Errorf("the server's stderr is not passed on:\n%s", &errs)
	}

	t.Run("a server that fails", func(t *testing.T) {
		err := Run(t.Context(), self, []string{"fail"}, io.Discard, Options{})
		if err == nil {
			t.Error("no error")
		}
	})
	t.Run("told to leave", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := Run(ctx, self, []string{"wrap"}, io.Discard, Options{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("not startable", func(t *testing.T) {
		if err := Run(t.Context(), self+"-gone", []string{"wrap"}, io.Discard, Options{}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
}
