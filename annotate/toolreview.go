package annotate

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/provider"
)

// ToolReview keeps account of a server's tools: what is listed, how it was used, what it costs in a prompt, how
// dangerous it is to let a model call it, and what its definition leaves unsaid. It takes the entries of a
// recording in order, each one once and final, as [Collect] hands them out. The zero ToolReview is empty.
type ToolReview struct {
	listed   Catalogue
	accounts map[string]*account
	order    []string        // names in the order in which they were first seen
	calls    map[Ref]string  // calls by the request that opened their flow
	tasks    map[string]Ref  // of task ids: the call that made them
	dropped  int64           // calls of tools beyond maxAccounts
	draws    map[string]bool // tools that returned something else for the same arguments
}

// account is what the review remembers of a tool.
type account struct {
	ToolUse
	definition []byte
	at         Ref
	took       []time.Duration
	sizes      []int64
	findings   []Finding
}

const (
	maxAccounts = 20_000
	maxMisfits  = 200
)

// ToolUse counts the calls of a tool. Every call of the client counts, the repeated ones of a multi-round
// exchange too.
type ToolUse struct {
	Calls          int64
	ToolErrors     int64 // results with isError true
	ProtocolErrors int64 // JSON-RPC errors
	Cancelled      int64 // cancelled, and not answered
	Unanswered     int64 // neither cancelled nor answered
	InputRequired  int64 // answered by asking for more input
	Latency        Latencies
	Result         Sizes // of results, in bytes of JSON
	Misfits        []Misfit
}

// Sizes sums up sizes; the median is the lower of the middle two.
type Sizes struct {
	N           int
	Median, Max int64
}

// Misfit is one way in which arguments of calls did not fit the schema that was listed.
type Misfit struct {
	Rule    string // the rule that says so: call-args-schema, call-args-unknown-property, call-args-not-object
	Pointer string // JSON pointer into the arguments
	Keyword string // of the schema that is broken, "" where none is
	Message string // of the first
	Count   int64  // calls, or places where one call has several
	First   Ref
}

// misfit is one place of one call, as the rules found it.
type misfit struct{ rule, pointer, keyword, message string }

// Add takes the next entry.
func (r *ToolReview) Add(e *Entry) {
	if r.accounts == nil {
		r.accounts, r.calls, r.tasks = map[string]*account{}, map[Ref]string{}, map[string]Ref{}
	}
	if e.Message == nil {
		return
	}
	r.listed.Add(e)
	byClient := e.From == client.String()
	switch {
	case e.Method == "tools/list" && e.Kind == Response && !byClient:
		r.page(e)
	case e.Method == "tools/call" && e.Kind == Request && byClient:
		r.call(e)
	case e.Method == "tools/call" && (e.Kind == Response || e.Kind == ErrorAnswer) && !byClient && !e.Pair.IsZero():
		r.answer(e)
	case (e.Method == "tasks/result" || e.Method == "tasks/get") && e.Kind == Response && !byClient:
		r.taskAnswer(e)
	}
}

// page takes in one page of the list.
func (r *ToolReview) page(e *Entry) {
	n := 0
	elements(member(e.Message.Result, "tools"), func(item []byte) bool {
		at := n
		n++
		name := member(item, "name")
		if !isString(name) {
			return true
		}
		a := r.account(text(name))
		if a == nil {
			return true
		}
		if string(a.definition) != string(item) {
			a.definition = r.listed.kept(text(name), item)
		}
		a.at = e.Ref
		if len(e.Findings) > 0 {
			a.found(e.Findings, "/result/tools/"+strconv.Itoa(at))
		}
		return true
	})
}

// found keeps what the rules found in a definition.
func (a *account) found(findings []Finding, prefix string) {
	for i := range findings {
		f := &findings[i]
		if rest, ok := strings.CutPrefix(f.Path, prefix); !ok || rest != "" && rest[0] != '/' {
			continue
		}
		if !slices.ContainsFunc(a.findings, func(have Finding) bool { return have.Rule == f.Rule && have.Message == f.Message }) && len(a.findings) < maxMisfits {
			a.findings = append(a.findings, *f)
		}
	}
}

// account returns the account of a tool, nil when there are too many.
func (r *ToolReview) account(name string) *account {
	a := r.accounts[name]
	if a == nil {
		if len(r.accounts) >= maxAccounts {
			return nil
		}
		a = new(account)
		r.accounts[name] = a
		r.order = append(r.order, name)
	}
	return a
}

