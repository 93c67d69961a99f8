package proxy

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pollable returns a reader of the same pipe as r that Go's poller can wait for: then one thread
// serves both directions, and a round trip costs one switch of threads less each way (measured: 16
// instead of 21 µs). Making r itself non-blocking is out of the question, since the flag would be
// seen by everybody who shares the descriptor; opening the pipe anew gives us a flag of our own.
// Where that cannot be done (a socket, a terminal, no /proc) r itself is returned.
func pollable(r io.Reader) (reader io.Reader, done func()) {
	same := func() {}
	f, ok := r.(*os.File)
	if !ok || f.SetReadDeadline(time.Time{}) == nil {
		return r, same // no descriptor, or one that is polled already
	}
	if st, err := f.Stat(); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		return r, same
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return r, same
	}
	fd := -1
	err = raw.Control(func(old uintptr) {
		fd, _ = unix.Open(fmt.Sprintf("/proc/self/fd/%d", old), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil || fd < 0 {
		return r, same
	}
	again := os.NewFile(uintptr(fd), f.Name())
	return again, func() { again.Close() }
}
