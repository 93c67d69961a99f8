package recordings

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The forms in which logs write a time; one without a zone is this machine's.
func TestStamp(t *testing.T) {
	utc := func(h, m, s, n int) time.Time { return time.Date(2026, 11, 1, h, m, s, n, time.UTC) }
	for in, want := range map[string]time.Time{
		"2026-11-01T10:00:00Z rest":        utc(10, 0, 0, 0),
		"2026-11-01 10:00:00.5Z":           utc(10, 0, 0, 500_000_000),
		"2026/11/01 10:00:00,000001Z":      utc(10, 0, 0, 1000),
		"[2026-11-01T10:00:00.123Z] words": utc(10, 0, 0, 123_000_000),
		"2026-11-01T10:00:00+02:00":        utc(8, 0, 0, 0),
		"2026-11-01T10:00:00-0530":         utc(15, 30, 0, 0),
		"2026-11-01T10:00:00+02":           utc(8, 0, 0, 0),
		"2026-11-01T10:00:00":              time.Date(2026, 11, 1, 10, 0, 0, 0, time.Local),
		"2026-13-01T10:00:00Z":             {},
		"2026-11-01T10:00:00.Z":            {},
		"2026-11-01T10:00:00.1234567890Z":  {},
		"2026-11-01T10:00:00+2":            {},
		"[2026-11-01T10:00:00Z words":      {},
		"2026-11-01":                       {},
		"":                                 {},
	} {
		got, n := stamp([]byte(in))
		if !got.Equal(want) || (n == 0) != want.IsZero() {
			t.Errorf("%q: %v, %d bytes, want %v", in, got, n, want)
		}
	}
	if _, n := stamp([]byte("[2026-11-01T10:00:00.123Z] words")); n != len("[2026-11-01T10:00:00.123Z]") {
		t.Errorf("the brackets: %d", n)
	}
}

