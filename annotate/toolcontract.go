package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Contract is what the definition of a tool states for those who have to decide about its calls: thirteen fields.
type Contract struct {
	Fields []ContractField // in the order of ContractFields; none for a tool that was never listed
	Score  float64         // the sum of theirs, 0 to 13
}

// ContractField is one field of a contract.
type ContractField struct {
	Name   string
	Score  float64 // 0 not stated, 0.5 in part or only implied, 1 stated or not needed
	Reason string
	Add    string // what to add and where, "" where nothing is missing
}

// FieldTotal sums up a field over the tools that are listed.
type FieldTotal struct {
	Name                string
	Stated, Part, Unset int
}

// ContractFields are the names of the fields.
func ContractFields() []string {
	return []string{"name", "description", "category", "risk", "autonomous execution", "confirmation", "step-up auth", "input schema", "output schema", "permissions", "side effects", "audit event", "failure modes"}
}

// MCP has no place for many of the fields. Where the tool object has one (name, description, schemas,
// annotations), that counts; else what the description says in words, and keys of _meta. A key of _meta counts by
// what follows its prefix, in any spelling: com.example/riskLevel, acme/risk_level. It may stand below a member
// contract, too. See docs/tools.md.
const metaHint = `"_meta": {"com.example/%s": …}`

// contractOf judges a definition. domains counts the first words of the names of all tools.
func contractOf(t *traits, risk Risk, use *ToolAccount, domains map[string]int) Contract {
	var c Contract
	names := ContractFields()
	for i, judge := range []func() ContractField{
		func() ContractField { return nameField(t) },
		func() ContractField { return descriptionField(t) },
		func() ContractField { return categoryField(t, domains) },
		func() ContractField { return riskField(t, risk) },
		func() ContractField { return autonomyField(t, risk) },
		func() ContractField { return confirmationField(t, risk) },
		func() ContractField { return stepUpField(t, risk) },
		func() ContractField { return inputField(t, use) },
		func() ContractField { return outputField(t) },
		func() ContractField { return permissionField(t) },
		func() ContractField { return effectsField(t) },
		func() ContractField { return auditField(t) },
		func() ContractField { return failureField(t, use) },
	} {
		f := judge()
		f.Name = names[i]
		c.Fields = append(c.Fields, f)
		c.Score += f.Score
	}
	return c
}

func given(reason string) ContractField { return ContractField{Score: 1, Reason: reason} }
func inPart(reason, add string) ContractField {
	return ContractField{Score: 0.5, Reason: reason, Add: add}
}
func notStated(reason, add string) ContractField   { return ContractField{Reason: reason, Add: add} }
func inMeta(key string) ContractField              { return given("_meta says " + shortID(key)) }
func metaKey(name string) string                   { return fmt.Sprintf(metaHint, name) }
func addMeta(name string, or string) string        { return or + " or " + metaKey(name) }
func (t *traits) metaField(names ...string) string { return metaFieldIn(t.meta, names, 0) }

// metaFieldIn returns the key of _meta that stands for one of the names, "" when there is none.
func metaFieldIn(meta []byte, names []string, depth int) string {
	found := ""
	members(meta, func(key, value []byte) bool {
		k := string(key)
		last := strings.ToLower(strings.Join(nameWords(k[strings.LastIndexByte(k, '/')+1:]), ""))
		for _, n := range names {
			if last == n && !isNull(value) {
				found = k
			}
		}
		if depth == 0 && last == "contract" && found == "" {
			found = metaFieldIn(value, names, 1)
		}
		return found == ""
	})
	return found
}

func nameField(t *traits) ContractField {
	name := t.def.name
	if name == "" {
		return notStated("it has no name", `"name": "domain.verb"`)
	}
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-./", r) {
			return notStated(fmt.Sprintf("%q is no character for a name: letters, digits, _, - and . are (2025-11-25)", r), "a name such as domain_verb")
		}
	}
	if len(name) > 128 {
		return notStated(fmt.Sprintf("%d characters; 128 at most (2025-11-25)", len(name)), "a shorter name")
	}
	verb := -1
	for i, w := range t.words {
		if verbs()[w] != kindUnsaid || startWords()[w] || runWords()[w] || handVerbs()[w] {
			verb = i
			break
		}
	}
	domain, rest, dotted := strings.Cut(name, ".")
	switch {
	case len(t.words) < 2:
		return inPart("one word: says either what is done, or to what", "a name such as domain_verb (get_user, user_get)")
	case verb < 0:
		return inPart("no verb that is known: what is done has to be guessed", "a verb (get_, create_, delete_)")
	case dotted && domain != "" && rest != "":
		return given("domain.verb; some model APIs refuse the dot")
	case verb == 0:
		return given("verb and noun")
	case verb == len(t.words)-1:
		return given("domain and verb")
	}
	return given("domain, verb and noun")
}

