package jsonrpc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// line is a whole line, its parts joined the way the package comment asks for.
type line struct {
	Data   string
	EOL    EOL
	Offset int64
	Parts  int
}

// cut runs a stream through a Framer, in chunks of the given sizes (the last one repeats), with a
// Flush after every flush-th chunk. Chunks are overwritten as soon as they are only borrowed no more.
func cut(t testing.TB, stream []byte, limit int, sizes []int, flush int) []line {
	t.Helper()
	f := NewFramer(limit)
	var lines []line
	var open *line
	at := int64(0)
	take := func(frame Frame) {
		if frame.Offset != at {
			t.Fatalf("frame at offset %d, want %d", frame.Offset, at)
		}
		at += int64(len(frame.Data))
		if limit > 0 && len(frame.Data) > limit {
			t.Fatalf("frame of %d bytes, limit %d", len(frame.Data), limit)
		}
		if open == nil {
			lines = append(lines, line{Offset: frame.Offset})
			open = &lines[len(lines)-1]
		}
		open.Data += string(frame.Data)
		open.Parts++
		if frame.More {
			return
		}
		at += int64(len(frame.EOL))
		open.EOL = frame.EOL
		if frame.EOL == LF && strings.HasSuffix(open.Data, "\r") {
			open.Data, open.EOL = strings.TrimSuffix(open.Data, "\r"), CRLF
		}
		open = nil
	}
	rest := stream
	for i := 0; len(rest) > 0; i++ {
		size := min(max(1, sizes[min(i, len(sizes)-1)]), len(rest))
		chunk := bytes.Clone(rest[:size])
		rest = rest[size:]
		f.Push(chunk)
		for frame, ok := f.Next(); ok; frame, ok = f.Next() {
			take(frame)
		}
		for j := range chunk {
			chunk[j] = '#'
		}
		if flush > 0 && i%flush == 0 {
			pending := f.Pending()
			frame, ok := f.Flush()
			if ok != (pending > 0) || len(frame.Data) != pending {
				t.Fatalf("Flush gave %d bytes, %v; Pending was %d", len(frame.Data), ok, pending)
			}
			if ok {
				take(frame)
			}
		}
	}
	if frame, ok := f.Close(); ok {
		if frame.EOL != None || frame.More {
			t.Fatalf("Close gave EOL %q, More %v", frame.EOL, frame.More)
		}
		take(frame)
	}
	if open != nil {
		t.Fatal("a line in parts has no last frame")
	}
	if _, ok := f.Close(); ok {
		t.Fatal("Close gave a second frame")
	}
	return lines
}

