package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Save writes the change: whole or not at all, with the mode of the old file, after a copy of the old
// one has been made beside it, whose path it returns. It waits for other processes that save.
func (f *File) Save() (backup string, err error) {
	err = f.locked(func() error {
		if backup, err = f.backUp(); err != nil {
			return fmt.Errorf("keeping a copy: %w", err)
		}
		return f.replace()
	})
	return backup, err
}

// Restored is what [File.Restore] did about copies of the file, by their paths.
type Restored struct {
	Backup  string   // the new copy of the file as it was; "" where none was needed
	Removed []string // earlier copies that hold what the file holds now
	Stuck   []error  // why such copies could not be removed
	Left    []string // earlier copies that hold something else
}

// Restore writes a change that undoes earlier ones, as [File.Save] does. If the file becomes what a copy of an
// earlier Save holds, to the byte, nothing is lost: no copy is made of what it was, and that one is removed, for
// what is secret in it would lie there for ever. Copies that differ stay.
func (f *File) Restore() (done Restored, err error) {
	err = f.locked(func() error {
		same, other := f.copies()
		if len(same) == 0 {
			if done.Backup, err = f.backUp(); err != nil {
				return fmt.Errorf("keeping a copy: %w", err)
			}
		}
		if err := f.replace(); err != nil {
			return err
		}
		done.Left = other
		for _, path := range same {
			if err := os.Remove(path); err != nil {
				done.Stuck = append(done.Stuck, err)
				continue
			}
			done.Removed = append(done.Removed, path)
		}
		return nil
	})
	return done, err
}

// Needless are the copies that [File.Restore] would remove now, by their paths.
func (f *File) Needless() []string {
	same, _ := f.copies()
	return same
}

// copyMark stands between the name of a file and the time of its copy.
const (
	copyMark = ".bak-"
	copyTime = "20060102T150405"
)

// isCopy reports whether name is one that backUp gives to a copy of base.
func isCopy(name, base string) bool {
	rest, ok := strings.CutPrefix(name, base+copyMark)
	if !ok || len(rest) < len(copyTime) {
		return false
	}
	_, err := time.Parse(copyTime, rest[:len(copyTime)])
	n, numbered := strings.CutPrefix(rest[len(copyTime):], "-")
	_, notNumber := strconv.ParseUint(n, 10, 32)
	return err == nil && (numbered && notNumber == nil || rest[len(copyTime):] == "")
}

// copies are the files beside this one that backUp made of it, those that hold what is in memory now and the others.
// What is no ordinary file, or cannot be read, is left out.
func (f *File) copies() (same, other []string) {
	dir, base := filepath.Split(f.Target)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		name := e.Name()
		if !isCopy(name, base) || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, name)
		info, err := e.Info()
		if err != nil {
			continue
		}
		if info.Size() == int64(len(f.now)) {
			if data, err := os.ReadFile(path); err == nil && bytes.Equal(data, f.now) {
				same = append(same, path)
				continue
			}
		}
		other = append(other, path)
	}
	slices.Sort(same)
	slices.Sort(other)
	return same, other
}

// locked lets do write while no other process of ours does, if nobody has changed the file since it was loaded.
func (f *File) locked(do func() error) error {
	lock, err := lockFile()
	if err != nil {
		return err
	}
	l := flock.New(lock)
	if err := l.Lock(); err != nil {
		return fmt.Errorf("locking %s: %w", lock, err)
	}
	defer l.Close()
	if err := f.unchanged(); err != nil {
		return err
	}
	return do()
}

// replace puts what is in memory in the place of the file.
func (f *File) replace() error {
	temp, err := os.CreateTemp(filepath.Dir(f.Target), "."+filepath.Base(f.Target)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails once it has its name
	if err := fill(temp, f.now, f.mode, f.Target); err != nil {
		return err
	}
	if err := f.unchanged(); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), f.Target); err != nil {
		return err
	}
	f.original = f.now
	return nil
}

func (f *File) unchanged() error {
	now, err := os.ReadFile(f.Target)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, f.original) {
		return ErrChanged
	}
	return nil
}

// backUp copies the file as it was read. The copy can be read by no one who cannot read the file.
func (f *File) backUp() (string, error) {
	base := f.Target + copyMark + time.Now().UTC().Format(copyTime)
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		c, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) && i < 1000 {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := fill(c, f.original, f.mode, f.Target); err != nil {
			os.Remove(name)
			return "", err
		}
		return name, nil
	}
}

// fill writes all of a new file, with the owner and the mode of the one at like, and closes it.
func fill(to *os.File, data []byte, mode os.FileMode, like string) error {
	_, err := to.Write(data)
	if err == nil {
		sameOwner(to, like)
		err = to.Chmod(mode.Perm())
	}
	if err == nil {
		err = to.Sync()
	}
	if e := to.Close(); err == nil {
		err = e
	}
	return err
}

// lockFile is one for all configurations, so that none is left beside them.
func lockFile() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "shakescope")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(dir, "clientconfig.lock"), nil
}
