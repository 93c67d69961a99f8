package peer

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/shakescope/shakescope/recordings"
)

// MayRun reports whether the command in the header of the recording at path may be run because it stands there: only
// if the recording lies in this user's own folder, was written on this machine and is not imported. Otherwise the
// reason says what is in the way, in words that go on "because".
func MayRun(path string, h *recordings.Header) (reason string, ok bool) {
	switch {
	case h.Imported != nil:
		return "the recording was imported", false
	case !h.WrittenHere():
		return "the recording was not written on this machine", false
	case h.Redacted:
		return "the recording is redacted", false
	case len(h.Command) == 0:
		return "the recording has no command", false
	}
	dir, err := recordings.DefaultDir()
	if err != nil {
		return err.Error(), false
	}
	// A link may lead to a file that anybody could write.
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Sprintf("%s is no regular file", path), false
	}
	if !ours(info) {
		return "others could have written the recording", false
	}
	there, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err.Error(), false
	}
	own, err := os.Stat(dir)
	if err != nil || !os.SameFile(there, own) {
		return fmt.Sprintf("the recording does not lie in %s", dir), false
	}
	return "", true
}
