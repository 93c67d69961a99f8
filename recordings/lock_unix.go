//go:build unix && !aix && !solaris

package recordings

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockExclusive locks f for as long as it is open.
func lockExclusive(f *os.File) error {
	return flock(f, unix.LOCK_EX|unix.LOCK_NB)
}

// probeLock reports whether somebody holds f locked. It returns an error when that cannot be told.
func probeLock(f *os.File) (held bool, err error) {
	err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, flock(f, unix.LOCK_UN)
}

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
