package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/provider"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
)

var riskRoles = map[annotate.RiskClass]role{
	annotate.RiskLow: good, annotate.RiskMedium: noRole, annotate.RiskHigh: warn, annotate.RiskCritical: bad, annotate.RiskForbidden: bad,
}

// toolColumns are the columns of the table behind the name, with their widths.
var toolColumns = []struct {
	name  string
	width int
}{
	{"CALLS", 7}, {"FAILED", 7}, {"REFUSED", 8}, {"OPEN", 5}, {"MEDIAN", 9}, {"P95", 9}, {"MAX", 9}, {"RESULT", 9}, {"LARGEST", 9}, {"≈TOKENS", 8}, {"SHARE", 6},
}

const (
	riskWidth = 9
	idemWidth = 7
)

// tools prints the table of all tools and what is to be said of them together.
func (p *textLog) tools(report *annotate.ToolReport) {
	if len(report.Tools) == 0 {
		p.line(muted, "no tool was listed or called")
		return
	}
	width := len("TOOL")
	for i := range report.Tools {
		width = max(width, min(termtext.Width(p.clean(report.Tools[i].Name)), 44))
	}
	verdict := len(" 0.0 of 13")
	for i := range report.Tools {
		if t := &report.Tools[i]; t.Contract.Fields == nil {
			verdict = max(verdict, len(p.contractMark(t)))
		}
	}
	keep := p.toolColumnsKept(width, verdict)
	p.cell(muted, "TOOL", width)
	for i, c := range toolColumns {
		if !keep[i] {
			continue
		}
		name := c.name
		if p.ascii {
			name = strings.TrimPrefix(name, "≈")
		}
		p.cell(muted, termtext.PadLeft(name, c.width), 0)
	}
	p.cell(muted, "RISK", riskWidth)
	if keep[repeatColumn] {
		p.cell(muted, "REPEAT", idemWidth)
	}
	p.line(muted, "CONTRACT")
	for i := range report.Tools {
		p.toolLine(&report.Tools[i], width, keep)
	}
	p.line(noRole, "")
	p.toolTotals(report)
}

// repeatColumn is the place of REPEAT in what toolColumnsKept returns.
var repeatColumn = len(toolColumns) + 2

// toolColumnsKept says which of toolColumns, and of those behind them, there is room for beside names of this width.
func (p *textLog) toolColumnsKept(name, verdict int) []bool {
	var widths []int
	for _, c := range toolColumns {
		widths = append(widths, c.width)
	}
	const refused, open, median, p95, most, result, largest, share = 2, 3, 4, 5, 6, 7, 8, 10
	return p.fitting(append(widths, name, riskWidth, idemWidth, verdict), 1, p95, largest, most, share, open, median, result, repeatColumn, refused)
}

func (p *textLog) toolLine(t *annotate.ToolAccount, width int, keep []bool) {
	p.cell(strong, termtext.Line(p.clean(t.Name), width), width)
	count := func(n int64, r role) (string, role) {
		if n == 0 {
			return p.glyph("·", "."), muted
		}
		return grouped(n), r
	}
	took := func(d time.Duration) (string, role) {
		if t.Latency.N == 0 {
			return "", noRole
		}
		return timetext.Latency(d), noRole
	}
	size := func(n int64) (string, role) {
		if t.Result.N == 0 {
			return "", noRole
		}
		return sizeText(n), noRole
	}
	cost, share := "", ""
	if t.Definition != nil {
		cost = grouped(int64(t.Tokens))
	}
	if t.Listed == annotate.Listed {
		share = fmt.Sprintf("%.1f%%", 100*t.Share)
	}
	for i, cell := range []func() (string, role){
		func() (string, role) { return count(t.Calls, noRole) },
		func() (string, role) { return count(t.ToolErrors, bad) },
		func() (string, role) { return count(t.ProtocolErrors, bad) },
		func() (string, role) { return count(t.Cancelled+t.Unanswered, warn) },
		func() (string, role) { return took(t.Latency.Median) },
		func() (string, role) { return took(t.Latency.P95) },
		func() (string, role) { return took(t.Latency.Max) },
		func() (string, role) { return size(t.Result.Median) },
		func() (string, role) { return size(t.Result.Max) },
		func() (string, role) { return cost, noRole },
		func() (string, role) { return share, muted },
	} {
		if !keep[i] {
			continue
		}
		text, r := cell()
		p.cell(r, termtext.PadLeft(text, toolColumns[i].width), 0)
	}
	p.cell(riskRoles[t.Risk.Class], string(t.Risk.Class), riskWidth)
	if keep[repeatColumn] {
		p.cell(noRole, string(t.Idempotency.Answer), idemWidth)
	}
	p.line(noRole, p.contractMark(t))
}