func descriptionField(t *traits) ContractField {
	d := strings.TrimSpace(t.def.description)
	switch words := len(strings.Fields(d)); {
	case d == "":
		return notStated("there is none", `"description": what it does, when to use it, what it returns`)
	case strings.Join(nameWords(d), "") == strings.Join(t.words, "") && len(t.words) > 0:
		return notStated("it repeats the name", "what it does, when to use it, what it returns")
	case words < 6:
		return inPart(fmt.Sprintf("%d words", words), "when to use it, and what it returns")
	case len(d) > 10_000:
		return inPart(fmt.Sprintf("%d kB, in every prompt", (len(d)+500)/1000), "a few sentences; the manual into a resource")
	}
	return given("says what it does")
}

func categoryField(t *traits, domains map[string]int) ContractField {
	if k := t.metaField("category", "categories", "tags", "group", "toolset", "domain"); k != "" {
		return inMeta(k)
	}
	if domain, rest, ok := strings.Cut(t.def.name, "."); ok && domain != "" && rest != "" {
		return given("the name's domain: " + shortID(domain))
	}
	if len(t.words) > 1 && verbs()[t.words[0]] == kindUnsaid && domains[t.words[0]] > 1 {
		return inPart("only implied by the first word of its name, which others share: "+shortID(t.words[0]), metaKey("category"))
	}
	return notStated("not stated", metaKey("category"))
}

func riskField(t *traits, risk Risk) ContractField {
	if k := t.metaField("risk", "risklevel", "riskclass", "sensitivity"); k != "" {
		return inMeta(k)
	}
	const add = `"annotations": {"readOnlyHint": …, "destructiveHint": …}`
	switch {
	case risk.Contradicted:
		return notStated("its hints contradict its name", "hints that are true")
	case t.readOnly:
		return given("readOnlyHint true")
	case t.destructiveKnown && (t.readOnlyKnown || t.destructive):
		return given(fmt.Sprintf("destructiveHint %t", t.destructive))
	case t.readOnlyKnown || t.destructiveKnown:
		return inPart("one of readOnlyHint and destructiveHint only", add)
	}
	return notStated("no hints", add)
}

func autonomyField(t *traits, risk Risk) ContractField {
	if k := t.metaField("autonomous", "autonomy", "autonomousexecution", "autoapprove", "unattended", "humanintheloop"); k != "" {
		return inMeta(k)
	}
	if said := t.said(`\b(?:requires? (?:user |human |explicit |manual )*(?:approval|consent|confirmation)|safe to (?:call|run|use) (?:automatically|without)|(?:must|should|do) (?:not|never) be (?:called|run|used) (?:automatically|without)|ask(?:ing)? the user (?:first|before)|only (?:when|if) the user (?:explicitly )?(?:asks|asked|requests|requested|confirms))\b`); said != "" {
		return given("its description: " + said)
	}
	if t.readOnly && !risk.Contradicted && risk.Class == RiskLow {
		return inPart("only implied: it says that it reads, so nothing speaks against it", metaKey("autonomous"))
	}
	return notStated("not stated whether it may run without asking", addMeta("autonomous", "a sentence in the description"))
}

func confirmationField(t *traits, risk Risk) ContractField {
	if k := t.metaField("confirmation", "requiresconfirmation", "confirm", "approval", "requiresapproval"); k != "" {
		return inMeta(k)
	}
	if p := t.hasProperty(func(name string) bool { return isRehearsal(name) || isConfirmation(name) && name != "force" }); p != "" {
		return given("argument " + shortID(p))
	}
	if said := t.said(`\b(?:confirm(?:s|ed|ation)?|elicit(?:s|ation)?|approv(?:al|ed?)|dry[- ]?run)\b`); said != "" && t.effect.verb != "approve" {
		return given("its description mentions " + said)
	}
	if risk.Class == RiskLow {
		return given("not needed: it only reads")
	}
	return notStated("not stated", addMeta("confirmation", "an argument confirm or dryRun, an elicitation,"))
}

func stepUpField(t *traits, risk Risk) ContractField {
	if k := t.metaField("stepup", "stepupauth", "stepupauthentication", "reauthentication", "authlevel", "acr"); k != "" {
		return inMeta(k)
	}
	if said := t.said(`\b(?:step-?up|re-?authenticat\w+|mfa|2fa|two-factor|elevated (?:rights|privileges|permissions|access)|additional authentication)\b`); said != "" {
		return given("its description mentions " + said)
	}
	if risk.Class.Rank() <= RiskMedium.Rank() {
		return given("not needed at " + string(risk.Class) + " risk")
	}
	return notStated("not stated, at "+string(risk.Class)+" risk", metaKey("stepUpAuth"))
}

