package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/shakescope/shakescope/internal/redact"
)

// In sessions without secrets, redaction leaves every message and every tool definition as it is. What it may
// change is names in home paths in what servers print and files say.
func TestCorpusKeepsProtocolFields(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(transcripts(t), "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	messages, tools := 0, 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		r := redact.New()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var line struct {
				Dir, Raw string
				Tool     json.RawMessage
			}
			if json.Unmarshal(lines.Bytes(), &line) != nil || line.Raw == "" && line.Tool == nil {
				continue
			}
			raw := []byte(line.Raw)
			if line.Tool != nil {
				tools++
				raw = []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + string(line.Tool) + `]}}`)
			} else if line.Dir != "stderr" {
				messages++
			}
			out := r.Line(raw)
			if bytes.Equal(out, raw) {
				continue
			}
			if line.Dir == "stderr" && !bytes.Contains(out, []byte("[redacted:")) {
				continue // a home path
			}
			// Files, scripts and settings that tools printed are content, not protocol.
			if line.Dir != "stderr" && bytes.Equal(withoutContent(t, out), withoutContent(t, raw)) {
				continue
			}
			t.Errorf("%s: %.200s", filepath.Base(name), out)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if messages < 5000 || tools != 893 {
		t.Errorf("looked at %d messages and %d tools", messages, tools)
	}
}

// withoutContent returns a message with the text of its content taken out.
func withoutContent(t *testing.T, raw []byte) []byte {
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	if result, ok := m["result"].(map[string]any); ok {
		delete(result, "content")
		delete(result, "contents")
		delete(result, "structuredContent")
	}
	if params, ok := m["params"].(map[string]any); ok && m["method"] == "notifications/message" {
		delete(params, "data")
	}
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
