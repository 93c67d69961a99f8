package recordings

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// The lock is on one byte far beyond the end of any file, since on Windows others cannot read what
// is locked.
const lockOffsetHigh = 0x7fffffff

func lockExclusive(f *os.File) error {
	return lockByte(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
}

// probeLock reports whether somebody holds f locked. It returns an error when that cannot be told.
func probeLock(f *os.File) (held bool, err error) {
	err = lockByte(f, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockOffsetHigh})
}

func lockByte(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockOffsetHigh})
}
