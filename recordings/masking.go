package recordings

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Masker masks secrets before they are written. What it gets and what it returns is its caller's until the next
// call; it must not keep or change what it gets. Its methods are called by one goroutine at a time.
type Masker interface {
	// Header masks what the header says of the run: command line, names and folders.
	Header(Header) Header
	// Line masks a line of a stream, which it gets whole and without its line end. It returns line itself where there is
	// nothing to mask. A line of JSON must come back as a line of JSON. It returns false where it cannot
	// tell what is secret in the line: only the length is written then.
	Line(s Stream, line []byte) ([]byte, bool)
	// Event masks what is said about an event.
	Event(Event) Event
}

// Withheld says why only the length of a frame was written in a recording whose secrets were masked before.
type Withheld string

// The reasons. Of the first three it is certain that the frame is no message, though of the second and third a tolerant
// peer may have read one.
const (
	NotWithheld Withheld = ""
	NotJSON     Withheld = Withheld(jsonrpc.NotJSON)
	BrokenJSON  Withheld = "broken_json" // it begins as a JSON object or list does
	NotUTF8     Withheld = Withheld(jsonrpc.NotUTF8)
	TooLong     Withheld = "too_long" // to be held in memory until it was whole
	CutByGap    Withheld = "cut"
)

// maxMasked is how long a line may be that is held until it is whole, to be masked.
const maxMasked = 4 << 20

// masking is the part of a writer that masks. Its digests are those of the bytes as they are stored.
type masking struct {
	Masker
	digest [4]hash.Hash
}

func newMasking(m Masker) *masking {
	k := &masking{Masker: m}
	for s := Stdin; s <= Stderr; s++ {
		k.digest[s] = sha256.New()
	}
	return k
}

// hash adds bytes as they are stored.
func (k *masking) hash(s Stream, data []byte) {
	if k != nil {
		k.digest[s].Write(data)
	}
}

// stored returns what of a whole line is written, and why that is nothing where it is nothing.
func (k *masking) stored(s Stream, data []byte) ([]byte, Withheld) {
	if len(bytes.TrimSpace(data)) == 0 {
		return data, NotWithheld
	}
	text := data
	if s != Stderr {
		text = bytes.TrimPrefix(data, byteOrderMark)
		// The scan is fast, and knows most lines; the rest are long, deep, or have spaces at their edges.
		var h head
		if !h.scan(text) && !jsonrpc.Valid(text) {
			return nil, unparsable(text)
		}
	}
	masked, ok := k.Line(s, text)
	switch {
	case !ok:
		return nil, unparsable(text)
	case len(text) < len(data):
		return slices.Concat(byteOrderMark, masked), NotWithheld
	}
	return masked, NotWithheld
}

// unparsable says why a line cannot be parsed.
func unparsable(text []byte) Withheld {
	if !utf8.Valid(text) {
		return NotUTF8
	}
	if first := bytes.TrimSpace(text)[0]; first == '{' || first == '[' {
		return BrokenJSON
	}
	return NotJSON
}

// drop passes over bytes of a line that is too long to be masked, up to its end.
func (l *line) drop(data []byte) []byte {
	n := bytes.IndexByte(data, '\n')
	switch {
	case n < 0:
		n = len(data)
	case n > 0 && data[n-1] == '\r':
		n--
	}
	l.over += int64(n)
	return data[n:]
}

// masked masks the line that ends with data, of which pieces may have been dropped. It writes what does not fit
// into one record as parts, and returns the rest.
func (w *writer) masked(s Stream, data []byte, t time.Duration) ([]byte, Withheld) {
	l := &w.lines[s]
	var why Withheld
	switch {
	case l.cut:
		data, why = nil, CutByGap
	case l.over > 0:
		data, why = nil, TooLong
	default:
		data, why = w.mask.stored(s, data)
	}
	for len(data) > maxVerbatim {
		w.part(s, data[:maxVerbatim], t)
		data = data[maxVerbatim:]
		if len(w.out) >= flushSize {
			w.flush()
		}
	}
	return data, why
}
