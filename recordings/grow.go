package recordings

import (
	"io"
	"os"
	"path/filepath"
	"sync"
)

// maxGrowing bounds the files whose tally is kept.
const maxGrowing = 100

// growing keeps the tallies of files without an end, which a list is asked for again and again:
// only what is new is read.
var growing struct {
	sync.Mutex
	files map[string]*grower
}

// grower is a tally that goes on where it stopped.
type grower struct {
	sync.Mutex
	info  os.FileInfo
	src   native
	tally tally
}

// grow counts the records of a native file without an end.
func (i *Info) grow(f *os.File, name string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	g := growerOf(path, info)
	g.Lock()
	defer g.Unlock()
	l := &g.src.lines
	if !os.SameFile(g.info, info) || info.Size() < l.offset {
		// Another file, or one that was cut, has the name now.
		g.info, g.src, g.tally = info, native{live: true}, tally{}
	}
	l.src = io.NewSectionReader(f, l.offset, info.Size()-l.offset)
	for err == nil {
		var rec Record
		if err = g.src.next(&rec); err == nil {
			g.tally.add(&rec)
		}
	}
	// The incomplete line is read again next time, and the buffer is not kept for so long.
	l.src, l.buf, l.from, l.to, l.seen = nil, nil, 0, 0, 0
	if err != errWait {
		return err
	}
	i.count(&g.tally)
	return nil
}

func growerOf(path string, info os.FileInfo) *grower {
	growing.Lock()
	defer growing.Unlock()
	g := growing.files[path]
	if g == nil {
		if growing.files == nil || len(growing.files) >= maxGrowing {
			growing.files = make(map[string]*grower)
		}
		g = &grower{info: info, src: native{live: true}}
		growing.files[path] = g
	}
	return g
}
