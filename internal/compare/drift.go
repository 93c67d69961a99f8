package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// GroupDrift is the family of the rules of this package.
const GroupDrift = "drift"

// The levels that drift can have.
var (
	errorsOnly = []annotate.Level{annotate.LevelError}
	warnings   = []annotate.Level{annotate.LevelWarning}
	infos      = []annotate.Level{annotate.LevelInfo}
)

// drift is a rule with the changes that it is about.
type drift struct {
	annotate.Rule
	about func(x *Change) bool
}

func is(s Section, k Kind) func(*Change) bool {
	return func(x *Change) bool { return x.Section == s && x.Kind == k }
}

func thing(what string, k Kind) func(*Change) bool {
	return func(x *Change) bool { return x.Section == Catalogue && x.What == what && x.Kind == k && x.Part == "" }
}

func part(what, name string, breaking bool) func(*Change) bool {
	return func(x *Change) bool {
		return x.Section == Catalogue && x.What == what && (name == "" || x.Part == name) && (x.Grade == Breaking) == breaking
	}
}

// drifts is the table of all rules; the first that is about a change names it.
var drifts = []drift{
	{rule("drift-tool-removed", errorsOnly, "A tool of the baseline is gone.",
		"Prompts, agents and scripts that name it get an error.", "Bring it back, or announce its end and keep it for a while beside what replaces it."),
		thing("tool", Removed)},
	{rule("drift-tool-renamed", errorsOnly, "A tool of the baseline has another name now.",
		"Whoever knows it by its old name gets an error.", "Keep the old name beside the new one until nobody uses it."),
		thing("tool", Renamed)},
	{rule("drift-tool-added", infos, "A tool is new.",
		"Nothing breaks; the model reads one more description in every prompt.", "Nothing, if it was meant; record a new baseline."),
		thing("tool", Added)},
	{rule("drift-input-breaking", errorsOnly, "An input schema refuses calls that were valid.",
		"Callers that were built for the baseline fail. Where calls were recorded the message says how many of them.", "Accept what was accepted: make new arguments optional, keep old types and values."),
		part("tool", "inputSchema", true)},
	{rule("drift-output-breaking", errorsOnly, "An output schema allows results that callers do not expect.",
		"Callers that read structured results by the baseline's schema fail on what is new in them.", "Keep what was promised: required members, types, values."),
		part("tool", "outputSchema", true)},
	{rule("drift-tool-riskier", errorsOnly, "A tool's annotations say that it does more harm than before.",
		"Hosts let tools run without asking by what these hints say; users agreed to something milder.", "Make sure that it is true and meant, and tell users."),
		part("tool", "annotations", true)},
	{rule("drift-tool-description", warnings, "A tool's description, or that of an argument, changed.",
		"The model reads it and may choose and call the tool differently; it is also the way in which a server that was approved once can slip in instructions.",
		"Read the difference as you would read code."),
		func(x *Change) bool {
			return x.Section == Catalogue && x.What == "tool" && (x.Part == "description" || x.Part == "inputSchema" && strings.HasSuffix(x.Where, "/description"))
		}},
	{rule("drift-input-changed", infos, "An input schema changed, and every call that was valid still is.",
		"Nothing breaks.", "Nothing, if it was meant; record a new baseline."),
		part("tool", "inputSchema", false)},
	{rule("drift-output-changed", infos, "An output schema changed, and callers still get what they expect.",
		"Nothing breaks.", "Nothing, if it was meant; record a new baseline."),
		part("tool", "outputSchema", false)},
	{rule("drift-prompt-removed", errorsOnly, "A prompt of the baseline is gone, or has another name.",
		"Users and hosts that name it get an error.", "Bring it back, or keep the old name beside the new one."),
		func(x *Change) bool { return thing("prompt", Removed)(x) || thing("prompt", Renamed)(x) }},
	{rule("drift-prompt-breaking", errorsOnly, "A prompt demands arguments that it did not demand, or no longer knows some.",
		"Who uses it as before is refused or misunderstood.", "Make new arguments optional and keep the old ones."),
		part("prompt", "", true)},
	{rule("drift-resource-removed", errorsOnly, "A resource or template of the baseline is gone, or has another address.",
		"Reads of it fail.", "Keep old addresses readable."),
		func(x *Change) bool {
			for _, what := range []string{"resource", "template"} {
				if thing(what, Removed)(x) || thing(what, Renamed)(x) {
					return true
				}
			}
			return false
		}},
	{rule("drift-resource-breaking", errorsOnly, "A resource or template is of another type.",
		"Readers that go by the type read it wrongly.", "Offer the new type under a new address."),
		func(x *Change) bool { return part("resource", "", true)(x) || part("template", "", true)(x) }},
	{rule("drift-unseen", warnings, "The baseline has a list that the recording does not, so that it cannot be compared.",
		"A client that asks for less sees less drift.", "Record both with the same client, or the same script."),
		func(x *Change) bool { return x.Kind == Unseen }},
	{rule("drift-catalogue-changed", infos, "Something in what the server offers changed, and nothing breaks.",
		"Titles, icons, sizes, order, descriptions for people, what was added.", "Nothing, if it was meant; record a new baseline."),
		func(x *Change) bool { return x.Section == Catalogue }},
	{rule("drift-capability-removed", []annotate.Level{annotate.LevelError, annotate.LevelInfo}, "A capability of the baseline is no longer declared.",
		"Who relies on it can no longer do so; a server must do without what a client does not offer, so that is an error only where something leaned on it.", "Declare it again, or tell those who rely on it."),
		is(Capabilities, Removed)},
	{rule("drift-capability-changed", infos, "A capability is new, or something in it changed.",
		"Nobody has to use it.", "Nothing, if it was meant; record a new baseline."),
		func(x *Change) bool { return x.Section == Capabilities }},
	{rule("drift-revision", []annotate.Level{annotate.LevelWarning, annotate.LevelError}, "Another revision of the protocol was asked for, agreed on or offered.",
		"Rules and features differ by revision. A revision that a server no longer supports is an error: its clients are turned away.", "Look whether client and server are the versions that you mean to test."),
		func(x *Change) bool {
			return x.Section == Handshake && (strings.Contains(x.What, "revision") || x.What == "era")
		}},
	{rule("drift-instructions", warnings, "The server's instructions changed.",
		"Hosts show them to the model.", "Read the difference as you would read code."),
		func(x *Change) bool { return x.Section == Handshake && x.What == "instructions" }},
	{rule("drift-peer", infos, "Client or server say something else of themselves, or the server ended otherwise.",
		"Another version, or another program, may explain everything else.", "Nothing, if it was meant."),
		func(x *Change) bool { return x.Section == Handshake }},
	{rule("drift-outcome", []annotate.Level{annotate.LevelError, annotate.LevelInfo}, "A request of the baseline ended otherwise.",
		"What succeeded fails now (an error), or the other way round (info).", "Look at both answers: `shakescope diff BASELINE FILE` shows them."),
		is(Traffic, Outcome)},
	{rule("drift-answer", infos, "A request of the baseline was answered with other contents.",
		"The data may have changed, or the server. What changes with every run was put aside.", "Look at both answers: `shakescope diff BASELINE FILE` shows where they differ."),
		is(Traffic, Answer)},
}

