//go:build !unix

package recordings

import "os"

// nameless is for systems on which an open file can be removed: not Windows.
func nameless(*os.File) bool { return false }
