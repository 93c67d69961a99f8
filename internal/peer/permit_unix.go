//go:build unix

package peer

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether only this user can have written a file: recordings are made like that.
func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