func (r *ToolReview) call(e *Entry) {
	a := r.account(e.Target)
	if a == nil {
		r.dropped++
		return
	}
	a.Calls++
	switch e.State {
	case ToolError, Failed, OK, InputRequired, Open: // counted by the answer
	case Cancelled:
		a.Cancelled++
	default:
		a.Unanswered++
	}
	if len(r.calls) < maxListed {
		r.calls[e.Ref] = e.Target
	}
	for _, m := range e.misfits {
		a.misfit(m, e.Ref)
	}
}

func (a *account) misfit(m misfit, at Ref) {
	for i := range a.Misfits {
		if have := &a.Misfits[i]; have.Rule == m.rule && have.Pointer == m.pointer && have.Keyword == m.keyword {
			have.Count++
			return
		}
	}
	if len(a.Misfits) < maxMisfits {
		a.Misfits = append(a.Misfits, Misfit{Rule: m.rule, Pointer: m.pointer, Keyword: m.keyword, Message: m.message, Count: 1, First: at})
	}
}

func (r *ToolReview) answer(e *Entry) {
	a := r.accounts[e.Target]
	if a == nil {
		return
	}
	if e.HasLatency {
		a.took = append(a.took, e.Latency)
	}
	switch {
	case e.Kind == ErrorAnswer:
		a.ProtocolErrors++
		return
	case e.State == InputRequired:
		a.InputRequired++
		return
	}
	result := e.Message.Result
	for _, id := range [][]byte{member(result, "task", "taskId"), member(result, "taskId")} {
		if isString(id) && len(r.tasks) < maxLinks {
			r.tasks[text(id)] = e.Pair
			return
		}
	}
	r.result(a, e, result)
}

// result counts what a call came to in the end.
func (r *ToolReview) result(a *account, e *Entry, result []byte) {
	if isTrue(member(result, "isError")) {
		a.ToolErrors++
	}
	a.sizes = append(a.sizes, int64(len(result)))
	for i := range e.Findings {
		if e.Findings[i].Rule == "design-idempotent-differs" {
			if r.draws == nil {
				r.draws = make(map[string]bool)
			}
			r.draws[e.Target] = true
		}
	}
}

// taskAnswer takes the result of a call that ran as a task.
func (r *ToolReview) taskAnswer(e *Entry) {
	call, ok := r.tasks[e.Target]
	if !ok {
		return
	}
	result := e.Message.Result
	if e.Method == "tasks/get" {
		if result = member(result, "result"); result == nil {
			return // not done yet, or a revision in which the result is asked for
		}
	}
	delete(r.tasks, e.Target)
	if a := r.accounts[r.calls[call]]; a != nil {
		r.result(a, e, result)
	}
}

// ListState says whether a tool is on the server's list.
type ListState string

// The states.
const (
	Listed        ListState = "listed"
	ListedBefore  ListState = "listed_before" // a later list is without it
	NotListed     ListState = "not_listed"    // the whole list was seen, and never had it
	ListedUnknown ListState = "unknown"       // the list was not seen, or not all of it
)

// ToolAccount is the account of one tool.
type ToolAccount struct {
	Name        string
	Title       string
	Description string
	Definition  []byte // raw JSON as it was listed last; nil where it never was
	Listed      ListState
	At          Ref // the page that listed it last
	ToolUse
	DefinitionBytes int     // of the compact definition as a model gets it
	Tokens          int     // about: a quarter of that
	Share           float64 // of all tools that are listed, 0 to 1
	Risk            Risk
	Idempotency     Idempotency
	Contract        Contract
	Findings        []Finding // what the rules found in its definition
}

// ToolReport is the result of a review.
type ToolReport struct {
	Tools           []ToolAccount // in the order in which they were first seen
	ListSeen        bool
	ListComplete    bool // the list was seen to its end
	ListStale       Ref  // the list_changed after which the list was not read again, zero for none
	DefinitionBytes int  // of all tools that are listed now
	Tokens          int
	Listed          int
	NeverCalled     int   // of those
	NotListed       int   // tools that were called and never listed
	Beyond          int64 // calls of tools that are not in Tools, which is bounded
	Risks           map[RiskClass]int
	Contract        float64 // the mean score of the tools that are listed
	Fields          []FieldTotal
}

