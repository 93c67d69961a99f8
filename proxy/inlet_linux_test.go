package proxy

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pipeInlet is a pipe whose reading end is an inlet. No descriptor of it may be left after the test.
func pipeInlet(t *testing.T) (*inlet, *os.File) {
	t.Helper()
	before := openFiles(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	i := newInlet(r)
	t.Cleanup(func() {
		i.Close()
		w.Close()
		// What was read while it was closed is closed by its reader.
		deadline := time.Now().Add(5 * time.Second)
		for openFiles(t) > before && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		if after := openFiles(t); after > before {
			t.Errorf("%d descriptors before, %d after", before, after)
		}
	})
	return i, w
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

// However the way of reading changes, the bytes are those that were written.
func TestInletKeepsAllBytes(t *testing.T) {
	i, w := pipeInlet(t)
	random := rand.New(rand.NewPCG(1, 2))
	sent := make([]byte, 4<<20)
	for k := range sent {
		sent[k] = byte(random.Uint32())
	}
	go func() {
		defer w.Close()
		for rest := sent; len(rest) > 0; {
			n := min(1+random.IntN(3000), len(rest))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Error(err)
				return
			}
			rest = rest[n:]
		}
	}()
	var got []byte
	flows := []flow{calm, flood, spray, flood, calm, spray, calm}
	buf := make([]byte, chunkSize)
	for k := 0; ; k++ {
		if k%5 == 0 {
			i.adapt(flows[k/5%len(flows)])
		}
		n, err := i.Read(buf)
		got = append(got, buf[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, sent) {
		t.Errorf("%d bytes arrived of %d, or others", len(got), len(sent))
	}
}

// blocked starts a read that finds nothing and returns what it will come to.
func blocked(t *testing.T, i *inlet) chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := i.Read(make([]byte, 10))
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("the read did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	return done
}

func outcome(t *testing.T, done chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the read goes on")
		return nil
	}
}

func TestInletReadsEnd(t *testing.T) {
	for name, f := range map[string]flow{"calm": calm, "flood": flood, "spray": spray} {
		t.Run(name+", closed", func(t *testing.T) {
			i, _ := pipeInlet(t)
			i.adapt(f)
			done := blocked(t, i)
			i.Close()
			if err := outcome(t, done); !errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
			if _, err := i.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
				t.Errorf("the next read: %v", err)
			}
			if err := i.Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("the next close: %v", err)
			}
		})
		t.Run(name+", deadline", func(t *testing.T) {
			i, w := pipeInlet(t)
			i.adapt(f)
			done := blocked(t, i)
			if err := i.SetReadDeadline(time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
			if err := outcome(t, done); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error(err)
			}
			i.adapt(flood) // must not lose the deadline
			i.adapt(calm)
			if _, err := i.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the next read: %v", err)
			}
			if err := i.SetReadDeadline(time.Time{}); err != nil {
				t.Fatal(err)
			}
			w.Write([]byte("x"))
			if n, err := i.Read(make([]byte, 10)); n != 1 || err != nil {
				t.Errorf("after the deadline was taken back: %d, %v", n, err)
			}
		})
		t.Run(name+", end of input", func(t *testing.T) {
			i, w := pipeInlet(t)
			i.adapt(f)
			done := blocked(t, i)
			w.Close()
			if err := outcome(t, done); err != io.EOF {
				t.Error(err)
			}
		})
	}
}

// The end of a named pipe is seen although nobody has it open for writing any more when it is opened
// anew.
func TestInletOfFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	hold, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	i := newInlet(r)
	defer i.Close()
	hold.Write([]byte("last words"))
	hold.Close()
	i.adapt(flood)
	i.adapt(calm)
	i.adapt(spray)
	got, err := io.ReadAll(i)
	if string(got) != "last words" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// What Go's poller refuses must not be read as if it were polled.
func TestRefusedByThePoller(t *testing.T) {
	before := openFiles(t)
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0) // cannot be polled
	if err != nil {
		t.Fatal(err)
	}
	if f, err := poll(fd, "null"); err == nil {
		f.Close()
		t.Error("taken")
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// Only a flood is worth the kernel's memory, and only as long as it lasts.
func TestFloodsWidenPipes(t *testing.T) {
	size := func(f *os.File) int {
		n, err := unix.FcntlInt(f.Fd(), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, test := range []struct {
		name   string
		bytes  int
		others int
		wide   bool
	}{
		{"conversation", 200, 1, false},
		{"flood", 64 << 10, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			to, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			defer out.Close()
			i, in := pipeInlet(t)
			usual := size(out)
			if _, err := unix.FcntlInt(out.Fd(), unix.F_SETPIPE_SZ, 2*usual); err != nil {
				t.Skipf("the kernel has no more for this user: %v", err)
			}
			if _, err := unix.FcntlInt(out.Fd(), unix.F_SETPIPE_SZ, usual); err != nil {
				t.Fatal(err)
			}
			l, against := newLane(Stdout, noTap{}), newLane(Stdin, noTap{})
			l.against = against
			run := func(bytes, others int) {
				for range window + 1 {
					l.watch(bytes, i, out)
					against.arrived.Add(uint64(others))
				}
			}
			check := func(when string, wide bool) {
				t.Helper()
				for end, f := range map[string]*os.File{"read": in, "written": out} {
					if got := size(f); got > usual != wide {
						t.Errorf("%s, the pipe that is %s holds %d bytes", when, end, got)
					}
				}
			}
			run(test.bytes, test.others)
			check("then", test.wide)
			if !test.wide {
				return
			}
			// What is in them must not be lost, so they cannot always be narrowed at once.
			both := bytes.Repeat([]byte{'x'}, 2*usual)
			in.Write(both)
			out.Write(both)
			run(200, 1)
			check("in a conversation that finds them full", true)
			for end, f := range map[string]io.Reader{"read": i, "written": to} {
				if got, err := io.ReadFull(f, make([]byte, len(both))); err != nil {
					t.Errorf("the pipe that is %s: %d bytes, %v", end, got, err)
				}
			}
			run(64<<10, 0)
			check("in a flood again", true)
			run(200, 1)
			check("in the next conversation", false)
			run(64<<10, 0)
			check("in the third flood", true)
		})
	}
}
