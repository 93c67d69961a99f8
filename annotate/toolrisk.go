package annotate

import (
	"slices"
	"sort"
	"strings"
)

// RiskClass says how dangerous it is to let a model call a tool.
type RiskClass string

// The classes. What a tool does is told by its name, its description and its arguments; hints are claims of the
// server about itself and may only make a class worse, or settle what nothing else says.
const (
	RiskLow       RiskClass = "low"       // reads or computes; nothing is changed
	RiskMedium    RiskClass = "medium"    // changes what can be changed back, or nobody says what it does
	RiskHigh      RiskClass = "high"      // destroys, sends, publishes, deploys, or shows what may hold secrets
	RiskCritical  RiskClass = "critical"  // runs code or SQL of the model's making, moves money, handles credentials, gives rights, loses a whole store
	RiskForbidden RiskClass = "forbidden" // commands with full rights, protections switched off, credentials given away, disks wiped: never unattended
)

var riskOrder = []RiskClass{RiskLow, RiskMedium, RiskHigh, RiskCritical, RiskForbidden}

// Rank orders the classes, from 0 for low; -1 is none of them.
func (c RiskClass) Rank() int { return slices.Index(riskOrder, c) }

// RiskClasses returns the classes, mildest first.
func RiskClasses() []RiskClass { return slices.Clone(riskOrder) }

// Risk is the class of a tool and what it is founded on.
type Risk struct {
	Class   RiskClass
	Reasons []string // in words, the decisive ones first
	// Contradicted says that name or description contradict a hint, which made the class worse.
	Contradicted bool
}

// claim is one thing that speaks for a class.
type claim struct {
	class  RiskClass
	reason string
}

// riskOf judges a tool.
func riskOf(t *traits) Risk {
	claims := []claim{t.effectClaim()}
	for _, look := range []func(*traits) claim{
		codeClaim, sqlClaim, credentialClaim, moneyClaim, rightsClaim, protectionClaim, diskClaim, lossClaim, routerClaim, screenClaim, haltClaim, addressClaim, secretClaim,
	} {
		if c := look(t); c.class != "" {
			claims = append(claims, c)
		}
	}
	sort.SliceStable(claims, func(i, j int) bool { return claims[i].class.Rank() > claims[j].class.Rank() })
	r := Risk{Class: claims[0].class}
	for _, c := range claims {
		// What only repeats the base of a worse class is left out.
		if c.reason != "" && (c.class == r.Class || c.class.Rank() >= RiskHigh.Rank()) && len(r.Reasons) < 4 {
			r.Reasons = append(r.Reasons, c.reason)
		}
	}
	if said := t.contradiction(); said != "" {
		r.Contradicted = true
		if r.Class.Rank() < RiskCritical.Rank() {
			r.Class = riskOrder[r.Class.Rank()+1]
			said += ", so one class worse"
		}
		r.Reasons = append(r.Reasons, said)
	}
	return r
}

// effectClaim goes by what the tool does on the whole.
func (t *traits) effectClaim() claim {
	switch e := t.effect; {
	case e.kind == kindComputes:
		return claim{RiskLow, "only computes (" + e.from + ")"}
	case e.kind == kindReads && t.readOnly:
		return claim{RiskLow, "reads (" + e.from + "), and says read-only"}
	case e.kind == kindReads:
		return claim{RiskLow, "reads (" + e.from + ")"}
	case e.kind == kindDestroys:
		return claim{RiskHigh, "destroys (" + e.from + ")"}
	case e.kind == kindSends:
		return claim{RiskHigh, "sends or publishes, which cannot be taken back (" + e.from + ")"}
	case e.kind == kindDeploys:
		if slices.Contains(t.words, "production") || slices.Contains(t.words, "prod") || t.says(`\bproduction\b`) {
			return claim{RiskCritical, "puts something into production (" + e.from + ")"}
		}
		return claim{RiskHigh, "puts something into operation (" + e.from + ")"}
	case e.kind == kindWrites && t.final():
		return claim{RiskHigh, "changes what is there (" + e.from + "), for good as its description says"}
	case e.kind == kindWrites && t.readOnly && e.named && softVerbs()[e.verb]:
		return claim{RiskLow, "says read-only, and " + e.verb + " need not change anything"}
	case e.kind == kindWrites && t.readOnly:
		return claim{RiskMedium, "says read-only, but changes something (" + e.from + ")"}
	case e.kind == kindWrites:
		return claim{RiskMedium, "changes something (" + e.from + ")"}
	case t.readOnly:
		return claim{RiskLow, "says read-only; neither name nor description tell"}
	case t.destructive && t.destructiveKnown:
		return claim{RiskMedium, "neither name nor description say what it does, and its hints allow destruction"}
	}
	return claim{RiskMedium, "neither name nor description say what it does"}
}

