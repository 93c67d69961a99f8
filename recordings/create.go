package recordings

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const (
	fileMode   = 0o600
	folderMode = 0o700
	extension  = ".jsonl"
)

// Create starts a recording in a new file of the folder dir, which is made if it is missing. The
// file's name is the id of the recording: ids sort by start. The file is private to the user,
// locked, and holds its header before it gets its name.
func Create(dir string, h Header, o RecorderOptions) (*Recorder, error) {
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, fmt.Errorf("making the recordings folder: %w", err)
	}
	r := newRecorder(&h, o)
	id := newID(h.Start)
	if err := r.create(filepath.Join(dir, id+extension), &h); err != nil {
		return nil, fmt.Errorf("making a recording: %w", err)
	}
	r.id = id
	return r, nil
}

// CreateAt starts a recording in the file path, or in path-2, path-3 … if that exists: it never
// appends and never overwrites. Missing folders are made. A FIFO or a device is opened in the
// background, since that may block for ever.
func CreateAt(path string, h Header, o RecorderOptions) (*Recorder, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		r := newRecorder(&h, o)
		r.path = path
		r.start(func(giveUp func() bool) (io.Writer, error) { return openSpecial(path, giveUp) }, appendHeader(nil, &h))
		return r, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
		return nil, fmt.Errorf("making the folder of the recording: %w", err)
	}
	r := newRecorder(&h, o)
	const most = 10_000
	for n := 1; n <= most; n++ {
		name := path
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		if _, e := os.Lstat(name); e == nil {
			err = fs.ErrExist // cheaper than to find out by making it
			continue
		}
		if err = r.create(name, &h); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("making a recording: %w", err)
	}
	return r, nil
}

// create makes the file, with its header in it, under a name that must be free.
func (r *Recorder) create(path string, h *Header) error {
	f, size, err := createLocked(path, func(locked bool) []byte {
		h.NoLock = !locked
		return appendHeader(nil, h)
	})
	if err != nil {
		return err
	}
	r.path = path
	r.w.size = size
	r.w.segments = newSegments(path, *h, r.maxSize)
	catchFileSizeSignal()
	r.start(func(func() bool) (io.Writer, error) { return f, nil }, nil)
	return nil
}

// createLocked makes a file with a first content that is locked, where that is possible, before it gets
// its name, which must be free. It returns the size of the content.
func createLocked(path string, content func(locked bool) []byte) (*os.File, int64, error) {
	// Nobody can see a file without a name, or find it unlocked. Where a file cannot get a second
	// name, it is made under its own: for a moment it is not locked yet.
	temp := filepath.Join(filepath.Dir(path), ".new-"+randomLetters(12))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL|noFollow, fileMode)
	if err != nil {
		return nil, 0, err
	}
	n, err := f.Write(content(lockExclusive(f) == nil))
	if err == nil {
		err = os.Link(temp, path)
	}
	_ = os.Remove(temp)
	if err == nil {
		return f, int64(n), nil
	}
	f.Close()
	if errors.Is(err, fs.ErrExist) {
		return nil, 0, err
	}
	if _, linkFailed := err.(*os.LinkError); !linkFailed {
		return nil, 0, err
	}
	f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL|noFollow, fileMode)
	if err != nil {
		return nil, 0, err
	}
	if n, err = f.Write(content(lockExclusive(f) == nil)); err != nil {
		f.Close()
		return nil, 0, errors.Join(err, os.Remove(path))
	}
	return f, int64(n), nil
}

// letters are those of Crockford's base 32: no i, l, o, u.
const letters = "0123456789abcdefghjkmnpqrstvwxyz"

func randomLetters(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	for i := range b {
		b[i] = letters[b[i]%32]
	}
	return string(b)
}

// NewID returns a new id for a recording that starts at start, for those who must know the name of the
// file before it is there.
func NewID(start time.Time) string { return newID(start) }

// newID returns a name that sorts by time, to the millisecond, and is unique.
func newID(start time.Time) string {
	start = start.UTC()
	return fmt.Sprintf("%s-%03d%s", start.Format("20060102-150405"), start.Nanosecond()/1e6, randomLetters(5))
}
