package recordings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// reserved is how much of a segment is kept for the record that ends it.
const reserved = 1 << 10

// segments is where a writer's file lies, and how it goes on in others.
type segments struct {
	first   string // path of the first
	path    string // of the one that is being written
	header  Header // of that
	max     int64  // bytes of one, 0 is no limit
	limit   int64  // of this one
	records int64  // in this one
	began   time.Duration
	start   Before // what stood in the earlier ones when this one began
	looked  time.Time
}

func newSegments(path string, h Header, most int64) *segments {
	s := &segments{first: path, path: path, header: h, max: most, looked: time.Now()}
	s.start.Streams = make(map[string]StreamSum)
	s.setLimit()
	return s
}

func (s *segments) setLimit() { s.limit = s.max - min(reserved, s.max/8) }

// makeRoom begins the next segment if a record of about n bytes, with this payload, would make this one
// too long. A segment holds one record at least.
func (w *writer) makeRoom(n int, data []byte) {
	s := w.segments
	if s == nil || s.max <= 0 || w.failing {
		return
	}
	s.records++
	const longest = 6 // bytes that one of the payload may take
	left, size := s.limit-w.size-int64(len(w.out)+n), int64(len(data))
	if s.records == 1 || size*longest <= left || size <= left && int64(len(appendPayload(nil, data))) <= left {
		return
	}
	w.flush()
	if w.failing || w.look() {
		return
	}
	if err := w.nextSegment(); err != nil {
		w.complain("no next segment, going on in this one: " + withoutName(err).Error())
		s.limit = w.size + s.max
		return
	}
	s.records = 1
}

// nextSegment goes on in a new file. The old one says which.
func (w *writer) nextSegment() error {
	w.buf.enter()
	defer w.buf.leave()
	s := w.segments
	h := s.header
	h.Previous = filepath.Base(s.path)
	h.Segment = max(h.Segment, 1) + 1
	before := w.before()
	const most = 10_000
	var (
		f    *os.File
		path string
		size int64
		err  = fs.ErrExist
	)
	for n := h.Segment; errors.Is(err, fs.ErrExist) && n < h.Segment+most; n++ {
		path = segmentPath(s.first, n)
		f, size, err = createLocked(path, func(locked bool) []byte {
			h.NoLock = !locked
			return w.opening(&h, &before)
		})
	}
	if err != nil {
		return err
	}
	w.out = appendNext(w.out, w.clock(), filepath.Base(path))
	w.pending = append(w.pending, pending{end: len(w.out)})
	if _, err := w.write(w.out); err != nil {
		// The new file names this one: they are found to belong together all the same.
		w.complain("recording went on in another segment early: " + withoutName(err).Error())
	}
	w.out, w.pending = w.out[:0], w.pending[:0]
	if old, ok := w.sink.(*os.File); ok {
		// Nobody waits for it, and a slow disk must not hold up the records that come.
		go func() { _ = errors.Join(old.Sync(), old.Close()) }()
	}
	w.sink, w.size = f, size
	s.path, s.header, s.start, s.began, s.looked = path, h, before, w.clock(), time.Now()
	s.setLimit()
	return nil
}

// opening is what a file that is not the first begins with: a header, and what a reader must know that
// does not have the files before it.
func (w *writer) opening(h *Header, before *Before) []byte {
	most := maxContext
	if m := w.segments.max; m > 0 {
		most = int(min(m/2, int64(most)))
	}
	return w.lasting.append(appendHeader(nil, h), w.clock(), before, most)
}

// before sums up what has been written so far.
func (w *writer) before() Before {
	b := Before{Streams: make(map[string]StreamSum), Gaps: w.gaps, Cache: w.facts.summary()}
	b.Cache.State = ""
	for s := Stdin; s <= Stderr; s++ {
		l := &w.lines[s]
		b.Streams[streamNames[s]] = l.sum
	}
	return b
}

const (
	// lookEvery is how often a busy writer looks whether its file still has a name.
	lookEvery = 500 * time.Millisecond

	removedText = "the recording was removed while it was written"
)

var errRemoved = errors.New(removedText)

// lookSometimes looks whether the file is still there, unless it just did.
func (w *writer) lookSometimes() {
	if w.segments != nil && time.Since(w.segments.looked) > lookEvery {
		w.look()
	}
}

// look finds out whether the file was removed, and then makes it again: what it held is a gap. It reports
// whether there is a new file.
func (w *writer) look() bool {
	s := w.segments
	f, ok := w.sink.(*os.File)
	if s == nil || !ok || w.failing {
		return false
	}
	s.looked = time.Now()
	w.buf.enter()
	defer w.buf.leave()
	if !nameless(f) {
		return false
	}
	if w.err == nil {
		w.err = errRemoved
	}
	err := w.replace(f)
	switch {
	case err == nil:
		w.complain(removedText + ", going on in a new file")
	case errors.Is(err, fs.ErrExist):
		w.complain(removedText + ", and its name is taken")
	default:
		w.complain(removedText + ": " + withoutName(err).Error())
	}
	return err == nil
}

// replace makes the file again that was removed.
func (w *writer) replace(old *os.File) error {
	s := w.segments
	if err := os.MkdirAll(filepath.Dir(s.path), folderMode); err != nil {
		return err
	}
	h := s.header
	before := s.start
	before.Cache = w.before().Cache
	gap := Gap{Reason: removedText, From: s.began, To: w.clock()}
	for st := Stdin; st <= Stderr; st++ {
		l, was := &w.lines[st], s.start.Streams[streamNames[st]]
		gap.add(st, l.sum.Bytes-was.Bytes, l.sum.Frames-was.Frames)
	}
	gaps := s.start.Gaps
	f, size, err := createLocked(s.path, func(locked bool) []byte {
		h.NoLock = !locked
		head := w.opening(&h, &before)
		if len(gap.Bytes) > 0 {
			head = appendGap(head, w.seq+1, gap.To, &gap)
		}
		return head
	})
	if err != nil {
		return err
	}
	if len(gap.Bytes) > 0 {
		w.seq++
		gaps++
	}
	w.gaps = gaps
	for st := Stdin; st <= Stderr; st++ {
		if l := &w.lines[st]; l.parts > 0 {
			l.cut = true
		}
	}
	old.Close()
	w.sink, w.size = f, size
	s.header, s.records = h, 1
	return nil
}
