package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/internal/timetext"
	"github.com/shakescope/shakescope/jsonrpc"
)

// visit prints what one visit to a server found.
func (p *textLog) visit(v *probed) {
	for i, s := range v.Steps {
		name := ""
		if i == 0 {
			name = "handshake"
		}
		p.about(name, s.Method+" "+s.Revision+p.glyph(" → ", " -> ")+p.outcome(&peer.Exchange{Answer: s.Answer, Err: s.Err}, stepResult(&s)))
	}
	if s := v.Session; s != nil {
		p.about("server", strings.TrimSpace(s.Name+" "+s.Version))
		p.about("session", s.Revision+" ("+s.Era+"), open after "+timetext.Latency(v.Opening))
		p.about("declares", orDash(capabilityWords(s.Capabilities)))
	} else {
		p.about("session", "none: "+v.Reason)
	}
	for i := range v.Lists {
		l := &v.Lists[i]
		p.about(listWords[l.Method], p.listText(l))
	}
	if v.Ping != nil {
		p.about("ping", p.outcome(v.Ping, "ok"))
	}
	if v.Call != nil {
		p.answerOf("call", v.Call)
	}
	if v.Stopped != "" {
		p.about("stopped", v.Stopped)
	}
	p.about("end", endText(&v.End))
	if v.Session == nil || v.End.How == peer.Died {
		for i, w := range v.End.Words {
			name := ""
			if i == 0 {
				name = "stderr"
			}
			p.about(name, w)
		}
	}
	for _, path := range v.Recordings {
		p.about("recording", path)
	}
}

// about prints one line of a report; text is from anywhere.
func (p *textLog) about(name, text string) {
	p.cell(strong, name, len("handshake")+1)
	p.line(noRole, p.clean(text))
}

var listWords = map[string]string{
	"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "templates", "prompts/list": "prompts",
}

func stepResult(s *peer.Step) string {
	if raw, ok := jsonrpc.Lookup(s.Answer.Result, "protocolVersion"); ok {
		version, _ := jsonrpc.Unquote(raw)
		return version
	}
	if raw, ok := jsonrpc.Lookup(s.Answer.Result, "supportedVersions"); ok {
		return "supports " + strings.Trim(strings.ReplaceAll(string(raw), `"`, ""), "[]")
	}
	return "a result"
}

// outcome says what came of a request, and how long it took.
func (p *textLog) outcome(x *peer.Exchange, good string) string {
	switch {
	case x.Err != nil:
		return x.Err.Error()
	case x.Answer.Fault != nil:
		good = faultText(x.Answer.Fault)
	}
	return good + " (" + timetext.Latency(x.Answer.Latency) + ")"
}

const listedNames = 12