// final reports whether a description says that a change is for good.
func (t *traits) final() bool {
	if t.says(`\b(?:irreversibl[ey]|(?:cannot|can't) be (?:undone|reversed|recovered)|permanently (?:delet|remov|eras|destroy|overwrit)\w*|without (?:warning|confirmation))\b`) {
		return true
	}
	return t.destructive && t.destructiveKnown && t.says(`\boverwrit(?:e|es|ing)\b`)
}

// contradiction says how a hint contradicts name or description, "" when none does.
func (t *traits) contradiction() string {
	if t.readOnly && t.effect.named && t.effect.kind >= kindWrites && !softVerbs()[t.effect.verb] {
		return "readOnlyHint is true although its name says " + t.effect.verb
	}
	if t.readOnly && codeClaim(t).class != "" {
		return "readOnlyHint is true although it runs what the model writes"
	}
	if t.destructiveKnown && !t.destructive && !t.readOnly && t.effect.kind == kindDestroys && t.effect.named {
		return "destructiveHint is false although its name says " + t.effect.verb
	}
	return ""
}

// softVerbs also stand for things that change nothing: sums, searches that are started, sessions that are opened.
var softVerbs = wordSet("add start stop set merge apply execute open close mark select watch resume pause toggle trigger connect disconnect login logout register attach")

func codeClaim(t *traits) claim {
	how := t.runsCode()
	if how == "" {
		return claim{}
	}
	if what := t.privileged(); what != "" {
		return claim{RiskForbidden, how + ", with full rights (" + what + ")"}
	}
	return claim{RiskCritical, how}
}

// runsCode says how a tool runs code or commands that the model writes, "" when it does not.
func (t *traits) runsCode() string {
	looks := t.effect.named && t.effect.kind == kindReads // get_shell_history
	arg := t.argument(codeNames())
	for i, w := range t.words {
		if w == "ssh" && i+1 < len(t.words) && (t.words[i+1] == "key" || t.words[i+1] == "keys" || t.words[i+1] == "config") {
			continue
		}
		if runWords()[w] && !looks {
			return "runs commands or code of the model's making (" + w + " in its name)"
		}
	}
	for i, w := range t.words {
		if looks || !startWords()[w] {
			continue
		}
		for _, noun := range t.words[i+1:] {
			if codeNouns()[noun] {
				return "runs commands or code of the model's making (" + w + " " + noun + " in its name)"
			}
		}
		if arg != "" && w != "start" && w != "send" && w != "open" {
			return "runs what stands in its argument " + clean(shortID(arg)) + " (" + w + " in its name)"
		}
	}
	if arg != "" && !looks && t.firstSays(`\b(?:run|runs|running|execut\w+|evaluat\w+|eval)\s+(?:[\w'()/-]+\s+){0,4}(?:code|commands?|scripts?|shell|javascript|python|expressions?|snippets?|programs?|bash)\b`) {
		return "runs what stands in its argument " + clean(shortID(arg)) + " (its description says so)"
	}
	return ""
}