func inputField(t *traits, use *ToolAccount) ContractField {
	facts := t.def.facts(inputSchema)
	const where = "inputSchema"
	for _, f := range use.Findings {
		if f.Level == LevelError && strings.Contains(f.Path, "/inputSchema") {
			return notStated(f.Message, "a valid "+where)
		}
	}
	switch {
	case t.def.input == nil:
		return notStated("there is none", `"inputSchema": {"type": "object", …}`)
	case !facts.IsObject || !facts.RootIsObject():
		return notStated("no schema of an object", `"type": "object" at its root`)
	}
	bare, untyped := len(facts.Undescribed), 0
	t.def.eachProperty(func(_ string, schema []byte) {
		known := false
		members(schema, func(key, _ []byte) bool {
			switch string(key) {
			case "type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref":
				known = true
			}
			return !known
		})
		if !known {
			untyped++
		}
	})
	switch {
	case untyped > 0:
		return inPart(fmt.Sprintf("%d of its arguments without a type", untyped), "types")
	case bare > 0:
		return inPart(fmt.Sprintf("%d of its arguments, nested ones included, without a description", bare), "descriptions: "+list(facts.Undescribed, 3))
	case len(facts.Properties) == 0:
		return given("it takes no arguments")
	}
	return given("all arguments typed and described")
}

func outputField(t *traits) ContractField {
	if isObject(t.def.output) {
		return given("there is one")
	}
	const add = `"outputSchema": {"type": "object", …} and structuredContent (from ` + mcpspec.Rev20250618 + " on)"
	if said := t.said(`\b(?:returns?|output|response|result)\b`); said != "" {
		return inPart("none; the description says something of what it returns", add)
	}
	return notStated("there is none", add)
}

func permissionField(t *traits) ContractField {
	if k := t.metaField("permissions", "permission", "scopes", "requiredscopes", "rbac", "authorization", "roles"); k != "" {
		return inMeta(k)
	}
	if said := t.said(`\b(?:requires?|needs?|must have|missing|insufficient|lacks?|without)\b[^.;:\n]{0,60}\b(?:scopes?|permissions?|roles?|oauth|authori[sz]ation|authentication|capability|access tokens?|api keys?|login)\b|\ballowed director(?:y|ies)\b|\b(?:scopes?|permissions?|roles?) (?:is |are )?(?:required|needed)\b|\b(?:required|needed) (?:scopes?|permissions?|roles?)\b|\b(?:scopes?|permissions?): `); said != "" {
		return given("its description mentions " + said)
	}
	return notStated("not stated", addMeta("permissions", "a sentence in the description"))
}

func effectsField(t *traits) ContractField {
	if k := t.metaField("sideeffects", "sideeffect", "effects"); k != "" {
		return inMeta(k)
	}
	switch {
	case t.readOnly && t.contradiction() == "":
		return given("none: readOnlyHint true")
	case t.destructiveKnown && (t.repeatableKnown || t.openWorldKnown):
		return given("its hints")
	case t.destructiveKnown || t.readOnlyKnown:
		return inPart("some of the four hints", `"annotations": {"destructiveHint": …, "idempotentHint": …, "openWorldHint": …}`)
	case t.effect.kind != kindUnsaid:
		return inPart("only implied ("+t.effect.from+")", `"annotations": {"readOnlyHint": …, …}`)
	}
	return notStated("not stated", `"annotations": {"readOnlyHint": …, …}`)
}

func auditField(t *traits) ContractField {
	if k := t.metaField("audit", "auditevent", "auditlog", "event"); k != "" {
		return inMeta(k)
	}
	if said := t.said(`\b(?:audit(?:ed| log(?:ged)?| event| trail)?|(?:is|are|gets?) logged)\b`); said != "" {
		return given("its description mentions " + said)
	}
	return notStated("not stated", metaKey("auditEvent"))
}

func failureField(t *traits, use *ToolAccount) ContractField {
	if k := t.metaField("failuremodes", "failures", "errors", "errorcodes"); k != "" {
		return inMeta(k)
	}
	if said := t.said(`\b(?:error (?:responses?|codes?)|returns? (?:an? |the )?(?:\w+ )?errors?|returned as errors?|errors? (?:if|when|for|is|are)|fails? (?:if|when|while|on|with|for|unless)|failure modes?|rejects?|rejected|throws?|times? out|timeout|not found|rate limit(?:s|ed|ing)?)\b`); said != "" {
		return given("its description mentions " + said)
	}
	if use.ToolErrors > 0 {
		return inPart("not stated; failures came as isError in this recording", addMeta("failureModes", "a sentence in the description"))
	}
	return notStated("not stated", addMeta("failureModes", "a sentence in the description"))
}

// total averages the contracts of the tools that are listed.
func (r *ToolReport) total() {
	for _, name := range ContractFields() {
		r.Fields = append(r.Fields, FieldTotal{Name: name})
	}
	n := 0
	for i := range r.Tools {
		t := &r.Tools[i]
		if t.Listed != Listed {
			continue
		}
		n++
		r.Contract += t.Contract.Score
		for k, f := range t.Contract.Fields {
			switch f.Score {
			case 1:
				r.Fields[k].Stated++
			case 0.5:
				r.Fields[k].Part++
			default:
				r.Fields[k].Unset++
			}
		}
	}
	if n > 0 {
		r.Contract /= float64(n)
	}
}
