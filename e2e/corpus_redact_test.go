package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/recordings"
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

// A recording whose secrets were masked as it was written means what the plain one means: the same entries, pairs and
// states, and the same findings but for what lines that could not be parsed were made of. Behind a line in which a peer may
// have read more than what is left of it less is known, but nothing is found that the plain one has not.
func TestCorpusRedactedRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(transcripts(t), "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	compared := 0
	for _, name := range files {
		if filepath.Base(name) == "tools.jsonl" {
			continue // definitions, no session
		}
		want, got := meaningsOf(t, recordedAgain(t, name, nil)), meaningsOf(t, recordedAgain(t, name, export.NewMasker(redact.New())))
		if len(want) != len(got) {
			t.Errorf("%s: %d entries became %d", filepath.Base(name), len(want), len(got))
			continue
		}
		sure := true
		for i := range want {
			sure = sure && (got[i].withheld == "" || got[i].withheld == recordings.NotJSON)
			if sure && want[i].text != got[i].text {
				t.Errorf("%s, entry %d:\nplain  %s\nmasked %s", filepath.Base(name), i, want[i].text, got[i].text)
				break
			}
			if sure {
				compared++
			}
			for _, rule := range got[i].rules {
				if !slices.Contains(want[i].rules, rule) {
					t.Errorf("%s, entry %d: %s is found only in the masked recording", filepath.Base(name), i, rule)
				}
			}
		}
	}
	if compared < 5000 {
		t.Errorf("only %d entries were compared", compared)
	}
}

// recordedAgain records a transcript.
func recordedAgain(t *testing.T, name string, mask recordings.Masker) []byte {
	t.Helper()
	src, err := recordings.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var now time.Duration
	var b bytes.Buffer
	o := recordings.RecorderOptions{Clock: func() time.Duration { return now }}
	if mask != nil {
		o.Mask = mask
	}
	r := recordings.NewRecorder(&b, recordings.Header{Start: time.Unix(1, 0)}, o)
	for {
		rec, err := src.Next()
		if err != nil {
			break
		}
		now = max(now, rec.T)
		switch rec.Kind {
		case recordings.FrameRecord:
			r.Chunk(rec.Stream, append(bytes.Clone(rec.Data), rec.EOL...))
		case recordings.EventRecord:
			r.Event(*rec.Event)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// strayRules speak for lines that are no messages, by what is in them.
var strayRules = map[string]bool{"ansi-escape-hint": true, "two-messages-one-line": true, "json-nan-hint": true, "utf8-bom": true, "message-spans-lines": true, "content-length-framing": true, "stdout-not-json": true, "stdin-not-json": true, "hangup-cause": true}

// meant is what an entry means.
type meant struct {
	text     string
	rules    []string
	withheld recordings.Withheld
}

func meaningsOf(t *testing.T, file []byte) (all []meant) {
	t.Helper()
	open := func() (*recordings.Reader, error) { return recordings.NewReader(bytes.NewReader(file), "recording") }
	if _, err := annotate.Collect(open, func(e *annotate.Entry) error {
		m := meant{withheld: e.Withheld}
		for _, f := range e.Findings {
			if !strayRules[f.Rule] {
				m.rules = append(m.rules, f.Rule)
			}
		}
		m.text = fmt.Sprint(e.Ref, e.Kind, e.From, e.ID, e.Method, e.Phase, e.Group, e.Pair, e.Flow, e.State, e.Cancelled, e.Token, e.Era, e.Revision, m.rules)
		all = append(all, m)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
