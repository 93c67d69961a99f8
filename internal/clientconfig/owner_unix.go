//go:build unix

package clientconfig

import (
	"os"
	"syscall"
)

// sameOwner gives f the owner of the file at like: root may edit the file of another. A user who cannot
// do so is the owner anyway, or has a new file instead of an old one.
func sameOwner(f *os.File, like string) {
	info, err := os.Stat(like)
	if err != nil {
		return
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		f.Chown(int(s.Uid), int(s.Gid))
	}
}
