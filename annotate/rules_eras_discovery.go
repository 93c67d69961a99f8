package annotate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/timetext"
)

// discovery is what is remembered of the newest server/discover of a process.
type discovery struct {
	asked    mark
	version  string // that it was asked in
	answered mark
	code     int64 // of an error
	modern   bool  // the answer is one of a modern server
	versions []string
	probed   bool // a handshake followed, and that was said

	refusal     mark // an answer -32601, before anything shows a modern server
	refusedAsk  Ref
	missingSaid bool
}

func discoveryAsked(v *view) {
	if v.from() == client {
		d := memo[discovery](v, v.Process)
		d.asked, d.version, d.answered, d.modern, d.versions, d.code = mark{v.At, v.T}, v.call.version, mark{}, false, nil, 0
	}
}

func discoveryAnswered(v *view) {
	d := memo[discovery](v, v.Process)
	if v.Exchange == nil || v.Exchange.At != d.asked.At {
		return
	}
	d.answered = mark{v.At, v.T}
	if e := v.Entry.Err; e != nil {
		d.code = e.Code
		d.modern = e.Code == mcpspec.UnsupportedVersion || e.Code == mcpspec.MissingCapability
		d.versions = texts(member(e.Data, "supported"))
		return
	}
	d.modern = v.outcome.supported != nil
	d.versions = texts(v.outcome.supported)
}

// probe returns the discovery that went before a handshake, nil when there was none, or when it was no
// probe because modern requests followed it.
func (v *view) probe() *discovery {
	d := memo[discovery](v, v.Process)
	if v.from() != client || v.Entry.Era != mcpspec.Legacy || !d.asked.set() || v.Process.modern.operating || v.Session.opened.set() {
		return nil
	}
	return d
}

func fellBack(v *view) {
	d := v.probe()
	if d == nil || d.probed || d.modern {
		return
	}
	f := Finding{Related: []Ref{d.asked.At}}
	switch {
	case d.code != 0 || d.answered.set() && v.Process.modern.refuted.At == d.answered.At:
		f.Message = fmt.Sprintf("server/discover was answered with error %d after %s; the client goes on with initialize", d.code, timetext.Rough(d.answered.T-d.asked.T))
		f.Related = append(f.Related, d.answered.At)
	case d.answered.set():
		return // a result that is no discovery; that is said there
	default:
		f.Message = fmt.Sprintf("server/discover got no answer within %s; the client goes on with initialize", timetext.Rough(v.T-d.asked.T))
	}
	d.probed = true
	v.report(f)
}

const (
	stalled     = 5 * time.Second  // a wait that people notice
	longStalled = 30 * time.Second // a wait that they take for a hang
)

func probeStalled(v *view) {
	d := v.probe()
	if d == nil || d.answered.set() || v.uncertain() || v.T-d.asked.T < stalled {
		return
	}
	f := Finding{Message: fmt.Sprintf("server/discover (%s) got no answer for %s", d.asked.At, timetext.Rough(v.T-d.asked.T)), Level: LevelWarning, Related: []Ref{d.asked.At}}
	if v.T-d.asked.T < longStalled {
		f.Level = LevelInfo
	}
	v.report(f)
	v.withdraw(d.asked.At, "request-timed-out") // the same, said of any request
}

// fallbackAfterModern is not about a client that speaks none of the modern versions listed: it may go on
// with a legacy one where the server lists those, too.
func fallbackAfterModern(v *view) {
	d := v.probe()
	if d == nil || !d.modern {
		return
	}
	isModern := func(s string) bool { return isModernDate(s) }
	isLegacy := func(s string) bool { return mcpspec.EraOf(s) == mcpspec.Legacy }
	switch {
	case d.code == mcpspec.MissingCapability:
	case !slices.ContainsFunc(d.versions, isModern):
		return
	case !slices.Contains(d.versions, d.version) && slices.ContainsFunc(d.versions, isLegacy):
		return
	}
	what := "the discovery"
	if d.code != 0 {
		what = fmt.Sprintf("error %d", d.code)
	}
	f := Finding{Message: fmt.Sprintf("initialize although %s (%s) shows a modern server", what, d.answered.At), Related: []Ref{d.asked.At, d.answered.At}}
	if len(d.versions) > 0 {
		f.Message += ", which supports " + knownList(d.versions)
	}
	v.report(f)
}

