package peer

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// FuzzPlay has any client talk to the server of any recording: it must end when the client does, and answer no
// request twice.
func FuzzPlay(f *testing.F) {
	seed, err := os.ReadFile("testdata/session.wire.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{}}}`+"\n"+`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"))
	f.Add(seed, []byte(`[{"jsonrpc":"2.0","id":null,"method":"ping"},{"jsonrpc":"2.0","id":1.0,"method":"initialize","params":[1]}]`+"\n{}\n\n\xff\n"))
	f.Add(seed, []byte(`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`))
	f.Fuzz(func(t *testing.T, recording, client []byte) {
		script, err := NewScript(func() (*recordings.Reader, error) { return recordings.NewReader(bytes.NewReader(recording), "fuzz") })
		if err != nil {
			return
		}
		asked := map[string]int{}
		for line := range bytes.Lines(client) {
			m := jsonrpc.Decode(bytes.TrimRight(line, "\r\n"))
			for _, m := range append(m.Members, m) {
				if m.Kind == jsonrpc.Request {
					asked[m.ID.Key()]++
				}
			}
		}
		var out bytes.Buffer
		if err := script.Play(bytes.NewReader(client), &out, Playing{}); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			if m := jsonrpc.Decode(bytes.TrimSuffix(line, []byte("\n"))); m.Kind == jsonrpc.Response || m.Kind == jsonrpc.Error {
				if asked[m.ID.Key()]--; asked[m.ID.Key()] < 0 {
					t.Errorf("an answer too much: %s", line)
				}
			}
		}
	})
}

func sessionScript(t *testing.T) *Script {
	t.Helper()
	s, err := NewScript(func() (*recordings.Reader, error) { return recordings.Open("testdata/session.wire.jsonl") })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A request that is cancelled while its answer is delayed gets none, and the end of the input does not wait for it
// for ever.
func TestPlayCancelledWhileDelayed(t *testing.T) {
	flaw, err := ParseFlaw("delay@tools/call#1=20ms")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = sessionScript(t).Play(strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"word":"a"}}}`+"\n"+
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"word":"b"}}}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n"), &out, Playing{Flaws: []*Flaw{flaw}})
	if err != nil || strings.Contains(out.String(), `"id":1`) || !strings.Contains(out.String(), `"id":2`) {
		t.Errorf("%v\n%s", err, &out)
	}
}

// At the recorded pace answers come in the order of the recording, whatever the order of the questions.
func TestPlayPace(t *testing.T) {
	var out bytes.Buffer
	began := time.Now()
	err := sessionScript(t).Play(strings.NewReader(
		`{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"slow","arguments":{}}}`+"\n"+
			`{"jsonrpc":"2.0","id":"fast","method":"tools/call","params":{"name":"echo","arguments":{"word":"b"}}}`+"\n"), &out, Playing{Pace: true})
	if err != nil || strings.Index(out.String(), "fast") > strings.Index(out.String(), `"id":"slow"`) {
		t.Errorf("%v\n%s", err, &out)
	}
	if d := time.Since(began); d < 300*time.Millisecond {
		t.Errorf("over after %v, the recorded answer took 301 ms", d)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, io.ErrUnexpectedEOF }
func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestPlayBrokenStreams(t *testing.T) {
	if err := sessionScript(t).Play(broken{}, io.Discard, Playing{}); err == nil || !strings.Contains(err.Error(), "reading the client") {
		t.Errorf("reading: %v", err)
	}
	if err := sessionScript(t).Play(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), broken{}, Playing{}); err == nil || !strings.Contains(err.Error(), "writing to the client") {
		t.Errorf("writing: %v", err)
	}
}

func TestFind(t *testing.T) {
	open := func() (*recordings.Reader, error) { return recordings.Open("testdata/session.wire.jsonl") }
	r, err := Find(open, annotate.Ref{Seq: 11, Sub: annotate.NoSub}) // the answer to #10
	if err != nil {
		t.Fatal(err)
	}
	if r.Ref.Seq != 10 || r.Method != "tools/call" || r.Target != "echo" || len(r.Handshake) != 2 || r.Latency != time.Millisecond || !strings.Contains(string(r.Answer), "first a") {
		t.Errorf("%+v", r)
	}
	// What the recorded client answered, it answers again.
	m := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":"x","method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}}`))
	if got := string(r.Replies.Reply(&m)); !strings.Contains(got, `"id":"x"`) || !strings.Contains(got, `"text":"yes"`) {
		t.Errorf("reply %s", got)
	}
	m = jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":"x","method":"roots/list"}`))
	if got := r.Replies.Reply(&m); got != nil {
		t.Errorf("reply %s to what was never recorded", got)
	}
	if first, err := Find(open, annotate.Ref{Seq: 2, Sub: annotate.NoSub}); err != nil || len(first.Handshake) != 0 {
		t.Errorf("initialize needs no handshake before it: %+v (%v)", first, err)
	}
}
