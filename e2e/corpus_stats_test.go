package e2e

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// transcripts returns the folder of recorded sessions, or skips the test.
func transcripts(t *testing.T) string {
	t.Helper()
	return filepath.Join(corpus(t), "transcripts")
}

// statsOracle is what an independent program counted in a transcript; c2s is the client, s2c the server.
type statsOracle struct {
	Bytes       map[string]int64                  `json:"bytes"`
	Messages    map[string]map[string]int         `json:"messages"`
	Blank       map[string]int                    `json:"blank_lines"`
	Invalid     int                               `json:"invalid_count"`
	Requests    map[string]map[string]int         `json:"requests_by_method"`
	Notes       map[string]map[string]int         `json:"notifications_by_method"`
	Unanswered  int                               `json:"unanswered_count"`
	NotCancel   int                               `json:"unanswered_not_cancelled"`
	AfterCancel int                               `json:"answered_after_cancel"`
	Unmatched   int                               `json:"unmatched_count"`
	ErrorCount  int                               `json:"error_response_count"`
	Errors      []struct{ Dir string }            `json:"error_responses"`
	ToolErrors  int                               `json:"is_error_count"`
	Share       struct{ Messages map[string]int } `json:"share"`
	Progress    map[string]int                    `json:"progress"`
	Versions    struct {
		Requested, Negotiated json.RawMessage
		PerRequest            map[string]int `json:"per_request"`
	} `json:"versions"`
	ClientCapabilities json.RawMessage           `json:"client_capabilities"`
	ServerCapabilities json.RawMessage           `json:"server_capabilities"`
	Latency            map[string]latencySummary `json:"latency_ms"`
	// line, dir, id, method, tool, response_line, ms, outcome, progress_notifications
	List [][]json.RawMessage `json:"requests"`
}

type latencySummary struct {
	N      int     `json:"n"`
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

// stats is `shakescope stats --json`.
type stats struct {
	Messages            map[string]map[string]int
	Methods             map[string]map[string]map[string]int
	Unanswered          int
	UnansweredCancelled int `json:"unanswered_cancelled"`
	Open                int
	Unmatched           int
	AnsweredAfterCancel int `json:"answered_after_cancel"`
	Invalid             int
	Blank               int
	ToolErrors          int                       `json:"tool_errors"`
	Latency             latencySummary            `json:"latency_ms"`
	LatencyByMethod     map[string]latencySummary `json:"latency_by_method"`
	Requested           json.RawMessage
	Negotiated          json.RawMessage
	PerRequest          map[string]int `json:"per_request"`
	Sessions            *int
	Capabilities        map[string]json.RawMessage
	Bytes               map[string]int64
	Share               map[string]int
	Progress            map[string]int
}

// sides are the oracle's names of the directions and ours.
var sides = map[string]string{"c2s": "client", "s2c": "server"}

func TestStatsOfTheCorpus(t *testing.T) {
	folder := transcripts(t)
	files, err := filepath.Glob(filepath.Join(folder, "oracle", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no oracle in %s: %v", folder, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o statsOracle
			load(t, file, &o)
			transcript := filepath.Join(folder, name+".jsonl")
			compareStats(t, &o, transcript)
			comparePairs(t, o.pairs(t), transcript)
		})
	}
}

// The large transcript has an oracle without the list of requests: its pairs are found here once
// more, by the oracle's rule and with other means than the program's.
func TestStatsOfTheLargeTranscript(t *testing.T) {
	folder := filepath.Join(transcripts(t), "large")
	packed, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil || len(packed) != 1 {
		t.Fatalf("want one large transcript in %s, have %d: %v", folder, len(packed), err)
	}
	transcript := filepath.Join(t.TempDir(), "large.jsonl")
	unpack(t, packed[0], transcript)
	var o statsOracle
	load(t, strings.TrimSuffix(packed[0], ".jsonl.gz")+".oracle.json", &o)
	compareStats(t, &o, transcript)
	comparePairs(t, pairsOf(t, transcript), transcript)
}

