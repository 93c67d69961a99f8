package recordings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/shakescope/shakescope/internal/numtext"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Verification is what a recording proves about itself.
type Verification struct {
	File      string                 `json:"file"`
	Whole     bool                   `json:"whole"` // all that travelled is there, unchanged
	State     LiveState              `json:"state"`
	Segments  int                    `json:"segments"`                   // that were read
	Missing   []string               `json:"missing_segments,omitempty"` // names of those that were not there
	Records   int64                  `json:"records"`
	Streams   map[string]StreamCheck `json:"streams"`            // "stdin", "stdout", "stderr"
	Redacted  bool                   `json:"redacted,omitempty"` // secrets were masked before it was written: what is proven is that form
	Withheld  int64                  `json:"withheld,omitempty"` // frames of which only the length was written, for that reason
	Gaps      []GapAt                `json:"gaps"`
	Damaged   []Damage               `json:"damaged"`
	TornBytes int64                  `json:"torn_bytes"`
	Problems  []string               `json:"problems,omitempty"` // why it is not whole
	Sentence  string                 `json:"sentence"`
}

// StreamCheck compares what the records hold of a stream with what the end record says of it.
type StreamCheck struct {
	Frames         int64  `json:"frames"`
	Bytes          int64  `json:"bytes"` // line ends included
	SHA256         string `json:"sha256"`
	RecordedSHA256 string `json:"recorded_sha256"` // "" without an end record
}

// GapAt is a gap and its number in the recording.
type GapAt struct {
	Seq int64 `json:"seq"`
	Gap
}

// maxProblems bounds what is said about single records.
const maxProblems = 20

// Verify checks a recording from the file alone: that every record can be read and none is missing,
// that what stands in front of messages is true, and that the bytes of each stream give the count
// and digest of the end record. A recording that has no end (yet) is not whole, and one that was
// imported proves nothing about the wire. A file that is no recording is an error.
func Verify(path string) (Verification, error) {
	r, err := Open(path)
	if err != nil {
		return Verification{}, err
	}
	defer r.Close()
	c := checker{v: Verification{File: path, Gaps: []GapAt{}, Damaged: []Damage{}}}
	for s := range c.digest {
		c.digest[s] = sha256.New()
	}
	if src, ok := r.src.(*native); ok {
		c.watch(src)
	}
	if err := c.read(r); err != nil {
		return Verification{}, err
	}
	c.finish(r)
	if c.v.State, err = State(path); err != nil && !errors.Is(err, ErrFormat) {
		return Verification{}, err
	}
	c.conclude(r)
	return c.v, nil
}

// checker gathers a Verification.
type checker struct {
	v      Verification
	seq    int64
	holes  bool // numbers are those of the lines of a foreign log
	sums   [4]StreamCheck
	digest [4]hash.Hash
	end    *End
	after  int64 // records after the end record

	continued bool // in a segment that is missing
	silent    int  // problems beyond those that are listed
}

// watch makes the reader look at every byte and show every line.
func (c *checker) watch(src *native) {
	if src.headless {
		c.problem("it has no header")
	}
	src.strict = true
	c.holes = src.header.Imported != nil
	src.each = c.line
	if src.held != nil {
		// The first record was read, as strictly, with the header.
		c.line(src.held)
	}
}

// line checks one record by itself.
func (c *checker) line(n *nativeLine) {
	switch n.kind {
	case frameLine, eventLine, gapLine:
		switch {
		case n.seq == c.seq+1 || c.holes && n.seq > c.seq:
		case n.seq > c.seq+2:
			c.problem("records %d to %d are missing", c.seq+1, n.seq-1)
		case n.seq == c.seq+2:
			c.problem("record %d is missing", c.seq+1)
		default:
			c.problem("record %d stands after record %d", n.seq, c.seq)
		}
		c.seq = max(c.seq, n.seq)
	}
	if n.kind == frameLine && n.head.kind != jsonrpc.Invalid {
		c.head(n)
	}
}

// head compares what stands in front of a message with the message.
func (c *checker) head(n *nativeLine) {
	found := n.found
	if found.kind == jsonrpc.Invalid {
		found = decoded(n.data)
	}
	if found.kind != n.head.kind || !bytes.Equal(found.id, n.head.id) || !bytes.Equal(found.method, n.head.method) {
		c.problem("record %d says of its message what that is not", n.seq)
	}
}

func (c *checker) problem(format string, args ...any) {
	if len(c.v.Problems) >= maxProblems {
		c.silent++
		return
	}
	c.v.Problems = append(c.v.Problems, fmt.Sprintf(format, args...))
}

func (c *checker) read(r *Reader) error {
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if rec.Kind == ContextRecord {
			continue // what it says stands in a segment that is missing
		}
		if c.end != nil {
			c.after++
		}
		if rec.made {
			continue // its reason is among the missing segments
		}
		c.v.Records++
		switch rec.Kind {
		case FrameRecord:
			if rec.Withheld != NotWithheld {
				c.v.Withheld++
			}
			sum := &c.sums[rec.Stream]
			sum.Bytes += int64(len(rec.Data) + len(rec.EOL))
			if rec.EOL != jsonrpc.None || rec.Partial {
				sum.Frames++
			}
			c.digest[rec.Stream].Write(rec.Data)
			c.digest[rec.Stream].Write([]byte(rec.EOL))
		case GapRecord:
			c.v.Gaps = append(c.v.Gaps, GapAt{rec.Seq, *rec.Gap})
		case EndRecord:
			c.end = rec.End
		}
	}
}