func discoverRefused(v *view) {
	x, err := v.Exchange, v.Entry.Err
	if x == nil || x.from != client || err.Code != mcpspec.MethodNotFound {
		return
	}
	d := memo[discovery](v, v.Process)
	d.refusal, d.refusedAsk = mark{v.At, v.T}, x.At
	if v.Process.modern.marked && v.Process.modern.operating {
		d.missingSaid = true
		v.report(Finding{Message: "server/discover was refused with -32601 by a server that serves modern requests", Related: []Ref{x.At}})
	}
}

// servedWithoutDiscovery looks back at a refused discovery once the server has shown that it is modern.
func servedWithoutDiscovery(v *view) {
	x := v.Exchange
	if x == nil || x.from != client || x.version == "" || !v.Process.modern.marked {
		return
	}
	d := memo[discovery](v, v.Process)
	if d.missingSaid || !d.refusal.set() {
		return
	}
	d.missingSaid = true
	v.report(Finding{
		At: d.refusal.At, Related: []Ref{d.refusedAsk, v.At},
		Message: fmt.Sprintf("server/discover was refused with -32601, yet the server serves %s by the rules of the modern era (%s)", label(x.method, x.target), v.At),
	})
}

// discoverIgnored looks for a discovery that stayed open although modern requests were served.
func discoverIgnored(v *view) {
	p := v.Process
	if v.uncertain() || !p.modern.marked || !p.modern.operating {
		return
	}
	d := memo[discovery](v, p)
	for x := p.ends[client].oldest; x != nil && !d.missingSaid; x = x.newer {
		if x.method == "server/discover" && !x.cancelled() && !x.late && !x.unsound && x.probable.IsZero() && v.T-x.T > time.Second {
			d.missingSaid = true
			v.report(Finding{At: x.At, Message: "server/discover was never answered by a server that serves modern requests"})
		}
	}
}

func discoverShape(v *view) {
	x := v.Exchange
	if x == nil || x.from != client || isInterim(v.outcome.kind) {
		return // mrtr-wrong-method, task-ext-wrong-method
	}
	var wrong []string
	path := "/result"
	versions := v.outcome.supported
	switch {
	case versions == nil:
		wrong = append(wrong, "lacks supportedVersions")
	case !isArray(versions):
		wrong, path = append(wrong, "has a supportedVersions that is no list"), "/result/supportedVersions"
	case count(versions) == 0:
		wrong, path = append(wrong, "supports no version at all"), "/result/supportedVersions"
	case len(texts(versions)) != min(count(versions), maxTexts):
		wrong, path = append(wrong, "lists versions that are no strings"), "/result/supportedVersions"
	}
	switch caps := v.outcome.caps; {
	case caps == nil:
		wrong = append(wrong, "lacks capabilities")
	case !isObject(caps):
		wrong = append(wrong, "has capabilities that are no object")
	}
	if len(wrong) == 0 {
		return
	}
	message := "the discovery " + strings.Join(wrong, " and ")
	var legacy []string
	for _, key := range []string{"protocolVersion", "serverInfo"} {
		if member(v.Entry.Message.Result, key) != nil {
			legacy = append(legacy, key)
		}
	}
	if legacy != nil {
		message += "; " + strings.Join(legacy, " and ") + " at the top belong to initialize"
	}
	v.report(Finding{Message: message, Path: path, Related: []Ref{x.At}})
}

func noCommonVersion(v *view) {
	x := v.Exchange
	if x == nil || x.version == "" || v.outcome.supported == nil {
		return
	}
	versions := texts(v.outcome.supported)
	if len(versions) == 0 || slices.Contains(versions, x.version) {
		return
	}
	v.report(Finding{
		Message: fmt.Sprintf("asked in %s, supported: %s", clean(x.version), knownList(versions)),
		Path:    "/result/supportedVersions", Related: []Ref{x.At},
	})
}

func legacyVersions(v *view) {
	var legacy []string
	for _, s := range texts(v.outcome.supported) {
		if mcpspec.EraOf(s) == mcpspec.Legacy {
			legacy = append(legacy, s)
		}
	}
	if legacy != nil {
		v.reportOn("legacy", Finding{Message: "reachable by initialize only: " + knownList(legacy), Path: "/result/supportedVersions"})
	}
}
