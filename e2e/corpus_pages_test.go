package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The README shows findings of real sessions, as check prints them behind the name of the recording.
func TestReadmeQuotesFindings(t *testing.T) {
	folder := transcripts(t)
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	quotes := regexp.MustCompile(`(?m)^    (\d+: .*)$`).FindAllStringSubmatch(string(page), -1)
	if len(quotes) < 5 {
		t.Fatalf("the README has %d findings", len(quotes))
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(built(t), append([]string{"check"}, files...)...).Output()
	if out == nil {
		t.Fatal(err) // an exit code of 1 says only that there are findings
	}
	for _, q := range quotes {
		if !strings.Contains(string(out), ".jsonl:"+q[1]+"\n") {
			t.Errorf("no session has the finding %s", q[1])
		}
	}
}

// docs/tools.md shows what is printed for a session of the reference server "everything"; … stands for lines left out.
func TestToolsPageShowsARealServer(t *testing.T) {
	session := filepath.Join(transcripts(t), "everything-ts1.32-full.jsonl")
	page, err := os.ReadFile("../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```\n\\$ shakescope (.*?)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 4 {
		t.Fatalf("the page has %d examples", len(blocks))
	}
	for _, b := range blocks {
		command, _, head := strings.Cut(b[1], " | ")
		var args []string
		for _, w := range strings.Fields(command) {
			if w == "everything.jsonl" {
				w = session
			}
			args = append(args, strings.Trim(w, "'"))
		}
		rest := "\n" + string(shakescope(t, args...))
		for piece := range strings.SplitSeq("…\n"+b[2], "…\n") {
			_, after, found := strings.Cut(rest, "\n"+piece)
			if !found {
				t.Errorf("shakescope %s does not print\n%s", command, piece)
				break
			}
			rest = "\n" + after
		}
		if rest != "\n" && !head {
			t.Errorf("shakescope %s prints more than the page shows:%s", command, rest)
		}
	}
}