func TestFramer(t *testing.T) {
	big := strings.Repeat("x", 70_000)
	tests := []struct {
		name   string
		stream string
		want   []line
	}{
		{"nothing", "", nil},
		{"one line", "a\n", []line{{"a", LF, 0, 1}}},
		{"no end", "a\nb", []line{{"a", LF, 0, 1}, {"b", None, 2, 1}}},
		{"empty lines", "\n\r\n\n", []line{{"", LF, 0, 1}, {"", CRLF, 1, 1}, {"", LF, 3, 1}}},
		{"crlf", "a\r\nb\r\n", []line{{"a", CRLF, 0, 1}, {"b", CRLF, 3, 1}}},
		{"lone cr is data", "a\rb\n\r", []line{{"a\rb", LF, 0, 1}, {"\r", None, 4, 1}}},
		{"two cr", "a\r\r\n", []line{{"a\r", CRLF, 0, 1}}},
		{"bom and bad utf-8", "\xEF\xBB\xBFa\xFF\n", []line{{"\xEF\xBB\xBFa\xFF", LF, 0, 1}}},
		{"nul", "\x00\n", []line{{"\x00", LF, 0, 1}}},
		{"long", big + "\r\n" + big, []line{{big, CRLF, 0, 1}, {big, None, 70_002, 1}}},
	}
	for _, test := range tests {
		for _, sizes := range [][]int{{1}, {2}, {3}, {1 << 20}, {1, 4096}} {
			t.Run(fmt.Sprint(test.name, sizes), func(t *testing.T) {
				if diff := cmp.Diff(test.want, cut(t, []byte(test.stream), 0, sizes, 0)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestFramerLimit(t *testing.T) {
	tests := []struct {
		stream string
		want   []line
	}{
		{"abcd\n", []line{{"abcd", LF, 0, 1}}},           // exactly the limit: whole
		{"abc\r\n", []line{{"abc", CRLF, 0, 1}}},         // the CR counts, and is taken off again
		{"abcd\r\n", []line{{"abcd", CRLF, 0, 2}}},       // a last frame that holds only a line end
		{"abcde\n", []line{{"abcde", LF, 0, 2}}},         //
		{"abcdefgh\n", []line{{"abcdefgh", LF, 0, 2}}},   // two full parts, the second one whole
		{"abcdefghi", []line{{"abcdefghi", None, 0, 3}}}, //
		{"abcd", []line{{"abcd", None, 0, 1}}},           //
		{"abcde\nfghij\n", []line{{"abcde", LF, 0, 2}, {"fghij", LF, 6, 2}}},
	}
	for _, test := range tests {
		for size := 1; size <= 12; size++ {
			if diff := cmp.Diff(test.want, cut(t, []byte(test.stream), 4, []int{size}, 0)); diff != "" {
				t.Errorf("%q in chunks of %d: %s", test.stream, size, diff)
			}
		}
	}
}

func TestFramerFlush(t *testing.T) {
	f := NewFramer(0)
	f.Push([]byte("ab"))
	if _, ok := f.Next(); ok {
		t.Fatal("Next gave a frame of an unfinished line")
	}
	if f.Pending() != 2 {
		t.Fatalf("Pending() = %d", f.Pending())
	}
	part, ok := f.Flush()
	if !ok || string(part.Data) != "ab" || !part.More || f.Pending() != 0 {
		t.Fatalf("Flush() = %+v, %v; pending %d", part, ok, f.Pending())
	}
	if _, ok := f.Flush(); ok {
		t.Fatal("a second Flush gave something")
	}
	last, ok := f.Close()
	if !ok || len(last.Data) != 0 || last.More || last.EOL != None || last.Offset != 2 {
		t.Fatalf("Close() = %+v, %v: every line needs a last frame", last, ok)
	}
}

// A caller that pushes again before Next returned false loses nothing.
func TestFramerPushTwice(t *testing.T) {
	f := NewFramer(0)
	f.Push([]byte("a\nb\nc"))
	first, _ := f.Next()
	got := string(first.Data)
	f.Push([]byte("d\ne"))
	for frame, ok := f.Next(); ok; frame, ok = f.Next() {
		got += "|" + string(frame.Data)
	}
	last, _ := f.Close()
	if got += "|" + string(last.Data); got != "a|b|cd|e" {
		t.Errorf("got %q", got)
	}
}

// FuzzFramer: whatever the chunks, the limit and the flushes, the frames joined are the stream, and
// the lines are those that one chunk gives.
func FuzzFramer(f *testing.F) {
	f.Add([]byte("a\nb\r\n\r\n\rc\r"), []byte{1, 2, 3}, uint8(0), uint8(0))
	f.Add([]byte("{\"jsonrpc\":\"2.0\"}\r\n"), []byte{5}, uint8(4), uint8(1))
	f.Add([]byte("abcd\r\nabcdefgh\n\n"), []byte{1}, uint8(4), uint8(2))
	f.Add([]byte("\xEF\xBB\xBF{}\n\xFF\xFE\x00"), []byte{9, 1}, uint8(1), uint8(3))
	f.Fuzz(func(t *testing.T, stream, chunks []byte, limit, flush uint8) {
		sizes := []int{1}
		for _, c := range chunks {
			sizes = append(sizes, int(c))
		}
		lines := cut(t, stream, int(limit), sizes, int(flush))
		want := cut(t, stream, 0, []int{len(stream)}, 0)
		var joined strings.Builder
		for i := range lines {
			joined.WriteString(lines[i].Data + string(lines[i].EOL))
			lines[i].Parts = 1
		}
		if joined.String() != string(stream) {
			t.Fatalf("joined %q, want %q", joined.String(), stream)
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Later parts of a line come as they lie in the chunks, unless those are small.
func TestFramerLaterParts(t *testing.T) {
	const limit = 4 * leastPart
	line := bytes.Repeat([]byte("0123456789abcdef"), 3*limit/16)
	stream := append(bytes.Clone(line), "\r\nnext"...)
	for _, size := range []int{7, 1000, leastPart - 1, leastPart, leastPart + 1, limit, limit + 1, 2*limit + 5, 10 * limit} {
		f := NewFramer(limit)
		var joined []byte
		var parts []int
		ended := false
		for rest := stream; len(rest) > 0 && !ended; {
			n := min(size, len(rest))
			f.Push(rest[:n])
			rest = rest[n:]
			for !ended {
				frame, ok := f.Next()
				if !ok {
					break
				}
				if frame.Offset != int64(len(joined)) {
					t.Fatalf("chunks of %d: a part at %d, expected at %d", size, frame.Offset, len(joined))
				}
				joined = append(joined, frame.Data...)
				parts = append(parts, len(frame.Data))
				ended = !frame.More
			}
		}
		if !ended || !bytes.Equal(bytes.TrimSuffix(joined, []byte("\r")), line) {
			t.Errorf("chunks of %d: %d bytes came back of %d, or others", size, len(joined), len(line))
		}
		for i, n := range parts {
			switch {
			case i == 0 && n != limit, n > limit, i < len(parts)-1 && n < leastPart:
				t.Errorf("chunks of %d: part %d of %d has %d bytes", size, i+1, len(parts), n)
			}
		}
	}
}
