package tui

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/recordings"
)

func TestFiltersTheList(t *testing.T) {
	lib := &shelf{listings: []listing{
		{path: "c", state: "live", server: peer{"github-mcp", "1.4.2"}, client: peer{"claude-code", "2.1.0"}, started: start},
		{path: "b", state: "crashed", server: peer{"playwright", "0.0.41"}, client: peer{"cursor", "1"}, started: start.Add(-time.Hour)},
		{path: "a", state: "ended", label: "Nightly", server: peer{"playwright", "0.0.40"}, started: start.Add(-26 * time.Hour)},
	}}
	for _, c := range []struct{ filter, want string }{
		{"GITHUB", "c"}, {"claude", "c"}, {"nightly", "a"}, {"crashed", "b"}, {"playwright", "b a"}, {"ended playwright", "a"}, {"none", ""}, {"", "c b a"},
	} {
		d := drive(t, Options{}, lib, 80, 24)
		d.list()
		d.keys("/")
		d.send(tea.PasteMsg{Content: c.filter})
		var got []string
		for _, l := range d.m.home.all {
			got = append(got, l.path)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q shows %v while it is typed, want %s", c.filter, got, c.want)
		}
		d.keys("esc")
		if len(d.m.home.all) != 3 {
			t.Errorf("esc leaves %d recordings", len(d.m.home.all))
		}
	}
	d := drive(t, Options{}, lib, 80, 24)
	d.list()
	d.keys("/", "p", "l", "a", "y", "enter", "j")
	lib.listings = append([]listing{{path: "d", state: "live", started: start.Add(time.Minute)}}, lib.listings...)
	d.list()
	if d.m.home.cur != "a" || len(d.m.home.all) != 2 || len(d.m.home.fresh) != 0 {
		t.Errorf("%s of %d is selected, %d are new", d.m.home.cur, len(d.m.home.all), len(d.m.home.fresh))
	}
	d.keys("/", "x", "enter")
	d.shows("0 of 4 match")
	d.keys("esc")
	if len(d.m.home.all) != 4 {
		t.Error("esc does not clear the filter")
	}
}

// A start that came to nothing is told by its command.
func TestListsFailedStartsByCommand(t *testing.T) {
	lib := &shelf{listings: []listing{
		{path: "b", state: "crashed", command: "npx -y my-serv\x1ber", started: start},
		{path: "a", state: "ended", command: "node other.js", server: peer{"other", "1"}, started: start.Add(-time.Minute)},
	}}
	d := drive(t, Options{}, lib, 80, 24)
	d.list()
	d.shows("?  npx -y my-serv", "other 1")
	if strings.Contains(d.text(), "node other.js") || strings.Contains(d.text(), "\x1b") {
		t.Errorf("the list:\n%s", d.text())
	}
	d.keys("/")
	d.send(tea.PasteMsg{Content: "my-serv"})
	if len(d.m.home.all) != 1 {
		t.Errorf("%d recordings match the command", len(d.m.home.all))
	}
}

