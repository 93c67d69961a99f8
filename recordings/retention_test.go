package recordings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRetention has recordings of several ages and sizes in a folder with other things.
func TestRetention(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Now()
	setUp := func(t *testing.T) (dir string, live *Recorder) {
		dir = t.TempDir()
		old := func(name string, age time.Duration, content []byte) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
		recent := func(age time.Duration) []byte {
			return []byte(strings.Replace(string(session(t)), `"start":"1970-01-01T00:00:01Z"`, `"start":"`+now.Add(-age).Format(time.RFC3339)+`"`, 1))
		}
		old("a.jsonl", 40*day, recent(40*day))
		old("b.jsonl", 20*day, recent(20*day))
		old("c.jsonl", 10*day, recent(10*day))
		old("d.jsonl", day, recent(day))
		old("e.jsonl", 0, recent(35*day)) // a copy that somebody put there: what it tells is old
		old("f.jsonl", 50*day, recent(0)) // the clock was wrong
		old("notes.txt", 90*day, []byte("not ours"))
		old("wire.jsonl", 90*day, []byte(`{"t_ms":1,"dir":"c2s","raw":"{}"}`+"\n"))
		old("broken.jsonl", 90*day, []byte("{}\n"))
		imported := strings.Replace(string(recent(90*day)), `{"shakescope":1,`, `{"shakescope":1,"imported":{"format":"wire"},`, 1)
		old("imported.jsonl", 90*day, []byte(imported))
		if err := os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700); err != nil {
			t.Fatal(err)
		}
		live, err := Create(dir, Header{Start: now.Add(-60 * day)}, RecorderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { live.Close() })
		if err := os.Chtimes(live.Path(), now.Add(-60*day), now.Add(-60*day)); err != nil {
			t.Fatal(err)
		}
		return dir, live
	}
	size := int64(len(session(t)))
	for name, test := range map[string]struct {
		keep Retention
		want string
	}{
		"nothing":         {Retention{}, ""},
		"default":         {DefaultRetention, "f a"},
		"age":             {Retention{Age: 15 * day}, "f a b"},
		"total":           {Retention{Total: 3*size + 1000}, "f a b"},
		"both":            {Retention{Age: 36 * day, Total: 4*size + 1000}, "f a"},
		"all but live":    {Retention{Total: 1}, "f a b c d e"},
		"all by age":      {Retention{Age: 1}, "f a b c d"},
		"total is enough": {Retention{Total: 1 << 40}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, live := setUp(t)
			d := Folder{dir}
			before, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			excess, stays, err := d.Excess(test.keep, now)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range excess {
				got = append(got, excess[i].ID)
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("excess %s, want %s", s, test.want)
			}
			if len(stays)+len(excess) != 7 {
				t.Errorf("%d stay, %d do not", len(stays), len(excess))
			}
			if may := d.MayExceed(test.keep, now); len(excess) > 0 && !may {
				t.Error("nothing seems to exceed")
			}
			for i := range excess {
				if err := excess[i].Remove(); err != nil {
					t.Error(err)
				}
			}
			after, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range before {
				gone := slices.Contains(got, strings.TrimSuffix(e.Name(), ".jsonl"))
				if still := slices.ContainsFunc(after, func(a os.DirEntry) bool { return a.Name() == e.Name() }); still == gone {
					t.Errorf("%s is there: %v", e.Name(), still)
				}
			}
			if s, err := State(live.Path()); s != Live || err != nil {
				t.Errorf("the live one is %s, %v", s, err)
			}
			// Nobody is removed who came to life since he was found.
			e := Excess{Info: Info{ID: live.ID(), Path: live.Path(), Files: []string{live.Path()}}}
			if err := e.Remove(); err == nil {
				t.Error("a live recording was removed")
			}
		})
	}
}

// TestRetentionOfSegments removes a recording as a whole, or not.
func TestRetentionOfSegments(t *testing.T) {
	paths, _ := segmentedRun(t, 4000, 60)
	d := Folder{filepath.Dir(paths[0])}
	past := time.Now().Add(-100 * 24 * time.Hour)
	for _, p := range paths[:len(paths)-1] {
		if err := os.Chtimes(p, past, past); err != nil {
			t.Fatal(err)
		}
	}
	excess, stays, err := d.Excess(DefaultRetention, time.Now())
	if err != nil || len(excess) != 0 || len(stays) != 1 {
		t.Fatalf("%v, %v, %v", excess, stays, err)
	}
	last := paths[len(paths)-1]
	if err := os.Chtimes(last, past, past); err != nil {
		t.Fatal(err)
	}
	excess, _, err = d.Excess(DefaultRetention, time.Now())
	if err != nil || len(excess) != 1 || !slices.Equal(excess[0].Files, paths) || !excess[0].Old {
		t.Fatalf("%+v, %v", excess, err)
	}
	if err := excess[0].Remove(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(d.Dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestMayExceed asks no file when its name and time say enough.
func TestMayExceed(t *testing.T) {
	dir := t.TempDir()
	r, err := Create(dir, Header{}, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	d, now := Folder{dir}, time.Now()
	if d.MayExceed(DefaultRetention, now) || d.MayExceed(Retention{}, now.Add(1e6*time.Hour)) {
		t.Error("a new recording seems to exceed")
	}
	if !d.MayExceed(DefaultRetention, now.Add(31*24*time.Hour)) || !d.MayExceed(Retention{Total: 10}, now) {
		t.Error("nothing seems to exceed")
	}
}

// What people noted goes with the recording.
func TestRemoveTakesNotesAlong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	for _, name := range []string{path, path + NotesSuffix} {
		if err := os.WriteFile(name, session(t), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Excess{Info: in}).Remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
