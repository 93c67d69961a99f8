package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/annotate"
)

type caseFinding struct {
	Line   int    `json:"line"`
	Rule   string `json:"rule"`
	Level  string `json:"level"`
	By     string `json:"by"`
	Covers []int  `json:"covers"`
}

type caseExpectation struct {
	Pairs         [][2]int      `json:"pairs"`
	PairsRepeated [][2]int      `json:"pairs_repeated"`
	Unanswered    []int         `json:"unanswered"`
	Unsolicited   []int         `json:"unsolicited"`
	Findings      []caseFinding `json:"findings"`
	Accept        []caseFinding `json:"accept"`
}

var expectBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

// ownNames are our rules for what rule-map.json leaves to us.
var ownNames = map[string]string{
	"framing-crlf":          "crlf-line-ending",
	"id-beyond-2-53":        "json-number-precision",
	"capability-misplaced":  "capability-misplaced",
	"request-state-unknown": "mrtr-responses-unasked",
}

// endRules are raised by the end of a stream, and may stand on any of the closing events.
var endRules = []string{"request-unanswered", "cursor-ignored", "initialized-missing", "mrtr-abandoned", "sub-never-acked",
	"exit-with-pending", "exit-before-initialize", "exit-ignored-eof", "exit-nonzero", "probe-killed-server"}

// TestCases holds that each case of public bug reports gives the findings, pairs and open requests
// that its expectation names, and nothing else above info.
func TestCases(t *testing.T) {
	root := filepath.Join(corpus(t), "cases")
	var names map[string][]string
	data, err := os.ReadFile(filepath.Join(root, "rule-map.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &names); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(root, "cases", "*.jsonl"))
	if len(files) == 0 {
		t.Fatal("no cases found")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".expect.md")
			if err != nil {
				t.Fatal(err)
			}
			var want caseExpectation
			if err := json.Unmarshal(expectBlock.FindSubmatch(text)[1], &want); err != nil {
				t.Fatal(err)
			}
			w := caseLog(t, file)
			entries, rec := w.annotated(t)
			checkCaseFindings(t, w, w.findings(rec), want, names)
			checkCasePairs(t, w, entries, want)
		})
	}
}

func checkCaseFindings(t *testing.T, w *wireLog, got []found, want caseExpectation, names map[string][]string) {
	t.Helper()
	isEvent := map[int]bool{}
	for i, l := range w.lines {
		if l.Event != "" {
			isEvent[w.origin[i]] = true
		}
	}
	matches := func(f found, x caseFinding) bool {
		rules := append([]string{x.Rule, ownNames[x.Rule]}, names[x.Rule]...)
		if !slices.Contains(rules, f.Rule) {
			return false
		}
		if f.By != x.By && f.Rule != "request-unanswered" {
			return false
		}
		if slices.Contains(f.lines, x.Line) || slices.ContainsFunc(x.Covers, func(n int) bool { return n == f.line }) {
			return true
		}
		return slices.Contains(endRules, f.Rule) && (isEvent[x.Line] || isEvent[f.line])
	}
	for _, x := range want.Findings {
		ok := func(f found) bool {
			return matches(f, x) && (string(f.Level) == x.Level || slices.ContainsFunc(want.Accept, func(a caseFinding) bool {
				return a.Line == x.Line && a.Rule == x.Rule && a.Level == string(f.Level)
			}))
		}
		if !slices.ContainsFunc(got, ok) {
			t.Errorf("missing: %d %s %s %s; findings: %v", x.Line, x.Level, x.By, x.Rule, got)
		}
	}
	allowed := append(slices.Clone(want.Findings), want.Accept...)
	for _, f := range got {
		if f.Level == annotate.LevelInfo {
			continue
		}
		if !slices.ContainsFunc(allowed, func(x caseFinding) bool { return matches(f, x) && string(f.Level) == x.Level }) {
			t.Errorf("false alarm: %v", f)
		}
	}
}

func checkCasePairs(t *testing.T, w *wireLog, entries []annotate.Entry, want caseExpectation) {
	t.Helper()
	pairs, open, lone, messages := map[[2]int]bool{}, map[int]bool{}, map[int]bool{}, map[int]int{}
	for i := range entries {
		e := &entries[i]
		line := w.of(e.Seq)
		if e.Kind != annotate.Batch {
			messages[line]++
		}
		switch {
		case e.Kind == annotate.Request && !e.Pair.IsZero():
			pairs[[2]int{line, w.of(e.Pair.Seq)}] = true
		case e.Kind == annotate.Request:
			open[line] = true
		case e.State == annotate.Unmatched || e.State == annotate.Duplicate:
			lone[line] = true
		}
	}
	expected := map[[2]int]bool{}
	for _, p := range slices.Concat(want.Pairs, want.PairsRepeated) {
		expected[p] = true
		if !pairs[p] {
			t.Errorf("lines %d and %d are not paired", p[0], p[1])
		}
	}
	for p := range pairs {
		if !expected[p] {
			t.Errorf("lines %d and %d are paired and should not be", p[0], p[1])
		}
	}
	for _, n := range want.Unanswered {
		if !open[n] && !invalidAt(w, entries, n) {
			t.Errorf("line %d should be open at the end; open: %v", n, fmt.Sprint(open))
		}
	}
	for n := range open {
		// Expectations do not name the copies of a repeated line, nor the members of an array.
		if messages[n] == 1 && !slices.Contains(want.Unanswered, n) {
			t.Errorf("line %d is open at the end and should not be", n)
		}
	}
	for _, n := range want.Unsolicited {
		if !lone[n] {
			t.Errorf("line %d should match nothing", n)
		}
	}
	for n := range lone {
		if !slices.Contains(want.Unsolicited, n) {
			t.Errorf("line %d matches nothing and should", n)
		}
	}
}

// invalidAt reports whether the entry of a case line is no message: such a line cannot be a request.
func invalidAt(w *wireLog, entries []annotate.Entry, line int) bool {
	return slices.ContainsFunc(entries, func(e annotate.Entry) bool { return w.of(e.Seq) == line && e.Kind == annotate.Invalid })
}
