package recordings

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// brief writes a record in a few words.
func brief(r *Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d @%v", r.Seq, r.T)
	if r.T0 != r.T {
		fmt.Fprintf(&b, "-%v", r.T0)
	}
	switch r.Kind {
	case FrameRecord:
		fmt.Fprintf(&b, " %s %q", streamNames[r.Stream], r.Data)
		if r.EOL != "\n" {
			fmt.Fprintf(&b, " eol=%q", string(r.EOL))
		}
		if r.Partial {
			b.WriteString(" partial")
		}
		if r.Truncated {
			fmt.Fprintf(&b, " truncated(%d)", r.Size)
		}
	case EventRecord:
		fmt.Fprintf(&b, " %s %s%s", r.Event.Name, r.Event.Signal, r.Event.Reason)
		if r.Event.Code != nil {
			fmt.Fprintf(&b, " code=%d", *r.Event.Code)
		}
	case GapRecord:
		fmt.Fprintf(&b, " gap %v %v", r.Gap.Bytes, r.Gap.Frames)
	case EndRecord:
		b.WriteString(" end")
	}
	return b.String()
}

func TestWire(t *testing.T) {
	tests := []struct{ name, log, want string }{
		{"usual", `{"meta":{"started":"2026-11-29T20:39:19Z","command":["node","x"]}}
{"t_ms":12.5,"dir":"c2s","raw":"{\"id\":1}"}
{"t_ms":13.000001,"dir":"s2c","raw":"é\u00e9\ud83d\ude42\\u0041"}
{"t_ms":14,"dir":"stderr","raw":""}
{"t_ms":900,"event":"client_closed_stdin"}
{"t_ms":901,"event":"server_exit","code":1}
`, `2 @12.5ms in "{\"id\":1}"
3 @13.000001ms out "éé🙂\\u0041"
4 @14ms err ""
5 @900ms client_closed_stdin 
6 @901ms exit  code=1
`},
		{"other spellings", `{ "raw" : "a", "x": [1], "dir": "s2c", "t_ms": 1e1 }

{"dir":"s2c","t_ms":11,"raw_b64":"/w0="}
{"t_ms":12,"dir":"s2c","eol":"\r\n","raw":"b"}
{"t_ms":13,"dir":"c2s","raw":"\ud800\udc"}
{"t_ms":13,"dir":"c2s","raw":"\ud800x"}
{"t_ms":14,"event":"signal_to_server","signal":"SIGTERM"}
{"t_ms":15,"event":"c2s_write_failed","error":"broken pipe"}`,
			`1 @10ms out "a"
3 @11ms out "\xff" eol="\r\n"
4 @12ms out "b" eol="\r\n"
6 @13ms in "\xed\xa0\x80x"
7 @14ms signal_to_server SIGTERM
8 @15ms c2s_write_failed broken pipe
`},
		{"pieces", `{"t_ms":1,"dir":"s2c","raw":"one ","eol":""}
{"t_ms":2,"dir":"c2s","raw":"between"}
{"t_ms":3,"dir":"s2c","raw":"two ","eol":""}
{"t_ms":4,"dir":"stderr","raw":"also ","eol":""}
{"t_ms":5,"event":"note"}
{"t_ms":6,"dir":"s2c","raw":"three"}
{"t_ms":7,"dir":"c2s","raw":"waits for stderr"}
{"t_ms":8,"dir":"stderr","raw":"done"}
{"t_ms":9,"dir":"c2s","raw":"last"}
`, `1 @6ms-1ms out "one two three"
2 @2ms in "between"
4 @8ms-4ms err "also done"
5 @5ms note 
7 @7ms in "waits for stderr"
9 @9ms in "last"
`},
		{"partial", `{"t_ms":1,"dir":"c2s","raw":"half","eol":""}
{"t_ms":2,"dir":"s2c","raw":"x"}
{"t_ms":3,"event":"client_closed_stdin"}
{"t_ms":4,"dir":"s2c","raw":"end","partial":true}
{"t_ms":5,"event":"client_spawn"}
{"t_ms":6,"dir":"s2c","raw":"rest","eol":""}
`, `1 @1ms in "half" eol="" partial
2 @2ms out "x"
3 @3ms client_closed_stdin 
4 @4ms out "end" eol="" partial
5 @5ms client_spawn 
6 @6ms out "rest" eol="" partial
`},
		{"several lines in one", `{"t_ms":1,"dir":"c2s","raw":"a\nb\r\nc","eol":""}
{"t_ms":2,"dir":"s2c","raw":"x"}
{"t_ms":3,"dir":"c2s","raw":"d"}
`, `1 @1ms in "a"
2 @1ms in "b" eol="\r\n"
3 @3ms-1ms in "cd"
4 @2ms out "x"
`},
		{"without times", `{"dir":"c2s","raw":"a"}
{"dir":"s2c","raw":"b"}
`, "1 @0s in \"a\"\n2 @0s out \"b\"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			all, r := readAll(t, []byte(test.log))
			if r.Format() != Wire {
				t.Errorf("format %s", r.Format())
			}
			var got strings.Builder
			for i := range all {
				got.WriteString(brief(&all[i]) + "\n")
			}
			want := test.want
			if test.name == "other spellings" {
				if len(r.Damage()) != 1 || r.Damage()[0].Line != 5 {
					t.Errorf("damage %v", r.Damage())
				}
			} else if len(r.Damage()) > 0 {
				t.Errorf("damage %v", r.Damage())
			}
			if got.String() != want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}

func TestWireHeader(t *testing.T) {
	log := `{"meta":{"started":"2026-11-29T20:39:19.5Z","command":["node","x"],"sanitized":true}}
{"t_ms":1,"dir":"c2s","raw":"x"}
`
	r, err := NewReader(strings.NewReader(log), "some.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	h := r.Header()
	if !h.Start.Equal(time.Date(2026, 11, 29, 20, 39, 19, 5e8, time.UTC)) || len(h.Command) != 2 || h.Imported == nil ||
		h.Imported.Format != "wire" || h.Imported.Source != "some.jsonl" || h.Imported.Meta["sanitized"] != true || h.Imported.NoTime {
		t.Errorf("%+v %+v", h, h.Imported)
	}
}

func TestWireDamage(t *testing.T) {
	log := `{"t_ms":1,"dir":"c2s","raw":"a"}
{"t_ms":2,"dir":"c2s","raw":"b
{"t_ms":3,"dir":"sideways","raw":"c"}
{"t_ms":4,"dir":"c2s","raw":7}
{"t_ms":5,"dir":"c2s","raw_b64":"&"}
[1]
{"t_ms":6,"dir":"c2s","raw":"d"}
{"t_ms":7,"dir":"c2s","ra`
	all, r := readAll(t, []byte(log))
	var lines []int64
	for _, d := range r.Damage() {
		lines = append(lines, d.Line)
	}
	if len(all) != 2 || all[1].Seq != 7 || fmt.Sprint(lines) != "[2 3 4 5 6 8]" {
		t.Errorf("%d records, damage %+v", len(all), r.Damage())
	}
	if d := r.Damage()[5]; !d.Torn || r.TornBytes() != 25 {
		t.Errorf("%+v, torn %d", d, r.TornBytes())
	}
}

func TestPacked(t *testing.T) {
	native := record(t, RecorderOptions{}, func(r *Recorder) { r.Chunk(Stdin, []byte("x\n")) })
	wire := []byte(`{"t_ms":1,"dir":"c2s","raw":"x"}` + "\n")
	for name, plain := range map[string][]byte{"native": native, "wire": wire} {
		var z, s bytes.Buffer
		gz := gzip.NewWriter(&z)
		zs, _ := zstd.NewWriter(&s)
		for _, w := range []io.WriteCloser{gz, zs} {
			_, _ = w.Write(plain)
			_ = w.Close()
		}
		for form, file := range map[string][]byte{"gzip": z.Bytes(), "zstd": s.Bytes()} {
			all, r := readAll(t, file)
			if string(r.Format()) != name || string(all[0].Data) != "x" || len(r.Damage()) > 0 {
				t.Errorf("%s %s: %s %+v %v", form, name, r.Format(), all, r.Damage())
			}
			if all[0].Len != 0 {
				t.Errorf("%s %s: a record of a packed file has the place %d", form, name, all[0].Pos)
			}
			cut, err := NewReader(bytes.NewReader(file[:len(file)-6]), "cut")
			if err != nil {
				continue
			}
			for err == nil {
				_, err = cut.Next()
			}
			if err != io.EOF || len(cut.Damage()) == 0 {
				t.Errorf("%s %s: cut file ends with %v, damage %v", form, name, err, cut.Damage())
			}
		}
	}
}

func TestNotARecording(t *testing.T) {
	for name, file := range map[string]string{
		"empty": "", "text": "hello\nworld\n", "json": "{\"a\":1}\n[1,2]\n", "nul": strings.Repeat("\x00", 70_000), "open": strings.Repeat("[", 300_000),
		"long": strings.Repeat("x", 700_000), "gzip": "\x1f\x8b" + strings.Repeat("x", 100), "zstd": "\x28\xb5\x2f\xfd" + strings.Repeat("\x9f", 100),
	} {
		_, err := NewReader(strings.NewReader(file), name)
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewReader(strings.NewReader(`{"shakescope":2,"new":"things"}`+"\n"), "x"); !errors.Is(err, ErrVersion) {
		t.Errorf("newer version: %v", err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrFormat) {
		t.Errorf("folder: %v", err)
	}
}
