package tui

import (
	"path/filepath"
	"testing"

	"github.com/shakescope/shakescope/recordings"
)

func TestIgnoresARule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl"+recordings.NotesSuffix)
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	s := d.m.rec
	s.notes.path = path
	errs, warns, _ := s.findingCounts()
	row := int(s.rows.allFindings[0].row)
	rule := s.rows.allFindings[0].Rule
	d.run(s.apply("finding.rule == \""+rule+"\"", nil, false))
	if s.shownCount() != 1 {
		t.Fatalf("the filter shows %d", s.shownCount())
	}
	d.keys("4")
	f := s.screen().(*findingsScreen)
	d.frame()
	for f.groups[f.cur].rule != rule {
		d.keys("j")
	}
	d.keys("I")
	if e, w, _ := s.findingCounts(); e != errs-1 || w != warns {
		t.Errorf("%d errors, %d warnings are left of %d, %d", e, w, errs, warns)
	}
	if lv := s.levelAt(row); lv != levelNone || len(s.findingsAt(row)) != 0 {
		t.Errorf("the row is still at level %d with %d findings", lv, len(s.findingsAt(row)))
	}
	if s.shownCount() != 0 {
		t.Error("the filter still finds it")
	}
	if g := f.groups[f.cur]; g.rule != rule || !g.ignored || f.cur != len(f.groups)-1 {
		t.Errorf("the cursor is at %+v", g)
	}

	// The next one who opens the recording has it ignored from the start.
	n, err := readNotes(path)
	if err != nil || !n.ignored[rule] {
		t.Fatalf("%v, %v", n.ignored, err)
	}
	again := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(again)
	again.m.rec.noted(notesMsg{notes: n})
	if e, _, _ := again.m.rec.findingCounts(); e != errs-1 {
		t.Errorf("%d errors after it was opened again", e)
	}
	again.keys("R", "space", "G")
	if e, _, _ := again.m.rec.findingCounts(); e != errs-1 {
		t.Errorf("%d errors in the replay", e)
	}

	d.keys("I")
	if e, w, _ := s.findingCounts(); e != errs || w != warns || s.levelAt(row) != levelError || s.shownCount() != 1 {
		t.Errorf("no way back: %d errors, %d warnings, level %d, %d shown", e, w, s.levelAt(row), s.shownCount())
	}
	if n, err := readNotes(path); err != nil || len(n.ignored) != 0 {
		t.Errorf("%v, %v", n.ignored, err)
	}
}
