package recordings

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// Segments. When a recording has a limit on the size of its files it goes on in the next one, which has
// the number of the segment in its name and the name of the one before in its header. What is read, by
// whatever file of it, is the whole recording; segments that are not there are gaps.

// packings are the endings of packed files.
var packings = [...]string{"", ".gz", ".zst"}

// lazily compiles a regular expression when it is first needed: a program that only forwards should
// not pay for it at its start.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// segmentName splits the name of a file: what all segments begin with, the number, and what the name says
// of the form.
var segmentName = lazily(`^(.+?)(?:\.([0-9]+))?(\.jsonl(?:-[0-9]+)?)?(\.gz|\.zst)?$`)

// segmentRest is what may follow in a name after what all segments begin with.
var segmentRest = lazily(`^(\.[0-9]+)*(\.jsonl(-[0-9]+)?)?(\.gz|\.zst)?$`)

// regular reports whether an entry of a folder is a file, or a link to one: to open anything else may
// block.
func regular(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.Mode().IsRegular()
}

// segmentPath returns the path of the n-th segment of the recording whose first is the file first.
func segmentPath(first string, n int) string {
	dir, name := filepath.Split(first)
	form := ""
	if m := fileForm().FindString(name); m != "" {
		name, form = strings.TrimSuffix(name, m), m
	}
	return dir + name + "." + strconv.Itoa(n) + form
}

// fileForm is what the name of a file says of its form.
var fileForm = lazily(`(\.jsonl(-[0-9]+)?)?(\.gz|\.zst)?$`)

// segment is one file of a recording.
type segment struct {
	path   string
	number int // from 1
	header *Header
	packed bool
}

// lives reports whether the segment is being written.
func (s segment) lives() bool {
	f, err := os.Open(s.path)
	if err != nil {
		return false
	}
	defer f.Close()
	return written(f, s.header)
}

func numberOf(h *Header) int { return max(h.Segment, 1) }

// sameRun reports whether two files are segments of one recording.
func sameRun(a, b *Header) bool {
	return a.Start.Equal(b.Start) && a.PID == b.PID && a.PIDStart == b.PIDStart && a.Host == b.Host &&
		slices.Equal(a.Command, b.Command)
}

// segmentsOf returns the segments of a recording that lie beside the file path, in order, without those
// that are missing. The file itself, whose header is h, is one of them.
func segmentsOf(path string, h *Header, packed bool) ([]segment, error) {
	dir, name := filepath.Split(path)
	stem := name
	if m := segmentName().FindStringSubmatch(name); m != nil {
		stem = m[1]
	}
	found := []segment{{path, numberOf(h), h, packed}}
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		// A folder that cannot be listed hides the others, not this one.
		return found, nil
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), stem)
		if !ok || e.Name() == name || !segmentRest().MatchString(rest) || !regular(dir, e) {
			continue
		}
		other, err := openOne(dir + e.Name())
		if err != nil {
			continue
		}
		if o := other.Header(); other.format == Native && o.Imported == nil && sameRun(h, o) {
			found = append(found, segment{dir + e.Name(), numberOf(o), o, other.packed})
		}
		if err := other.Close(); err != nil {
			return nil, err
		}
	}
	// The file that was asked for comes before another with its number, and a plain one before its
	// packed copy.
	sort.SliceStable(found, func(i, j int) bool { return found[i].number < found[j].number })
	return slices.CompactFunc(found, func(a, b segment) bool { return a.number == b.number }), nil
}

// segmented reports whether there may be other segments of the recording in the file path.
func segmented(path string, f *os.File, h *Header, plain bool) bool {
	if h.Previous != "" {
		return true
	}
	if h.Imported != nil {
		return false
	}
	if plain {
		if last, err := lastLine(f); err == nil && last != nil {
			return last.kind == nextLine
		}
	}
	return nextTo(path, h)
}

// nextTo reports whether a file lies beside path that has the name of the next segment.
func nextTo(path string, h *Header) bool {
	first := path
	if m := segmentName().FindStringSubmatch(filepath.Base(path)); m != nil && numberOf(h) > 1 {
		first = filepath.Join(filepath.Dir(path), m[1]+m[3])
	}
	for _, p := range packings {
		bare := strings.TrimSuffix(strings.TrimSuffix(first, ".gz"), ".zst")
		if _, err := os.Lstat(segmentPath(bare, numberOf(h)+1) + p); err == nil {
			return true
		}
	}
	return false
}