// privileged says what gives a tool that runs code full rights, "" when nothing is said of it.
func (t *traits) privileged() string {
	for _, w := range t.words {
		switch w {
		case "root", "sudo", "administrator", "superuser", "privileged", "unsandboxed":
			return w + " in its name"
		}
	}
	for _, p := range t.properties {
		w := nameWords(p.name)
		if hasWords(w, "sudo") || hasWords(w, "privileged") || hasWords(w, "as", "root") || hasWords(w, "as", "admin") || hasWords(w, "as", "administrator") ||
			hasWords(w, "disable", "sandbox") || hasWords(w, "dangerously") {
			return "argument " + shortID(p.name)
		}
	}
	return t.said(`\b(?:as|with)\s+(?:the\s+)?(?:root|sudo|administrator|admin|superuser|system)(?:\s+(?:privileges?|rights|access|permissions?|user))?\b|\bsudo\b|\broot\s+(?:shell|privileges?|access|rights)\b|\b(?:unsandboxed|without\s+(?:a\s+|any\s+)?sandbox)\b`)
}

func sqlClaim(t *traits) claim {
	arg := ""
	aboutSQL := slices.ContainsFunc(t.words, func(w string) bool { return sqlWords()[w] }) || t.firstSays(`\b(?:sql|sqlite|mysql|mariadb|postgres|postgresql)\b`)
	for _, p := range t.properties {
		switch w := nameWords(p.name); {
		case !p.free:
		case hasWords(w, "sql"), aboutSQL && (hasWords(w, "query") || hasWords(w, "statement") || hasWords(w, "statements")):
			arg = p.name
		}
	}
	if arg == "" {
		if arg = t.argument(wordSet("query")()); arg != "" && !t.readOnly && (hasWords(t.words, "run", "query") || hasWords(t.words, "execute", "query")) {
			return claim{RiskMedium, "runs queries of the model's making (argument " + shortID(arg) + ")"}
		}
		return claim{}
	}
	if t.readOnly || t.says(`\bread[- ]?only\b|\bonly\s+select\b|\bselect\s+(?:statements?|query|queries)\b`) && !t.says(`\b(?:insert|update|delete|drop)\b`) {
		return claim{RiskMedium, "reads whatever SQL asks for (argument " + shortID(arg) + ", said to be read-only)"}
	}
	return claim{RiskCritical, "runs SQL of the model's making (argument " + shortID(arg) + ")"}
}

func credentialClaim(t *traits) claim {
	noun := credentialNoun(t.words)
	where := noun + " in its name"
	if noun == "" && t.effect.kind != kindComputes {
		if noun = t.firstSaid(`\b(?:passwords?|credentials|api[ -]keys?|private keys?|ssh keys?|access tokens?|secret values?|connection strings?|kubeconfig)\b`); noun != "" {
			where = noun + " in its description"
			if t.effect.kind != kindReads && noun != "kubeconfig" {
				return claim{} // an action that merely mentions them
			}
		}
	}
	if noun == "" {
		if t.effect.kind == kindReads && (slices.Contains(t.words, "env") || t.firstSays(`\benvironment variables\b`)) {
			return claim{RiskHigh, "shows environment variables, which often hold credentials"}
		}
		return claim{}
	}
	for _, w := range t.words {
		if leakWords()[w] {
			return claim{RiskForbidden, "gives credentials away (" + w + " " + noun + ")"}
		}
	}
	switch {
	case testVerbs()[t.effect.verb]:
		return claim{} // takes one, and gives none
	case t.effect.verb == "generate" && strings.HasPrefix(noun, "pass"):
		return claim{RiskMedium, "makes credentials (" + where + ")"}
	case t.effect.kind == kindSends:
		return claim{RiskForbidden, "sends credentials away (" + t.effect.from + ", " + where + ")"}
	case t.effect.kind == kindReads && (t.effect.verb == "list" || t.effect.verb == "search" || noun == "kubeconfig" || noun == "connection strings" || strings.HasPrefix(noun, "cookie")):
		return claim{RiskHigh, "shows which credentials there are, or them (" + where + ")"}
	case t.effect.kind == kindReads:
		return claim{RiskCritical, "shows credentials (" + where + ")"}
	}
	return claim{RiskCritical, "handles credentials (" + where + ")"}
}

