package annotate

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Bounds of what findings may take.
const (
	maxSeparate = 100   // findings of one rule that stand alone; the rest rolls up
	maxRelated  = 100   // entries named by one finding
	maxSubjects = 10000 // roll-ups of one recording
	maxMessage  = 600   // bytes of a message
	maxSubject  = 200   // bytes of a subject's name
)

// reports runs the rules and keeps what they found together.
type reports struct {
	off      bool // no rule runs
	hooks    *dispatch
	rolled   map[subject]*Finding
	separate map[*Rule]int
	memos    map[memoKey]any
	said     []Finding // about the newest entry, rolled up or not
}

// subject is what a roll-up is about.
type subject struct {
	rule    *Rule
	process *process
	by      string
	level   Level
	name    string
}

type memoKey struct {
	owner any
	kind  reflect.Type
}

func (r *reports) init() {
	r.hooks = dispatched()
	r.rolled = make(map[subject]*Finding)
	r.separate = make(map[*Rule]int)
	r.memos = make(map[memoKey]any)
}

// run calls the hooks of a moment.
func (r *reports) run(m moment, name string, v *view) {
	if r.off {
		return
	}
	t := &r.hooks[m]
	r.each(t.all, v)
	if name != "" && t.byName != nil {
		r.each(t.byName[name], v)
	}
}

func (r *reports) each(hooks []bound, v *view) {
	if len(hooks) == 0 {
		return
	}
	// Only messages and batches have a revision; events and lines concern rules of all.
	versioned := v.Entry != nil && (v.Entry.Message != nil || v.Entry.Kind == Batch)
	var of mcpspec.Set
	if versioned {
		of = applicable(v.Entry.Revision, v.Entry.Era)
	}
	for _, h := range hooks {
		if versioned && !h.anywhere && (of == 0 || h.rule.Revisions&of != of) {
			continue
		}
		v.rule = h.rule
		h.do(v)
	}
}

// report raises a finding of the rule that is running. Message is due; what else is left out is taken
// from the rule (the usual level, who is at fault, the page) and the view (At).
func (v *view) report(f Finding) { v.reportOn("", f) }

// reportWhole raises a finding about the recording as a whole, where no entry shows it.
func (v *view) reportWhole(f Finding) {
	at := v.At
	v.At = Ref{}
	v.reportOn("", f)
	v.At = at
}

// reportOn raises a finding about a subject: further ones on the same subject are counted in the first,
// and their entries named in Related. It returns the finding that stands, for amend.
func (v *view) reportOn(name string, f Finding) *Finding {
	v.complete(&f)
	v.noteFault(&f)
	r := &v.s.reports
	if f.At == v.At {
		r.said = append(r.said, f)
	}
	if name == "" {
		if r.separate[v.rule]++; r.separate[v.rule] <= maxSeparate {
			v.s.place(f)
			return &f
		}
		name = "\x00rest"
	}
	if len(name) > maxSubject {
		name = strconv.FormatUint(hashOf(name), 16)
	}
	key := subject{v.rule, v.Process, f.By, f.Level, name}
	first := r.rolled[key]
	if first == nil {
		if len(r.rolled) >= maxSubjects {
			key.name = "\x00rest"
			first = r.rolled[key]
		}
		if first == nil {
			r.rolled[key] = &f
			v.s.place(f)
			return &f
		}
	}
	first.Count = max(first.Count, 1) + 1
	for _, at := range append([]Ref{f.At}, f.Related...) {
		if len(first.Related) < maxRelated && at != first.At && !slices.Contains(first.Related, at) {
			first.Related = append(first.Related, at)
		}
	}
	v.s.place(*first)
	return first
}

// amend adds to the message of a finding that stands already: what came later tells more of it.
func (v *view) amend(f *Finding, more string) {
	f.Message = cutMessage(f.Message + clean(more))
	v.s.place(*f)
}

func cutMessage(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:maxMessage], "") + "…"
}

// complete fills in what a report leaves out.
func (v *view) complete(f *Finding) {
	f.Rule = v.rule.ID
	if f.Level == "" {
		f.Level = v.rule.Levels[0]
	}
	if f.By == "" {
		f.By = v.rule.By
	}
	if v.Entry != nil {
		switch f.By {
		case Sender:
			f.By = v.from().String()
		case Receiver:
			f.By = v.from().other().String()
		}
	}
	if f.Spec == "" {
		f.Spec = v.rule.Spec
	}
	f.Spec = mcpspec.PageIn(f.Spec, v.revision())
	if f.At.IsZero() {
		f.At = v.At
	}
	f.Message = cutMessage(clean(f.Message))
	if len(f.Related) > maxRelated {
		f.Related = f.Related[:maxRelated]
	}
}

// revision returns the revision in force: that of the entry, else of the process.
func (v *view) revision() string {
	if v.Entry != nil && v.Entry.Revision != "" {
		return v.Entry.Revision
	}
	return v.Process.revision(v.Process.activity)
}

// place hands a finding out: into its entry when that is of this update, else as a patch.
func (s *Session) place(f Finding) {
	switch e := s.up.entry(f.At); {
	case f.At.IsZero():
		s.up.Findings = MergeFinding(s.up.Findings, f)
	case e != nil:
		e.Findings = MergeFinding(e.Findings, f)
	default:
		s.patch(Patch{At: f.At, Findings: []Finding{f}})
	}
}

// withdraw takes back the findings of a rule at an entry: what came later explains it otherwise. A roll-up that begins
// there ends; of one that begins elsewhere the entry is counted off.
func (v *view) withdraw(at Ref, rule string) {
	for key, first := range v.s.reports.rolled {
		if key.rule.ID != rule {
			continue
		}
		if first.At == at {
			delete(v.s.reports.rolled, key)
		} else if i := slices.Index(first.Related, at); i >= 0 && first.Count > 1 {
			first.Count--
			first.Related = slices.Delete(slices.Clone(first.Related), i, i+1)
			v.s.place(*first)
		}
	}
	if e := v.s.up.entry(at); e != nil {
		e.Findings = withdrawn(e.Findings, []string{rule})
		return
	}
	v.s.patch(Patch{At: at, Withdrawn: []string{rule}})
}

// MergeFinding appends a finding to a list, or puts it in the place of the one that it repeats: the same rule, path and
// side at fault.
func MergeFinding(list []Finding, f Finding) []Finding {
	for i := range list {
		if list[i].Rule == f.Rule && list[i].Path == f.Path && list[i].By == f.By {
			list[i] = f
			return list
		}
	}
	return append(list, f)
}

func withdrawn(list []Finding, rules []string) []Finding {
	return slices.DeleteFunc(list, func(f Finding) bool { return slices.Contains(rules, f.Rule) })
}

// memo returns state that rules keep for themselves, zero at first. It lives as long as its owner: the
// session or process of a view, or with a nil owner the recording. Rules share state by sharing its type.
func memo[T any](v *view, owner any) *T {
	key := memoKey{owner, reflect.TypeFor[T]()}
	if m, ok := v.s.reports.memos[key]; ok {
		return m.(*T)
	}
	m := new(T)
	v.s.reports.memos[key] = m
	return m
}

// release drops what rules keep for an owner that is gone.
func (r *reports) release(owner any) {
	for key := range r.memos {
		if key.owner == owner {
			delete(r.memos, key)
		}
	}
}
