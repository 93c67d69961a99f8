package recordings

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Import writes the rest of src, a log of any form, as a recording into a new file. The file must
// not exist; it is removed if the import fails. See [WriteNative].
func Import(path string, src *Reader) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
		return fmt.Errorf("making the folder of the recording: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, fileMode)
	if err != nil {
		return fmt.Errorf("importing: %w", err)
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	return WriteNative(f, src)
}

// WriteNative writes the rest of src as a recording in the native format. Numbers, times and events
// stay as they are in src. The header says that the recording was imported and from what: its end
// record tells only what was written here.
func WriteNative(w io.Writer, src *Reader) error {
	h := *src.Header()
	h.Format = formatVersion
	if h.Imported == nil {
		h.Imported = &Imported{Format: string(src.Format()), Source: src.name}
	}
	c := copier{out: bufio.NewWriterSize(w, 64<<10)}
	for s := range c.digest {
		c.digest[s] = sha256.New()
	}
	first, err := src.Next()
	// Some of what a header says of a foreign log shows only with its first line.
	if src.Header().Imported != nil {
		h.Imported = src.Header().Imported
	}
	c.line = appendHeader(c.line, &h)
	for ; err == nil; first, err = src.Next() {
		c.record(first)
		if err := c.flush(); err != nil {
			return err
		}
	}
	if err != io.EOF {
		return err
	}
	c.finish()
	if err := c.flush(); err != nil {
		return err
	}
	if err := c.out.Flush(); err != nil {
		return fmt.Errorf("writing a recording: %w", err)
	}
	return nil
}

// copier writes records as they are.
type copier struct {
	out    *bufio.Writer
	line   []byte
	lead   lead
	facts  facts
	last   time.Duration
	gaps   int64
	sums   [4]StreamSum
	digest [4]hash.Hash
}

func (c *copier) flush() error {
	_, err := c.out.Write(c.line)
	c.line = c.line[:0]
	if err != nil {
		return fmt.Errorf("writing a recording: %w", err)
	}
	return nil
}

func (c *copier) record(r *Record) {
	c.last = max(c.last, r.T)
	switch r.Kind {
	case FrameRecord:
		c.frame(r)
	case EventRecord:
		c.facts.event(r.Event)
		c.line = appendEvent(c.line, r.Seq, r.T, r.Event)
	case GapRecord:
		c.gaps++
		c.line = appendGap(c.line, r.Seq, r.T, r.Gap)
		for s := Stdin; s <= Stderr; s++ {
			c.sums[s].Frames += r.Gap.Frames[streamNames[s]]
			c.sums[s].Bytes += r.Gap.Bytes[streamNames[s]]
		}
	}
}

func (c *copier) frame(r *Record) {
	sum := &c.sums[r.Stream]
	sum.Bytes += int64(len(r.Data) + len(r.EOL))
	if r.EOL != jsonrpc.None || r.Partial {
		sum.Frames++
	}
	c.digest[r.Stream].Write(r.Data)
	c.digest[r.Stream].Write([]byte(r.EOL))

	f := frameHead{
		seq: r.Seq, t: r.T, t0: r.T0, stream: r.Stream, eol: r.EOL, partial: r.Partial, truncated: r.Truncated, size: r.Size, withheld: r.Withheld,
	}
	data := r.Data
	for len(data) > maxVerbatim {
		_, to := cutAtRunes(data[:maxVerbatim])
		c.line = appendPart(c.line, f.parts, r.T, r.Stream, data[:to])
		data = data[to:]
		f.parts++
	}
	if f.parts > 0 {
		if !r.Truncated && r.Stream != Stderr {
			c.facts.long(r.Stream)
		}
		c.line = appendFrame(c.line, &c.lead, &f, data, &head{}, false)
		return
	}
	h, verbatim := scan(data)
	if !r.Truncated {
		c.facts.record(r)
	}
	if r.Stream == Stderr || r.Truncated {
		h, verbatim = head{}, verbatim && !r.Truncated
	}
	c.line = appendFrame(c.line, &c.lead, &f, data, &h, verbatim)
}

func (c *copier) finish() {
	end := End{Streams: make(map[string]StreamSum), Gaps: c.gaps, Cache: c.facts.summary()}
	for s := Stdin; s <= Stderr; s++ {
		c.sums[s].SHA256 = hex.EncodeToString(c.digest[s].Sum(nil))
		end.Streams[streamNames[s]] = c.sums[s]
	}
	c.line = appendEnd(c.line, c.last, &end)
}