func rule(id string, levels []annotate.Level, title, why, fix string) annotate.Rule {
	return annotate.Rule{ID: id, Group: GroupDrift, Levels: levels, By: "server", Revisions: mcpspec.All, Title: title, Why: why, Fix: fix}
}

// Rules returns the rules by which [Report.Drift] names what it finds. They come from no specification: their
// Spec is empty.
func Rules() []annotate.Rule {
	out := make([]annotate.Rule, len(drifts))
	for i := range drifts {
		out[i] = drifts[i].Rule
	}
	return out
}

// LookupRule returns the rule of an id, nil when there is none.
func LookupRule(id string) *annotate.Rule {
	for i := range drifts {
		if drifts[i].ID == id {
			return &drifts[i].Rule
		}
	}
	return nil
}

// Drift returns the changes as findings about the second recording, the first being the baseline: breaking ones are
// errors. Requests that only one side made, other params, how often something came and how long it took are no drift: a
// client may do something else every time.
func (r *Report) Drift() []annotate.Finding {
	var out []annotate.Finding
	for i := range r.Changes {
		x := &r.Changes[i]
		n := slices.IndexFunc(drifts, func(d drift) bool { return d.about(x) })
		if n < 0 {
			continue
		}
		d := &drifts[n]
		f := annotate.Finding{Rule: d.ID, Level: d.level(x), By: d.By, Message: r.message(x), At: x.B, Path: x.path(), Count: x.Count}
		if x.Side == "client" {
			f.By = "client"
		}
		if x.Section == Traffic {
			f.By = "server"
			if x.Side == "server" {
				f.By = "client"
			}
		}
		out = append(out, f)
	}
	return out
}

// level is that of a rule for a change: the worst for what breaks, else the mildest.
func (d *drift) level(x *Change) annotate.Level {
	for _, l := range d.Levels {
		if (l == annotate.LevelError) == (x.Grade == Breaking) {
			return l
		}
	}
	return d.Levels[0]
}

// path is the JSON pointer of what changed in the message B, "" where it is not one place.
func (x *Change) path() string {
	switch {
	case x.B.IsZero() || x.Section == Traffic:
		return ""
	case x.Section == Catalogue && x.base != "" && x.Kind != Removed:
		return x.base + x.Where
	}
	return ""
}

// message says it in one line.
func (r *Report) message(x *Change) string {
	subject := x.What
	if x.Name != "" {
		subject += " " + x.Name
	}
	if x.Section == Capabilities {
		subject = x.Side + " " + subject
	}
	if d := strings.TrimSuffix(x.Part, "Schema"); d != x.Part {
		subject += ", " + d + " schema"
	}
	text := subject + ": " + x.Words
	for _, verb := range []string{"is ", "was ", "may "} {
		if strings.HasPrefix(x.Words, verb) {
			text = subject + " " + x.Words
		}
	}
	if len(x.Differences) > 0 {
		d := x.Differences[0]
		text += fmt.Sprintf(", at %s: %s", d.Path, d.Words)
	}
	return cut(text, 600)
}