// chain is what a reader knows of the segments of its recording.
type chain struct {
	at   segment // being read
	rest []segment
	all  []segment // as found last
}

// chained reads the recording to which the segment path belongs, from its first segment. It takes the
// place of r, which has read the header of path.
func (r *Reader) chained(path string) (*Reader, error) {
	all, err := segmentsOf(path, r.Header(), r.packed)
	if err != nil {
		r.Close()
		return nil, err
	}
	first := all[0]
	if first.path != path {
		again, err := openOne(first.path)
		r.Close()
		if err != nil {
			return nil, err
		}
		again.name = path
		r = again
	}
	r.chain = &chain{at: first, rest: all[1:], all: all}
	src := r.src.(*native)
	if len(all) > 1 {
		src.file = filepath.Base(first.path)
		for i := range src.damage {
			src.damage[i].File = src.file
		}
	}
	src.plain = !slices.ContainsFunc(all, func(s segment) bool { return s.packed })
	if p := first.header.Previous; p != "" {
		src.miss(p)
	}
	return r, nil
}

// again looks for segments that came since, beyond the one that is being read.
func (c *chain) again() error {
	all, err := segmentsOf(c.at.path, c.at.header, c.at.packed)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(s segment) bool { return s.number > c.at.number })
	if i < 0 {
		i = len(all)
	}
	c.all, c.rest = all, all[i:]
	return nil
}

// following opens the segment that comes next, in place of the one that was read. It returns nil when
// there is none, and the name of what is missing before it, or at the end.
func (r *Reader) following() (next *native, missing string, err error) {
	src := r.src.(*native)
	c := r.chain
	for c != nil && len(c.rest) > 0 {
		s := c.rest[0]
		c.rest = c.rest[1:]
		opened, err := openOne(s.path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrFormat) {
			continue // it went away since it was found
		}
		if err != nil {
			return nil, "", err
		}
		if s.number != c.at.number+1 {
			missing = cmp.Or(src.goesOn, s.header.Previous)
		}
		next = opened.src.(*native)
		next.file = filepath.Base(s.path)
		if info, err := r.file.Stat(); err == nil {
			next.base = src.base + info.Size()
		}
		for _, old := range r.closers {
			_ = old.Close() // it was only read
		}
		r.file, r.packed, r.closers, c.at = opened.file, opened.packed, opened.closers, s
		return next, missing, nil
	}
	missing, src.goesOn = src.goesOn, ""
	return nil, missing, nil
}

// turn goes on in the next segment. Lost says that one is missing: rec is a gap in its place.
func (r *native) turn(rec *Record) (turned, lost bool, err error) {
	next, missing, err := r.follow()
	if err != nil {
		return false, false, err
	}
	to := r.t
	if next != nil {
		r.take(next)
		if r.held != nil {
			to = max(to, r.held.t)
		}
	}
	if missing == "" {
		return next != nil, false, nil
	}
	r.miss(missing)
	r.lostEnd = next == nil
	for s := Stdin; s <= Stderr; s++ {
		r.open[s].cut = r.open[s].count > 0
	}
	*rec = Record{
		Kind: GapRecord, Seq: r.seq + 1, T: to, T0: to, made: true,
		Gap: &Gap{Reason: "the segment " + missing + " is missing", From: r.t, To: to},
	}
	return next != nil, true, nil
}

// take goes on with the lines of the next segment.
func (r *native) take(next *native) {
	r.lines, r.held, r.heldAt = next.lines, next.held, next.heldAt
	r.lines.offset += next.base
	r.heldAt.pos += next.base
	r.base, r.file, r.number, r.lined = next.base, next.file, next.number, next.lined
	r.began, r.over, r.goesOn = true, false, ""
	for _, d := range next.damage {
		d.File = next.file
		r.damaged++
		if len(r.damage) < maxDamage {
			r.damage = append(r.damage, d)
		}
	}
	if r.each != nil && r.held != nil && r.held.kind != unknownLine {
		r.each(r.held)
	}
}

// miss notes that a segment is missing.
func (r *native) miss(name string) {
	r.missing = append(r.missing, name)
	r.damage = append(r.damage, Damage{File: name, Reason: "the segment is missing"})
}
