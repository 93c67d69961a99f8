package tui

import (
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// more is what few entries have. No list shows it, but filters ask for it.
type more struct {
	t0         time.Duration // zero: that of the entry
	token      string
	err        bool
	code       int64
	message    string
	reason     jsonrpc.Reason
	offset     int
	defects    []jsonrpc.Defect
	probable   annotate.Ref
	ambiguous  bool
	unanswered string
	withheld   recordings.Withheld
}

// messageMax bounds what is kept of the message of an error.
const messageMax = 512

func (rs *rows) addMore(i int32, e *annotate.Entry) {
	if e.T0 == e.T && e.Token == "" && e.Err == nil && e.Reason == "" && len(e.Defects) == 0 && e.Probable.IsZero() && !e.Ambiguous && e.Unanswered == "" && e.Withheld == "" {
		return
	}
	m := &more{withheld: e.Withheld, token: clip(e.Token, messageMax), reason: e.Reason, offset: e.Offset, defects: e.Defects, probable: e.Probable, ambiguous: e.Ambiguous, unanswered: e.Unanswered}
	if e.T0 != e.T {
		m.t0 = e.T0
	}
	if e.Err != nil {
		m.err, m.code, m.message = true, e.Err.Code, clip(e.Err.Message, messageMax)
	}
	rs.more[i] = m
}

// nothingMore is what most entries have.
var nothingMore more

func (rs *rows) moreOf(i int) *more {
	if m := rs.more[int32(i)]; m != nil {
		return m
	}
	return &nothingMore
}

func (rs *rows) patchMore(i int32, p *annotate.Patch) {
	if p.Probable.IsZero() && !p.Ambiguous && p.Unanswered == "" {
		return
	}
	m := rs.more[i]
	if m == nil {
		m = &more{}
		rs.more[i] = m
	}
	if !p.Probable.IsZero() {
		m.probable = p.Probable
	}
	m.ambiguous = m.ambiguous || p.Ambiguous
	if p.Unanswered != "" {
		m.unanswered = p.Unanswered
	}
}

// fillMore puts what is known of row i beyond the row into its entry.
func (rs *rows) fillMore(e *annotate.Entry, i int) {
	e.EOL = rs.eras[rs.at(i).era].eol
	m := rs.moreOf(i)
	if m.t0 != 0 {
		e.T0 = m.t0
	}
	if m.err {
		e.Err = &jsonrpc.ErrorObject{Code: m.code, Message: m.message}
	}
	e.Token, e.Reason, e.Offset, e.Defects = m.token, m.reason, m.offset, m.defects
	e.Probable, e.Ambiguous, e.Unanswered, e.Withheld = m.probable, m.ambiguous, m.unanswered, m.withheld
}
