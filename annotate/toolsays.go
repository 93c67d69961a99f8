package annotate

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// says reports whether the description says something, unless it denies it; said returns the words.
func (t *traits) says(pattern string) bool   { return saysIn(t.about, pattern) != "" }
func (t *traits) said(pattern string) string { return saysIn(t.about, pattern) }

// firstSays and firstSaid look into the first sentence only.
func (t *traits) firstSays(pattern string) bool   { return saysIn(t.first, pattern) != "" }
func (t *traits) firstSaid(pattern string) string { return saysIn(t.first, pattern) }

// phrase is a pattern, and strings one of which stands in every text that it matches: looking for them is many
// times faster than the pattern.
type phrase struct {
	*regexp.Regexp
	needles []string
}

var phrases sync.Map // of *phrase by pattern: all patterns are constants of this package

func phraseOf(pattern string) *phrase {
	if have, ok := phrases.Load(pattern); ok {
		return have.(*phrase)
	}
	p := &phrase{Regexp: regexp.MustCompile(pattern)}
	if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		p.needles = needlesOf(tree.Simplify())
	}
	have, _ := phrases.LoadOrStore(pattern, p)
	return have.(*phrase)
}

// needlesOf returns strings of which every match holds at least one, nil where none can be told.
func needlesOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needlesOf(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			some := needlesOf(sub)
			if some == nil {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			// The part whose shortest string is longest is the rarest.
			if some := needlesOf(sub); some != nil && (best == nil || shortest(some) > shortest(best)) {
				best = some
			}
		}
		return best
	}
	return nil
}

func shortest(list []string) int {
	n := len(list[0])
	for _, s := range list {
		n = min(n, len(s))
	}
	return n
}

// denied matches the words that turn what follows into its contrary.
var denied = lazily(`\b(?:not|no|never|without|cannot|nor|unlike|instead of|rather than|avoid|isn't|don't|doesn't|can't|won't|requires no)\b[^.;:]{0,30}$`)

// saysIn returns what of a text, in small letters, matches a pattern and is not denied by the words before.
func saysIn(s, pattern string) string {
	p := phraseOf(pattern)
	if p.needles != nil && !slices.ContainsFunc(p.needles, func(needle string) bool { return strings.Contains(s, needle) }) {
		return ""
	}
	for _, at := range p.FindAllStringIndex(s, 20) {
		itself := s[at[0]:at[1]]
		if strings.HasPrefix(itself, "without") || strings.HasPrefix(itself, "cannot") || strings.HasPrefix(itself, "can't") || // a denial that is meant
			!denied().MatchString(s[max(0, at[0]-60):at[0]]) {
			return strings.TrimSpace(itself)
		}
	}
	return ""
}
