package recordings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// session is a small recording with a bit of everything.
func session(t testing.TB) []byte {
	return record(t, RecorderOptions{}, func(r *Recorder) {
		r.Chunk(Stdin, []byte(initAsked))
		r.Chunk(Stdout, []byte(initTold+"not json\r\n"))
		r.Chunk(Stderr, []byte("warning \xff\n"))
		r.Chunk(Stdin, []byte(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"é"}}`+"\n"))
		r.Chunk(Stdout, []byte(`{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}}`+"\n"))
		r.Chunk(Stdout, append(bytes.Repeat([]byte("x"), maxVerbatim+5), '\n'))
		r.Chunk(Stdin, []byte("the end"))
		r.Event(Event{Name: "client_closed_stdin"})
	})
}

func verify(t testing.TB, file []byte) Verification {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVerify(t *testing.T) {
	file := session(t)
	lines := bytes.SplitAfter(file, []byte("\n"))
	at := func(word string) int {
		for i, l := range lines {
			if bytes.Contains(l, []byte(word)) {
				return i
			}
		}
		t.Fatalf("no line with %s", word)
		return 0
	}
	edit := func(f func(l [][]byte) [][]byte) []byte {
		c := make([][]byte, len(lines))
		for i := range lines {
			c[i] = bytes.Clone(lines[i])
		}
		return bytes.Join(f(c), nil)
	}
	replace := func(old, new string) []byte {
		if !bytes.Contains(file, []byte(old)) {
			t.Fatalf("no %s", old)
		}
		return bytes.Replace(file, []byte(old), []byte(new), 1)
	}
	tests := []struct {
		name  string
		file  []byte
		whole bool
		want  string // part of the sentence
	}{
		{"whole", file, true, "3 + 4 frames and 1 line of stderr, 262,554 bytes, nothing lost"},
		{"other order and spaces", edit(func(l [][]byte) [][]byte {
			l[1] = []byte(`{ "s": "in", "new": [1], "t": 5, "msg": ` + strings.TrimSpace(initAsked) + `, "seq": 1 }` + "\n")
			return l
		}), true, "nothing lost"},
		{"new kinds of records", edit(func(l [][]byte) [][]byte {
			return append([][]byte{l[0], []byte("{\"note\":1}\n\n")}, l[1:]...)
		}), true, "nothing lost"},
		{"no end", bytes.Join(lines[:len(lines)-2], nil), false, "it has no end: the recorder was stopped"},
		{"no line end at the end", file[:len(file)-1], true, "nothing lost"},
		{"torn end", file[:len(file)-20], false, "the last line is torn"},
		{"changed payload", replace("tools/call\",\"params", "tools/list\",\"params"), false, "record 5 says of its message what that is not"},
		{"changed text", replace(`not json`, `not JSON`), false, "stdout: the bytes are not those that travelled"},
		{"changed head", replace(`"id":"a","error":true`, `"id":"b","error":true`), false, "record 6 says of its message what that is not"},
		{"head of another kind", replace(`"id":"a","error":true`, `"id":"a"`), false, "record 6 says of its message what that is not"},
		{"a record is gone", edit(func(l [][]byte) [][]byte { return append(l[:5], l[6:]...) }), false, "record 5 is missing; stdin: 139 of 211 bytes are there"},
		{"records swapped", edit(func(l [][]byte) [][]byte { l[4], l[5] = l[5], l[4]; return l }), false, "record 4 stands after record 5"},
		{"a record twice", edit(func(l [][]byte) [][]byte { l[3] = append(l[3], l[3]...); return l }), false, "record 3 stands after record 3"},
		{"a part is gone", edit(func(l [][]byte) [][]byte { i := at(`"part":0`); return append(l[:i], l[i+1:]...) }), false, "stdout: 189 of 262,333 bytes are there"},
		{"junk line", edit(func(l [][]byte) [][]byte { copy(l[3], "\x00\xffjunk"); return l }), false, "1 damaged place"},
		{"payload no longer JSON", replace(`"name":"é"}`, `"name":"é"]`), false, "1 damaged place"},
		{"no header", bytes.Join(lines[1:], nil), false, "it has no header"},
		{"header damaged", edit(func(l [][]byte) [][]byte { l[0][0] = 'x'; return l }), false, "it has no header; 1 damaged place"},
		{"after the end", append(bytes.Clone(file), "{\"seq\":9,\"t\":1,\"event\":{\"name\":\"x\"}}\n"...), false, "1 record stands after the end record"},
		{"frames miscounted", replace(`"frames":4`, `"frames":5`), false, "stdout: 4 of 5 frames are there"},
		{"digest changed", replace(`"sha256":"`, `"sha256":"0`), false, "the bytes are not those that travelled"},
		{"gap", edit(func(l [][]byte) [][]byte {
			return append(l[:9:9], append([][]byte{[]byte(`{"seq":10,"t":1,"gap":{"bytes":{"in":5000},"reason":"x","from":0,"to":1}}` + "\n")}, l[9:]...)...)
		}), false, "1 gap (5,000 bytes were not recorded)"},
		{"redacted", replace(`{"shakescope":1,`, `{"shakescope":1,"redacted":true,`), true, "nothing lost after redaction"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := verify(t, test.file)
			if v.Whole != test.whole || !strings.Contains(v.Sentence, test.want) {
				t.Errorf("whole %v: %s\nwant %v: %s", v.Whole, v.Sentence, test.whole, test.want)
			}
		})
	}
}

func TestVerifyMembers(t *testing.T) {
	v := verify(t, session(t))
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "whole", "state", "records", "streams", "gaps", "damaged", "torn_bytes", "sentence"} {
		if got[name] == nil {
			t.Errorf("%s is missing or null in %s", name, text)
		}
	}
	for _, name := range []string{"stdin", "stdout", "stderr"} {
		s := v.Streams[name]
		if s.SHA256 != s.RecordedSHA256 || s.Frames == 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if v.State != Ended || v.Records != 10 {
		t.Errorf("state %s, %d records", v.State, v.Records)
	}
}

func TestVerifyOtherStates(t *testing.T) {
	wire := []byte(`{"t_ms":1,"dir":"c2s","raw":"x"}` + "\n")
	if v := verify(t, wire); v.Whole || !strings.Contains(v.Sentence, "1 + 0 frames, 2 bytes; imported (wire), so it proves nothing") {
		t.Errorf("%+v", v)
	}
	r := make1(t, t.TempDir(), Header{}, true, "x\n")
	if v, err := Verify(r.Path()); err != nil || v.Whole || v.State != Live || !strings.Contains(v.Sentence, "still running") {
		t.Errorf("%+v, %v", v, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(r.Path()); err != nil || !v.Whole {
		t.Errorf("%+v, %v", v, err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(text); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

// TestEveryCut cuts a recording at every byte of its records: what is read is the beginning of the
// whole, nothing complete is missing, and only the whole verifies.
func TestEveryCut(t *testing.T) {
	sink := &sink{}
	r := NewRecorder(sink, Header{}, RecorderOptions{})
	r.Chunk(Stdin, []byte(initAsked))
	r.Chunk(Stdout, []byte(initTold+"text \"quoted\"\r\n"))
	r.Chunk(Stderr, []byte("warning \xff\n"))
	for i := range 2 {
		r.Chunk(Stdout, []byte("a slow liné"))
		waitFor(t, func() bool { return bytes.Contains(sink.bytes(), fmt.Appendf(nil, `{"part":%d,`, i)) })
	}
	r.Chunk(Stdout, []byte("\r\n"))
	r.Event(Event{Name: "client_closed_stdin"})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	file := sink.bytes()
	whole, _ := readAll(t, file)
	want := make([]string, len(whole))
	for i := range whole {
		want[i] = brief(&whole[i])
	}
	head := bytes.IndexByte(file, '\n') + 1
	for cut := head; cut <= len(file); cut++ {
		all, r := readAll(t, file[:cut])
		lines := bytes.Count(file[head:cut], []byte("\n"))
		for i := range all {
			got := brief(&all[i])
			if all[i].Partial && i == len(all)-1 {
				continue // parts of a line whose last piece is cut off
			}
			if got != want[i] {
				t.Fatalf("cut at %d: record %d is %.100s, want %.100s", cut, i, got, want[i])
			}
		}
		if complete := min(lines, 4); len(all) < complete {
			t.Fatalf("cut at %d: %d records of %d lines", cut, len(all), lines)
		}
		for _, d := range r.Damage() {
			if !d.Torn || r.TornBytes() != d.Bytes {
				t.Fatalf("cut at %d: %+v, torn %d", cut, d, r.TornBytes())
			}
		}
		if cut%50 == 0 || cut > len(file)-30 {
			if v := verify(t, file[:cut]); v.Whole != (cut >= len(file)-1) {
				t.Fatalf("cut at %d of %d: %s", cut, len(file), v.Sentence)
			}
		}
	}
}

// TestEveryLineDamaged overwrites bytes of each line in turn: all other records are read.
func TestEveryLineDamaged(t *testing.T) {
	file := session(t)
	whole, _ := readAll(t, file)
	lines := bytes.SplitAfter(file, []byte("\n"))
	for i := 1; i < len(lines)-1; i++ {
		for _, junk := range []string{"\x00\xffjunk", "{\"seq\"; ", "\n{\n}"} {
			damaged := bytes.Clone(lines[i])
			copy(damaged, junk)
			all, r := readAll(t, bytes.Join([][]byte{bytes.Join(lines[:i], nil), damaged, bytes.Join(lines[i+1:], nil)}, nil))
			if len(r.Damage()) == 0 {
				t.Errorf("line %d, %q: no damage", i+1, junk)
			}
			if len(all) < len(whole)-1 {
				t.Errorf("line %d, %q: %d of %d records", i+1, junk, len(all), len(whole))
			}
		}
	}
}

// TestGluedRecord reads what follows in the same line when a file was cut while it was written.
func TestGluedRecord(t *testing.T) {
	for _, torn := range []string{
		`{"seq":1,"t":1,"s":"in","msg":{"a":`, `{"seq":1,"t":1,"s":"in","msg":{"a":{}}`, `{"seq":1,"t":1,"s":"in","text":"a`, `{"se`, `{"part":0,"t":1,"s":"in","text":"a`,
	} {
		text := "{\"shakescope\":1}\n" + torn + `{"seq":2,"t":2,"s":"out","msg":{"b":2}}` + "\n"
		all, r := readAll(t, []byte(text))
		if len(all) != 1 || all[0].Seq != 2 || string(all[0].Data) != `{"b":2}` {
			t.Errorf("%s: %d records", torn, len(all))
			continue
		}
		if d := r.Damage(); len(d) != 1 || d[0].Bytes != int64(len(torn)) || d[0].Line != 2 {
			t.Errorf("%s: damage %+v", torn, d)
		}
		if rec := all[0]; text[rec.Pos:rec.Pos+rec.Len] != text[17+len(torn):] {
			t.Errorf("%s: place %d, %d", torn, rec.Pos, rec.Len)
		}
	}
	// A message may itself speak of records.
	text := "{\"shakescope\":1}\n" + `{"seq":1,"t":1,"s":"in","msg":{"a":{"seq":2,"t":2,"s":"out","msg":{"b":2}}}}` + "\n"
	if all, r := readAll(t, []byte(text)); len(all) != 1 || all[0].Seq != 1 || len(r.Damage()) > 0 {
		t.Errorf("%+v %v", all, r.Damage())
	}
}

// TestTornBeforeGap does not take a line for whole because the rest of it happens to look so.
func TestTornBeforeGap(t *testing.T) {
	text := "{\"shakescope\":1}\n" + `{"seq":1,"t":1,"s":"in","msg":{"a":{"b":1}}` + "\n" + `{"seq":2,"t":2,"gap":{"bytes":{"in":9},"reason":"x","from":1,"to":2}}` + "\n"
	all, r := readAll(t, []byte(text))
	if len(all) != 1 || all[0].Kind != GapRecord || len(r.Damage()) != 1 {
		t.Errorf("%d records, damage %+v", len(all), r.Damage())
	}
}

// TestLostLineEnd reads the parts of a line whose end is lost.
func TestLostLineEnd(t *testing.T) {
	tests := map[string]string{
		"another line begins": `{"part":0,"t":1,"s":"out","text":"ab"}
{"part":1,"t":2,"s":"out","text":"cd"}
{"seq":2,"t":3,"s":"out","msg":2}
`,
		"parts of another line": `{"part":0,"t":1,"s":"out","text":"ab"}
{"part":1,"t":2,"s":"out","text":"cd"}
{"part":0,"t":3,"s":"out","text":"2"}
{"seq":2,"t":3,"s":"out","part":1,"text":""}
`,
		"a gap": `{"part":0,"t":1,"s":"out","text":"ab"}
{"part":1,"t":2,"s":"out","text":"cd"}
{"seq":2,"t":3,"gap":{"bytes":{"out":7},"frames":{"out":1},"reason":"x","from":2,"to":3}}
`,
	}
	for name, lines := range tests {
		all, _ := readAll(t, []byte("{\"shakescope\":1}\n"+lines))
		got := brief(&all[0])
		if want := `1 @2ns-1ns out "abcd" eol="" truncated(4)`; got != want || len(all) != 2 || all[1].Seq != 2 {
			t.Errorf("%s: %d records, the first %s; want %s", name, len(all), got, want)
		}
	}
}

func ExampleVerify() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	r, err := Create(dir, NewHeader([]string{"server"}), RecorderOptions{})
	if err != nil {
		panic(err)
	}
	r.Chunk(Stdin, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"))
	r.Chunk(Stdout, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"))
	if err := r.Close(); err != nil {
		panic(err)
	}
	v, err := Verify(r.Path())
	if err != nil {
		panic(err)
	}
	fmt.Println(v.Sentence)
	// Output: 1 + 1 frames, 78 bytes, nothing lost
}
