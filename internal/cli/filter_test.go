package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The worked examples of docs/filter.md print what the page says. With -update they are run anew.
func TestFilterPage(t *testing.T) {
	const page = "../../docs/filter.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	recording, err := os.ReadFile("testdata/recordings/session.wire.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "harbour.jsonl"), recording, 0o600); err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile(`'[^']*'|\S+`)
	runs := 0
	fresh := regexp.MustCompile("(?s)```console\n\\$ (.*?)\n.*?```").ReplaceAllFunc(text, func(block []byte) []byte {
		line, _, _ := strings.Cut(strings.TrimPrefix(string(block), "```console\n$ "), "\n")
		args := words.FindAllString(line, -1)
		for i := range args {
			args[i] = strings.Trim(args[i], "'")
		}
		c := exec.Command(args[0], args[1:]...)
		c.Dir = dir
		out, _ := c.CombinedOutput() // an example of an error ends with one
		runs++
		return []byte("```console\n$ " + line + "\n" + string(out) + "```")
	})
	if runs < 5 {
		t.Errorf("only %d examples", runs)
	}
	if bytes.Equal(fresh, text) {
		return
	}
	if *update {
		if err := os.WriteFile(page, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the examples of docs/filter.md print something else; see with -update:\n%s", fresh)
}
