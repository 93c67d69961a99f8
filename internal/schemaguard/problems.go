package schemaguard

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// fault is a problem while it is worked on. Its words are made when it is known to be shown: a hostile
// schema makes a hundred thousand of them.
type fault struct {
	path    []string
	keyword string
	rule    string // keyword that words it, where another is named
	value   *value
	prefix  string // before the words
	words   string // once they are made

	name    string  // of the member that is missing
	because string  // member that demands it
	want    kind    // types
	count   int     // of alternatives of which none fits
	alien   bool    // and which are all for another kind of value
	values  []value // that are allowed
	text    string  // of a limit, a pattern, the name of a format
	a, b    int     // numbers that the sentence is about
}

// problemsOf sorts faults and words the first ones.
func problemsOf(faults []fault) []Problem {
	order := make([]*fault, len(faults))
	for i := range faults {
		order[i] = &faults[i]
	}
	slices.SortStableFunc(order, compareFaults)
	order = slices.CompactFunc(order, func(a, b *fault) bool { return compareFaults(a, b) == 0 })
	problems := make([]Problem, min(len(order), MaxProblems))
	for i := range problems {
		f := order[i]
		problems[i] = Problem{Pointer: pointer(f.path), Keyword: f.keyword, Message: f.message()}
		if f.name == "" {
			problems[i].Value = rawText(f.value)
		}
	}
	return problems
}

// compareFaults orders by place; what is said twice of one place is the same.
func compareFaults(a, b *fault) int {
	if c := slices.CompareFunc(a.path, b.path, compareTokens); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(a.keyword, b.keyword), cmp.Compare(a.name, b.name), cmp.Compare(a.because, b.because)); c != 0 {
		return c
	}
	return cmp.Compare(a.message(), b.message())
}

// compareTokens puts items of an array in their order: 2 before 10.
func compareTokens(a, b string) int {
	if a == b {
		return 0
	}
	x, errA := strconv.Atoi(a)
	y, errB := strconv.Atoi(b)
	switch {
	case errA == nil && errB == nil && x != y:
		return cmp.Compare(x, y)
	case (errA == nil) != (errB == nil): // numbers first, so that this is an order
		if errA == nil {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

var tokenEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(tokenEscapes.Replace(token))
	}
	return b.String()
}
