package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// corpus returns the folder that SHAKESCOPE_CORPUS names, and skips the test where it names none.
func corpus(t *testing.T) string {
	t.Helper()
	root := os.Getenv("SHAKESCOPE_CORPUS")
	if root == "" {
		t.Skip("skipped: set SHAKESCOPE_CORPUS")
	}
	return root
}

// wireLine is one line of a wire log, the form that `import` reads.
type wireLine struct {
	TMs    float64 `json:"t_ms"`
	Dir    string  `json:"dir,omitempty"`
	Raw    *string `json:"raw,omitempty"`
	RawB64 string  `json:"raw_b64,omitempty"`
	EOL    *string `json:"eol,omitempty"`
	Event  string  `json:"event,omitempty"`
	Code   *int    `json:"code,omitempty"`
	Signal string  `json:"signal,omitempty"`
}

// wireLog is a log together with where each of its lines came from.
type wireLog struct {
	lines  []wireLine
	origin []int // the line of the case, or the index in the example
}

func (w *wireLog) add(origin int, l wireLine) {
	w.lines = append(w.lines, l)
	w.origin = append(w.origin, origin)
}

// of returns where the record with this number came from.
func (w *wireLog) of(seq int64) int {
	if seq < 1 || seq > int64(len(w.origin)) {
		return -1
	}
	return w.origin[seq-1]
}

// annotated writes the log to a file and returns its entries and what holds for the whole recording.
func (w *wireLog) annotated(t *testing.T) ([]annotate.Entry, *annotate.Recording) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.jsonl")
	var b strings.Builder
	for _, l := range w.lines {
		line, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var entries []annotate.Entry
	rec, err := annotate.Collect(func() (*recordings.Reader, error) { return recordings.Open(path) }, func(e *annotate.Entry) error {
		entries = append(entries, *e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries, rec
}

// exampleStep is one step of an example in spec/rules.json, as described in spec/rules.md.
type exampleStep struct {
	From      string          `json:"from"`
	Msg       json.RawMessage `json:"msg"`
	Raw       *string         `json:"raw"`
	RawHex    *string         `json:"rawHex"`
	RawLength int             `json:"rawLength"`
	Newline   *bool           `json:"newline"`
	Repeat    int             `json:"repeat"`
	WithinMs  float64         `json:"withinMs"`
	Event     string          `json:"event"`
	Stream    string          `json:"stream"`
	Text      string          `json:"text"`
	To        string          `json:"to"`
	Sig       string          `json:"sig"`
	Signal    string          `json:"signal"`
	Code      *int            `json:"code"`
	Ms        float64         `json:"ms"`
}

// exampleLog turns the steps of an example into a wire log.
func exampleLog(t *testing.T, steps []exampleStep) *wireLog {
	t.Helper()
	w := &wireLog{}
	now := 0.0
	for i, s := range steps {
		if s.Event == "wait" {
			now += s.Ms
			continue
		}
		now += 10
		switch s.Event {
		case "eof":
			name := "server_closed_stdout"
			if s.Stream == "stdin" {
				name = "client_closed_stdin"
			}
			w.add(i, wireLine{TMs: now, Event: name})
			continue
		case "exit":
			w.add(i, wireLine{TMs: now, Event: "server_exit", Code: s.Code, Signal: s.Signal})
			continue
		case "signal":
			to := s.To
			if to == "" {
				to = "server"
			}
			w.add(i, wireLine{TMs: now, Event: "signal_to_" + to, Signal: s.Sig})
			continue
		case "start":
			w.add(i, wireLine{TMs: now, Event: "client_spawn"})
			continue
		case "stderr":
			w.add(i, wireLine{TMs: now, Dir: "stderr", Raw: &s.Text})
			continue
		}
		l := wireLine{TMs: now, Dir: "s2c"}
		if s.From == "client" {
			l.Dir = "c2s"
		}
		if s.Newline != nil && !*s.Newline {
			none := ""
			l.EOL = &none
		}
		switch {
		case s.RawHex != nil:
			data, err := hex.DecodeString(*s.RawHex)
			if err != nil {
				t.Fatal(err)
			}
			l.RawB64 = base64.StdEncoding.EncodeToString(data)
			w.add(i, l)
		case s.RawLength > 0:
			raw := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", s.RawLength) + `"}}`
			l.Raw = &raw
			w.add(i, l)
		case s.Raw != nil:
			l.Raw = s.Raw
			w.add(i, l)
		default:
			var compact bytes.Buffer
			if err := json.Compact(&compact, s.Msg); err != nil {
				t.Fatal(err)
			}
			raw := compact.String()
			l.Raw = &raw
			n := max(s.Repeat, 1)
			for j := range n {
				l.TMs = now + float64(j)*s.WithinMs/float64(n)
				w.add(i, l)
			}
			now += s.WithinMs
		}
	}
	return w
}

// caseStep is one line of a file in cases/, as described in cases/README.md.
type caseStep struct {
	TMs    float64 `json:"t_ms"`
	Dir    string  `json:"dir"`
	Raw    *string `json:"raw"`
	RawB64 *string `json:"raw_b64"`
	Gen    *struct {
		Prefix, Repeat, Suffix string
		Count                  int
	} `json:"gen"`
	EOL     *string `json:"eol"`
	Times   int     `json:"times"`
	EveryMs float64 `json:"every_ms"`
	Start   *int    `json:"start"`
	Event   string  `json:"event"`
	Code    *int    `json:"code"`
	Signal  string  `json:"signal"`
}

// caseLog expands a case into a wire log in time order.
func caseLog(t *testing.T, path string) *wireLog {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type step struct {
		origin int
		line   wireLine
	}
	var steps []step
	for n, text := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		var s caseStep
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatalf("%s:%d: %v", path, n+1, err)
		}
		if s.Event != "" {
			steps = append(steps, step{n + 1, wireLine{TMs: s.TMs, Event: s.Event, Code: s.Code, Signal: s.Signal}})
			continue
		}
		first := 1
		if s.Start != nil {
			first = *s.Start
		}
		for k := range max(s.Times, 1) {
			l := wireLine{TMs: s.TMs + float64(k)*s.EveryMs, Dir: s.Dir, EOL: s.EOL}
			switch {
			case s.Raw != nil:
				raw := strings.ReplaceAll(*s.Raw, "@@i@@", itoa(first+k))
				l.Raw = &raw
			case s.RawB64 != nil:
				l.RawB64 = *s.RawB64
			default:
				raw := s.Gen.Prefix + strings.Repeat(s.Gen.Repeat, s.Gen.Count) + s.Gen.Suffix
				l.Raw = &raw
			}
			steps = append(steps, step{n + 1, l})
		}
	}
	sort.SliceStable(steps, func(i, j int) bool { return steps[i].line.TMs < steps[j].line.TMs })
	w := &wireLog{}
	for _, s := range steps {
		w.add(s.origin, s.line)
	}
	return w
}
