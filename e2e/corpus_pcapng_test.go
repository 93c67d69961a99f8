package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withoutMeta is a wire log without its first line, which says where it comes from.
func withoutMeta(log []byte) string {
	if bytes.HasPrefix(log, []byte(`{"meta"`)) {
		_, log, _ = bytes.Cut(log, []byte("\n"))
	}
	return string(log)
}

// Every recorded session survives the way through a capture byte for byte, and tshark reads the capture without a word
// and shows phase, primitive and capability of each message.
func TestCorpusCaptures(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpus(t), "transcripts", "*.jsonl"))
	if len(files) == 0 {
		t.Fatal("no transcripts")
	}
	tshark, err := exec.LookPath("tshark")
	if err != nil && os.Getenv("SHAKESCOPE_E2E") != "" {
		t.Error("no tshark")
	}
	dir := t.TempDir()
	var all []byte // sections of one capture
	for _, file := range files {
		if strings.HasSuffix(file, "tools.jsonl") {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		capture, back := filepath.Join(dir, name+".pcapng"), filepath.Join(dir, name+".jsonl")
		shakescope(t, "export", file, "--format", "pcapng", "--no-redact", "-o", capture)
		shakescope(t, "import", capture, "-o", back)
		want := withoutMeta(shakescope(t, "export", file, "--format", "wire", "--no-redact"))
		got := withoutMeta(shakescope(t, "export", back, "--format", "wire", "--no-redact"))
		if longest(want) > longestMessage {
			head, err := os.ReadFile(back)
			if err != nil || !bytes.Contains(head[:bytes.IndexByte(head, '\n')], []byte(`"truncated":true`)) {
				t.Errorf("%s: nothing says that a message was cut", name)
			}
			if got, want := strings.Count(got, "\n"), strings.Count(want, "\n"); got != want {
				t.Errorf("%s: %d lines of %d", name, got, want)
			}
		} else if got != want {
			t.Errorf("%s: the capture holds something else", name)
		}
		section, err := os.ReadFile(capture)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, section...)
	}
	if tshark == "" {
		return
	}
	cmd := exec.Command(tshark, "-r", "-", "-T", "fields", "-e", "frame.interface_name", "-e", "frame.comment")
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(all), &said
	out, err := cmd.Output()
	for line := range strings.Lines(said.String()) {
		if !strings.HasPrefix(line, "Running as user") && strings.TrimSpace(line) != "" {
			t.Errorf("tshark says: %s", line)
		}
	}
	if err != nil {
		t.Error(err)
	}
	calls := 0
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "std") && !strings.Contains(line, "kind=") {
			t.Errorf("a packet without its annotations: %s", line)
		}
		if strings.Contains(line, "kind=request") {
			calls++
			if !(strings.Contains(line, "phase=") && strings.Contains(line, "primitive=") && strings.Contains(line, "capability=")) {
				t.Errorf("a request without its annotations: %s", line)
			}
		}
	}
	if calls == 0 {
		t.Error("tshark shows no request")
	}
}

// longestMessage is the length from which on a message may be cut in a capture.
const longestMessage = 261_000

func longest(log string) (n int) {
	for line := range strings.Lines(log) {
		n = max(n, len(line))
	}
	return n
}
