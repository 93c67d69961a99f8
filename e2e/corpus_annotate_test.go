package e2e

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/recordings"
)

// corpusTranscripts returns the paths of all recorded sessions of the corpus.
func corpusTranscripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpus(t), "transcripts", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "tools.jsonl" })
	if len(files) == 0 {
		t.Fatal("the corpus has no transcripts")
	}
	return files
}

func source(path string) annotate.Source {
	return func() (*recordings.Reader, error) { return recordings.Open(path) }
}

// annotateOracle is an independent count of a transcript.
type annotateOracle struct {
	Bytes    struct{ C2s, S2c, Stderr int64 }
	Messages struct {
		C2s, S2c struct{ Request, Response, Notification int64 }
	}
	BlankLines             map[string]int64            `json:"blank_lines"`
	InvalidCount           int64                       `json:"invalid_count"`
	RequestsByMethod       map[string]map[string]int64 `json:"requests_by_method"`
	NotificationsByMethod  map[string]map[string]int64 `json:"notifications_by_method"`
	UnansweredCount        int64                       `json:"unanswered_count"`
	UnansweredNotCancelled int64                       `json:"unanswered_not_cancelled"`
	AnsweredAfterCancel    int64                       `json:"answered_after_cancel"`
	UnmatchedCount         int64                       `json:"unmatched_count"`
	ErrorResponseCount     int64                       `json:"error_response_count"`
	IsErrorCount           int64                       `json:"is_error_count"`
	Share                  struct {
		Messages struct{ Lifecycle, Utility, Operation, Other int64 }
	}
	Progress struct{ Matched, Late, Orphan int64 }
	Versions struct {
		Requested, Negotiated *string
		PerRequest            map[string]int64 `json:"per_request"`
	}
	ClientCapabilities json.RawMessage `json:"client_capabilities"`
	ServerCapabilities json.RawMessage `json:"server_capabilities"`
	LatencyMs          map[string]struct {
		N                     int
		Min, Median, P95, Max float64
	} `json:"latency_ms"`
	Requests [][]any
}

func readAnnotateOracle(t *testing.T, path string) *annotateOracle {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var o annotateOracle
	if err := json.Unmarshal(b, &o); err != nil {
		t.Fatal(err)
	}
	return &o
}

func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}

// plainJSON decodes a value for comparison; nothing, null and an empty object are the same.
func plainJSON(raw []byte) any {
	var v any
	_ = json.Unmarshal(raw, &v)
	if m, ok := v.(map[string]any); ok && len(m) == 0 {
		return nil
	}
	return v
}

func compareAnnotateStats(t *testing.T, s *annotate.Stats, o *annotateOracle) {
	t.Helper()
	check := func(what string, got, want any) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-oracle +ours):\n%s", what, d)
		}
	}
	check("client requests", s.Messages.Client.Request, o.Messages.C2s.Request)
	check("server requests", s.Messages.Server.Request, o.Messages.S2c.Request)
	check("client notifications", s.Messages.Client.Notification, o.Messages.C2s.Notification)
	check("server notifications", s.Messages.Server.Notification, o.Messages.S2c.Notification)
	check("client answers", s.Messages.Client.Response+s.Messages.Client.Error, o.Messages.C2s.Response)
	check("server answers", s.Messages.Server.Response+s.Messages.Server.Error, o.Messages.S2c.Response)
	check("errors", s.Messages.Client.Error+s.Messages.Server.Error, o.ErrorResponseCount)
	check("client request methods", s.Methods.Client.Request, o.RequestsByMethod["c2s"])
	check("server request methods", s.Methods.Server.Request, o.RequestsByMethod["s2c"])
	check("client notification methods", s.Methods.Client.Notification, o.NotificationsByMethod["c2s"])
	check("server notification methods", s.Methods.Server.Notification, o.NotificationsByMethod["s2c"])
	check("unanswered", s.Unanswered, o.UnansweredCount)
	check("unanswered_cancelled", s.UnansweredCancelled, o.UnansweredCount-o.UnansweredNotCancelled)
	check("unmatched", s.Unmatched, o.UnmatchedCount)
	check("answered_after_cancel", s.AnsweredAfterCancel, o.AnsweredAfterCancel)
	check("invalid", s.Invalid, o.InvalidCount)
	check("blank", s.Blank, o.BlankLines["c2s"]+o.BlankLines["s2c"])
	check("tool_errors", s.ToolErrors, o.IsErrorCount)
	check("bytes", s.Bytes, annotate.ByteCounts{Client: o.Bytes.C2s, Server: o.Bytes.S2c, Stderr: o.Bytes.Stderr})
	check("share", s.Share, annotate.Share(o.Share.Messages))
	check("progress", s.Progress, annotate.ProgressCounts(o.Progress))
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	check("requested", s.Requested, text(o.Versions.Requested))
	check("negotiated", s.Negotiated, text(o.Versions.Negotiated))
	check("per_request", s.PerRequest, o.Versions.PerRequest)
	check("client capabilities", plainJSON(s.Capabilities.Client), plainJSON(o.ClientCapabilities))
	check("server capabilities", plainJSON(s.Capabilities.Server), plainJSON(o.ServerCapabilities))
	n := 0
	for name, want := range o.LatencyMs {
		n += want.N
		ours := strings.NewReplacer("c2s ", "client ", "s2c ", "server ").Replace(name)
		l := s.LatencyByMethod[ours]
		got := want
		got.N, got.Min, got.Median, got.P95, got.Max = l.N, milliseconds(l.Min), milliseconds(l.Median), milliseconds(l.P95), milliseconds(l.Max)
		check("latency of "+ours, got, want)
	}
	check("latencies", []int{s.Latency.N, len(s.LatencyByMethod)}, []int{n, len(o.LatencyMs)})
}

