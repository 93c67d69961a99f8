package proxy

import "golang.org/x/sys/unix"

// wide is how much a pipe should hold in a flood.
const wide = 1 << 20

// widen makes a pipe hold more than the usual 64 KiB: in a flood the programs at its ends then take
// turns less often. It returns what the pipe held before, 0 where nothing has changed, as with what is
// no pipe.
func widen(end any) (usual int) {
	control(end, func(fd int) { usual = widenPipe(fd) })
	return usual
}

// narrow takes that back. It returns false while there is too much in the pipe.
func narrow(end any, usual int) (done bool) {
	control(end, func(fd int) { done = narrowPipe(fd, usual) })
	return done
}

// widenPipe is a favour of the kernel's, which allows each user only so much (64 MiB, and beyond that
// the new pipes of all programs hold 8 KiB): less is better than nothing, and it is not for ever.
func widenPipe(fd int) (usual int) {
	now, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
	for size := wide; err == nil && size > now; size /= 2 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, size); err == nil {
			return now
		}
	}
	return 0
}

func narrowPipe(fd, usual int) bool {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, usual)
	return err != unix.EBUSY
}
