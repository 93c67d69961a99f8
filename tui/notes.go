package tui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/shakescope/shakescope/annotate"
)

// notes are the marks and notes that a user put to the entries of one recording. They are kept in a
// file beside the recording, never in it.
type notes struct {
	path    string // "" keeps them in memory
	marks   map[rune]annotate.Ref
	texts   map[annotate.Ref]string
	byRef   map[annotate.Ref]string // letters of marks
	ignored map[string]bool         // ids of rules whose findings the user does not want to see
}

// notesFile is what the file holds.
type notesFile struct {
	Notes   int        `json:"shakescope_notes"`
	Marks   []noteItem `json:"marks,omitempty"`
	Texts   []noteItem `json:"notes,omitempty"`
	Ignored []string   `json:"ignored_rules,omitempty"`
}

type noteItem struct {
	Seq  int64  `json:"seq"`
	Sub  *int32 `json:"sub,omitempty"`
	Mark string `json:"mark,omitempty"`
	Text string `json:"text,omitempty"`
}

func newNotes(path string) *notes {
	return &notes{path: path, marks: map[rune]annotate.Ref{}, texts: map[annotate.Ref]string{}, byRef: map[annotate.Ref]string{}, ignored: map[string]bool{}}
}

// notesMax bounds the file: nothing of ours is as large.
const notesMax = 8 << 20

// readNotes reads the file beside a recording. One that is not there is an empty one.
func readNotes(path string) (*notes, error) {
	n := newNotes(path)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err != nil {
		return n, fmt.Errorf("reading notes: %w", err)
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(&limited{f, notesMax}); err != nil {
		return n, fmt.Errorf("reading notes: %w", err)
	}
	var file notesFile
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		n.path = "" // what cannot be read must not be overwritten
		return n, fmt.Errorf("reading notes in %s: %w", path, err)
	}
	if file.Notes != 1 {
		n.path = ""
		return n, fmt.Errorf("notes in %s are of an unknown version", path)
	}
	for _, it := range file.Marks {
		if r := []rune(it.Mark); len(r) == 1 && validMark(r[0]) {
			n.marks[r[0]] = it.ref()
		}
	}
	for _, it := range file.Texts {
		n.texts[it.ref()] = it.Text
	}
	for _, rule := range file.Ignored {
		n.ignored[rule] = true
	}
	n.index()
	return n, nil
}

// limited fails where a file is longer than it may be.
type limited struct {
	f    *os.File
	left int
}

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.f.Read(b)
	if l.left -= n; l.left < 0 {
		return 0, errors.New("the file is too large to be ours")
	}
	return n, err
}

func (it noteItem) ref() annotate.Ref {
	r := annotate.Ref{Seq: it.Seq, Sub: annotate.NoSub}
	if it.Sub != nil {
		r.Sub = *it.Sub
	}
	return r
}

func itemOf(at annotate.Ref) noteItem {
	it := noteItem{Seq: at.Seq}
	if at.Sub != annotate.NoSub {
		it.Sub = &at.Sub
	}
	return it
}

func validMark(c rune) bool { return c >= 'a' && c <= 'z' }

func (n *notes) index() {
	clear(n.byRef)
	letters := make([]rune, 0, len(n.marks))
	for c := range n.marks {
		letters = append(letters, c)
	}
	slices.Sort(letters)
	for _, c := range letters {
		n.byRef[n.marks[c]] += string(c)
	}
}

// mark puts a letter to an entry, or takes it away from where it stands.
func (n *notes) mark(c rune, at annotate.Ref) (set bool) {
	if n.marks[c] == at {
		delete(n.marks, c)
	} else {
		n.marks[c] = at
		set = true
	}
	n.index()
	return set
}

// note puts a text to an entry; the empty one takes it away.
func (n *notes) note(at annotate.Ref, text string) {
	if text = strings.TrimSpace(text); text == "" {
		delete(n.texts, at)
		return
	}
	n.texts[at] = text
}

func (n *notes) marksOf(at annotate.Ref) string {
	if len(n.byRef) == 0 {
		return ""
	}
	return n.byRef[at]
}

func (n *notes) noteOf(at annotate.Ref) string {
	if len(n.texts) == 0 {
		return ""
	}
	return n.texts[at]
}

// data is the file's content, in a fixed order.
func (n *notes) data() []byte {
	file := notesFile{Notes: 1}
	for c, at := range n.marks {
		it := itemOf(at)
		it.Mark = string(c)
		file.Marks = append(file.Marks, it)
	}
	sort.Slice(file.Marks, func(a, b int) bool { return file.Marks[a].Mark < file.Marks[b].Mark })
	for at, text := range n.texts {
		it := itemOf(at)
		it.Text = text
		file.Texts = append(file.Texts, it)
	}
	sort.Slice(file.Texts, func(i, j int) bool {
		a, b := &file.Texts[i], &file.Texts[j]
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ref().Sub, b.ref().Sub)) < 0
	})
	file.Ignored = slices.Sorted(maps.Keys(n.ignored))
	b, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		return nil // there is nothing in it that could not be written
	}
	return append(b, '\n')
}

// saveNotes writes the file anew: whole or not at all.
func saveNotes(path string, data []byte) error {
	f, err := os.CreateTemp(dirOf(path), ".notes-*") // 0600
	if err != nil {
		return fmt.Errorf("saving notes: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("saving notes: %w", err)
	}
	return nil
}
