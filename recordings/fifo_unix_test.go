//go:build unix

package recordings

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	return path
}

// TestFIFOWithoutReader is opened in the background: nothing waits for a reader.
func TestFIFOWithoutReader(t *testing.T) {
	r, err := CreateAt(fifo(t), Header{}, RecorderOptions{Buffer: 16 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 { // more than the buffer takes
		r.Chunk(Stdin, numbered(i))
	}
	if err := r.Close(); err == nil {
		t.Error("no error")
	}
}

// TestFIFOReadLate begins to be read when much was recorded already.
func TestFIFOReadLate(t *testing.T) {
	path := fifo(t)
	r, err := CreateAt(path, Header{}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for i := range 5000 {
		r.Chunk(Stdin, numbered(i))
		want = append(want, numbered(i)...)
	}
	read := make(chan []byte)
	go func() {
		b, _ := os.ReadFile(path)
		read <- b
	}()
	waitFor(t, func() bool { return r.buf.empty() })
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	all, _ := readAll(t, <-read)
	if got := bytesOf(all, Stdin); !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

// TestFIFOStalled has a reader that reads nothing: Close gives up and nothing is left behind.
func TestFIFOStalled(t *testing.T) {
	path := fifo(t)
	hold, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Skip(err)
	}
	defer hold.Close()
	r, err := CreateAt(path, Header{}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20_000 {
		r.Chunk(Stdin, numbered(i))
	}
	start := time.Now()
	if err := r.Close(); err != ErrStalled {
		t.Errorf("Close returned %v after %v", err, time.Since(start))
	}
	<-r.done // the goroutine ends by itself
}

// TestModes makes files that nobody else can read, whatever the umask.
func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := filepath.Join(t.TempDir(), "a", "b")
	r, err := Create(dir, Header{}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{r.Path(): 0o600, dir: 0o700, filepath.Dir(dir): 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s: %o, want %o", path, info.Mode().Perm(), want)
		}
	}
}

// TestDanglingLink does not write through a link.
func TestDanglingLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	target := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
	r, err := CreateAt(path, Header{}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(target); err == nil || r.Path() != path+"-2" {
		t.Errorf("wrote to %s, %v", r.Path(), err)
	}
}

// TestReadFromFIFO reads a recording from a pipe, to which nothing can go back.
func TestReadFromFIFO(t *testing.T) {
	path, file := fifo(t), session(t)
	if _, err := OpenFile(path); !errors.Is(err, ErrFormat) {
		t.Errorf("OpenFile returned %v", err)
	}
	want, _ := readAll(t, file)
	for name, open := range map[string]func() (func() (*Record, error), func() error, error){
		"Open": func() (func() (*Record, error), func() error, error) {
			r, err := Open(path)
			if err != nil {
				return nil, nil, err
			}
			return r.Next, r.Close, nil
		},
		"NewTail": func() (func() (*Record, error), func() error, error) {
			r, err := NewTail(path)
			if err != nil {
				return nil, nil, err
			}
			return r.Next, r.Close, nil
		},
	} {
		go os.WriteFile(path, file, 0o600)
		next, done, err := open()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := drain(t, next); len(got) != len(want) {
			t.Errorf("%s: %d records, want %d", name, len(got), len(want))
		}
		if err := done(); err != nil {
			t.Error(err)
		}
	}
}

// TestFolderWithPipes does not open what may block, whatever it is called.
func TestFolderWithPipes(t *testing.T) {
	dir := t.TempDir()
	first := filepath.Join(dir, "run.jsonl")
	r, err := CreateAt(first, Header{}, RecorderOptions{MaxSize: 2000})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		r.Chunk(Stdin, numbered(i))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(fifo(t), filepath.Join(dir, "run.77.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "run.78.jsonl")); err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(first); err != nil || !v.Whole {
		t.Errorf("%+v, %v", v, err)
	}
	if list, err := (Folder{dir}).List(); err != nil || len(list) != 1 {
		t.Errorf("%d recordings, %v", len(list), err)
	}
}
