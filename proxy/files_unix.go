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
	c, ok := f.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	ready := false
	err = raw.Control(func(fd uintptr) {
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, -1)
			if err != unix.EINTR {
				ready = err == nil
				return
			}
		}
	})
	return err == nil && ready
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
		if raw, err := f.SyscallConn(); err == nil {
			raw.Control(func(fd uintptr) { dup2(int(null.Fd()), int(fd)) })
		}
		return
	}
	f.Close()
}
