package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/compare"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/recordings"
)

// Verdict is what a check found in one file.
type Verdict struct {
	File     string
	Lines    recordings.RecordLines // where in it the entries stand
	Findings []annotate.Finding
	Failing  func(annotate.Level) bool // which levels make the check fail
}

// The objects of SARIF 2.1.0 (docs.oasis-open.org/sarif), as far as they are needed.
type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Name    string    `json:"name"`
		Short   sarifText `json:"shortDescription"`
		Full    sarifText `json:"fullDescription"`
		Help    sarifText `json:"help"`
		HelpURI string    `json:"helpUri,omitempty"`
		Default struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
		Properties map[string]any `json:"properties,omitempty"`
	}
	sarifRegion struct {
		StartLine int64 `json:"startLine"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifResult struct {
		Rule        string            `json:"ruleId"`
		Index       int               `json:"ruleIndex"`
		Level       string            `json:"level"`
		Message     sarifText         `json:"message"`
		Locations   []sarifLocation   `json:"locations"`
		Fingerprint map[string]string `json:"partialFingerprints"`
		Count       int               `json:"occurrenceCount,omitempty"`
		Properties  map[string]any    `json:"properties,omitempty"`
	}
)

// sarifLevel is the word of SARIF for a level.
func sarifLevel(l annotate.Level) string {
	if l == annotate.LevelInfo {
		return "note"
	}
	return string(l)
}

// WriteSARIF writes the findings of several files as one SARIF log.
func WriteSARIF(w io.Writer, version string, verdicts []Verdict) error {
	var rules []sarifRule
	index := make(map[string]int)
	results := []sarifResult{}
	for _, v := range verdicts {
		for i := range v.Findings {
			f := &v.Findings[i]
			n, ok := index[f.Rule]
			if !ok {
				n = len(rules)
				index[f.Rule] = n
				rules = append(rules, sarifRuleOf(f))
			}
			results = append(results, sarifResultOf(&v, f, n))
		}
	}
	if rules == nil {
		rules = []sarifRule{}
	}
	type object = map[string]any
	log := struct {
		Schema  string   `json:"$schema"`
		Version string   `json:"version"`
		Runs    []object `json:"runs"`
	}{"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "2.1.0", []object{{
		"tool":       object{"driver": object{"name": "shakescope", "version": version, "informationUri": "https://github.com/shakescope/shakescope", "rules": rules}},
		"columnKind": "utf16CodeUnits",
		"results":    results,
	}}}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(log)
}

// lookupRule finds a rule about one recording, or about two.
func lookupRule(id string) *annotate.Rule {
	return cmp.Or(annotate.LookupRule(id), compare.LookupRule(id))
}

func sarifRuleOf(f *annotate.Finding) sarifRule {
	out := sarifRule{ID: f.Rule, Name: f.Rule, Short: sarifText{f.Rule}, Full: sarifText{f.Rule}, Help: sarifText{f.Rule}}
	out.Default.Level = sarifLevel(f.Level)
	if r := lookupRule(f.Rule); r != nil {
		out.Short, out.Full, out.Help = sarifText{r.Title}, sarifText{r.Why}, sarifText{r.Fix}
		out.Default.Level = sarifLevel(r.Levels[0])
		out.Properties = map[string]any{"tags": []string{"mcp", r.Group}}
		if r.Spec != "" {
			out.Properties["spec"] = r.Spec
			out.HelpURI = mcpspec.PageURL(r.Spec)
		}
	}
	return out
}

func sarifResultOf(v *Verdict, f *annotate.Finding, rule int) sarifResult {
	var at sarifLocation
	file, line := v.place(f)
	at.Physical.Artifact.URI = fileURI(file)
	if line > 0 {
		at.Physical.Region = &sarifRegion{line}
	}
	where := "recording"
	if !f.At.IsZero() {
		where = refText(f.At)
		at.Logical = []sarifLogical{{Name: "entry " + where + f.Path, Kind: "element"}}
	}
	out := sarifResult{
		Rule: f.Rule, Index: rule, Level: sarifLevel(f.Level), Message: sarifText{f.Message}, Locations: []sarifLocation{at},
		Fingerprint: map[string]string{"shakescope/v1": f.Rule + "/" + where + "/" + f.Path}, Count: f.Count,
		Properties: map[string]any{"by": f.By},
	}
	if f.At.IsZero() { // those about the whole are told apart by what they name
		subject, _, _ := strings.Cut(f.Message, ":")
		out.Fingerprint["shakescope/v1"] += "/" + subject
	}
	if out.Message.Text == "" {
		out.Message.Text = f.Rule
	}
	if f.Spec != "" {
		out.Properties["spec"] = f.Spec
	}
	if f.Path != "" {
		out.Properties["path"] = f.Path
	}
	return out
}

// place returns where a finding stands: the file, and the line in it, 0 for none. What is about the whole stands
// at the beginning, because code scanning shows no result without a line.
func (v *Verdict) place(f *annotate.Finding) (file string, line int64) {
	if f.At.IsZero() {
		var ok bool
		if file, ok = v.Lines.First(); ok {
			line = 1
		}
	} else {
		file, line = v.Lines.Of(f.At.Seq)
	}
	if file == "" {
		return v.File, line
	}
	return filepath.Join(filepath.Dir(v.File), file), line
}

// fileURI writes a path as the relative or absolute URI that SARIF wants.
func fileURI(path string) string {
	p := filepath.ToSlash(path)
	u := url.URL{Path: p}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
		if !strings.HasPrefix(p, "/") {
			u.Path = "/" + p
		}
	}
	return u.String()
}

// junitCase is a test case of JUnit's XML, as CI systems read it: passed unless a level made it fail.
type junitCase struct {
	class, name string
	failed      annotate.Level
	message     string // of the failure
	text        string
}

// WriteJUnit writes a suite a file: a test case for each rule that found something, failed where its level makes the
// check fail, and one that passes for a file without findings.
func WriteJUnit(w io.Writer, verdicts []Verdict) error {
	var suites strings.Builder
	tests, failures := 0, 0
	for _, v := range verdicts {
		cases := junitCases(&v)
		failed := 0
		for i := range cases {
			if cases[i].failed != "" {
				failed++
			}
		}
		fmt.Fprintf(&suites, " <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\">\n", xmlText(v.File), len(cases), failed)
		for i := range cases {
			cases[i].write(&suites)
		}
		suites.WriteString(" </testsuite>\n")
		tests += len(cases)
		failures += failed
	}
	_, err := fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"shakescope check\" tests=\"%d\" failures=\"%d\">\n%s</testsuites>\n",
		tests, failures, suites.String())
	return err
}

func junitCases(v *Verdict) []junitCase {
	if len(v.Findings) == 0 {
		return []junitCase{{class: "shakescope", name: "no findings"}}
	}
	byRule := make(map[string][]*annotate.Finding)
	for i := range v.Findings {
		f := &v.Findings[i]
		byRule[f.Rule] = append(byRule[f.Rule], f)
	}
	var cases []junitCase
	for _, id := range slices.Sorted(maps.Keys(byRule)) {
		cases = append(cases, junitCaseOf(id, byRule[id], v))
	}
	return cases
}

func junitCaseOf(id string, list []*annotate.Finding, v *Verdict) junitCase {
	c := junitCase{class: "shakescope", name: id, message: list[0].Message}
	if r := lookupRule(id); r != nil {
		c.class = "shakescope." + strings.ReplaceAll(r.Group, " ", "_")
	}
	var text strings.Builder
	for _, f := range list {
		where := "recording"
		if !f.At.IsZero() {
			where = "entry " + refText(f.At)
			if file, line := v.place(f); line > 0 {
				where += fmt.Sprintf(" (%s:%d)", file, line)
			}
		}
		fmt.Fprintf(&text, "%s: %s (by %s): %s", where, f.Level, f.By, f.Message)
		if f.Count > 1 {
			fmt.Fprintf(&text, " (%d times)", f.Count)
		}
		text.WriteByte('\n')
		if v.Failing(f.Level) && (c.failed == "" || c.failed != annotate.LevelError) {
			c.failed = f.Level
		}
	}
	c.text = text.String()
	return c
}

func (c *junitCase) write(w *strings.Builder) {
	fmt.Fprintf(w, "  <testcase classname=\"%s\" name=\"%s\">", xmlText(c.class), xmlText(c.name))
	switch {
	case c.failed != "":
		fmt.Fprintf(w, "\n   <failure type=\"%s\" message=\"%s\">%s</failure>\n  ", xmlText(string(c.failed)), xmlText(c.message), xmlText(c.text))
	case c.text != "":
		fmt.Fprintf(w, "\n   <system-out>%s</system-out>\n  ", xmlText(c.text))
	}
	w.WriteString("</testcase>\n")
}

// xmlText is s as the text of an element or the value of an attribute, where an unescaped line end would be read as a
// blank. What XML cannot hold becomes U+FFFD.
func xmlText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0xfffe && r != 0xffff {
			return r
		}
		return '\ufffd'
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.ReplaceAll(strings.ReplaceAll(html.EscapeString(s), "\n", "&#xA;"), "\t", "&#x9;")
}