func compareStats(t *testing.T, o *statsOracle, transcript string) {
	t.Helper()
	var s stats
	if err := json.Unmarshal(shakescope(t, "stats", transcript, "--json"), &s); err != nil {
		t.Fatal(err)
	}
	same := func(member string, want, have any) {
		t.Helper()
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-oracle +shakescope):\n%s", member, diff)
		}
	}
	errorsBy := map[string]int{}
	for _, e := range o.Errors {
		errorsBy[e.Dir]++
	}
	answers, haveErrors := 0, 0
	for dir, side := range sides {
		m := o.Messages[dir]
		same(side+" requests", m["request"], s.Messages[side]["request"])
		same(side+" notifications", m["notification"], s.Messages[side]["notification"])
		same(side+" answers", m["response"], s.Messages[side]["response"]+s.Messages[side]["error"])
		if len(o.Errors) == o.ErrorCount { // the list is cut at 300
			same(side+" error answers", errorsBy[dir], s.Messages[side]["error"])
		}
		answers += m["response"]
		haveErrors += s.Messages[side]["error"]
		same(side+" methods requested", filled(o.Requests[dir]), filled(s.Methods[side]["request"]))
		same(side+" methods notified", filled(o.Notes[dir]), filled(s.Methods[side]["notification"]))
		same(side+" bytes", o.Bytes[dir], s.Bytes[side])
	}
	same("error answers", o.ErrorCount, haveErrors)
	same("stderr bytes", o.Bytes["stderr"], s.Bytes["stderr"])
	same("unanswered", o.Unanswered, s.Unanswered)
	same("unanswered_cancelled", o.Unanswered-o.NotCancel, s.UnansweredCancelled)
	if s.Open > s.Unanswered-s.UnansweredCancelled {
		t.Errorf("open %d of %d unanswered, %d of them cancelled", s.Open, s.Unanswered, s.UnansweredCancelled)
	}
	same("unmatched", o.Unmatched, s.Unmatched)
	same("answered_after_cancel", o.AfterCancel, s.AnsweredAfterCancel)
	same("invalid", o.Invalid, s.Invalid)
	blank := 0
	for _, n := range o.Blank {
		blank += n
	}
	same("blank", blank, s.Blank)
	same("tool_errors", o.ToolErrors, s.ToolErrors)
	same("share", o.Share.Messages, s.Share)
	same("progress", o.Progress, s.Progress)
	same("requested", version(o.Versions.Requested), version(s.Requested))
	same("negotiated", version(o.Versions.Negotiated), version(s.Negotiated))
	same("per_request", filled(o.Versions.PerRequest), filled(s.PerRequest))
	same("client capabilities", value(t, o.ClientCapabilities), value(t, s.Capabilities["client"]))
	// The oracle does not tell an empty object of the server from none.
	if server := value(t, s.Capabilities["server"]); value(t, o.ServerCapabilities) != nil || !cmp.Equal(server, map[string]any{}) {
		same("server capabilities", value(t, o.ServerCapabilities), server)
	}
	if s.Sessions == nil || *s.Sessions < 0 || answers > 0 && *s.Sessions == 0 {
		t.Error("stats name no session")
	}

	byMethod := map[string]latencySummary{}
	for key, l := range o.Latency {
		dir, method, _ := strings.Cut(key, " ")
		byMethod[sides[dir]+" "+method] = l
	}
	same("latency_by_method", byMethod, s.LatencyByMethod)
	if all, ok := o.latencies(t); ok {
		same("latency_ms", summarize(all), s.Latency)
	}
}

// filled makes an absent map and an empty one the same.
func filled(m map[string]int) map[string]int {
	if m == nil {
		return map[string]int{}
	}
	return m
}

// version is the version sent, "" when none was. (What is no string is shown as it is.)
func version(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &s) != nil {
		return strings.TrimPrefix(string(raw), "null")
	}
	return s
}