// finish compares the sums.
func (c *checker) finish(r *Reader) {
	c.v.Redacted = r.Header().Redacted
	c.v.TornBytes = r.TornBytes()
	c.v.Missing = r.Missing()
	for _, d := range r.Damage() {
		if d.Line > 0 {
			c.v.Damaged = append(c.v.Damaged, d)
		}
	}
	if src, ok := r.src.(*native); ok && len(src.missing) > 0 {
		c.continued = src.lostEnd
	}
	c.v.Segments = 1
	if r.chain != nil {
		c.v.Segments = len(r.chain.all)
	}
	c.v.Streams = make(map[string]StreamCheck)
	for s, name := range [...]string{Stdin: "stdin", Stdout: "stdout", Stderr: "stderr"} {
		if name == "" {
			continue
		}
		sum := &c.sums[s]
		sum.SHA256 = hex.EncodeToString(c.digest[s].Sum(nil))
		if c.end != nil {
			said := c.end.Streams[streamNames[s]]
			sum.RecordedSHA256 = said.SHA256
			c.compare(name, sum, said)
		}
		c.v.Streams[name] = *sum
	}
	if c.end != nil && c.end.Gaps != int64(len(c.v.Gaps)) {
		c.problem("%s of %d there", count(int64(len(c.v.Gaps)), "gap record is", "gap records are"), c.end.Gaps)
	}
	if c.after > 0 {
		c.problem("%s after the end record", count(c.after, "record stands", "records stand"))
	}
}

func (c *checker) compare(name string, sum *StreamCheck, said StreamSum) {
	switch {
	case sum.Bytes != said.Bytes:
		c.problem("%s: %s of %s bytes are there", name, numtext.Grouped(sum.Bytes), numtext.Grouped(said.Bytes))
	case sum.SHA256 != said.SHA256:
		if c.v.Redacted {
			c.problem("%s: the bytes are not those that were stored", name)
			return
		}
		c.problem("%s: the bytes are not those that travelled", name)
	case sum.Frames != said.Frames:
		c.problem("%s: %s of %s frames are there", name, numtext.Grouped(sum.Frames), numtext.Grouped(said.Frames))
	}
}

// conclude says it in a sentence.
func (c *checker) conclude(r *Reader) {
	v := &c.v
	if n := int64(len(v.Gaps)); n > 0 {
		c.problem("%s (%s bytes were not recorded)", count(n, "gap", "gaps"), numtext.Grouped(c.lost()))
	}
	if n := damagedPlaces(r); n > 0 {
		c.problem("%s", count(n, "damaged place", "damaged places"))
	}
	if v.TornBytes > 0 {
		c.problem("the last line is torn (%s bytes)", numtext.Grouped(v.TornBytes))
	}
	for _, name := range v.Missing {
		c.problem("the segment %s is missing", name)
	}
	if c.end == nil && r.Format() == Native {
		switch {
		case v.State == Live:
			c.problem("still running")
		case c.continued:
		default:
			c.problem("it has no end: the recorder was stopped")
		}
	}
	if c.silent > 0 {
		v.Problems = append(v.Problems, fmt.Sprintf("and %d more", c.silent))
	}
	imported := r.Header().Imported
	what := c.contents()
	switch {
	case imported != nil:
		v.Problems = append(v.Problems, "imported")
		v.Sentence = fmt.Sprintf("%s; imported (%s), so it proves nothing about what was on the wire", what, imported.Format)
		if len(v.Problems) > 1 {
			v.Sentence += "; " + strings.Join(v.Problems[:len(v.Problems)-1], "; ")
		}
	case len(v.Problems) > 0:
		v.Sentence = what + "; not whole: " + strings.Join(v.Problems, "; ")
	default:
		v.Whole = true
		v.Sentence = what + ", nothing lost"
		if v.Redacted {
			v.Sentence += " after redaction: this proves what was stored, not what travelled"
		}
	}
}

// contents says what the records hold.
func (c *checker) contents() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s + %s frames", numtext.Grouped(c.sums[Stdin].Frames), numtext.Grouped(c.sums[Stdout].Frames))
	if n := c.sums[Stderr].Frames; n > 0 {
		fmt.Fprintf(&b, " and %s of stderr", count(n, "line", "lines"))
	}
	fmt.Fprintf(&b, ", %s bytes", numtext.Grouped(c.sums[Stdin].Bytes+c.sums[Stdout].Bytes+c.sums[Stderr].Bytes))
	if n := c.v.Segments; n > 1 {
		fmt.Fprintf(&b, " in %d segments", n)
	}
	if n := c.v.Withheld; n > 0 {
		fmt.Fprintf(&b, ", %s only by length", count(n, "frame", "frames"))
	}
	return b.String()
}

func (c *checker) lost() int64 {
	var n int64
	for _, g := range c.v.Gaps {
		for _, bytes := range g.Bytes {
			n += bytes
		}
	}
	return n
}

// damagedPlaces counts them without the torn last line, which is told apart.
func damagedPlaces(r *Reader) int64 {
	_, damage, torn := r.src.about()
	n := int64(len(damage))
	if src, ok := r.src.(*native); ok {
		n = src.damaged // also those that are not listed, and no missing segments
	}
	if torn > 0 {
		n--
	}
	return n
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return numtext.Grouped(n) + " " + many
}
