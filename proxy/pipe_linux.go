package proxy

import (
	"os"

	"golang.org/x/sys/unix"
)

// wide is how much a pipe of the server's holds once it has proved to be the narrow place.
const wide = 256 << 10

// widen makes a pipe hold more than the usual 64 KiB: in a flood the programs at its ends then take
// turns less often. It is a favour of the kernel's, which allows each user only so much.
func widen(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < wide {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, wide)
		}
	})
}
