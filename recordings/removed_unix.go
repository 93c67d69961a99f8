//go:build unix

package recordings

import (
	"os"
	"syscall"
)

// nameless reports whether an open file has lost its last name: nobody can open it any more. One that
// was moved has a name.
func nameless(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 0
}
