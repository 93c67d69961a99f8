package proxy

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// wide is how much a pipe should hold in a flood.
const wide = 1 << 20

// widen makes a pipe hold more than the usual 64 KiB: in a flood the programs at its ends then take
// turns less often. What is no pipe stays as it is.
func widen(end any) {
	f, ok := end.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { widenPipe(int(fd)) })
	}
}

// widenPipe is a favour of the kernel's, which allows each user only so much: less is better than nothing.
func widenPipe(fd int) {
	now, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
	for size := wide; err == nil && size > now; size /= 2 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, size); err == nil {
			return
		}
	}
}