func (p *textLog) listText(l *peer.List) string {
	if l.Fault != nil && l.Pages == 0 {
		return faultText(l.Fault)
	}
	text := fmt.Sprint(len(l.Names))
	if l.Pages > 1 {
		text += " in " + plural(l.Pages, "page")
	}
	if l.Pages > 0 {
		text += " (" + timetext.Latency(l.Latency) + ")"
	}
	if len(l.Names) > 0 {
		text += ": " + strings.Join(l.Names[:min(len(l.Names), listedNames)], ", ")
		if more := len(l.Names) - listedNames; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	switch {
	case l.Fault != nil:
		text += "; then " + faultText(l.Fault)
	case l.Err != nil && l.Pages == 0:
		text = l.Err.Error()
	case l.Err != nil:
		text += "; " + l.Err.Error()
	}
	return text
}

// capabilityWords lists what was declared, with what is true or filled inside.
func capabilityWords(raw []byte) string {
	var words []string
	for name, value := range jsonrpc.Members(raw) {
		var inside []string
		for sub, v := range jsonrpc.Members(value) {
			if t := string(v); t != "false" && t != "null" {
				inside = append(inside, sub)
			}
		}
		if len(inside) > 0 {
			name += "(" + strings.Join(inside, ", ") + ")"
		}
		words = append(words, name)
	}
	return strings.Join(words, ", ")
}

func orDash(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// endText says how a server ended.
func endText(e *peer.End) string {
	how := "its exit is not known"
	switch {
	case e.Code != nil:
		how = fmt.Sprintf("exit code %d", *e.Code)
	case e.Signal != "":
		how = e.Signal
	}
	after := timetext.Latency(e.After)
	text := ""
	switch e.How {
	case peer.Left:
		text = fmt.Sprintf("%s, %s after its input was closed", how, after)
	case peer.Terminated:
		text = fmt.Sprintf("%s on SIGTERM, %s after its input was closed: it did not go by itself", strings.TrimPrefix(how, "SIGTERM"), after)
		text = strings.TrimPrefix(text, " on ")
	case peer.Stopped:
		text = fmt.Sprintf("%s, because it was given up %s after its start", how, after)
	case peer.Killed:
		text = fmt.Sprintf("SIGKILL, %s after its input was closed: it did not go on SIGTERM", after)
	default:
		text = fmt.Sprintf("%s on its own, %s after its start", how, after)
	}
	if e.LeftOvers != "" {
		text += "; it left processes behind: " + e.LeftOvers
	}
	return text
}

// endWord is the short form for the table.
func endWord(e *peer.End) string {
	code := e.Signal
	if e.Code != nil {
		code = fmt.Sprintf("exit %d", *e.Code)
	}
	switch e.How {
	case peer.Left:
		return code
	case peer.Terminated:
		return strings.TrimSuffix("needed SIGTERM, "+code, ", SIGTERM")
	case peer.Killed:
		return "needed SIGKILL"
	case peer.Stopped:
		return "given up"
	}
	return "died: " + code
}

// probeMatrix prints one line for each revision.
func (p *textLog) probeMatrix(visits []probed) {
	rows := [][]string{{"ASKED", "ANSWER", "ERA", "CAPABILITIES", "TOOLS", "TIME", "END"}}
	for i := range visits {
		v := &visits[i]
		row := []string{v.Asked, v.Verdict, "", "", "", timetext.Latency(v.Opening), endWord(&v.End)}
		if s := v.Session; s != nil {
			var names []string
			for name := range jsonrpc.Members(s.Capabilities) {
				names = append(names, name)
			}
			row[1], row[2], row[3] = s.Revision, s.Era, orDash(strings.Join(names, " "))
			row[4] = "not declared"
			for _, l := range v.Lists {
				if l.Method == "tools/list" {
					row[4] = fmt.Sprint(len(l.Names))
					if l.Fault != nil || l.Err != nil {
						row[4] += "!"
					}
				}
			}
		}
		for j := range row {
			row[j] = p.clean(row[j])
		}
		rows = append(rows, row)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], termtext.Width(cell))
		}
	}
	keep := p.fitting(widths, 2, 2, 4, 3)
	for n, row := range rows {
		for i, cell := range row {
			r := noRole
			switch {
			case n == 0:
				r = muted
			case i == 1 && visits[n-1].Session == nil:
				r = warn
			}
			if keep[i] {
				p.cell(r, cell, widths[i]+1)
			}
		}
		p.line(noRole, "")
		if n > 0 && visits[n-1].Session == nil {
			p.pad = widths[0] + 2
			p.line(warn, p.clean(visits[n-1].Reason))
		}
	}
}

// probeFindings prints what was found about the server, once each.
func (p *textLog) probeFindings(visits []probed) {
	type finding struct {
		foundBy
		at    []string // revisions asked for
		count int
	}
	var all []*finding
	counts := map[annotate.Level]int{}
	for i := range visits {
		for _, f := range visits[i].findings {
			counts[f.Level] += max(f.Count, 1)
			k := slices.IndexFunc(all, func(x *finding) bool {
				return x.Rule == f.Rule && x.Level == f.Level && x.Message == f.Message
			})
			if k < 0 {
				k = len(all)
				all = append(all, &finding{foundBy: f})
			}
			all[k].count += max(f.Count, 1)
			if !slices.Contains(all[k].at, visits[i].Asked) {
				all[k].at = append(all[k].at, visits[i].Asked)
			}
		}
	}
	for _, f := range all {
		mark, r := p.levelMark(f.Level)
		text := fmt.Sprintf("%s %s %s: %s", mark, f.Level, p.clean(f.Rule), p.clean(f.Message))
		if f.count > len(f.at) {
			text += fmt.Sprintf(" (%d times)", f.count)
		}
		if f.By != "" {
			text += " (by " + p.clean(f.By) + ")"
		}
		if len(visits) > 1 && len(f.at) < len(visits) {
			text += " [" + p.clean(strings.Join(f.at, ", ")) + "]"
		}
		if !f.At.IsZero() && len(visits) == 1 {
			text += " " + f.At.String()
		}
		p.line(r, text)
	}
	p.line(strong, levelCounts(counts))
}
