package tui

import (
	"strconv"

	"github.com/shakescope/shakescope/annotate"
)

var riskRoles = map[annotate.RiskClass]role{
	annotate.RiskLow: roleOK, annotate.RiskMedium: roleText, annotate.RiskHigh: roleWarn, annotate.RiskCritical: roleError, annotate.RiskForbidden: roleError,
}

// judgement is what the review says of the tool that was selected last.
type judgement struct {
	of    *byte // the first of its definition
	width int
	said  []dline
}

// lines says in a line or two what the review has to say of a tool; `shakescope tools` says all of it.
func (j *judgement) lines(definition []byte, width int) []dline {
	if len(definition) == 0 || j.of == &definition[0] && j.width == width {
		return j.said
	}
	t := annotate.JudgeTool(definition)
	segs := []seg{{roleMuted, "risk "}, {riskRoles[t.Risk.Class], string(t.Risk.Class)}}
	if len(t.Risk.Reasons) > 0 {
		segs = append(segs, seg{roleText, ": " + t.Risk.Reasons[0]})
	}
	segs = append(segs, seg{roleMuted, "   may be repeated: "}, seg{roleText, string(t.Idempotency.Answer)},
		seg{roleMuted, "   about "}, seg{roleText, thousands(int64(t.Tokens))}, seg{roleMuted, " tokens a prompt   contract "},
		seg{roleText, strconv.FormatFloat(t.Contract.Score, 'g', -1, 64)}, seg{roleMuted, " of " + itoa(len(t.Contract.Fields))})
	*j = judgement{&definition[0], width, wrapSegs(segs, width)}
	return j.said
}