// credentialNoun returns the word or words of a name that mean a credential, "" when there are none.
func credentialNoun(words []string) string {
	for i, w := range words {
		switch w {
		case "cookie", "cookies", "secret", "secrets", "credential", "credentials", "password", "passwords", "passphrase", "keyvault", "apikey", "apikeys", "keychain":
			return w
		case "token", "tokens":
			before := ""
			if i > 0 {
				before = words[i-1]
			}
			switch before {
			case "count", "page", "next", "max", "estimate", "design", "color", "css", "sync", "continuation":
			default:
				return w
			}
		case "key", "keys":
			if i > 0 {
				switch words[i-1] {
				case "api", "access", "private", "ssh", "signing", "encryption", "secret", "gpg", "deploy", "account", "storage", "rotate", "revoke":
					return words[i-1] + " " + w
				}
			}
		}
	}
	return ""
}

func moneyClaim(t *traits) claim {
	if t.effect.named && t.effect.kind == kindReads || t.effect.kind == kindComputes {
		return claim{}
	}
	for i, w := range t.words {
		switch w {
		case "checkout":
			if hasWords(t.words, "cart") || hasWords(t.words, "session") || hasWords(t.words, "order") || t.says(`\b(?:cart|payment|purchase)\b`) {
				return claim{RiskCritical, "moves money (" + w + " in its name)"}
			}
		case "pay", "payment", "payments", "purchase", "buy", "refund", "payout", "withdraw", "donate", "remit":
			return claim{RiskCritical, "moves money (" + w + " in its name)"}
		case "transfer", "wire", "charge", "send":
			if hasWords(t.words[i:], w, "money") || hasWords(t.words[i:], w, "funds") || hasWords(t.words[i:], w, "card") || hasWords(t.words[i:], w, "customer") || hasWords(t.words[i:], w, "payment") {
				return claim{RiskCritical, "moves money (" + w + " in its name)"}
			}
		case "sign", "swap":
			if hasWords(t.words[i:], w, "transaction") || hasWords(t.words[i:], w, "tokens") {
				return claim{RiskCritical, "moves money (" + w + " in its name)"}
			}
		case "order", "trade":
			if i > 0 && orderVerbs()[t.words[i-1]] {
				return claim{RiskCritical, "orders or trades (" + t.words[i-1] + " " + w + " in its name)"}
			}
		}
	}
	if !t.effect.named || t.effect.kind != kindWrites && t.effect.kind != kindDestroys {
		if said := t.firstSaid(`\b(?:transfers? (?:money|funds)|makes? (?:a )?(?:payment|purchase)s?|charges? (?:a|the) (?:card|customer|credit)|sends? (?:money|funds|a payment))\b`); said != "" {
			return claim{RiskCritical, "moves money (" + said + ")"}
		}
	}
	return claim{}
}

func rightsClaim(t *traits) claim {
	if t.effect.kind == kindReads || t.effect.kind == kindComputes {
		return claim{}
	}
	for _, w := range t.words {
		switch w {
		case "grant", "impersonate":
			return claim{RiskCritical, "gives rights (" + w + " in its name)"}
		case "role", "roles", "rbac", "iam", "acl":
			return claim{RiskHigh, "touches rights (" + w + " in its name)"}
		case "permission", "permissions", "collaborator", "chmod", "chown", "invite":
			return claim{RiskHigh, "changes who may do what (" + w + " in its name)"}
		case "user", "users", "member", "members":
			if t.effect.named && (t.effect.verb == "create" || t.effect.verb == "add" || t.effect.verb == "enable") {
				return claim{RiskHigh, "lets somebody in (" + t.effect.verb + " " + w + " in its name)"}
			}
		}
	}
	return claim{}
}

