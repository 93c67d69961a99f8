package annotate

import (
	"slices"
	"strings"
	"sync"
)

// traits are what can be read off the definition of a tool.
type traits struct {
	def   *tool
	title string
	meta  []byte

	words      []string // of the name
	about      string   // the description, in small letters, cut to maxAbout
	first      string   // its first sentence
	properties []property
	effect     does

	readOnly, readOnlyKnown       bool
	destructive, destructiveKnown bool
	repeatable, repeatableKnown   bool
	openWorldKnown                bool
}

// property is an argument at the root of the input schema.
type property struct {
	name   string
	free   bool // a string without a list of values
	values []string
	number bool
}

// does is what a tool does on the whole.
type does struct {
	kind  verbKind
	verb  string
	named bool   // its name says so, else its description
	from  string // where that was read, for people
}

// maxAbout bounds the part of a description that is looked at.
const maxAbout = 6000

func traitsOf(def *tool) *traits {
	t := &traits{def: def, words: nameWords(def.name), title: text(member(def.raw, "title")), meta: member(def.raw, "_meta")}
	about := def.description
	if len(about) > maxAbout {
		about = strings.ToValidUTF8(about[:maxAbout], "")
	}
	t.about = strings.ToLower(about)
	t.first = firstSentence(t.about)
	t.readOnly, t.readOnlyKnown = def.hint("readOnlyHint")
	t.destructive, t.destructiveKnown = def.hint("destructiveHint")
	t.repeatable, t.repeatableKnown = def.hint("idempotentHint")
	_, t.openWorldKnown = def.hint("openWorldHint")
	def.eachProperty(func(name string, schema []byte) {
		if len(t.properties) >= 200 {
			return
		}
		p := property{name: name}
		typ := member(schema, "type")
		p.number = text(typ) == "number" || text(typ) == "integer"
		elements(member(schema, "enum"), func(value []byte) bool {
			p.values = append(p.values, text(value))
			return len(p.values) < 100
		})
		p.free = p.values == nil && (typ == nil || strings.Contains(string(typ), `"string"`) || strings.Contains(string(typ), `"array"`))
		t.properties = append(t.properties, p)
	})
	_, openKnown := def.hint("openWorldHint")
	if openWorld, _ := def.hint("openWorldHint"); t.readOnlyKnown && t.destructiveKnown && t.repeatableKnown && openKnown && !t.readOnly && t.destructive && !t.repeatable && openWorld {
		t.repeatableKnown = false // all four are what leaving them out means: an SDK wrote them, nobody meant them
	}
	t.effect = t.does()
	return t
}

// firstSentence cuts a text after its first sentence or paragraph.
func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.Index(s, "\n\n"); i > 0 {
		s = s[:i]
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '.' && (s[i+1] == ' ' || s[i+1] == '\n') && i > 20 {
			return s[:i+1]
		}
	}
	return s
}

// does finds the verb that tells most about a tool: that of its name, else that of its description. Some verbs mean
// several things; the description tells which.
func (t *traits) does() does {
	d, ok := t.byName()
	said, saidOK := t.byDescription()
	switch {
	case ok && saidOK && weakVerbs()[d.verb] && d.verb != said.verb:
		said.named = said.kind == d.kind
		return said.does
	case ok && d.verb == "add" && t.sums():
		return does{kindComputes, d.verb, true, "adds numbers"}
	case ok && d.kind == kindReads && said.first && said.kind >= kindWrites && !nounVerbs()[said.verb] && said.verb != "execute":
		return said.does // get_or_make, resolve
	case ok && (d.kind == kindWrites || d.kind == kindDeploys) && d.verb != t.words[0] && said.first && said.kind == kindReads && t.readOnly:
		return said.does // cli_install: how to
	case ok:
		return t.inContext(d)
	case saidOK:
		return t.inContext(said.does)
	}
	for _, w := range t.words {
		if (w == "run" || w == "execute") && t.firstSays(`\b(?:pods?|containers?|images?|workflows?|pipelines?|jobs?|deployments?)\b`) {
			return does{kindDeploys, w, true, w + " in its name"}
		}
	}
	return does{}
}

