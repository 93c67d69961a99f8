package tui

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/recordings"
)

// folder is the library of a real folder. What it knows of files is kept, so that looking again costs
// little: only files that changed are read.
type folder struct {
	dir string

	mu    sync.Mutex
	known map[string]inspected
	names []string
	probe map[string]bool // runs that are folded into the one that follows them
}

type inspected struct {
	size     int64
	modified time.Time
	looked   time.Time
	listing  listing
	err      error
}

const (
	// liveAgain is how soon a live recording that did not grow is looked at again, to see whether its
	// writer is gone.
	liveAgain = 3 * time.Second
	// A live recording is read as a whole each time; large ones less often.
	largeLive      = 16 << 20
	largeLiveAgain = 15 * time.Second
)

func (f *folder) name() string {
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(f.dir, home+string(filepath.Separator)); ok {
			return "~" + string(filepath.Separator) + rest
		}
	}
	return f.dir
}

func (f *folder) list() ([]listing, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, err := os.ReadDir(f.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("listing the recordings: %w", err)
	}
	var names []string
	stats := map[string]os.FileInfo{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			path := filepath.Join(f.dir, e.Name())
			names = append(names, path)
			stats[path] = info
		}
	}
	if f.known == nil || !slices.Equal(names, f.names) {
		if err := f.readAll(names, stats); err != nil {
			return nil, err
		}
	} else {
		f.readChanged(stats)
	}
	var out []listing
	for _, k := range f.known {
		if k.err == nil {
			k.listing.thrown = f.probe[k.listing.path]
			out = append(out, k.listing)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(b.started.Compare(a.started), strings.Compare(b.path, a.path)) < 0
	})
	return out, nil
}

// readAll lists the folder afresh.
func (f *folder) readAll(names []string, stats map[string]os.FileInfo) error {
	infos, err := recordings.Folder{Dir: f.dir}.List()
	if err != nil {
		return fmt.Errorf("listing the recordings: %w", err)
	}
	f.known, f.probe, f.names = map[string]inspected{}, map[string]bool{}, names
	now := time.Now()
	for i := range infos {
		in := &infos[i]
		st := stats[in.Path]
		if st == nil {
			continue
		}
		f.known[in.Path] = inspected{st.Size(), st.ModTime(), now, listingOf(in), nil}
		f.probe[in.Path] = in.ProbeOf != ""
	}
	return nil
}

// readChanged looks again at the files that changed, and at live ones now and then.
func (f *folder) readChanged(stats map[string]os.FileInfo) {
	now := time.Now()
	for path, k := range maps.Clone(f.known) {
		st := stats[path]
		if st == nil {
			continue
		}
		changed := st.Size() != k.size || !st.ModTime().Equal(k.modified)
		age := now.Sub(k.looked)
		live := k.listing.state == string(recordings.Live)
		switch {
		case live && st.Size() > largeLive && age < largeLiveAgain:
			continue
		case !changed && (!live || age < liveAgain):
			continue
		}
		in, err := recordings.Inspect(path)
		got := inspected{st.Size(), st.ModTime(), now, k.listing, nil}
		if err == nil {
			got.listing = listingOf(&in)
		}
		f.known[path] = got
	}
}

func (f *folder) copies(path string) []string {
	in, err := recordings.Inspect(path)
	if err != nil {
		return nil
	}
	return copiesOf(&in)
}

func copiesOf(in *recordings.Info) []string {
	var out []string
	for _, file := range in.Files {
		for _, end := range []string{".gz", ".zst"} {
			if slices.Contains(in.Files, file+end) {
				continue
			}
			other, err := recordings.Inspect(file + end)
			if err == nil && other.Started.Equal(in.Started) {
				out = append(out, file+end)
			}
		}
	}
	return out
}

func (f *folder) remove(path string, copies bool) error {
	in, err := recordings.Inspect(path)
	if err != nil {
		return fmt.Errorf("deleting %s: %w", filepath.Base(path), err)
	}
	var also []string
	if copies {
		also = copiesOf(&in)
	}
	if err := (&recordings.Excess{Info: in}).Remove(); err != nil {
		return err
	}
	for _, file := range also {
		for _, name := range []string{file + recordings.NotesSuffix, file} {
			if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("deleting a packed copy: %w", err)
			}
		}
	}
	f.mu.Lock()
	f.known = nil
	f.mu.Unlock()
	return nil
}

func listingOf(in *recordings.Info) listing {
	return listing{
		id: in.ID, path: in.Path, label: in.Label, command: export.ShellWords(in.Command), state: string(in.State),
		server: peer{in.Server.Name, in.Server.Version}, client: peer{in.Client.Name, in.Client.Version},
		revision: in.Revision, era: in.Era, started: in.Started, duration: in.Duration,
		sent: in.Messages.Client, received: in.Messages.Server, bytes: in.Bytes, gaps: in.Gaps,
		exitCode: in.Exit.Code, exitSignal: in.Exit.Signal, segments: in.Segments, demo: in.Demo, probe: in.Probe,
	}
}

// open opens a recording in any form.
func (f *folder) open(path string) (*source, error) {
	tail, err := recordings.NewTail(path)
	if err != nil {
		return nil, err
	}
	src := &source{
		header: tail.Header(), live: tail.Live(), damage: tail.Damage,
		state: func() string { return stateOf(path) },
		again: func() (*recordings.Reader, error) { return recordings.Open(path) },
		unfinished: func(st recordings.Stream) []byte {
			data, _ := tail.Unfinished(st)
			return data
		},
		next: func() (*recordings.Record, error) {
			rec, err := tail.Next()
			if errors.Is(err, recordings.ErrWait) {
				return nil, errWait
			}
			return rec, err
		},
	}
	// What is packed, or in another form, has no places to be read again.
	file, err := recordings.OpenFile(path)
	if err == nil && tail.Format() == recordings.Native {
		if info, err := os.Stat(path); err == nil && tail.Header().Segment == 0 {
			src.size = info.Size()
		}
		src.read = func(pos, length int64) ([]byte, error) {
			rec, err := file.ReadAt(pos, length)
			if err != nil {
				return nil, err
			}
			return rec.Data, nil
		}
		src.close = func() { tail.Close(); file.Close() }
		return src, nil
	}
	if err == nil {
		file.Close()
	} else if !errors.Is(err, recordings.ErrFormat) {
		tail.Close()
		return nil, err
	}
	keep, err := newSpool()
	if err != nil {
		tail.Close()
		return nil, err
	}
	next := src.next
	src.next = func() (*recordings.Record, error) {
		rec, err := next()
		if err == nil {
			err = keep.keep(rec)
		}
		return rec, err
	}
	src.read = keep.read
	src.close = func() { tail.Close(); keep.close() }
	return src, nil
}

func stateOf(path string) string {
	st, err := recordings.State(path)
	if err != nil {
		return string(recordings.Unknown)
	}
	return string(st)
}
