package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/recordings"
)

// What the filter shows is written as a diagram and as a report, with secrets masked.
func TestRenders(t *testing.T) {
	const secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
	dir := t.TempDir()
	rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv", "--token", secret}), recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte(answer))
	rec.Chunk(recordings.Stdin, []byte(ready+tools))
	rec.Chunk(recordings.Stdin, []byte(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fetch","arguments":{"token":"`+secret+`"}}}`+"\n"))
	rec.Chunk(recordings.Stdout, []byte("DEBUG cache warm\n"))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	d := drive(t, Options{Version: "1.2.3"}, &folder{dir: dir}, 120, 40)
	d.opens(rec.Path())
	d.pump(func() bool { return d.m.rec.done })
	d.run(d.m.rec.apply("method != tools/list", nil, false))
	out := map[string]string{"m": filepath.Join(dir, "a.mmd"), "d": filepath.Join(dir, "a.md"), "j": filepath.Join(dir, "a.out"), "t": filepath.Join(dir, "a.txt")}
	for key, path := range out {
		d.keys("X")
		d.shows("mermaid", "markdown", "secrets are masked")
		d.keys(key, "ctrl+u")
		d.typeIn(path)
		d.keys("enter")
		d.shows("secrets masked")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if strings.Contains(text, secret) {
			t.Errorf("%s holds the secret", path)
		}
		if !strings.Contains(text, "initialize") || key == "m" && (strings.Contains(text, "tools/list") || !strings.Contains(text, "fetch")) {
			t.Errorf("%s:\n%s", path, text)
		}
		if key == "d" && !strings.Contains(text, "1.2.3") {
			t.Errorf("the report does not name its writer:\n%s", text)
		}
	}
	// What is ignored on screen is not in the report, which says so.
	rule := d.m.rec.rows.allFindings[0].Rule
	if data, _ := os.ReadFile(out["d"]); !strings.Contains(string(data), rule) {
		t.Fatalf("%s is not in the report:\n%s", rule, data)
	}
	d.m.rec.notes.ignored[rule] = true
	d.m.rec.heed()
	part := filepath.Join(dir, "part.md")
	d.run(d.m.rec.render(part, "markdown"))
	d.shows("ignored rules left out")
	if data, err := os.ReadFile(part); err != nil || strings.Contains(string(data), rule) || !strings.Contains(string(data), "rules are ignored in this recording: 1.") {
		t.Errorf("%v\n%s", err, data)
	}
	lines := filepath.Join(dir, "part.jsonl")
	d.run(d.m.rec.export(lines, true))
	d.shows("ignored rules left out")
	if data, err := os.ReadFile(lines); err != nil || strings.Contains(string(data), rule) {
		t.Errorf("%v\n%s", err, data)
	}
	d.run(d.m.rec.render(out["m"], "mermaid"))
	d.shows("exists")
	if data, _ := os.ReadFile(out["m"]); len(data) == 0 {
		t.Error("the file that was there is gone")
	}
	broken := filepath.Join(dir, "broken.md")
	d.m.rec.cancel()
	d.run(d.m.rec.render(broken, "markdown"))
	if _, err := os.Stat(broken); err == nil {
		t.Error("a part of a file is left")
	}
}
