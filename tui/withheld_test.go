package tui

import (
	"strings"
	"testing"

	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/recordings"
)

// A frame of which only the length was recorded says so, in the stream and in the detail.
func TestWithheld(t *testing.T) {
	dir := t.TempDir()
	rec, err := recordings.Create(dir, recordings.NewHeader([]string{"srv"}), recordings.RecorderOptions{Mask: export.NewMasker(redact.New())})
	if err != nil {
		t.Fatal(err)
	}
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte(answer))
	rec.Chunk(recordings.Stdout, []byte("DEBUG token=hunter22x\n"))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	d := drive(t, Options{}, &folder{dir: dir}, 160, 40)
	d.opens(rec.Path())
	d.pump(func() bool { return d.m.rec.done })
	d.shows("withheld by --redact, 21 bytes: not JSON")
	d.keys("G", "enter")
	d.shows("only its length was recorded")
	for _, word := range []string{"cut by a gap", "hunter22x"} {
		if strings.Contains(d.text(), word) {
			t.Errorf("%s is shown:\n%s", word, d.text())
		}
	}
}
