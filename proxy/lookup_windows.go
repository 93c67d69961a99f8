package proxy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }

// lookup finds the file to start for a command word: in PATH if it has no separator, each name with
// the extensions of PATHEXT ("npx" is npx.cmd). The current folder is searched only when PATH names
// it, so that a file lying about cannot stand in for a command.
func lookup(c *Config, word string) (string, *StartError) {
	ext, _ := c.variable("PATHEXT")
	if strings.ContainsAny(word, `\/:`) {
		path := word
		if c.Dir != "" && !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		for _, f := range withExtensions(path, ext) {
			if isFile(f) {
				return absolute(f), nil
			}
		}
		if st, err := os.Stat(path); err == nil {
			e := &StartError{Command: word, Path: path, Code: 126, Err: errors.New("not a program (no extension that PATHEXT names)")}
			if st.IsDir() {
				e.Err = errors.New("is a folder")
			}
			return "", e
		}
		return "", &StartError{Command: word, Path: path, Code: 127, Err: errors.New("no such file")}
	}
	path, _ := c.variable("PATH")
	if word != "" {
		for _, dir := range filepath.SplitList(path) {
			if dir == "" {
				continue
			}
			for _, f := range withExtensions(filepath.Join(dir, word), ext) {
				if isFile(f) {
					return absolute(f), nil
				}
			}
		}
	}
	return "", &StartError{Command: word, Searched: path, Code: 127, Err: errors.New("command not found")}
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && !st.IsDir()
}

func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}
