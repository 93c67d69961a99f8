//go:build unix

package proxy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// defaultPath is searched when PATH is not set at all, as execvp does.
const defaultPath = "/bin:/usr/bin"

func sameVariable(a, b string) bool { return a == b }

// lookup finds the file to start for a command word, as execvp does: in PATH if it has no slash; a
// file that may not be executed does not end the search.
func lookup(c *Config, word string) (string, *StartError) {
	in := func(path string) string { // as seen from our folder
		if c.Dir == "" || filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(c.Dir, path)
	}
	if strings.Contains(word, "/") {
		if err := executable(in(word)); err != nil {
			return "", notStartable(word, word, err)
		}
		return word, nil
	}
	path, set := c.variable("PATH")
	if !set {
		path = defaultPath
	}
	var refused *StartError
	if word != "" {
		for _, dir := range filepath.SplitList(path) {
			if dir == "" {
				dir = "."
			}
			file := dir + "/" + word
			err := executable(in(file))
			if err == nil {
				return file, nil
			}
			if refused == nil && errors.Is(err, fs.ErrPermission) && isFile(in(file)) {
				refused = notStartable(word, file, err)
			}
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", &StartError{Command: word, Searched: path, Code: 127, Err: errors.New("command not found")}
}

func notStartable(word, path string, err error) *StartError {
	e := &StartError{Command: word, Path: path, Code: 126, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		e.Code, e.Err = 127, errors.New("no such file")
	case errors.Is(err, fs.ErrPermission):
		e.Err = errors.New("not executable (permission denied)")
	}
	return e
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func executable(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if st.IsDir() {
		return errors.New("is a folder")
	}
	return unix.Access(path, unix.X_OK)
}