func (p *textLog) contractMark(t *annotate.ToolAccount) string {
	if t.Contract.Fields == nil {
		return listedText(t.Listed)
	}
	text := fmt.Sprintf("%4.1f of %d", t.Contract.Score, len(t.Contract.Fields))
	if t.Listed == annotate.ListedBefore {
		text += ", " + listedText(t.Listed)
	}
	return text
}

func listedText(s annotate.ListState) string {
	switch s {
	case annotate.ListedBefore:
		return "no longer listed"
	case annotate.NotListed:
		return "never listed"
	case annotate.ListedUnknown:
		return "list not seen"
	}
	return "listed"
}

// toolTotals says what concerns all tools.
func (p *textLog) toolTotals(report *annotate.ToolReport) {
	about := p.glyph("≈ ", "about ")
	how := "the list was not seen to its end"
	switch {
	case report.ListComplete:
		how = "the whole list was seen"
	case !report.ListSeen:
		how = "no list was seen"
	}
	if !report.ListStale.IsZero() {
		how += fmt.Sprintf("; %s called it changed, and it was not read again", report.ListStale)
	}
	p.fact("listed", plural(int64(report.Listed), "tool")+", "+how)
	p.fact("cost", fmt.Sprintf("%s%s tokens in every prompt, %s: a quarter of the bytes of name, description and input schema as a model gets them",
		about, grouped(int64(report.Tokens)), sizeText(int64(report.DefinitionBytes))))
	var never, unlisted []string
	for i := range report.Tools {
		t := &report.Tools[i]
		if t.Listed == annotate.Listed && t.Calls == 0 {
			never = append(never, t.Name)
		}
		if t.Listed == annotate.NotListed {
			unlisted = append(unlisted, t.Name)
		}
	}
	if len(never) > 0 {
		p.fact("never called", p.toolNames(never))
	}
	if len(unlisted) > 0 {
		p.fact("never listed", "but called: "+p.toolNames(unlisted))
	}
	var classes []string
	for _, c := range annotate.RiskClasses() {
		if n := report.Risks[c]; n > 0 {
			classes = append(classes, grouped(int64(n))+" "+string(c))
		}
	}
	p.fact("risk", strings.Join(classes, ", "))
	if report.Listed > 0 {
		p.fact("contract", fmt.Sprintf("%.1f of %d fields on average", report.Contract, len(report.Fields)))
		for _, f := range report.Fields {
			p.cell(noRole, "", 13)
			p.cell(noRole, f.Name, 20)
			p.line(muted, fmt.Sprintf("%4d stated, %4d in part, %4d not", f.Stated, f.Part, f.Unset))
		}
	}
	first := true
	for i := range report.Tools {
		if t := &report.Tools[i]; len(t.Misfits) > 0 {
			if first {
				p.line(noRole, "")
				p.line(strong, "arguments that do not fit the schema")
				first = false
			}
			p.misfits(t, p.clean(t.Name)+": ")
		}
	}
	first = true
	tools := modelTools(report)
	for _, api := range provider.APIs() {
		for _, w := range provider.Check(api, tools) {
			if first {
				p.line(noRole, "")
				p.line(strong, "what model APIs would say")
				first = false
			}
			p.line(warn, p.clean(warningText(&w)))
		}
	}
}

func (p *textLog) toolNames(names []string) string {
	const most = 12
	more := ""
	if n := len(names); n > most {
		more = fmt.Sprintf(" and %d more", n-most)
		names = names[:most]
	}
	return p.clean(strings.Join(names, ", ")) + more
}

