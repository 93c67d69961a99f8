package clientconfig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Binary returns the absolute path by which clients should start the program that runs now: the one
// on PATH if it is the same file, because it stays when a package manager puts a new version behind it.
func Binary() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	if found, err := exec.LookPath(filepath.Base(self)); err == nil && filepath.IsAbs(found) {
		if i, err := os.Stat(found); err == nil && os.SameFile(i, info) {
			return filepath.Clean(found), nil
		}
	}
	return self, nil
}

// CheckBinary says, in a sentence, why path is no program that a configuration should name: nil when
// it is. temp is the folder of temporary files.
func CheckBinary(path, temp string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%s is no absolute path", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is no program", path)
	}
	for _, p := range []string{path, resolved(path)} {
		for _, part := range strings.Split(filepath.ToSlash(p), "/") {
			if strings.HasPrefix(part, "go-build") {
				return fmt.Errorf("%s was built by `go run` and will be gone; build shakescope and put it in a place that stays", p)
			}
		}
		if within(p, temp) || within(p, resolved(temp)) {
			return fmt.Errorf("%s lies in the folder for temporary files and will be gone; put it in a place that stays", p)
		}
	}
	return nil
}

func resolved(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
