package recordings

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const foreignDir = "testdata/foreign"

// said returns what travelled, a line a message with who sent it, and what else there is.
func said(t *testing.T, r *Reader) (messages, stderr string, events int) {
	t.Helper()
	var all, errs strings.Builder
	last := int64(0)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind != EndRecord && rec.Seq <= last {
			t.Errorf("number %d after %d", rec.Seq, last)
		}
		last = rec.Seq
		switch {
		case rec.Kind == EventRecord:
			events++
		case rec.Kind != FrameRecord:
		case rec.Stream == Stderr:
			errs.Write(append(rec.Data, '\n'))
		default:
			who := "c "
			if rec.Stream == Stdout {
				who = "s "
			}
			all.WriteString(who)
			all.Write(append(rec.Data, '\n'))
		}
	}
	return all.String(), errs.String(), events
}

func foreignReader(t *testing.T, file []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), "foreign")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(foreignDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Every log of the same session gives the same session, as a recording and as a wire log too.
func TestImportForeign(t *testing.T) {
	want := string(fixture(t, "session.txt"))
	for _, test := range []struct {
		file   string
		format Format
		about  Imported // what is not certain
		stderr string
		events int
	}{
		{"lines.jsonl", Lines, Imported{NoTime: true}, "", 0},
		{"arrows.txt", Arrows, Imported{NoTime: true}, "", 0},
		{"arrows-unicode.txt", Arrows, Imported{NoTime: true}, "", 0},
		{"arrows-timed.txt", Arrows, Imported{}, "", 0},
		{"arrows-server.txt", Arrows, Imported{NoTime: true}, "", 0},
		{"transcript.md", Transcript, Imported{NoTime: true, Reencoded: true}, "", 0},
		{"transcript-labels.txt", Transcript, Imported{NoTime: true, Reencoded: true}, "", 0},
		{"transcript-bare.txt", Transcript, Imported{NoTime: true, Reencoded: true}, "", 0},
		{"records-mcpsnoop.jsonl", Records, Imported{Reencoded: true}, "lamp is warm\n", 0},
		{"records-strings.jsonl", Records, Imported{}, "", 0},
		{"mcpspy.jsonl", MCPSpy, Imported{}, "", 0},
		{"inspector.json", Inspector, Imported{Reencoded: true}, "", 0},
		{"array.json", Array, Imported{NoTime: true, Reencoded: true}, "", 0},
		{"claude-desktop.log", ClaudeDesktop, Imported{Reencoded: true}, "lamp is warm\n", 3},
		{"vscode.log", VSCode, Imported{Reencoded: true}, "lamp is warm\n", 1},
		{"vscode-says.log", VSCode, Imported{Reencoded: true}, "", 0},
		{"go-sdk-server.log", GoSDK, Imported{NoTime: true, Reencoded: true}, "lamp is warm\nread error: EOF\n", 0},
		{"go-sdk-client.log", GoSDK, Imported{NoTime: true, Reencoded: true}, "", 0},
	} {
		t.Run(test.file, func(t *testing.T) {
			file := fixture(t, test.file)
			r := foreignReader(t, file)
			if r.Format() != test.format {
				t.Fatalf("format %q", r.Format())
			}
			test.about.Format, test.about.Source = string(test.format), "foreign"
			if diff := cmp.Diff(&test.about, r.Header().Imported); diff != "" {
				t.Error(diff)
			}
			if r.Header().Start.IsZero() != test.about.NoTime {
				t.Errorf("start %v", r.Header().Start)
			}
			var native, wire, again bytes.Buffer
			if err := WriteNative(&native, r); err != nil {
				t.Fatal(err)
			}
			if d := r.Damage(); len(d) > 0 {
				t.Errorf("damage %v", d)
			}
			if err := WriteWire(&wire, foreignReader(t, native.Bytes())); err != nil {
				t.Fatal(err)
			}
			if err := WriteNative(&again, foreignReader(t, wire.Bytes())); err != nil {
				t.Fatal(err)
			}
			for form, file := range map[string][]byte{"log": file, "native": native.Bytes(), "wire": wire.Bytes(), "again": again.Bytes(), "gz": packedGzip(file), "zst": packedZstd(file)} {
				messages, stderr, events := said(t, foreignReader(t, file))
				if diff := cmp.Diff(want, messages); diff != "" {
					t.Errorf("%s: %s", form, diff)
				}
				if stderr != test.stderr || events != test.events {
					t.Errorf("%s: stderr %q, %d events", form, stderr, events)
				}
			}
		})
	}
}

func packedGzip(file []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(file)
	z.Close()
	return b.Bytes()
}

func packedZstd(file []byte) []byte {
	z, _ := zstd.NewWriter(nil)
	return z.EncodeAll(file, nil)
}

func TestImportStreams(t *testing.T) {
	r, err := OpenStreams(filepath.Join(foreignDir, "c2s.jsonl"), filepath.Join(foreignDir, "s2c.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	messages, _, _ := said(t, r)
	if diff := cmp.Diff(string(fixture(t, "session.txt")), messages); diff != "" {
		t.Error(diff)
	}
	if i := r.Header().Imported; !i.NoTime || i.Reencoded {
		t.Errorf("%+v", i)
	}
}

// What one side wrote is told apart without the other.
func TestImportOneSide(t *testing.T) {
	for name, who := range map[string]string{"c2s.jsonl": "c ", "s2c.jsonl": "s "} {
		r, err := OpenStreams("", filepath.Join(foreignDir, name))
		if err != nil {
			t.Fatal(err)
		}
		messages, _, _ := said(t, r)
		if n := strings.Count(messages, "s "); n == 0 {
			t.Errorf("%s as the server's: %s", name, messages)
		}
		r.Close()
		messages, _, _ = said(t, foreignReader(t, fixture(t, name)))
		for line := range strings.Lines(messages) {
			if !strings.HasPrefix(line, who) {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

func TestForeignFrom(t *testing.T) {
	log := []byte("read: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nwrite: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")
	for side, want := range map[string]string{"client": "s c ", "server": "c s "} {
		r := foreignReader(t, log)
		if err := r.From(side); err != nil {
			t.Fatal(err)
		}
		messages, _, _ := said(t, r)
		got := ""
		for line := range strings.Lines(messages) {
			got += line[:2]
		}
		if got != want {
			t.Errorf("kept by the %s: %q", side, got)
		}
	}
	if err := foreignReader(t, log).From("middle"); err == nil {
		t.Error("an end called middle")
	}
	if err := foreignReader(t, fixture(t, "lines.jsonl")).From("client"); err == nil {
		t.Error("a log that does not depend on it")
	}
}

func TestForeignDamage(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pong := `{"jsonrpc":"2.0","id":1,"result":{}}`
	for name, test := range map[string]struct {
		log, want string
		damage    int64 // line, 0 for none
	}{
		"what was printed between":     {ping + "\nready!\n" + pong + "\n", "c " + ping + "\nc ready!\ns " + pong + "\n", 0},
		"a message cut in its line":    {ping + "\n{\"jsonrpc\":\"2.0\",\"id\n" + pong + "\n", "c " + ping + "\nc {\"jsonrpc\":\"2.0\",\"id\ns " + pong + "\n", 0},
		"a message without an end":     {"// client → server\n{\n  \"jsonrpc\": \"2.0\",\n\n// client → server\n" + ping + "\n// server → client\n" + pong + "\n", "c " + ping + "\ns " + pong + "\n", 2},
		"an end that never comes":      {"--> " + ping + "\n<-- " + pong + "\n--> {\n \"a\": [\n", "c " + ping + "\ns " + pong + "\n", 3},
		"an entry that is none":        {`{"dir":"c2s","message":` + ping + "}\n{\"dir\":\n" + `{"dir":"s2c","message":` + pong + "}\n", "c " + ping + "\ns " + pong + "\n", 2},
		"left out in print":            {"--> {\"method\": ... }\n--> " + ping + "\n<-- " + pong + "\n", "c {\"method\": ... }\nc " + ping + "\ns " + pong + "\n", 0},
		"an array that is cut":         {"[\n" + ping + ",\n" + pong + "\n", "c " + ping + "\ns " + pong + "\n", 4},
		"another host's configuration": {"// client → server\n" + ping + "\n{\"mcpServers\":{}}\n// server → client\n" + pong + "\n", "c " + ping + "\ns " + pong + "\n", 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := foreignReader(t, []byte(test.log))
			messages, _, _ := said(t, r)
			if diff := cmp.Diff(test.want, messages); diff != "" {
				t.Errorf("%s: %s", r.Format(), diff)
			}
			line := int64(0)
			if d := r.Damage(); len(d) > 0 {
				line = d[0].Line
			}
			if line != test.damage {
				t.Errorf("%s: damage %+v", r.Format(), r.Damage())
			}
		})
	}
}

func TestForeignTruncated(t *testing.T) {
	r := foreignReader(t, []byte(`2026-11-01T10:00:00.123Z [demo] [info] Message from client: {"method":"tools/call","params":{"a":"bcd...[4 more]`+"\n"))
	if !r.Header().Imported.Truncated {
		t.Error("not marked")
	}
	if rec, err := r.Next(); err != nil || !rec.Truncated || rec.Stream != Stdin {
		t.Errorf("%+v, %v", rec, err)
	}
}

// What is no log says what it is.
func TestSniffOthers(t *testing.T) {
	for file, words := range map[string]string{
		"Content-Length: 40\r\n\r\n{}":                        "Language Server Protocol",
		`{"log":{"version":"1.2","creator":{},"entries":[]}}`: "HTTP archive",
		`{"resourceSpans":[]}` + "\n":                         "OpenTelemetry",
		"\xff\xfe{\x00":                                       "UTF-16",
		"SQLite format 3\x00":                                 "SQLite",
		"\n\nDear diary\n":                                    "line 3 is text",
		"{\"a\":1}\n":                                         "line 1 is a JSON object",
	} {
		_, err := NewReader(strings.NewReader(file), "x")
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestForeignBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks much")
	}
	zeros := bytes.Repeat([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n"), 1000)
	r := &bounded{src: &endless{zeros}, packed: &counter{}}
	r.n = freely
	if _, err := io.Copy(io.Discard, r); err == nil {
		t.Error("no bound")
	}
}

type endless struct{ of []byte }

func (e *endless) Read(p []byte) (int, error) { return copy(p, e.of), nil }

// FuzzSniff gives any bytes to the readers of foreign logs: nothing breaks, and what is read is the same when
// it has become a recording.
func FuzzSniff(f *testing.F) {
	names, err := filepath.Glob(filepath.Join(foreignDir, "*"))
	if err != nil || len(names) == 0 {
		f.Fatal(err)
	}
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file[:min(len(file), 1500)])
	}
	f.Add([]byte("[\n{}\n{\n"))
	f.Add([]byte("--> {/*\n<!-- -->\n<-- {}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file), "fuzz")
		if err != nil || r.Format() == Native || r.Format() == Wire {
			return
		}
		defer r.Close()
		var native bytes.Buffer
		if err := WriteNative(&native, r); err != nil {
			t.Fatal(err)
		}
		messages, stderr, events := said(t, foreignReader(t, file))
		m, s, e := said(t, foreignReader(t, native.Bytes()))
		if m != messages || s != stderr || e != events {
			t.Fatalf("%q\nbecomes\n%q", messages, m)
		}
	})
}
