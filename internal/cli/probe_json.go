package cli

import (
	"encoding/json"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/recordings"
)

// probeReport is the object of `probe --json` (docs/probe.md).
type probeReport struct {
	Command []string   `json:"command"`
	OK      bool       `json:"ok"`
	Runs    []probeRun `json:"runs"`
}

type probeRun struct {
	Asked      *string                   `json:"asked"`
	Verdict    string                    `json:"verdict"`
	Reason     string                    `json:"reason,omitempty"`
	Era        *string                   `json:"era"`
	Revision   *string                   `json:"revision"`
	Server     recordings.Implementation `json:"server,omitzero"`
	Caps       json.RawMessage           `json:"capabilities"`
	Supported  []string                  `json:"supported_versions,omitempty"`
	Handshake  []probeStep               `json:"handshake"`
	OpeningMS  float64                   `json:"opening_ms"`
	Lists      map[string]probeList      `json:"lists"`
	Ping       *probeAnswer              `json:"ping"`
	Call       *probeAnswer              `json:"call,omitempty"`
	Stopped    string                    `json:"stopped,omitempty"`
	End        probeEnd                  `json:"end"`
	Recordings []string                  `json:"recordings"`
	Findings   []annotate.Finding        `json:"findings"`
	Counts     map[annotate.Level]int    `json:"counts"`
}

type probeStep struct {
	Method   string `json:"method"`
	Revision string `json:"revision"`
	probeAnswer
}

// probeAnswer is what came of a request: its state is that of [peer.Exchange].
type probeAnswer struct {
	State     string          `json:"state"`
	LatencyMS *float64        `json:"latency_ms"`
	Error     *probeError     `json:"error,omitempty"`
	Reason    string          `json:"reason,omitempty"` // why there is no answer
	Result    json.RawMessage `json:"result,omitempty"`
}

type probeError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

type probeList struct {
	Count     int         `json:"count"`
	Names     []string    `json:"names"`
	Pages     int         `json:"pages"`
	LatencyMS float64     `json:"latency_ms"`
	Error     *probeError `json:"error,omitempty"`
	Reason    string      `json:"reason,omitempty"`
}

type probeEnd struct {
	How        string   `json:"how"`
	Code       *int     `json:"code,omitempty"`
	Signal     string   `json:"signal,omitempty"`
	AfterMS    float64  `json:"after_ms"`
	LeftBehind string   `json:"left_behind,omitempty"`
	Stderr     []string `json:"stderr,omitempty"`
}

func probeJSON(command []string, visits []probed, ok bool) *probeReport {
	r := &probeReport{Command: command, OK: ok}
	for i := range visits {
		r.Runs = append(r.Runs, visits[i].json())
	}
	return r
}

func (p *probed) json() probeRun {
	run := probeRun{
		Asked: orNull(p.Asked), Verdict: p.Verdict, Reason: p.Reason, OpeningMS: milliseconds(p.Opening),
		Lists: map[string]probeList{}, Stopped: p.Stopped, Recordings: append([]string{}, p.Recordings...),
		Findings: []annotate.Finding{}, Counts: map[annotate.Level]int{}, Handshake: []probeStep{},
		End: endJSON(&p.End),
	}
	if s := p.Session; s != nil {
		run.Era, run.Revision, run.Supported = orNull(s.Era), orNull(s.Revision), s.Supported
		run.Server = recordings.Implementation{Name: s.Name, Version: s.Version}
		run.Caps = s.Capabilities
	}
	for _, s := range p.Steps {
		run.Handshake = append(run.Handshake, probeStep{s.Method, s.Revision, answerJSON(&peer.Exchange{Answer: s.Answer, Err: s.Err}, false)})
	}
	for _, l := range p.Lists {
		list := probeList{Count: len(l.Names), Names: append([]string{}, l.Names...), Pages: l.Pages, LatencyMS: milliseconds(l.Latency), Error: errorJSON(l.Fault)}
		if l.Err != nil {
			list.Reason = l.Err.Error()
		}
		run.Lists[l.Method] = list
	}
	if p.Ping != nil {
		ping := answerJSON(p.Ping, false)
		run.Ping = &ping
	}
	if p.Call != nil {
		call := answerJSON(p.Call, true)
		run.Call = &call
	}
	for _, l := range levels {
		run.Counts[l] = 0
	}
	for _, f := range p.findings {
		run.Findings = append(run.Findings, f.Finding)
		run.Counts[f.Level] += max(f.Count, 1)
	}
	return run
}

func endJSON(e *peer.End) probeEnd {
	return probeEnd{e.How, e.Code, e.Signal, milliseconds(e.After), e.LeftOvers, e.Words}
}

func answerJSON(x *peer.Exchange, whole bool) probeAnswer {
	if x.Err != nil {
		return probeAnswer{State: x.State(), Reason: x.Err.Error()}
	}
	ms := milliseconds(x.Answer.Latency)
	a := probeAnswer{State: x.State(), LatencyMS: &ms, Error: errorJSON(x.Answer.Fault)}
	if whole {
		a.Result = x.Answer.Result
	}
	return a
}

func errorJSON(f *peer.Fault) *probeError {
	if f == nil {
		return nil
	}
	return &probeError{f.Code, f.Message, f.Data}
}
