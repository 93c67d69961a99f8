package cli

import (
	"encoding/json"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/peer"
)

// resendReport is the object of `resend --json` (docs/resend.md).
type resendReport struct {
	Seq         int64             `json:"seq"`
	Sub         *int32            `json:"sub,omitempty"`
	Method      string            `json:"method"`
	Target      string            `json:"target,omitempty"`
	Command     []string          `json:"command"`
	Request     json.RawMessage   `json:"request"`
	Edited      []string          `json:"edited"`
	Handshake   *probeAnswer      `json:"handshake"`
	Recorded    *probeAnswer      `json:"recorded"`
	Now         probeAnswer       `json:"now"`
	Equal       bool              `json:"equal"`
	Differences []peer.Difference `json:"differences"`
	End         probeEnd          `json:"end"`
	Recording   string            `json:"recording,omitempty"`
}

func resendJSON(g *again, sent *peer.Resent) *resendReport {
	r := &resendReport{
		Seq: g.Ref.Seq, Method: g.Method, Target: g.Target, Command: g.command, Request: g.line, Edited: append([]string{}, g.edited...),
		Now: answerJSON(&sent.Exchange, true), Differences: append([]peer.Difference{}, g.Differences(&sent.Exchange)...),
		End: endJSON(&sent.End), Recording: sent.Recording,
	}
	if g.Ref.Sub != annotate.NoSub {
		r.Sub = &g.Ref.Sub
	}
	if sent.Opening != nil {
		opening := answerJSON(sent.Opening, false)
		r.Handshake = &opening
	}
	if old := g.Exchange(); old != nil {
		answer := answerJSON(old, true)
		r.Recorded = &answer
	}
	r.Equal = g.Answer != nil && sent.Err == nil && len(r.Differences) == 0
	return r
}

// resent prints the two answers side by side.
func (p *textLog) resent(g *again, sent *peer.Resent) {
	p.about("request", g.Ref.String()+" "+strings.TrimSpace(g.Method+" "+g.Target))
	if len(g.edited) > 0 {
		p.about("changed", strings.Join(g.edited, ", "))
		p.about("", string(g.line))
	}
	if sent.Opening != nil {
		p.about("handshake", p.outcome(sent.Opening, "ok"))
	}
	if old := g.Exchange(); old != nil {
		p.answerOf("recorded", old)
	} else {
		p.about("recorded", "no answer")
	}
	p.answerOf("now", &sent.Exchange)
	if g.Answer != nil && sent.Err == nil {
		found := g.Differences(&sent.Exchange)
		if len(found) == 0 {
			p.about("answers", "equal")
		} else {
			p.about("answers", plural(len(found), "difference"))
		}
		for i := range found {
			if i == shownDifferences {
				p.about("", "and "+plural(len(found)-i, "more difference"))
				break
			}
			p.about("", found[i].Words("recorded", "now"))
		}
	}
	if sent.Err != nil {
		for i, w := range sent.End.Words {
			name := ""
			if i == 0 {
				name = "stderr"
			}
			p.about(name, w)
		}
		p.about("end", endText(&sent.End))
	}
	if sent.Recording != "" {
		p.about("recording", sent.Recording)
	}
}

// shownDifferences bounds what is printed; --json has all.
const shownDifferences = 20

func (p *textLog) answerOf(name string, x *peer.Exchange) {
	p.about(name, p.outcome(x, strings.ReplaceAll(x.State(), "_", " ")))
	if x.Err == nil && x.Answer.Fault == nil {
		p.about("", shortened(string(x.Answer.Result)))
	}
}

// shortened keeps an answer to a few lines; the recording has all of it.
func shortened(s string) string {
	const most = 1000
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