// entryKey is where an entry stands; the oracle knows lines only.
func seqOf(r annotate.Ref) int64 { return r.Seq }

func compareAnnotatePairs(t *testing.T, entries map[int64][]*annotate.Entry, o *annotateOracle) {
	t.Helper()
	next := map[int64]int{} // requests of a batch come in order
	for _, q := range o.Requests {
		line := int64(q[0].(float64))
		var of []*annotate.Entry
		for _, e := range entries[line] {
			if e.Kind == annotate.Request {
				of = append(of, e)
			}
		}
		if next[line] >= len(of) {
			t.Errorf("line %d: no request", line)
			continue
		}
		e := of[next[line]]
		next[line]++
		side := map[any]string{"c2s": "client", "s2c": "server"}[q[1]]
		if e.From != side || e.Method != q[3] {
			t.Errorf("line %d: %s %s, want %s %s", line, e.From, e.Method, side, q[3])
		}
		if tool, ok := q[4].(string); ok && e.Target != tool {
			t.Errorf("line %d: target %q, want %q", line, e.Target, tool)
		}
		var answer int64
		if n, ok := q[5].(float64); ok {
			answer = int64(n)
		}
		if seqOf(e.Pair) != answer {
			t.Errorf("line %d: paired with %d, want %d", line, seqOf(e.Pair), answer)
			continue
		}
		state := map[any]annotate.State{"ok": annotate.OK, "error": annotate.Failed, "isError": annotate.ToolError, "input_required": annotate.InputRequired}[q[7]]
		if q[7] == "unanswered" {
			if e.State != annotate.Pending && e.State != annotate.Cancelled && e.State != annotate.Open {
				t.Errorf("line %d: state %s, want unanswered", line, e.State)
			}
			continue
		}
		if e.State != state {
			t.Errorf("line %d: state %s, want %s", line, e.State, state)
		}
		found := false
		for _, a := range entries[answer] {
			if a.Pair == e.Ref {
				found = true
				if got := milliseconds(a.Latency); got != q[6] {
					t.Errorf("line %d: latency %v, want %v", line, got, q[6])
				}
				if a.State != e.State || a.Group != e.Group || a.Phase != e.Phase || a.Revision != e.Revision || a.Era != e.Era || a.Method != e.Method {
					t.Errorf("line %d: the answer %d differs from its request in state, group, phase, era or revision", line, answer)
				}
			}
		}
		if !found {
			t.Errorf("line %d: the answer %d does not name it", line, answer)
		}
	}
}

func TestAnnotateTranscripts(t *testing.T) {
	root := corpus(t)
	for _, path := range corpusTranscripts(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := readAnnotateOracle(t, filepath.Join(root, "transcripts", "oracle", name+".json"))
			entries := map[int64][]*annotate.Entry{}
			rec, err := annotate.Collect(source(path), func(e *annotate.Entry) error {
				checkEntry(t, e)
				kept := *e
				kept.Raw, kept.Message = nil, nil
				entries[e.Seq] = append(entries[e.Seq], &kept)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			compareAnnotateStats(t, rec.Stats, o)
			compareAnnotatePairs(t, entries, o)
		})
	}
}

// checkEntry holds for every entry of every recording.
func checkEntry(t *testing.T, e *annotate.Entry) {
	t.Helper()
	message := false
	switch e.Kind {
	case annotate.Request, annotate.Notification, annotate.Response, annotate.ErrorAnswer:
		message = true
		if e.Group == "" || e.Phase == "" || e.From == "" {
			t.Errorf("%v: a message without group, phase or sender: %+v", e.Ref, e)
		}
	}
	if s := e.Summary(); strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		t.Errorf("%v: control characters in the summary %q", e.Ref, s)
	}
	line := annotate.AppendJSON(nil, e, nil)
	if !json.Valid(line) || strings.ContainsAny(string(line), "\n") {
		t.Errorf("%v: not one line of JSON: %s", e.Ref, line)
	}
	if !message || e.Revision == "" {
		return
	}
	m := mcpspec.Lookup(e.Method)
	if m == nil {
		if e.Method != "" && (e.Group != mcpspec.Unknown || e.Primitive != "") {
			t.Errorf("%v: %s is not in the specification, yet has group %s", e.Ref, e.Method, e.Group)
		}
		return
	}
	if e.Group != m.Group || e.Primitive != m.Primitive() {
		t.Errorf("%v: %s has group %s and primitive %q", e.Ref, e.Method, e.Group, e.Primitive)
	}
	if need, ok := m.Needs(e.Revision); ok && (len(e.Capability) == 0 || e.Capability[0].Path != need.Path) {
		t.Errorf("%v: %s leans on %s, not %v", e.Ref, e.Method, need.Path, e.Capability)
	}
}

func TestAnnotateLarge(t *testing.T) {
	root := corpus(t)
	packed := filepath.Join(root, "transcripts", "large", "everything-large.jsonl.gz")
	path := filepath.Join(t.TempDir(), "large.jsonl")
	if err := unpackGzip(packed, path); err != nil {
		t.Fatal(err)
	}
	o := readAnnotateOracle(t, filepath.Join(root, "transcripts", "large", "everything-large.oracle.json"))
	start := time.Now()
	rec, err := annotate.Collect(source(path), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v for %d requests; %d findings", time.Since(start).Round(time.Millisecond), o.Messages.C2s.Request, len(rec.Findings))
	compareAnnotateStats(t, rec.Stats, o)
	for _, f := range rec.Findings {
		if f.Level != annotate.LevelInfo {
			t.Logf("%s %s %v x%d %s", f.Level, f.Rule, f.At, f.Count, f.Message)
		}
	}
}

func unpackGzip(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, z)
	return err
}
