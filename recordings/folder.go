package recordings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"time"
)

// probeBefore is how soon after a throw-away process the real one starts.
const probeBefore = 10 * time.Second

// DefaultDir returns the folder in which recordings are kept: $SHAKESCOPE_DIR, else the state folder
// of the user by the custom of the system. It need not exist.
func DefaultDir() (string, error) {
	if dir := os.Getenv("SHAKESCOPE_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "shakescope", "recordings"), nil
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "shakescope", "recordings"), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the recordings folder: %w", err)
	}
	switch runtime.GOOS {
	case "darwin", "ios":
		return filepath.Join(home, "Library", "Application Support", "shakescope", "recordings"), nil
	case "windows":
		return filepath.Join(home, "AppData", "Local", "shakescope", "recordings"), nil
	}
	return filepath.Join(home, ".local", "state", "shakescope", "recordings"), nil
}

// Folder is a folder of recordings.
type Folder struct{ Dir string }

// fileName matches the files of a folder that may be recordings. The part in parentheses is the id.
var fileName = lazily(`^([^.].*?)\.jsonl(-[0-9]+)?(\.gz|\.zst)?$`)

// idOf returns the id of a recording by its file: the name without what says its form.
func idOf(path string) string {
	name := filepath.Base(path)
	if m := fileName().FindStringSubmatch(name); m != nil {
		return m[1] + m[2]
	}
	return name
}

// paths returns the files that may be recordings, by id.
func (d Folder) paths() (map[string]string, error) {
	entries, err := os.ReadDir(d.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the recordings folder: %w", err)
	}
	paths := make(map[string]string)
	for _, e := range entries {
		if fileName().MatchString(e.Name()) && regular(d.Dir, e) {
			path := filepath.Join(d.Dir, e.Name())
			if id := idOf(path); paths[id] == "" { // a plain file comes before its packed copy
				paths[id] = path
			}
		}
	}
	return paths, nil
}

// List returns the recordings, newest first. A folder that does not exist is empty. Files that are
// no recordings, or cannot be read, are left out.
func (d Folder) List() ([]Info, error) {
	paths, err := d.paths()
	if err != nil {
		return nil, err
	}
	list := make([]Info, 0, len(paths))
	seen := make(map[string]bool)
	for _, path := range paths {
		if seen[path] {
			continue
		}
		info, err := Inspect(path)
		if err != nil {
			continue
		}
		for _, file := range info.Files {
			seen[file] = true
		}
		list = append(list, info)
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(b.Started.Compare(a.Started), strings.Compare(b.ID, a.ID)) < 0
	})
	foldProbes(list)
	return list, nil
}

// foldProbes finds the throw-away processes. The list is newest first.
func foldProbes(list []Info) {
	for i := range list {
		p := &list[i]
		if !p.discoverOnly || p.State == Live {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			next := &list[j]
			if next.Started.Sub(p.Started) > probeBefore {
				break
			}
			if next.Dir == p.Dir && slices.Equal(next.Command, p.Command) {
				p.ProbeOf = next.ID
				break
			}
		}
	}
}

// Last is the name of the newest recording that is not a probe's or demo's.
const Last = "last"

// Resolve returns the path of the recording that a user means by name: [Last], an id or the
// beginning of one that is unique, or a path. An id comes before a file of that name in the working
// folder, unless the name is written as a path (./name). The error says why there is none and wraps
// [fs.ErrNotExist].
func (d Folder) Resolve(name string) (string, error) {
	if name == Last {
		return d.last()
	}
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') {
		return name, exists(name)
	}
	paths, err := d.paths()
	if path, ok := paths[name]; ok {
		return path, nil
	}
	if exists(name) == nil {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	var found []string
	for id := range paths {
		if strings.HasPrefix(id, name) && name != "" && !laterSegment(id, paths) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", unresolved(fmt.Sprintf("no recording %q, and no file of that name", name))
	case 1:
		return paths[found[0]], nil
	}
	const most = 3
	slices.SortFunc(found, func(a, b string) int { return strings.Compare(b, a) }) // the newest first
	some := strings.Join(found[:min(len(found), most)], ", ")
	if len(found) > most {
		some += ", …"
	}
	return "", unresolved(fmt.Sprintf("%d recordings begin with %q: %s", len(found), name, some))
}

// unresolved says why a name means no recording. It is an [fs.ErrNotExist] that does not say so in its own words, which
// are about files.
type unresolved string

func (u unresolved) Error() string        { return string(u) }
func (u unresolved) Is(target error) bool { return target == fs.ErrNotExist }

// laterSegment reports whether a file goes by its name for a further segment of another one.
func laterSegment(id string, paths map[string]string) bool {
	m := segmentName().FindStringSubmatch(id)
	return m != nil && m[2] != "" && paths[m[1]] != ""
}

func exists(path string) error {
	_, err := os.Stat(path)
	return err
}

func (d Folder) last() (string, error) {
	list, err := d.List()
	if err != nil {
		return "", err
	}
	for i := range list {
		if info := &list[i]; !info.Demo && !info.Probe && info.ProbeOf == "" {
			return info.Path, nil
		}
	}
	if len(list) > 0 {
		return "", unresolved(fmt.Sprintf("nothing in %s but demos and probes, which last does not mean; name %s", d.Dir, list[0].ID))
	}
	return "", unresolved(fmt.Sprintf("no recording in %s yet", d.Dir))
}
