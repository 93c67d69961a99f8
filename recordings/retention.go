package recordings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"
	"time"
)

// Retention says which recordings of a folder are kept. A member that is zero does not limit.
type Retention struct {
	Age   time.Duration // since a recording was last written
	Total int64         // bytes of all files of recordings
}

// DefaultRetention is what holds unless the user wants it otherwise.
var DefaultRetention = Retention{Age: 30 * 24 * time.Hour, Total: 5e9}

// Excess is a recording that is not to be kept.
type Excess struct {
	Info
	End time.Time // when it was last written, by the time of its file: a copy that somebody put there is new
	Old bool      // it is too old; else there are too many bytes, and it is the oldest of the rest
}

// Excess returns the recordings that r does not keep, oldest first, and what stays. Recordings that are
// being written, or of which that cannot be told, always stay; what is imported or no recording of our
// own format is not looked at.
func (d Folder) Excess(r Retention, now time.Time) (excess []Excess, stays []Info, err error) {
	list, err := d.List()
	if err != nil {
		return nil, nil, err
	}
	var total int64
	var ended []Excess
	for i := range list {
		info := list[i]
		if info.Imported {
			continue
		}
		end, regular := fileTime(&info)
		if !regular {
			continue
		}
		total += info.Size
		if info.State == Live || info.State == Unknown {
			stays = append(stays, info)
			continue
		}
		ended = append(ended, Excess{Info: info, End: end})
	}
	sort.SliceStable(ended, func(i, j int) bool { return ended[i].End.Before(ended[j].End) })
	for i := range ended {
		e := &ended[i]
		e.Old = r.Age > 0 && now.Sub(e.End) > r.Age
		if !e.Old && (r.Total <= 0 || total <= r.Total) {
			stays = append(stays, e.Info)
			continue
		}
		total -= e.Size
		excess = append(excess, *e)
	}
	return excess, stays, nil
}

// fileTime returns when a recording was last written, and whether all its files are what they should be.
func fileTime(i *Info) (end time.Time, regular bool) {
	for _, path := range i.Files {
		stat, err := os.Lstat(path)
		if err != nil || !stat.Mode().IsRegular() {
			return end, false
		}
		if t := stat.ModTime(); t.After(end) {
			end = t
		}
	}
	return end, true
}

// NotesSuffix makes the name of the file with people's marks and notes, which stands beside a recording,
// out of the recording's.
const NotesSuffix = ".notes.json"

// Remove removes the files of the recording and the notes beside them, unless it is being written. That
// somebody else removed them is no error.
func (e *Excess) Remove() error {
	if state, err := State(e.Path); err == nil && (state == Live || state == Unknown) {
		return fmt.Errorf("removing %s: it is being written", e.ID)
	}
	// From the end: what is left, should this be interrupted, begins as it should.
	for _, path := range slices.Backward(e.Files) {
		for _, name := range []string{path + NotesSuffix, path} {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("removing a recording: %w", err)
			}
		}
	}
	return nil
}

// MayExceed reports, by sizes and times of files alone, whether [Folder.Excess] may find something. It is
// cheap enough for every start of a server.
func (d Folder) MayExceed(r Retention, now time.Time) bool {
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return false
	}
	var total int64
	for _, e := range entries {
		if !e.Type().IsRegular() || !fileName().MatchString(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		total += info.Size()
		if r.Age > 0 && now.Sub(info.ModTime()) > r.Age {
			return true
		}
	}
	return r.Total > 0 && total > r.Total
}
