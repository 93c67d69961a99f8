package compare

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/shakescope/shakescope/annotate"
)

// The objects of `diff --json`; docs/diff.md documents them.
type (
	jsonFacts struct {
		File     string  `json:"file"`
		Revision *string `json:"revision"`
		Era      *string `json:"era"`
		Messages int64   `json:"messages"`
		Requests int64   `json:"requests"`
		Duration float64 `json:"duration_ms"`
	}
	jsonChange struct {
		Kind        Kind             `json:"kind"`
		Grade       *Grade           `json:"grade"`
		What        string           `json:"what"`
		Name        string           `json:"name,omitempty"`
		To          string           `json:"to,omitempty"`
		Part        string           `json:"part,omitempty"`
		Side        string           `json:"side,omitempty"`
		Where       string           `json:"where,omitempty"`
		Words       string           `json:"words"`
		Why         string           `json:"why,omitempty"`
		A           any              `json:"a,omitempty"`
		B           any              `json:"b,omitempty"`
		Count       int              `json:"count,omitempty"`
		Evidence    *jsonEvidence    `json:"evidence,omitempty"`
		Differences []jsonDifference `json:"differences,omitempty"`
		More        int              `json:"more,omitempty"`
	}
	jsonEvidence struct {
		Of      string `json:"of"`
		Side    string `json:"of_side"`
		Checked int    `json:"checked"`
		Failed  int    `json:"failed"`
		First   any    `json:"first,omitempty"`
		Example string `json:"example,omitempty"`
	}
	jsonDifference struct {
		Path  string `json:"path"`
		Words string `json:"words"`
	}
	jsonTimes struct {
		N      int     `json:"n"`
		Min    float64 `json:"min"`
		Median float64 `json:"median"`
		P95    float64 `json:"p95"`
		Max    float64 `json:"max"`
	}
	jsonLatency struct {
		Side       string    `json:"side"`
		Method     string    `json:"method"`
		Name       string    `json:"name,omitempty"`
		A          jsonTimes `json:"a_ms"`
		B          jsonTimes `json:"b_ms"`
		Ratio      float64   `json:"ratio"`
		Meaningful bool      `json:"meaningful"`
	}
)

// MarshalJSON writes the report as `diff --json` has it.
func (r *Report) MarshalJSON() ([]byte, error) {
	sections := map[Section][]jsonChange{}
	for _, s := range Sections {
		sections[s] = []jsonChange{}
	}
	for i := range r.Changes {
		x := &r.Changes[i]
		sections[x.Section] = append(sections[x.Section], x.json())
	}
	latency := []jsonLatency{}
	for _, l := range r.Latency {
		latency = append(latency, jsonLatency{l.Side, l.Method, l.Name, timesOf(l.A), timesOf(l.B), l.Ratio, l.Meaningful})
	}
	left := map[Section]int{}
	for s, n := range r.Left {
		if n > 0 {
			left[s] = n
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		A             jsonFacts       `json:"a"`
		B             jsonFacts       `json:"b"`
		Same          bool            `json:"same"`
		Counts        map[string]int  `json:"counts"`
		Handshake     []jsonChange    `json:"handshake"`
		Capabilities  []jsonChange    `json:"capabilities"`
		Catalogue     []jsonChange    `json:"catalogue"`
		Requests      map[string]int  `json:"requests"`
		Traffic       []jsonChange    `json:"traffic"`
		Notifications []jsonChange    `json:"notifications"`
		Left          map[Section]int `json:"left_out,omitempty"`
		Latency       []jsonLatency   `json:"latency"`
	}{
		r.A.json(), r.B.json(), r.Empty(),
		map[string]int{"breaking": r.Grades(Breaking), "compatible": r.Grades(Compatible), "cosmetic": r.Grades(Cosmetic), "ungraded": r.Grades(Ungraded)},
		sections[Handshake], sections[Capabilities], sections[Catalogue],
		map[string]int{"same": r.Requests.Same, "differ": r.Requests.Differ, "params": r.Requests.Params, "missing": r.Requests.Missing, "extra": r.Requests.Extra},
		sections[Traffic], sections[Notifications], left, latency,
	})
	return b.Bytes(), err
}

func (f *Facts) json() jsonFacts {
	orNull := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return jsonFacts{f.Name, orNull(f.Revision), orNull(f.Era), f.Messages, f.Requests, millis(f.Duration)}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func timesOf(l annotate.Latencies) jsonTimes {
	return jsonTimes{l.N, millis(l.Min), millis(l.Median), millis(l.P95), millis(l.Max)}
}

// refOf is a reference as the contract writes it: seq, or [seq, sub].
func refOf(r annotate.Ref) any {
	switch {
	case r.IsZero():
		return nil
	case r.Sub == annotate.NoSub:
		return r.Seq
	}
	return [2]int64{r.Seq, int64(r.Sub)}
}

func (x *Change) json() jsonChange {
	out := jsonChange{Kind: x.Kind, What: x.What, Name: x.Name, To: x.To, Part: x.Part, Side: x.Side, Where: x.Where, Words: x.Words, Why: x.Why,
		A: refOf(x.A), B: refOf(x.B), More: x.More}
	if x.Grade != Ungraded {
		out.Grade = &x.Grade
	}
	if x.Section == Traffic {
		out.Count = x.Count
	}
	if e := x.Evidence; e != nil {
		out.Evidence = &jsonEvidence{e.Of, e.Side, e.Checked, e.Failed, refOf(e.First), e.Example}
	}
	for _, d := range x.Differences {
		out.Differences = append(out.Differences, jsonDifference{Path: d.Path, Words: d.Words})
	}
	return out
}
