package compare

import (
	"slices"
	"time"

	"github.com/shakescope/shakescope/annotate"
)

// Kind says what happened to the thing a change is about.
type Kind string

// The kinds. The last ones are of traffic.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
	Renamed Kind = "renamed"
	Unseen  Kind = "unseen"  // one side does not tell: a list that nobody asked for
	Missing Kind = "missing" // a request that only the first recording has
	Extra   Kind = "extra"   // a request that only the second one has
	Params  Kind = "params"  // the same request with other params
	Outcome Kind = "outcome" // the same request ended otherwise
	Answer  Kind = "answer"  // the same request was answered with other contents
	Count   Kind = "count"   // something happened more or less often
)

// Grade says what a change means for those who rely on what was.
type Grade string

// The grades, the worst first. Traffic that differs has none, unless a request fails that did not.
const (
	Breaking   Grade = "breaking"
	Compatible Grade = "compatible"
	Cosmetic   Grade = "cosmetic"
	Ungraded   Grade = ""
)

// Section is a part of a report.
type Section string

// The sections, in the order of reports.
const (
	Handshake     Section = "handshake"
	Capabilities  Section = "capabilities"
	Catalogue     Section = "catalogue"
	Traffic       Section = "traffic"
	Notifications Section = "notifications"
)

// Sections are the sections with changes in the order of reports.
var Sections = []Section{Handshake, Capabilities, Catalogue, Traffic, Notifications}

// Change is one difference of two recordings. Its texts may hold anything that travelled.
type Change struct {
	Section Section
	Kind    Kind
	Grade   Grade
	What    string // the kind of thing: tool, prompt, resource, template, capability …; of traffic the method
	Name    string // which one: a tool's name, a resource's URI, a capability's path; of traffic the target
	To      string // its new name, of what was renamed
	Part    string // of the thing: inputSchema, description, annotations …; "" is the whole
	Side    string // client or server, where it matters: who declared, who asked
	Where   string // JSON pointer into the part
	Words   string
	Why     string // the grade's reason
	A, B    annotate.Ref
	Count   int // changes of traffic that are alike and stand as one; 1 otherwise

	Evidence    *Evidence    // what recorded values say of a schema change
	Differences []Difference // of params and answers, at most [MaxDifferences]
	More        int          // differences beyond those

	base string // JSON pointer of the definition in the message B
}

// Evidence is what recorded calls or results say about a change.
type Evidence struct {
	Of      string // "calls" or "results"
	Side    string // whose: "a" or "b"
	Checked int    // how many were tried; those that did not fit before are left out
	Failed  int
	First   annotate.Ref // the first that failed
	Example string       // what was wrong with it
}

// Difference is a place where two payloads differ.
type Difference struct {
	Path  string // JSON pointer; a step "→" goes into JSON inside of a string
	Words string
	A, B  string // the values shortened, "" for one that is not there; texts from shortly before the place where they part
}

// Facts are what a report says of one recording as a whole.
type Facts struct {
	Name     string
	Revision string
	Era      string
	Messages int64
	Requests int64
	Duration time.Duration
}

// Tally counts how the requests of both sides were aligned.
type Tally struct {
	Same    int // in request and answer
	Differ  int // same request, other answer or outcome
	Params  int // same method and target, other params
	Missing int
	Extra   int
}

// Aligned is how many requests were aligned in one way, in words that stand behind the number.
type Aligned struct {
	N    int
	What string
}

// Others are the requests that are not the same on both sides, by how they are aligned; what there is none of is left out.
func (t *Tally) Others() []Aligned {
	return slices.DeleteFunc([]Aligned{
		{t.Differ, "answered otherwise"}, {t.Params, "with other params"}, {t.Missing, "only in A"}, {t.Extra, "only in B"},
	}, func(a Aligned) bool { return a.N <= 0 })
}

// Subject names what the change is about, for people.
func (x *Change) Subject() string {
	subject := x.What
	switch x.Section {
	case Capabilities:
		subject = x.Side
	case Traffic, Notifications:
		if x.Side != "" {
			subject = x.Side + " " + subject
		}
	}
	if x.Name != "" {
		subject += " " + x.Name
	}
	return subject
}

// Latency compares the time that a method, or a tool, took.
type Latency struct {
	Side         string // that asked
	Method, Name string
	A, B         annotate.Latencies
	Ratio        float64 // of the medians, second to first; 0 when there is none
	Meaningful   bool    // enough samples, and a difference too large for chance
}

// Report is how two recordings differ.
type Report struct {
	A, B     Facts
	Changes  []Change        // by section
	Left     map[Section]int // changes beyond those listed
	Requests Tally
	Latency  []Latency
}

// Empty reports whether nothing differs. Latencies are never twice the same and do not count.
func (r *Report) Empty() bool {
	if len(r.Changes) > 0 {
		return false
	}
	for _, n := range r.Left {
		if n > 0 {
			return false
		}
	}
	return true
}

// In returns the changes of a section.
func (r *Report) In(s Section) []Change {
	var out []Change
	for i := range r.Changes {
		if r.Changes[i].Section == s {
			out = append(out, r.Changes[i])
		}
	}
	return out
}

// Grades counts the changes of a grade.
func (r *Report) Grades(g Grade) int {
	n := 0
	for i := range r.Changes {
		if r.Changes[i].Grade == g {
			n++
		}
	}
	return n
}