// Report sums up. It may be called at any time, and copies what it returns.
func (r *ToolReview) Report() *ToolReport {
	list := r.listed.List(ToolList)
	out := &ToolReport{Risks: map[RiskClass]int{}, ListSeen: list.Seen(), ListComplete: list.Whole(), ListStale: list.Stale(), Beyond: r.dropped}
	domains := r.domains()
	for _, name := range r.order {
		t := r.reported(name, domains)
		if t.Listed == Listed {
			out.Listed++
			out.DefinitionBytes += t.DefinitionBytes
			if t.Calls == 0 {
				out.NeverCalled++
			}
		}
		if t.Listed == NotListed {
			out.NotListed++
		}
		out.Risks[t.Risk.Class]++
		out.Tools = append(out.Tools, t)
	}
	out.Tokens = provider.Tokens(out.DefinitionBytes)
	for i := range out.Tools {
		if t := &out.Tools[i]; t.Listed == Listed && out.DefinitionBytes > 0 {
			t.Share = float64(t.DefinitionBytes) / float64(out.DefinitionBytes)
		}
	}
	out.total()
	return out
}

func (r *ToolReview) reported(name string, domains map[string]int) ToolAccount {
	a := r.accounts[name]
	t := ToolAccount{Name: name, ToolUse: a.ToolUse, At: a.at, Definition: slices.Clone(a.definition), Findings: slices.Clone(a.findings)}
	t.Latency = sumUp(slices.Clone(a.took))
	t.Result = sizesOf(slices.Clone(a.sizes))
	t.Misfits = slices.Clone(a.Misfits)
	sort.SliceStable(t.Misfits, func(i, j int) bool { return t.Misfits[i].Count > t.Misfits[j].Count })
	switch {
	case r.listed.lists[ToolList].items[name] != nil:
		t.Listed = Listed
	case a.definition != nil:
		t.Listed = ListedBefore
	case r.listed.lacks(ToolList, name):
		t.Listed = NotListed
	default:
		t.Listed = ListedUnknown
	}
	if a.definition == nil {
		// All that is known of it is its name.
		var w jsonWriter
		w.open()
		w.text("name", name)
		w.close()
		tr := traitsOf(readTool(w.buf))
		t.Risk, t.Idempotency = riskOf(tr), idempotencyOf(tr, r.draws[name])
		t.Risk.Reasons = append(t.Risk.Reasons, "it was never listed: nothing but its name is known")
		return t
	}
	t.judge(r.draws[name], domains)
	return t
}

// judge fills in what the definition tells. differs says that the recording shows the tool to be not idempotent.
func (t *ToolAccount) judge(differs bool, domains map[string]int) {
	def := readTool(t.Definition)
	tr := traitsOf(def)
	t.Title, t.Description = tr.title, def.description
	if t.Title == "" {
		t.Title = text(member(def.annotations, "title"))
	}
	t.DefinitionBytes = len(provider.AppendTool(nil, provider.Anthropic, provider.Tool{Name: t.Name, Description: def.description, InputSchema: def.input}))
	t.Tokens = provider.Tokens(t.DefinitionBytes)
	t.Risk = riskOf(tr)
	t.Idempotency = idempotencyOf(tr, differs)
	t.Contract = contractOf(tr, t.Risk, t, domains)
}

// JudgeTool judges a tool by its definition alone, raw JSON as a list has it: cost, risk, idempotency and contract.
// What only a recording tells is left empty. The definition is borrowed.
func JudgeTool(definition []byte) ToolAccount {
	t := ToolAccount{Name: text(member(definition, "name")), Definition: definition}
	t.judge(false, nil)
	return t
}

// domains counts the first words of the names that are listed: what several share is a domain.
func (r *ToolReview) domains() map[string]int {
	out := make(map[string]int)
	for name, a := range r.accounts {
		if words := nameWords(name); a.definition != nil && len(words) > 1 {
			out[words[0]]++
		}
	}
	return out
}

func sizesOf(list []int64) Sizes {
	if len(list) == 0 {
		return Sizes{}
	}
	slices.Sort(list)
	return Sizes{N: len(list), Median: list[(len(list)-1)/2], Max: list[len(list)-1]}
}