// protectionClaim is about what watches over others.
func protectionClaim(t *traits) claim {
	const things = `(?:firewall|antivirus|anti-virus|defender|selinux|apparmor|audit(?:ing| log(?:ging|s)?)?|security(?: (?:controls?|checks?|polic(?:y|ies)|scan(?:ner|ning)?|monitoring))?|sandbox(?:ing)?|mfa|2fa|two-factor authentication|tls verification|certificate verification|malware protection|endpoint protection|intrusion detection|gatekeeper)`
	off := wordSet("disable bypass deactivate")()
	for i, w := range t.words {
		if rest := t.words[i+1:]; (off[w] || w == "stop" || w == "kill" || w == "turn" && hasWords(rest, "off")) && saysIn(strings.Join(rest, " "), `^(?:off )?`+things) != "" {
			return claim{RiskForbidden, "switches a protection off (" + strings.Join(t.words[i:], " ") + ")"}
		}
	}
	if said := t.firstSaid(`\b(?:disables?|disabling|bypass(?:es|ing)?|deactivates?|turns? off|switch(?:es)? off)\s+(?:the\s+|all\s+|any\s+|system\s+|host\s+)*` + things + `\b`); said != "" {
		return claim{RiskForbidden, "switches a protection off (" + said + ")"}
	}
	if t.effect.kind == kindDestroys && t.firstSays(`\baudit (?:logs?|trails?|events?|entries)\b`) {
		return claim{RiskCritical, "destroys the traces of what was done (audit in its description)"}
	}
	for _, w := range t.words {
		if w == "firewall" && t.effect.kind >= kindWrites {
			return claim{RiskHigh, "changes a protection (" + w + " in its name)"}
		}
		if w == "unprotect" || w == "unlock" {
			return claim{RiskHigh, "lifts a protection (" + w + " in its name)"}
		}
	}
	if said := t.said(`\b(?:blockedcommands|blocked commands|alloweddirectories|allowed directories)\b`); said != "" && t.effect.kind == kindWrites && t.effect.verb == "set" {
		return claim{RiskHigh, "can change what protects others (" + said + ")"}
	}
	return claim{}
}

func diskClaim(t *traits) claim {
	for i, w := range t.words {
		switch w {
		case "format", "wipe", "erase", "mkfs", "partition":
			for _, noun := range t.words[i+1:] {
				switch noun {
				case "disk", "disks", "drive", "partition", "volume", "device", "machine", "system", "computer", "phone":
					return claim{RiskForbidden, "wipes a whole " + noun + " (" + w + " in its name)"}
				}
			}
		}
	}
	return claim{}
}

// lossClaim is about the loss of a whole store rather than of a thing in it.
func lossClaim(t *traits) claim {
	if t.effect.kind != kindDestroys || !t.effect.named {
		return claim{}
	}
	after := t.words[min(slices.Index(t.words, t.effect.verb)+1, len(t.words)):]
	if len(after) == 0 || t.firstSays(`\b(?:cache|session|draft)\b`) {
		return claim{}
	}
	switch noun := after[len(after)-1]; noun {
	case "bucket", "account", "project", "site", "server", "workspace":
		if len(after) == 1 {
			return claim{RiskCritical, "loses a whole " + noun + " (" + t.effect.verb + " " + noun + " in its name)"}
		}
	case "database", "databases", "db", "repository", "repo", "cluster", "organization", "tenant", "vm", "backup", "backups":
		return claim{RiskCritical, "loses a whole " + noun + " (" + t.effect.verb + " " + noun + " in its name)"}
	case "all", "everything":
		return claim{RiskCritical, "loses everything at once (" + noun + " in its name)"}
	}
	if after[0] == "all" {
		return claim{RiskCritical, "loses everything at once (all in its name)"}
	}
	return claim{}
}

// routers are arguments that choose among several jobs of a tool.
var routers = wordSet("action operation command op task method subcommand verb mode type")