// Runs of probe and resend, and those that a client threw away, are shown when the user asks for them, and where there is
// nothing else.
func TestProbesAreSetAside(t *testing.T) {
	lib := &shelf{listings: []listing{
		{path: "d", state: "ended", probe: true, server: peer{"files", "1"}, started: start},
		{path: "c", state: "ended", server: peer{"files", "1"}, client: peer{"zed", "1"}, started: start.Add(-time.Minute)},
		{path: "b", state: "ended", thrown: true, started: start.Add(-2 * time.Minute)},
		{path: "a", state: "ended", server: peer{"files", "1"}, client: peer{"cursor", "1"}, started: start.Add(-time.Hour)},
	}}
	d := drive(t, Options{}, lib, 80, 24)
	shown := func(want string) {
		t.Helper()
		var got []string
		for _, l := range d.m.home.all {
			got = append(got, l.path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("shown: %v, want %s", got, want)
		}
	}
	d.list()
	shown("c a")
	d.shows("2 and 2 probes", "a probes")
	d.keys("j", "a")
	shown("d c b a")
	d.shows("4 total")
	if d.m.home.cur != "a" {
		t.Errorf("the selection went to %s", d.m.home.cur)
	}
	d.keys("a")
	shown("c a")

	// One that comes is no news while it is not shown.
	lib.listings = append([]listing{{path: "e", state: "live", probe: true, started: start.Add(time.Minute)}}, lib.listings...)
	d.list()
	shown("c a")
	if len(d.m.home.fresh) != 0 {
		t.Error("a hidden recording is said to be new")
	}
	d.keys("/")
	d.send(tea.PasteMsg{Content: "live"})
	d.keys("enter")
	d.shows("0 of 2 match", "a looks at 3 probes too")
	d.keys("a")
	shown("e")
	d.keys("esc", "a")

	// A recording of a client that goes takes the last reason to hide the others with it.
	lib.listings = lib.listings[:1]
	d.list()
	shown("e")
	d.shows("1 total")
	lib.listings = []listing{{path: "a", state: "ended", started: start}}
	d.list()
	d.keys("a")
	d.shows("there is no run of probe")
}

func TestDeletesARecording(t *testing.T) {
	dir := t.TempDir()
	rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{MaxSize: 2000})
	if err != nil {
		t.Fatal(err)
	}
	d := drive(t, Options{Dir: dir}, &folder{dir: dir}, 80, 24)
	d.list()
	d.keys("D")
	d.shows("never deleted")
	if err := d.m.lib.remove(rec.Path(), false); err == nil {
		t.Error("a live recording is deleted")
	}
	for range 20 {
		rec.Chunk(recordings.Stdin, []byte(hello))
		rec.Chunk(recordings.Stdout, []byte(answer))
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rec.Path()+recordings.NotesSuffix, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.list()
	d.keys("D")
	d.shows("delete "+filepath.Base(rec.Path()), "segments", "keep it")
	before, _ := os.ReadDir(dir)
	if len(before) < 4 {
		t.Fatalf("only %d files: no second segment", len(before))
	}
	d.keys("enter") // no
	if left, _ := os.ReadDir(dir); len(left) != len(before) {
		t.Fatal("deleted without a yes")
	}
	d.keys("D", "y")
	left, _ := os.ReadDir(dir)
	if len(left) != 1 || left[0].Name() != "other.txt" {
		t.Errorf("%v are left", left)
	}
	d.shows("No recordings yet.")
}

// A packed copy that a recording hides is told of, and goes along if the user says so.
func TestDeletesPackedCopies(t *testing.T) {
	for _, all := range []bool{false, true} {
		dir := t.TempDir()
		rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		rec.Chunk(recordings.Stdin, []byte(hello))
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		packed := rec.Path() + ".gz"
		native, err := os.ReadFile(rec.Path())
		if err != nil {
			t.Fatal(err)
		}
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(native)
		w.Close()
		for name, data := range map[string][]byte{packed: z.Bytes(), packed + recordings.NotesSuffix: []byte("{}"), rec.Path() + recordings.NotesSuffix: []byte("{}")} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := drive(t, Options{Dir: dir}, &folder{dir: dir}, 120, 40)
		d.list()
		if len(d.m.home.all) != 1 {
			t.Fatalf("%d recordings are listed", len(d.m.home.all))
		}
		d.keys("D")
		d.shows("its packed copy stays: "+filepath.Base(packed), "delete the packed copy and its notes too")
		want := 2
		if d.keys(map[bool]string{false: "y", true: "a"}[all]); all {
			want = 0
		}
		if left, _ := os.ReadDir(dir); len(left) != want {
			t.Errorf("all %t: %v are left", all, left)
		}
		d.list()
		if len(d.m.home.all) != want/2 {
			t.Errorf("all %t: %d recordings are listed", all, len(d.m.home.all))
		}
	}
}