// A number says by its size which unit it counts.
func TestMoment(t *testing.T) {
	at := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Time{
		`"2026-11-01T10:00:00Z"`: at,
		`1793527200`:             at,
		`"1793527200"`:           at,
		`1793527200.25`:          at.Add(250 * time.Millisecond),
		`1793527200001`:          at.Add(time.Millisecond),
		`1793527200000001`:       at.Add(time.Microsecond),
		`1793527200000000001`:    at.Add(1),
		`1793527200000.5`:        at.Add(500 * time.Microsecond),
		`17`:                     {},
		`5e18`:                   {},
		`"yesterday"`:            {},
		`null`:                   {},
	} {
		if got := moment([]byte(in)); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}

// Who sent what, in a log that does not say: by the method, the question, the content, the ids.
func TestSenders(t *testing.T) {
	for name, lines := range map[string][]string{
		"a question inside another, under its id": {
			`c {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`,
			`s {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`,
			`c {"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{},"model":"m"}}`,
			`s {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`,
		},
		"an error goes to who asked last": {
			`c {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`,
			`s {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`,
			`c {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`,
			`s {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`,
		},
		"cancelling, by who asked": {
			`c {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}`,
			`s {"jsonrpc":"2.0","id":"s1","method":"roots/list"}`,
			`s {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s1"}}`,
			`c {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
			`c {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
		},
		"progress, by who was asked": {
			`s {"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"_meta":{"progressToken":"t"}}}`,
			`c {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`,
			`s {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"u","progress":1}}`,
		},
		"methods that nobody knows": {
			`c {"jsonrpc":"2.0","id":4,"method":"x/own"}`,
			`s {"jsonrpc":"2.0","id":2,"method":"x/back"}`,
			`c {"jsonrpc":"2.0","id":5,"method":"x/own"}`,
			`c {"jsonrpc":"2.0","id":"a","method":"x/own"}`,
			`s {"jsonrpc":"2.0","id":"a","method":"x/back"}`,
			`s {"jsonrpc":"2.0","method":"notifications/x"}`,
			`c {"jsonrpc":"2.0","method":"x/told"}`,
		},
		"a batch is of one sender": {
			`c {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
			`s [{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{}}},{"jsonrpc":"2.0","id":9,"method":"x/back"}]`,
			`c {"jsonrpc":"2.0","id":9,"result":{}}`,
		},
		"what is no message comes from who spoke last": {
			`s ready!`,
			`c {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
			`c oops`,
		},
	} {
		var s senders
		for _, line := range lines {
			want := map[string]sender{"c": fromClient, "s": fromServer}[line[:1]]
			if got := s.of([]byte(line[2:]), unsaid); got != want {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

// Other recorders' objects: notes and payloads that are no messages, descriptions, and what is told of them.
func TestImportRecordsOfAllKinds(t *testing.T) {
	const log = `{"dir":"meta","data":{"command":"node","args":["a"]}}

{"dir":"c2s","message":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"}
{"dir":"s2c","text":"ready, says the server"}
{"text":"the host waits"}
{"text":"-> sending {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"} now"}
{"message":"no message at all"}
{"dir":"stderr","text":"a warning\n"}
{"dir":"c2s","message":""}
{"dir":"s2c","message":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}","truncated":true}
{"jsonrpc":"2.0","id":2,"result":{}}
{"a":1}
7
`
	r := foreignReader(t, []byte(log))
	if r.Format() != Records {
		t.Fatalf("format %q", r.Format())
	}
	var got strings.Builder
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == EventRecord {
			got.WriteString(rec.Event.Name + " " + rec.Event.Reason + "\n")
			continue
		}
		got.WriteString(streamNames[rec.Stream] + " " + string(rec.Data))
		if rec.Truncated {
			got.WriteString(" …")
		}
		got.WriteString("\n")
	}
	const want = `in {"jsonrpc":"2.0","id":1,"method":"ping"}
out ready, says the server
host_log the host waits
in {"jsonrpc":"2.0","id":2,"method":"ping"}
host_log no message at all
err a warning
out {"jsonrpc":"2.0","id":1,"result":{}} …
out {"jsonrpc":"2.0","id":2,"result":{}}
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
	if d := r.Damage(); len(d) != 2 || d[0].Line != 12 || d[1].Line != 13 {
		t.Errorf("%+v", d)
	}
	if c := r.Header().Command; len(c) != 2 || c[1] != "a" {
		t.Errorf("command %q", c)
	}
}

// Import makes a file that only its owner reads, never over another, and leaves none that is half.
func TestImportFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "run.jsonl")
	long := `{"jsonrpc":"2.0","id":2,"result":{"text":"` + strings.Repeat("é", maxVerbatim) + `"}}`
	log := `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n" + long + "\n"
	if err := Import(path, foreignReader(t, []byte(log))); err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(path); err != nil || !slices.Equal(v.Problems, []string{"imported"}) || len(v.Damaged) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if messages, _, _ := said(t, r); messages != "c "+strings.Replace(log, "\n", "\ns ", 1) {
		t.Errorf("%d bytes, had %d", len(messages), len(log))
	}
	before, _ := os.ReadFile(path)
	if err := Import(path, foreignReader(t, []byte(log))); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("written over")
	}

	// What can be read of a source that breaks off is kept, and the source says why there is no more.
	broken := errors.New("the disk is gone")
	src, err := NewReader(io.MultiReader(bytes.NewReader(before[:len(before)/2]), iotest.ErrReader(broken)), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := Import(filepath.Join(t.TempDir(), "half.jsonl"), src); err != nil {
		t.Error(err)
	}
	if d := src.Damage(); len(d) == 0 || d[0].Reason != broken.Error() {
		t.Errorf("%+v", d)
	}
}

// A gap is carried over with what it counts.
func TestImportGap(t *testing.T) {
	const log = `{"shakescope":1,"start":"2026-11-01T10:00:00Z"}
{"seq":1,"t":5,"s":"in","id":1,"method":"ping","msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"seq":2,"t":9,"gap":{"reason":"the file took nothing","from":6,"to":8,"bytes":{"out":120},"frames":{"out":3}}}
`
	r := foreignReader(t, []byte(log))
	if r.Format() != Native {
		t.Fatalf("format %q", r.Format())
	}
	var native bytes.Buffer
	if err := WriteNative(&native, r); err != nil {
		t.Fatal(err)
	}
	again := foreignReader(t, native.Bytes())
	for {
		rec, err := again.Next()
		if err != nil {
			t.Fatal("no gap: ", err)
		}
		if rec.Kind == GapRecord {
			if rec.Gap.Bytes["out"] != 120 || rec.Gap.Frames["out"] != 3 || rec.Gap.Reason != "the file took nothing" {
				t.Errorf("%+v", rec.Gap)
			}
			break
		}
	}
	if !strings.Contains(native.String(), `"gaps":1`) {
		t.Errorf("the end record counts no gap:\n%s", native.String())
	}
}