// inContext turns a verb that is milder or harsher than usual here.
func (t *traits) inContext(d does) does {
	switch d.verb {
	case "clear", "reset":
		if t.firstSays(`\b(?:session|cache|settings?|selection|filters?|screen|form|field|console)\b`) {
			d.kind = kindWrites
		}
	case "drop":
		if t.firstSays(`\b(?:drag(?:ged)?|element|page)\b`) {
			d.kind = kindWrites
		}
	case "merge":
		if !slices.ContainsFunc(t.words, func(w string) bool { return wordSet("request pull pr branch branches git")()[w] }) {
			d.kind = kindWrites
		}
	case "apply":
		if !slices.ContainsFunc(t.words, func(w string) bool {
			return wordSet("kubectl terraform tofu manifest plan migration migrations helm")()[w]
		}) {
			d.kind = kindWrites
		}
	case "resolve":
		if t.firstSays(`\b(?:threads?|issues?|conversations?|discussions?|incidents?|tickets?|alerts?|conflicts?)\b`) {
			d.kind = kindWrites
		}
	case "forward":
		if t.firstSays(`\bports?\b`) {
			d.kind = kindWrites
		}
	}
	return d
}

func (t *traits) sums() bool {
	for _, p := range t.properties {
		if !p.number {
			return false
		}
	}
	return len(t.properties) > 0
}

// byName goes by the first verb among the first words of the name.
func (t *traits) byName() (does, bool) {
	for i, w := range t.words {
		if i > 3 {
			break
		}
		if kind := verbs()[w]; kind != kindUnsaid && !(w == "forward" && i > 0 && t.words[i-1] == "port") {
			if (w == "post" || w == "put" || w == "patch") && i+1 < len(t.words) {
				if next := verbs()[t.words[i+1]]; next != kindUnsaid && !nounVerbs()[t.words[i+1]] || t.words[i+1] == "search" || t.words[i+1] == "query" {
					continue // methods of HTTP
				}
			}
			// A noun before the last word is rather one of its object: group_list lists.
			if nounVerbs()[w] && i+1 < len(t.words) && i+1 < 4 && verbs()[t.words[i+1]] != kindUnsaid && !nounVerbs()[t.words[i+1]] {
				continue
			}
			return does{kind, w, true, w + " in its name"}, true
		}
	}
	return does{}, false
}

type described struct {
	does
	first bool // the verb is the first word
}

// byDescription goes by the verb that its first sentence begins with, or nearly.
func (t *traits) byDescription() (described, bool) {
	before := ""
	words := strings.Fields(t.first)
	for i, w := range words {
		if i > 7 {
			break
		}
		bare := strings.Trim(w, ".,;()*`\"'")
		lead := i == 0 || before == "to" || before == "|" || before == "-" || before == "–" || before == "and" || before == "or" || before == "can" ||
			strings.HasSuffix(before, ":") || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "ly")
		if verb, kind := lemma(bare); kind != kindUnsaid && verb != "open" && (lead || kind == kindReads && !nounVerbs()[verb]) {
			d := described{does{kind, verb, false, "its description: " + verb}, i == 0}
			d.strongest(words[i:])
			return d, true
		}
		before = w
	}
	return described{}, false
}

// strongest goes on through a list of verbs (list, create or close) to the one that does most.
func (d *described) strongest(words []string) {
	for i := 1; i < len(words) && i < 8; i++ {
		w := strings.Trim(words[i], ".,;()*`\"'")
		if w == "and" || w == "or" {
			continue
		}
		verb, kind := lemma(w)
		joined := words[i-1] == "and" || words[i-1] == "or" || strings.HasSuffix(words[i-1], ",")
		if !joined || kind == kindUnsaid {
			return
		}
		if kind > d.kind {
			d.kind, d.verb, d.from = kind, verb, "its description: "+verb
		}
	}
}

// lemma finds the verb of which a word is a form.
func lemma(w string) (string, verbKind) {
	for _, end := range [][2]string{{"", ""}, {"s", ""}, {"es", ""}, {"ies", "y"}, {"ing", ""}, {"ing", "e"}} {
		if base, ok := strings.CutSuffix(w, end[0]); ok {
			if kind := verbs()[base+end[1]]; kind != kindUnsaid {
				return base + end[1], kind
			}
		}
	}
	return "", kindUnsaid
}

// verbIn returns the first verb of a name, such as one of the values of an argument.
func verbIn(name string) (verbKind, string) {
	for i, w := range nameWords(name) {
		if kind := verbs()[w]; kind != kindUnsaid && i < 3 {
			return kind, w
		}
	}
	return kindUnsaid, ""
}

