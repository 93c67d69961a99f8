package cli

import (
	"fmt"
	"os"
)

// ownStream returns an error when path is one of the streams of the process itself: as /dev/stdout,
// /dev/fd/1, /proc/self/fd/1, the terminal's own name, or the file that a stream is redirected to. They
// belong to client and server, and what a recording wrote there the other side would read. The null
// device takes anything from anybody.
func (a *app) ownStream(path string) error {
	there, err := os.Stat(path)
	if err != nil {
		return nil // it is not there yet, or making the recording will say why not
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(there, null) {
		return nil
	}
	for _, s := range []struct {
		name string
		file *os.File
	}{{"standard output", a.stdout}, {"standard error", a.stderr}, {"standard input", a.stdin}} {
		if s.file == a.stdin && there.Mode().IsRegular() {
			continue // it is only read, and left alone like any file that exists
		}
		if own, err := s.file.Stat(); err == nil && os.SameFile(there, own) {
			return fmt.Errorf("%s is %s, and that is the server's", path, s.name)
		}
	}
	return nil
}
