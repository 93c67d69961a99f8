//go:build unix

package proxy

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// waitReadable and waitWritable wait for a descriptor that somebody else has made non-blocking (the
// flag belongs to the open file, which a client may share with us: a terminal, a socket). They report
// whether it is worth trying again.
func waitReadable(r io.Reader, err error) bool { return await(r, err, unix.POLLIN) }
func waitWritable(w io.Writer, err error) bool { return await(w, err, unix.POLLOUT) }

func await(f any, err error, events int16) bool {
	if errors.Is(err, unix.EINTR) {
		return true
	}
	if !errors.Is(err, unix.EAGAIN) {
		return false
	}
	ready := false
	control(f, func(fd int) {
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, -1)
			if err != unix.EINTR {
				ready = err == nil
				return
			}
		}
	})
	return ready
}

// control calls use with the descriptor of f, which stays open meanwhile. It does not where f has none, or is closed.
func control(f any, use func(fd int)) {
	c, ok := f.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { use(int(fd)) })
	}
}

// release closes w for the reader behind it. The standard descriptors keep their numbers, so that no
// file opened later can be mistaken for them.
func release(w io.Writer) {
	f, ok := w.(*os.File)
	if !ok {
		if c, ok := w.(io.Closer); ok {
			c.Close()
		}
		return
	}
	standard := f == os.Stdin || f == os.Stdout || f == os.Stderr
	if standard {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			return // the end of the process will do it
		}
		defer null.Close()
		control(f, func(fd int) { dup2(int(null.Fd()), fd) })
		return
	}
	f.Close()
}
