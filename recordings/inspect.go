package recordings

import (
	"fmt"
	"io"
	"os"
	"time"
)

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
// of a file that has ended, and all of one that is live or cut, when it is asked again only what is
// new.
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
			return info, info.grow(f)
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
	var t tally
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		t.add(rec)
	}
	i.count(&t)
	if t.end != nil {
		i.take(t.end, t.last)
	}
	if i.State == "" {
		i.State = t.facts.summary().State
		if t.end == nil && r.Format() == Native {
			i.State = Cut
		} else if t.end == nil && !t.facts.over {
			i.State = Unknown
		}
	}
	return nil
}

func (i *Info) count(t *tally) {
	i.use(t.facts.summary())
	i.Bytes, i.Gaps, i.Duration = t.bytes, t.gaps, t.last
}

// tally is what a list shows of records.
type tally struct {
	facts facts
	bytes int64
	gaps  int64
	last  time.Duration
	end   *End
}

func (t *tally) add(rec *Record) {
	t.last = max(t.last, rec.T)
	switch rec.Kind {
	case FrameRecord:
		t.bytes += int64(len(rec.Data) + len(rec.EOL))
		t.facts.record(rec)
	case EventRecord:
		t.facts.event(rec.Event)
	case GapRecord:
		t.gaps++
		for _, n := range rec.Gap.Bytes {
			t.bytes += n
		}
	case EndRecord:
		t.end = rec.End
	}
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