func (p *textLog) misfits(t *annotate.ToolAccount, before string) {
	for i := range t.Misfits {
		m := &t.Misfits[i]
		said := p.clean(m.Message)
		switch {
		case m.Pointer != "":
			said = p.clean(m.Pointer) + " " + said
		case m.Rule != "call-args-not-object":
			said = "the arguments " + said
		}
		how := ""
		if m.Keyword != "" {
			how = " (" + p.clean(m.Keyword) + ")"
		}
		p.line(noRole, fmt.Sprintf("%s%s%s, %d%s, first in #%s", before, said, how, m.Count, p.glyph("×", "x"), refText(m.First)))
	}
}

// tool prints everything about one tool.
func (p *textLog) tool(t *annotate.ToolAccount) {
	name := p.clean(t.Name)
	if t.Title != "" {
		name += "  " + p.clean(t.Title)
	}
	p.line(strong, name)
	if first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n"); first != "" {
		p.line(muted, termtext.Line(p.clean(first), 200))
	}
	listed := listedText(t.Listed)
	if !t.At.IsZero() {
		listed += ", last in #" + refText(t.At)
	}
	p.fact("listed", listed)
	p.fact("calls", fmt.Sprintf("%s: %s, %s, %s cancelled, %s unanswered, %s asked for more input", grouped(t.Calls), plural(t.ToolErrors, "tool error"), plural(t.ProtocolErrors, "protocol error"),
		grouped(t.Cancelled), grouped(t.Unanswered), grouped(t.InputRequired)))
	if l := t.Latency; l.N > 0 {
		p.fact("latency", fmt.Sprintf("%s answered, median %s, p95 %s, max %s", grouped(int64(l.N)), timetext.Latency(l.Median), timetext.Latency(l.P95), timetext.Latency(l.Max)))
	}
	if t.Result.N > 0 {
		p.fact("results", fmt.Sprintf("%s, median %s, largest %s", grouped(int64(t.Result.N)), sizeText(t.Result.Median), sizeText(t.Result.Max)))
	}
	if t.Definition != nil {
		cost := fmt.Sprintf("%s%s tokens in every prompt (%s, bytes/4)", p.glyph("≈ ", "about "), grouped(int64(t.Tokens)), sizeText(int64(t.DefinitionBytes)))
		if t.Listed == annotate.Listed {
			cost += fmt.Sprintf(", %.1f%% of all", 100*t.Share)
		}
		p.fact("cost", cost)
	}
	p.cell(muted, "risk", 13)
	p.line(riskRoles[t.Risk.Class], string(t.Risk.Class))
	for _, r := range t.Risk.Reasons {
		p.cell(noRole, "", 13)
		p.line(noRole, p.clean(r))
	}
	p.fact("repeatable", string(t.Idempotency.Answer)+": "+p.clean(t.Idempotency.Reason))
	if len(t.Misfits) > 0 {
		p.line(noRole, "")
		p.line(strong, "arguments that do not fit the schema")
		p.misfits(t, "")
	}
	if t.Contract.Fields != nil {
		p.line(noRole, "")
		p.line(strong, fmt.Sprintf("contract: %.1f of %d", t.Contract.Score, len(t.Contract.Fields)))
	}
	for _, f := range t.Contract.Fields {
		mark, r := p.glyph("✓", "+"), good
		switch f.Score {
		case 0:
			mark, r = p.glyph("✗", "x"), bad
		case 0.5:
			mark, r = p.glyph("½", "~"), warn
		}
		p.cell(r, mark, 1)
		p.cell(noRole, f.Name, 20)
		text := p.clean(f.Reason)
		if f.Add != "" {
			text += p.glyph(" · add ", " | add ") + p.clean(f.Add)
		}
		p.line(noRole, text)
	}
	if len(t.Findings) > 0 {
		p.line(noRole, "")
		p.line(strong, "what the rules say of its definition")
		for i := range t.Findings {
			p.finding(&t.Findings[i], "")
		}
	}
	var warnings []provider.Warning
	if t.Definition != nil {
		for _, api := range provider.APIs() {
			warnings = append(warnings, provider.Check(api, []provider.Tool{provider.ReadTool(t.Definition)})...)
		}
	}
	if len(warnings) > 0 {
		p.line(noRole, "")
		p.line(strong, "what model APIs would say")
		for i := range warnings {
			p.line(warn, p.clean(warningText(&warnings[i])))
		}
	}
}