// routerClaim looks into a tool that does several jobs.
func routerClaim(t *traits) claim {
	if t.effect.named && t.effect.kind == kindReads && len(t.words) > 1 {
		return claim{}
	}
	for _, p := range t.properties {
		if !routers()[strings.ToLower(p.name)] {
			continue
		}
		for _, job := range p.values {
			if kind, verb := verbIn(job); kind == kindDestroys || verb == "send" || verb == "publish" || verb == "drain" || verb == "evict" {
				return claim{RiskHigh, "one of its jobs is " + verb + " (argument " + shortID(p.name) + ")"}
			}
		}
		if p.values != nil || t.readOnly || p.name == "type" || p.name == "mode" || t.effect.named && len(t.words) > 1 {
			continue
		}
		if said := t.said(`\b(?:delet(?:e|es|ing)|remov(?:e|es|ing)|drop(?:s|ping)?|purg(?:e|es|ing)|destroy(?:s|ing)?)\b`); said != "" {
			return claim{RiskHigh, "does several jobs by its argument " + shortID(p.name) + ", among them " + said}
		}
		say := t.said
		if t.effect.kind == kindReads {
			say = t.firstSaid // what comes later is rather an example
		}
		if said := say(`\b(?:manag(?:e|es|ing)|creat(?:e|es|ing)|updat(?:e|es|ing)|modify|modifies|modifying|deploy(?:s|ing)?)\b`); said != "" {
			return claim{RiskMedium, "does several jobs by its argument " + shortID(p.name) + ", among them " + said}
		}
	}
	return claim{}
}

// screenClaim is about the hands of a user: a click can buy, send or delete.
func screenClaim(t *traits) claim {
	if hasWords(t.words, "computer") && t.hasProperty(func(n string) bool { return n == "action" }) != "" {
		return claim{RiskHigh, "works the whole computer with the user's hands"}
	}
	if t.effect.kind == kindReads && t.effect.verb == "select" && t.says(`\b(?:dropdown|options?|select tag|form)\b`) {
		return claim{RiskMedium, "acts on a screen in the user's name (select in its name)"}
	}
	if t.effect.kind != kindUnsaid && t.effect.kind != kindWrites {
		return claim{}
	}
	if slices.Contains(t.words, "upload") && (slices.Contains(t.words, "browser") || t.says(`\b(?:pages?|browser|element|input)\b`)) {
		return claim{RiskHigh, "hands local files to a page"}
	}
	for _, w := range t.words {
		if handVerbs()[w] && t.says(`\b(?:pages?|browsers?|elements?|keyboard|keys?|mouse|dialogs?|dropdown|input field|form|tabs?|screen|device)\b`) {
			return claim{RiskMedium, "acts on a screen in the user's name (" + w + " in its name)"}
		}
	}
	return claim{}
}

// haltClaim is about machines and services that stop.
func haltClaim(t *traits) claim {
	for _, w := range t.words {
		switch w {
		case "shutdown", "reboot", "poweroff", "halt", "drain", "evict":
			if t.effect.kind != kindReads {
				return claim{RiskHigh, "stops what runs (" + w + " in its name)"}
			}
		}
	}
	return claim{}
}

func addressClaim(t *traits) claim {
	has := func(words ...string) bool {
		return t.hasProperty(func(name string) bool { return slices.Contains(words, strings.ToLower(name)) }) != ""
	}
	if !t.readOnly && (has("method", "verb") && has("url", "path", "endpoint", "uri") && has("body", "data", "payload", "headers", "json", "params") ||
		has("requests") && t.says(`\b(?:http|api|graph)\b`)) && (!t.effect.named || t.effect.kind != kindReads || t.effect.verb == "fetch") {
		return claim{RiskHigh, "sends requests of the model's making to an API"}
	}
	switch t.effect.verb {
	case "fetch", "download", "navigate", "browse", "scrape", "crawl", "request", "curl", "get", "read", "open":
	default:
		return claim{}
	}
	for _, p := range t.properties {
		if w := nameWords(p.name); p.free && len(w) > 0 && (w[len(w)-1] == "url" || w[len(w)-1] == "urls") {
			return claim{RiskMedium, "goes to addresses that the model picks, and brings back what strangers wrote (argument " + shortID(p.name) + ")"}
		}
	}
	return claim{}
}

func secretClaim(t *traits) claim {
	for _, p := range t.properties {
		if isSecretName(p.name) || hasWords(nameWords(p.name), "connection", "string") {
			return claim{RiskMedium, "takes a secret as an argument (" + shortID(p.name) + ")"}
		}
	}
	return claim{}
}
