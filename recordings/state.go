package recordings

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"
)

// LiveState says whether a recording is still being written and how it ended.
type LiveState string

// The states. Values are stable: they appear in machine-readable output.
const (
	Live    LiveState = "live"    // being written
	Ended   LiveState = "ended"   // the server is gone after its input was closed or it was signalled
	Crashed LiveState = "crashed" // the server was gone, or closed its output, on its own, or never started
	Cut     LiveState = "cut"     // no end record and no writer
	Unknown LiveState = "unknown" // no end record; whether there is a writer cannot be told
)

// maxEnd is how far from the end of a file its end record is looked for.
const maxEnd = 64 << 10

// State says in which state the recording in the file path is. It reads the head and the end of the
// file, and all of it only if the end record does not repeat what happened. A file that is no
// recording gives [ErrFormat].
func State(path string) (LiveState, error) {
	info, err := Inspect(path)
	return info.State, err
}

// endRecord reads the end record, nil when the last line is none.
func endRecord(f *os.File) (*nativeLine, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-maxEnd)
	tail := make([]byte, info.Size()-from)
	n, err := f.ReadAt(tail, from)
	if err != nil && err != io.EOF {
		return nil, err
	}
	tail = tail[:n]
	last := bytes.TrimRight(tail, " \t\r\n")
	start := bytes.LastIndexByte(last, '\n') + 1
	if start == 0 && from > 0 {
		return nil, nil
	}
	var p parser
	var line nativeLine
	if err := p.parse(&line, last[start:], true); err != nil || line.kind != endLine {
		return nil, nil
	}
	return &line, nil
}

// writerState says what a file without an end record is.
func writerState(f *os.File, h *Header) LiveState {
	if !h.NoLock {
		switch held, err := probeLock(f); {
		case err == nil && held:
			return Live
		case err == nil:
			return Cut
		}
	}
	switch lives, known := h.writerLives(); {
	case !known:
		return Unknown
	case lives:
		return Live
	default:
		return Cut
	}
}

// Info is what a list shows of a recording.
type Info struct {
	ID      string // by which [Folder.Resolve] finds it
	Path    string
	Label   string
	Command []string
	Dir     string // working folder of the run
	Started time.Time

	State    LiveState
	Duration time.Duration
	Messages Messages
	Server   Implementation
	Client   Implementation
	Revision string
	Era      string
	Exit     Exit
	Bytes    int64 // that travelled, on all streams, as far as known
	Gaps     int64
	Size     int64 // of the file
	Segments int   // files that it is made of

	Demo     bool
	Probe    bool // made by the verb probe
	Imported bool

	// ProbeOf is the id of the run that followed this one within seconds, by the same command, when
	// this one was only asked server/discover: a client's throw-away process.
	ProbeOf string

	discoverOnly bool
}

// Inspect says what a list shows of the recording in the file path. It reads the head and the end
// of a file that has ended, and all of one that is live or cut.
func Inspect(path string) (Info, error) {
	r, err := Open(path)
	if err != nil {
		return Info{}, err
	}
	defer r.Close()
	h := r.Header()
	info := Info{
		ID: idOf(path), Path: path, Label: h.Label, Command: h.Command, Dir: h.Dir, Started: h.Start,
		Demo: h.Demo, Probe: h.Probe, Imported: h.Imported != nil, Segments: 1,
	}
	f := r.closers[len(r.closers)-1].(*os.File)
	stat, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	info.Size = stat.Size()
	native, ok := r.src.(*native)
	if ok && native.plain {
		end, err := endRecord(f)
		if err != nil {
			return Info{}, fmt.Errorf("reading %s: %w", path, err)
		}
		if end != nil && end.end.Cache != nil {
			info.take(end.end, end.t)
			return info, nil
		}
		if end == nil {
			info.State = writerState(f, h)
		}
	}
	return info, info.scan(r)
}

// take uses what the end record says.
func (i *Info) take(end *End, t time.Duration) {
	i.Duration = t
	i.Gaps = end.Gaps
	i.Bytes = 0
	for _, s := range end.Streams {
		i.Bytes += s.Bytes
	}
	if end.Cache != nil {
		i.use(end.Cache)
		i.State = end.Cache.State
	}
}

func (i *Info) use(s *Summary) {
	i.Messages, i.Server, i.Client = s.Messages, s.Server, s.Client
	i.Revision, i.Era, i.Exit = s.Revision, s.Era, s.Exit
	i.discoverOnly = s.DiscoverOnly
}

// scan reads all records.
func (i *Info) scan(r *Reader) error {
	var f facts
	var end *End
	var last time.Duration
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		last = max(last, rec.T)
		switch rec.Kind {
		case FrameRecord:
			i.Bytes += int64(len(rec.Data) + len(rec.EOL))
			f.record(rec)
		case EventRecord:
			f.event(rec.Event)
		case GapRecord:
			i.Gaps++
			for _, n := range rec.Gap.Bytes {
				i.Bytes += n
			}
		case EndRecord:
			end = rec.End
		}
	}
	sum := f.summary()
	i.use(sum)
	if end != nil {
		i.take(end, last)
	}
	i.Duration = last
	if i.State == "" {
		i.State = sum.State
		if end == nil && r.Format() == Native {
			i.State = Cut
		} else if end == nil && !f.over {
			i.State = Unknown
		}
	}
	return nil
}

// record notes a frame that was read.
func (f *facts) record(rec *Record) {
	switch {
	case rec.Stream == Stderr || rec.Truncated:
	case len(rec.Data) > maxVerbatim:
		f.long(rec.Stream)
	case rec.head.kind != 0:
		f.message(rec.Stream, rec.head, rec.Data)
	default:
		f.message(rec.Stream, decoded(rec.Data), rec.Data)
	}
}