// argument returns the first argument, a free text, whose name is among words, "" when there is none.
func (t *traits) argument(words map[string]bool) string {
	for _, p := range t.properties {
		w := nameWords(p.name)
		if p.free && len(w) > 0 && (words[w[len(w)-1]] || words[strings.Join(w, "")]) {
			return p.name
		}
	}
	return ""
}

// verbKind is what a verb says of a tool.
type verbKind uint8

const (
	kindUnsaid verbKind = iota
	kindComputes
	kindReads
	kindWrites
	kindSends
	kindDeploys
	kindDestroys
)

// verbs are the verbs of the review: those of the design rules, and what they leave out or lump together.
var verbs = sync.OnceValue(func() map[string]verbKind {
	all := make(map[string]verbKind)
	for _, s := range []struct {
		words map[string]bool
		kind  verbKind
	}{
		{readVerbs(), kindReads}, {writeVerbs(), kindWrites}, {destroyVerbs(), kindDestroys},
		{wordSet("echo calculate compute convert greet sum format parse encode decode translate render plan think estimate simulate demonstrate sleep wait lint ping hello generate visualize recommend suggest zip gzip compress hash")(), kindComputes},
		{wordSet(`print return dump scan monitor trace find poll review analyze analyse discover identify display whoami open select query aggregate
			navigate scrape crawl browse retrieve describe provide gather collect report measure inspect hover diagnose screenshot ls cat grep extract detect capture snapshot heapsnapshot`)(), kindReads},
		{wordSet(`modify change rename replace adjust configure toggle trigger switch save store record register subscribe unsubscribe toggle archive restore
			stash rebase checkout clone init attach link unlink lock resize scale patch annotate label tag emulate fill click drag press type dismiss snooze accept decline
			cancel manage unmerge sort clean cleanup connect disconnect login logout launch resume pause join leave follow unfollow approve unapprove protect unprotect upsert put mkdir`)(), kindWrites},
		{wordSet("send reply forward publish broadcast notify tweet email invite share post push submit dispatch announce")(), kindSends},
		{wordSet("deploy rollout release apply install uninstall upgrade provision promote merge rollback")(), kindDeploys},
		{wordSet("delete remove drop purge destroy truncate wipe erase kill terminate revoke rm shred discard reset clear format drain evict")(), kindDestroys},
	} {
		for w := range s.words {
			all[w] = s.kind
		}
	}
	// These are more often not what the sets above take them for.
	for _, w := range strings.Fields("format summarize watch start stop") {
		delete(all, w)
	}
	all["format"], all["watch"] = kindWrites, kindReads
	all["start"], all["stop"], all["unlink"], all["uninstall"], all["clean"], all["cleanup"] = kindWrites, kindWrites, kindDestroys, kindDestroys, kindDestroys, kindDestroys
	all["summarize"], all["summarise"] = kindReads, kindReads
	return all
})

var (
	// weakVerbs in a name may be methods of HTTP, or nothing at all.
	weakVerbs = wordSet("post put patch get clear clean open")
	// nounVerbs are nouns as often as verbs.
	nounVerbs = wordSet(`post patch commit branch label tag record report link set list type stat status format release plan branch review scale lock stash query trace label view file
		archive message store display monitor select key search count change apply follow mark merge share email press switch fork register clone schedule import export download upload wait`)

	runWords   = wordSet("exec eval shell bash powershell ssh sudo subprocess repl zsh cmd runcommand")
	startWords = wordSet("run runs execute evaluate start spawn launch interact invoke send open")
	codeNouns  = wordSet("code command commands cmd script scripts process program python javascript js snippet shell bash terminal repl applescript console cell notebook")
	codeNames  = wordSet("code script command commands cmd javascript python js snippet function expression sourcecode program shell")
	sqlWords   = wordSet("sql sqlite mysql mariadb postgres postgresql")
	testVerbs  = wordSet("validate verify check count inspect introspect")
	orderVerbs = wordSet("place submit execute create make")
	leakWords  = wordSet("exfiltrate steal harvest leak upload")
	handVerbs  = wordSet("click drag type press fill tap swipe navigate handle drop select hover scroll key dblclick new close resize emulate")
)

// hasProperty reports whether an argument's name passes a test.
func (t *traits) hasProperty(test func(name string) bool) string {
	i := slices.IndexFunc(t.properties, func(p property) bool { return test(p.name) })
	if i < 0 {
		return ""
	}
	return t.properties[i].name
}