func value(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	if len(raw) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// latencies are those of all answered requests; false when the oracle has no list of requests.
func (o *statsOracle) latencies(t *testing.T) ([]float64, bool) {
	t.Helper()
	if o.List == nil {
		return nil, false
	}
	var all []float64
	for _, r := range o.List {
		if ms, ok := value(t, r[6]).(float64); ok {
			all = append(all, ms)
		}
	}
	return all, true
}

func summarize(v []float64) latencySummary {
	n := len(v)
	if n == 0 {
		return latencySummary{}
	}
	sort.Float64s(v)
	return latencySummary{N: n, Min: v[0], Median: v[(n-1)/2], P95: v[int(math.Ceil(0.95*float64(n)))-1], Max: v[n-1]}
}

// pair is a request and its answer, by line of the transcript. Answer 0: none.
type pair struct {
	Request int64
	Method  string
	Answer  int64
}

func sorted(pairs []pair) []pair {
	slices.SortFunc(pairs, func(a, b pair) int {
		for _, d := range []int64{a.Request - b.Request, a.Answer - b.Answer} {
			if d != 0 {
				return int(d)
			}
		}
		return strings.Compare(a.Method, b.Method)
	})
	return pairs
}

// pairs are those of the oracle's list.
func (o *statsOracle) pairs(t *testing.T) []pair {
	t.Helper()
	var pairs []pair
	for _, r := range o.List {
		var p pair
		for i, into := range map[int]any{0: &p.Request, 3: &p.Method, 5: &p.Answer} {
			if err := json.Unmarshal(r[i], into); err != nil {
				t.Fatalf("oracle: %s: %v", r, err)
			}
		}
		pairs = append(pairs, p)
	}
	return sorted(pairs)
}

// comparePairs compares the pairs of `show --json`, seen from both halves, with want, and looks at
// what every entry must have.
func comparePairs(t *testing.T, want []pair, transcript string) {
	t.Helper()
	type entry struct {
		Seq    int64
		Sub    *int64
		Kind   string
		Method string
		Group  string
		Phase  string
		Pair   json.RawMessage
	}
	var requests, answers []pair
	methods := map[int64]string{} // of requests outside batches, by seq
	lines := bufio.NewScanner(bytes.NewReader(shakescope(t, "show", transcript, "--json")))
	lines.Buffer(nil, 256<<20)
	unlabelled := 0
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%v in %.200s", err, lines.Bytes())
		}
		switch e.Kind {
		case "request", "notification", "response", "error":
			if e.Group == "" || e.Phase == "" {
				if unlabelled++; unlabelled <= 3 {
					t.Errorf("no group or phase: %.200s", lines.Bytes())
				}
			}
		}
		other := pairSeq(t, e.Pair)
		switch e.Kind {
		case "request":
			requests = append(requests, pair{e.Seq, e.Method, other})
			methods[e.Seq] = e.Method
		case "response", "error":
			if other != 0 {
				answers = append(answers, pair{other, e.Method, e.Seq})
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, sorted(requests), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("pairs of requests (-oracle +shakescope):\n%s", diff)
	}
	answered := slices.DeleteFunc(slices.Clone(want), func(p pair) bool { return p.Answer == 0 })
	if diff := cmp.Diff(answered, sorted(answers), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("pairs of answers (-oracle +shakescope):\n%s", diff)
	}
}

// pairSeq is the seq of a member "pair": a number, or [seq,sub].
func pairSeq(t *testing.T, raw json.RawMessage) int64 {
	t.Helper()
	if len(raw) == 0 {
		return 0
	}
	var seq int64
	if json.Unmarshal(raw, &seq) == nil {
		return seq
	}
	var ref []int64
	if err := json.Unmarshal(raw, &ref); err != nil || len(ref) == 0 {
		t.Fatalf("pair %s: %v", raw, err)
	}
	return ref[0]
}

// pairsOf finds the pairs of a wire log without batches or invalid lines: an answer belongs to the
// oldest open request of the other direction with an equal id.
func pairsOf(t *testing.T, transcript string) []pair {
	t.Helper()
	f, err := os.Open(transcript)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	other := map[string]string{"c2s": "s2c", "s2c": "c2s"}
	open := map[string][]int{} // direction and id to places in pairs
	var pairs []pair
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 256<<20)
	for no := int64(1); lines.Scan(); no++ {
		var wire struct{ Dir, Raw string }
		if err := json.Unmarshal(lines.Bytes(), &wire); err != nil {
			t.Fatalf("line %d: %v", no, err)
		}
		if other[wire.Dir] == "" {
			continue
		}
		var m struct {
			ID     json.RawMessage
			Method *string
		}
		if err := json.Unmarshal([]byte(wire.Raw), &m); err != nil {
			t.Fatalf("line %d: %v", no, err)
		}
		key := string(m.ID)
		if n, ok := new(big.Rat).SetString(key); ok {
			key = n.RatString()
		}
		switch {
		case m.Method != nil && m.ID != nil:
			open[wire.Dir+key] = append(open[wire.Dir+key], len(pairs))
			pairs = append(pairs, pair{no, *m.Method, 0})
		case m.Method == nil:
			if waiting := open[other[wire.Dir]+key]; len(waiting) > 0 {
				pairs[waiting[0]].Answer = no
				open[other[wire.Dir]+key] = waiting[1:]
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return sorted(pairs)
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, z); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
