package proxy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// nap is how long, in ns, a reader in a spray lets more come before it waits: otherwise it would be woken
// for every message, at the expense of who writes it.
const nap = 50_000

// inlet is the reading end of a pipe, read in one of two ways.
//
// In a conversation Go's poller waits for it: then one thread serves both directions, and a round trip
// costs one switch of threads less each way (measured: 19 instead of 52 µs). But while a poller looks
// at a pipe the kernel wakes it at every write, however much lies in the pipe: in a flood the writer
// pays for that, and it is the program under observation. So in a flood the reader waits by itself, and
// only when the pipe is empty.
//
// The flag for the first way must not be set on the descriptor we were given, which others may share.
// Opening the pipe anew gives us a descriptor of our own; that is also how the way is changed.
type inlet struct {
	mu      sync.Mutex
	polled  *os.File // nil in a flood
	plain   int      // in a flood, else -1; non-blocking, and unknown to Go's poller
	alarm   int      // an event descriptor that ends the wait for plain, -1 before the first flood
	reading bool     // plain is in use: who reads closes it
	usual   int      // what the pipe held before it was widened, else 0
	naps    bool     // when the pipe is found empty
	closed  bool
	expired bool // there is a deadline
}

// newInlet takes over a file that Go polls.
func newInlet(f *os.File) *inlet { return &inlet{polled: f, plain: -1, alarm: -1} }

// pollable returns an inlet for the pipe behind r, and what closes it. Where there can be none (a
// socket, a terminal, no /proc) r itself is returned.
func pollable(r io.Reader) (reader io.Reader, done func()) {
	same := func() {}
	f, ok := r.(*os.File)
	if !ok || f.SetReadDeadline(time.Time{}) == nil {
		return r, same // no descriptor, or one that is polled already
	}
	if st, err := f.Stat(); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		return r, same
	}
	fd, err := again(f)
	if err != nil {
		return r, same
	}
	polled, err := poll(fd, f.Name())
	if err != nil {
		return r, same
	}
	i := newInlet(polled)
	return i, func() { i.Close() }
}

// poll hands a non-blocking descriptor over to Go's poller. The poller can refuse it, since the kernel's
// memory for it is limited: then it is closed, for its reads would fail where they should wait.
func poll(fd int, name string) (*os.File, error) {
	f := os.NewFile(uintptr(fd), name)
	if err := f.SetReadDeadline(time.Time{}); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// again opens the pipe behind f once more.
func again(f *os.File) (fd int, err error) {
	fd, err = -1, os.ErrClosed
	control(f, func(old int) { fd, err = reopen(old) })
	return fd, err
}

func reopen(fd int) (int, error) {
	return unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
}

// adapt changes the way of reading. Only who reads may call it. Where it cannot be done everything
// stays as it is.
func (i *inlet) adapt(to flow) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.naps = to == spray
	on := to != calm
	if i.closed || i.expired || on == (i.polled == nil) {
		return
	}
	if !on {
		if i.usual > 0 && narrowPipe(i.plain, i.usual) {
			i.usual = 0
		}
		fd, err := reopen(i.plain)
		if err != nil {
			return
		}
		if f, err := poll(fd, "|0"); err == nil {
			unix.Close(i.plain)
			i.polled, i.plain = f, -1
		}
		return
	}
	if i.alarm < 0 {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
		if err != nil {
			return
		}
		i.alarm = fd
	}
	if fd, err := again(i.polled); err == nil {
		if i.usual == 0 {
			i.usual = widenPipe(fd)
		}
		i.polled.Close()
		i.polled, i.plain = nil, fd
	}
}

// Read is for one goroutine at a time.
func (i *inlet) Read(b []byte) (int, error) {
	i.mu.Lock()
	if f := i.polled; f != nil {
		i.mu.Unlock()
		return f.Read(b)
	}
	if err := i.over(); err != nil {
		i.mu.Unlock()
		return 0, err
	}
	i.reading = true
	i.mu.Unlock()
	n, err := i.wait(b)
	i.mu.Lock()
	i.reading = false
	if i.closed {
		i.release()
	}
	i.mu.Unlock()
	if n > 0 || err != nil {
		return n, err
	}
	return i.Read(b) // says what the alarm was for, or goes on if it was a false one
}

// wait reads from plain. It returns 0, nil when the alarm was given.
func (i *inlet) wait(b []byte) (int, error) {
	napped := !i.naps
	for {
		n, err := unix.Read(i.plain, b)
		switch {
		case n > 0:
			return n, nil
		case n == 0:
			return 0, io.EOF
		case err == unix.EINTR:
			continue
		case err != unix.EAGAIN:
			return 0, err
		}
		if !napped {
			napped = true
			unix.Nanosleep(&unix.Timespec{Nsec: nap}, nil)
			continue
		}
		fds := []unix.PollFd{{Fd: int32(i.plain), Events: unix.POLLIN}, {Fd: int32(i.alarm), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return 0, err
		}
		if fds[1].Revents != 0 {
			return 0, nil
		}
	}
}

// over says why there is nothing to read any more.
func (i *inlet) over() error {
	switch {
	case i.closed:
		return os.ErrClosed
	case i.expired:
		return os.ErrDeadlineExceeded
	}
	return nil
}

// Close ends a read that is under way.
func (i *inlet) Close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return os.ErrClosed
	}
	i.closed = true
	if i.polled != nil {
		return errors.Join(i.polled.Close(), i.release())
	}
	if i.reading {
		i.ring()
		return nil
	}
	return i.release()
}

// release closes the descriptors of floods.
func (i *inlet) release() error {
	var errs [2]error
	for k, fd := range []*int{&i.plain, &i.alarm} {
		if *fd >= 0 {
			errs[k] = unix.Close(*fd)
			*fd = -1
		}
	}
	return errors.Join(errs[:]...)
}

func (i *inlet) ring() { unix.Write(i.alarm, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// SetReadDeadline ends reads at t, which in a flood is as good as now if it is set at all.
func (i *inlet) SetReadDeadline(t time.Time) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.expired = !t.IsZero()
	switch {
	case i.polled != nil:
		return i.polled.SetReadDeadline(t)
	case i.closed:
		return os.ErrClosed
	case i.expired:
		i.ring()
	default:
		var drained [8]byte
		unix.Read(i.alarm, drained[:])
	}
	return nil
}
