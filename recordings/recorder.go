package recordings

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// giveUpAfter is how long Close waits for a sink that takes nothing, closeWithin how long in all.
	giveUpAfter = time.Second
	closeWithin = 10 * time.Second
)

// RecorderOptions change how a [Recorder] works. The zero value is what a user wants.
type RecorderOptions struct {
	// Buffer is how many bytes may wait to be written; 0 is 16 MiB.
	Buffer int
	// MaxSize is how many bytes a file may have before recording goes on in the next segment; 0 is no
	// limit. Only a file with a single record is longer. It has no meaning for what is no file of
	// [Create] or [CreateAt].
	MaxSize int64
	// Mask masks secrets before anything is written, also the header's; nil writes what travels. A line is then
	// held until it is whole, up to 4 MiB: of a longer one, and of one that cannot be parsed, only
	// the length is written ([Withheld]). Sums and digests are those of the bytes as they are stored.
	Mask Masker
	// Log gets one line for people, once, when recording fails or falls behind so far that bytes
	// are not recorded. It is called from a goroutine of its own, for which Close waits a second at most. Nil drops it.
	Log func(string)
	// Clock gives the time since the start of the recording and must never run backwards. Nil is
	// the monotonic clock, from the moment the Recorder was made. Tests set it.
	Clock func() time.Duration
}

// Recorder writes one recording. Its methods may be called from several goroutines at once; the
// chunks of one stream must come from one at a time. A Recorder never makes traffic fail: whatever
// happens to its file, the calls go on working, and what is missing is counted in the file as a
// [Gap].
type Recorder struct {
	path, id string
	maxSize  int64
	buf      *buffer
	w        *writer
	done     chan struct{}
	said     chan struct{} // closed when Log has returned
	close    sync.Once
	err      error
}

// ErrStalled is returned by [Recorder.Close] when the file takes no more bytes.
var ErrStalled = errors.New("the recording takes no more bytes")

// NewRecorder records to w, which need not be a file. If it is an io.Closer, Close closes it.
func NewRecorder(w io.Writer, h Header, o RecorderOptions) *Recorder {
	r := newRecorder(&h, o)
	r.start(func(func() bool) (io.Writer, error) { return w, nil }, appendHeader(nil, &h))
	return r
}

// newRecorder makes a Recorder that does not run yet, and completes its header.
func newRecorder(h *Header, o RecorderOptions) *Recorder {
	h.Format = formatVersion
	if o.Mask != nil {
		*h = o.Mask.Header(*h)
		h.Redacted = true
	}
	if h.Start.IsZero() {
		h.Start = time.Now()
	}
	if o.Clock == nil {
		start := h.Start
		if start == start.Round(0) {
			start = time.Now() // the header's has no monotonic reading
		}
		o.Clock = func() time.Duration { return time.Since(start) }
	}
	r := &Recorder{maxSize: o.MaxSize, buf: newBuffer(o.Buffer, o.Clock, o.Mask == nil), done: make(chan struct{}), said: make(chan struct{})}
	r.w = newWriter(r.buf, o.Clock, o.Mask)
	r.w.log = func(text string) {
		if o.Log != nil {
			if r.path != "" {
				text = r.path + ": " + text
			}
			go func() { defer close(r.said); o.Log(text) }()
			return
		}
		close(r.said)
	}
	return r
}

// start begins to write, first the header where it is not in the file yet. Open makes the sink; it
// may block, and asks its argument whether to give up.
func (r *Recorder) start(open func(giveUp func() bool) (io.Writer, error), header []byte) {
	r.w.header = header
	go func() {
		defer close(r.done)
		r.w.run(open)
	}()
}

// Path returns the path of the file, the first when there are segments, "" when there is none.
func (r *Recorder) Path() string { return r.path }

// ID returns the name by which [Folder.Resolve] finds the recording, "" when it is in no folder.
func (r *Recorder) ID() string { return r.id }

// Chunk records the next bytes of a stream. It copies b and takes the time in one atomic step,
// before it returns, so that what is forwarded afterwards can only be answered later in the file.
//
// It blocks while the buffer is full and the file takes bytes, however slowly, also while this process
// gets no processor to write. When the file has taken nothing for 250 ms, Chunk stops waiting: the
// bytes become a gap, until half of the buffer is free again.
func (r *Recorder) Chunk(s Stream, b []byte) {
	if s < Stdin || s > Stderr {
		return
	}
	if r.buf.chunk(s, b) {
		r.w.complain("recording is too slow or stands still, some traffic is not recorded")
	}
}

// Event records something that happened. It never blocks.
func (r *Recorder) Event(e Event) { r.buf.put(item{kind: eventItem, event: &e}) }

// EndStream records that a stream ended: an unfinished line becomes a partial frame.
func (r *Recorder) EndStream(s Stream) {
	if s < Stdin || s > Stderr {
		return
	}
	r.buf.put(item{kind: endItem, stream: s})
}

// Close writes what is buffered and the end record, syncs the file and closes it. Streams that have
// not ended do so. It returns the first error that cost bytes of the recording, and waits at most a
// second for a file that takes nothing, ten for a slow one. Calls after the first return the same.
func (r *Recorder) Close() error {
	r.close.Do(func() {
		r.buf.close()
		r.err = r.wait()
		if r.w.complained.Load() {
			select {
			case <-r.said:
			case <-time.After(giveUpAfter):
			}
		}
	})
	return r.err
}

func (r *Recorder) wait() error {
	start := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-r.done:
			if r.w.err != nil {
				return fmt.Errorf("recording: %w", r.w.err)
			}
			return nil
		case <-tick.C:
			if r.buf.stalledFor() > giveUpAfter || time.Since(start) > closeWithin {
				r.w.abandoned.Store(true)
				if r.w.written.Load() {
					return nil // only the sync is slow
				}
				return ErrStalled
			}
		}
	}
}

// complain logs once.
func (w *writer) complain(text string) {
	if w.complained.CompareAndSwap(false, true) {
		w.log(text)
	}
}

// abandonment is shared by the writer and those who may give it up.
type abandonment struct {
	abandoned  atomic.Bool // by Close
	complained atomic.Bool
	written    atomic.Bool // all of it
}
