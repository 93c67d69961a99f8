package recordings

import (
	"cmp"
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
	Size     int64    // of the file
	Files    []string // that it is made of, the segments in order
	Segments int      // how many there are

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
	files := []segment{{path: path, header: h, packed: r.packed}}
	if r.chain != nil {
		files = r.chain.all
	}
	info := Info{
		ID: idOf(files[0].path), Path: files[0].path, Label: h.Label, Command: h.Command, Dir: h.Dir, Started: h.Start,
		Demo: h.Demo, Probe: h.Probe, Imported: h.Imported != nil, Segments: len(files),
	}
	for i := range files {
		stat, err := os.Stat(files[i].path)
		if err != nil {
			return Info{}, err
		}
		info.Files = append(info.Files, files[i].path)
		info.Size += stat.Size()
	}
	last := files[len(files)-1]
	if r.format == Native && !last.packed {
		done, err := info.fromEnd(last)
		if done || err != nil {
			return info, err
		}
	}
	return info, info.scan(r)
}

// fromEnd uses what the last file of a recording tells: how it ended, or, while it is written, what
// there is so far. It returns false when that is not enough.
func (i *Info) fromEnd(last segment) (done bool, err error) {
	f, err := os.Open(last.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	line, err := lastLine(f)
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", last.path, err)
	}
	switch {
	case line == nil:
		i.State = writerState(f, last.header)
		return true, i.grow(f, last.path)
	case line.kind == nextLine:
		i.State = Cut // the next segment is missing
		return true, i.grow(f, last.path)
	case line.end.Cache != nil:
		i.take(line.end, line.t)
		return true, nil
	}
	return false, nil
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
	sum := t.facts.summary()
	i.Bytes, i.Gaps, i.Duration = t.bytes, t.gaps, t.last
	if b := t.before; b != nil {
		sum.follow(b.Cache)
		i.Gaps += b.Gaps
		for _, s := range b.Streams {
			i.Bytes += s.Bytes
		}
	}
	i.use(sum)
}

// follow adds what was so in earlier segments.
func (s *Summary) follow(earlier *Summary) {
	if earlier == nil {
		return
	}
	s.Messages.Client += earlier.Messages.Client
	s.Messages.Server += earlier.Messages.Server
	s.Client = cmp.Or(earlier.Client, s.Client)
	s.Server = cmp.Or(earlier.Server, s.Server)
	s.Revision = cmp.Or(earlier.Revision, s.Revision)
	s.Exit = cmp.Or(s.Exit, earlier.Exit)
	if s.Era != "" && earlier.Era != "" && s.Era != earlier.Era {
		s.Era = "both"
	} else {
		s.Era = cmp.Or(s.Era, earlier.Era)
	}
	s.DiscoverOnly = s.DiscoverOnly && earlier.DiscoverOnly
}

// tally is what a list shows of records.
type tally struct {
	facts facts
	bytes int64
	gaps  int64
	last  time.Duration
	end   *End

	before *Before // what stands in segments that are not counted
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
	case ContextRecord:
		t.before = &rec.Context.Before
	}
}

// record notes a frame that was read.
func (f *facts) record(rec *Record) {
	switch {
	case rec.Stream == Stderr || rec.Truncated:
	case len(rec.Data) > maxVerbatim:
		f.long(rec.Stream)
	case rec.head.kind != 0:
		f.message(rec.Stream, &rec.head, rec.Data)
	default:
		h := decoded(rec.Data)
		f.message(rec.Stream, &h, rec.Data)
	}
}
