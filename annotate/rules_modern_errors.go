package annotate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about versions that a server refuses, and about the error codes of the modern era.
var modernErrorRules = []Rule{
	{
		ID: "modern-version-unsupported-accepted", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/versioning#protocol-version-negotiation",
		Title: "A request in a version that the server does not support got a result.",
		Why:   "The client believes that its version is spoken, and reads the answer by rules that the server does not know.",
		Fix:   "Check the version of every request against the supported ones, and answer -32022 with the list.",
		hooks: []hook{on(onResult, unsupportedAccepted), on(onError, offeredByError)},
	},
	{
		ID: "modern-version-wrong-code", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/versioning#protocol-version-negotiation",
		Title: "A version that the server does not support was refused with another code than -32022.",
		Why:   "Only -32022 tells a client that it should retry in one of the versions listed; on any other error it gives up, or takes the server for a legacy one.",
		Fix:   "Answer -32022 with data.supported and data.requested.",
		hooks: []hook{on(onError, versionWrongCode)},
	},
	{
		ID: "modern-version-error-shape", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/schema#unsupportedprotocolversionerror",
		Title: "The error for an unsupported version does not name the versions.",
		Why:   "Without data.supported the client does not know what to retry with.",
		Fix:   "Send data with supported, a list of versions, and requested, the one that was asked for.",
		hooks: []hook{on(onError, versionErrorShape)},
	},
	{
		ID: "modern-version-error-self", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/versioning#protocol-version-negotiation",
		Title: "A version was refused as unsupported, and the list of supported versions holds it.",
		Why:   "The client retries with the same version and gets the same error, or gives up.",
		Fix:   "Let the check and the list come from one table; look for a comparison with a single version.",
		hooks: []hook{on(onError, versionErrorSelf)},
	},
	{
		ID: "modern-version-no-retry", Group: GroupModern, Levels: []Level{LevelWarning}, Likely: true, Revisions: mcpspec.ModernOnly, By: "client",
		Spec:  "2026-07-28/basic/versioning#protocol-version-negotiation",
		Title: "After the server named its versions, the client did not go on with one of them.",
		Why:   "Nothing can work in the version that was refused.",
		Fix:   "Retry with a version of data.supported that the client speaks, and keep it for the requests that follow.",
		hooks: []hook{on(onError, versionRefused), on(onRequest, versionAgain), on(onProcessEnd, versionNotRetried)},
	},
	{
		ID: "modern-capability-error-shape", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/schema#missingrequiredclientcapabilityerror",
		Title: "The error for a missing client capability does not say which one is missing.",
		Why:   "The client cannot know what to declare, so the call can never succeed.",
		Fix:   "Send data.requiredCapabilities, an object like the client's capabilities, with what the request did not declare.",
		hooks: []hook{on(onError, capabilityErrorShape)},
	},
	{
		ID: "modern-forbidden-code", Group: GroupModern, Levels: []Level{LevelError}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/index#error-codes",
		Title: "An error code that may not be sent in the modern era.",
		Why:   "-32002 and -32042 are gone, and the range from -32099 to -32020 belongs to the specification alone: clients give such codes another meaning or none.",
		Fix:   "-32602 says that a resource is missing, input_required asks the user to open a URL; own codes lie outside of -32768 to -32000.",
		hooks: []hook{on(onError, forbiddenCode)},
	},
	{
		ID: "modern-legacy-range-code", Group: GroupModern, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/basic/index#error-codes",
		Title: "An error code from the range that is left to old implementations.",
		Why:   "Codes from -32019 to -32000 have no agreed meaning. -32001, -32003 and -32004 hint at a build from a draft, before the codes were renumbered.",
		Fix:   "Use the specification's codes, or own ones outside of -32768 to -32000.",
		hooks: []hook{on(onError, legacyRangeCode)},
	},
	{
		ID: "modern-header-mismatch-on-stdio", Group: GroupModern, Levels: []Level{LevelInfo}, Revisions: mcpspec.ModernOnly, By: "server",
		Spec:  "2026-07-28/schema#headermismatcherror",
		Title: "-32020 says that HTTP headers do not fit the request, and there are none on stdio.",
		Why:   "A bridge to HTTP is at work behind this pipe, and loses or changes headers.",
		Fix:   "Look at the bridge: it has to set MCP-Protocol-Version, Mcp-Method and Mcp-Name from the message.",
		hooks: []hook{on(onError, headerMismatch)},
	},
}

// offered is the newest list of versions that a server gave, in its discovery or in an error.
type offered struct {
	versions []string
	at       Ref
}

func (o *offered) take(list []byte, at Ref) {
	versions := texts(list)
	if len(versions) > 0 {
		o.versions, o.at = versions, at
	}
}

// maxTexts bounds the lists of strings that are looked at.
const maxTexts = 1000

// texts returns the strings of an array; what is no string is left out.
func texts(list []byte) []string {
	var out []string
	elements(list, func(value []byte) bool {
		if isString(value) {
			out = append(out, text(value))
		}
		return len(out) < maxTexts
	})
	return out
}

// knownList writes versions for a message, never many of them.
func knownList(versions []string) string {
	if len(versions) == 0 {
		return "none"
	}
	if len(versions) > 8 {
		return clean(strings.Join(versions[:8], ", ")) + fmt.Sprintf(" and %d more", len(versions)-8)
	}
	return clean(strings.Join(versions, ", "))
}

func unsupportedAccepted(v *view) {
	x, o := v.Exchange, memo[offered](v, v.Process)
	if x == nil || x.from != client {
		return
	}
	if x.method == "server/discover" {
		o.take(v.outcome.supported, v.At)
		return
	}
	if x.version == "" || len(o.versions) == 0 || o.at.Seq > x.At.Seq || slices.Contains(o.versions, x.version) {
		return
	}
	v.reportOn(x.version, Finding{
		Message: fmt.Sprintf("%s in version %s got a result; the server supports %s (%s)", label(x.method, x.target), clean(x.version), knownList(o.versions), o.at),
		Related: []Ref{x.At, o.at},
	})
}

// offeredByError takes in the list of versions of an error.
func offeredByError(v *view) {
	if v.Exchange != nil && v.Entry.Err.Code == mcpspec.UnsupportedVersion {
		memo[offered](v, v.Process).take(member(v.Entry.Err.Data, "supported"), v.At)
	}
}

func versionWrongCode(v *view) {
	x, err := v.Exchange, v.Entry.Err
	if x == nil || x.from != client || !v.Process.modern.marked || lacksMeta(v, x) != "" {
		return
	}
	if err.Code == mcpspec.UnsupportedVersion || err.Code == mcpspec.MethodNotFound && (x.spec == nil || x.removed()) {
		return
	}
	o := memo[offered](v, v.Process)
	known := len(o.versions) > 0
	if known && slices.Contains(o.versions, x.version) {
		return
	}
	if !known && (mcpspec.Known(x.version) || !strings.Contains(strings.ToLower(err.Message), "version")) {
		return
	}
	f := Finding{Message: fmt.Sprintf("version %s was refused with %d; -32022 was due", clean(x.version), err.Code), Path: "/error/code", Related: []Ref{x.At}}
	if known {
		f.Related = append(f.Related, o.at)
	}
	v.reportOn(x.version, f)
}

func versionErrorShape(v *view) {
	x, err := v.Exchange, v.Entry.Err
	if x == nil || err.Code != mcpspec.UnsupportedVersion {
		return
	}
	supported := member(err.Data, "supported")
	var lacks []string
	if n := len(texts(supported)); n == 0 || n != min(count(supported), maxTexts) {
		lacks = append(lacks, "data.supported, a list of versions")
	}
	if !isString(member(err.Data, "requested")) {
		lacks = append(lacks, "data.requested, a version")
	}
	if lacks != nil {
		v.report(Finding{Message: "error -32022 without " + strings.Join(lacks, " and without "), Path: "/error/data", Related: []Ref{x.At}})
	}
}

func versionErrorSelf(v *view) {
	x, err := v.Exchange, v.Entry.Err
	if x == nil || x.version == "" || err.Code != mcpspec.UnsupportedVersion {
		return
	}
	if slices.Contains(texts(member(err.Data, "supported")), x.version) {
		v.report(Finding{Message: fmt.Sprintf("%s was refused, and is in the list of what is supported", clean(x.version)), Path: "/error/data/supported", Related: []Ref{x.At}})
	}
}

// refusals is what became of the versions that a server refused.
type refusals struct {
	refused map[string]mark // by version: the error
	open    []refusedVersion
	spoken  []string // versions of the client's requests
}

type refusedVersion struct {
	at        mark
	request   Ref
	method    string
	supported []string
}

const maxRefusals = 64

func versionRefused(v *view) {
	x, err := v.Exchange, v.Entry.Err
	if x == nil || x.version == "" || err.Code != mcpspec.UnsupportedVersion {
		return
	}
	supported := texts(member(err.Data, "supported"))
	if len(supported) == 0 || slices.Contains(supported, x.version) {
		return
	}
	m := memo[refusals](v, v.Process)
	if m.refused == nil {
		m.refused = make(map[string]mark)
	}
	if _, ok := m.refused[x.version]; !ok && len(m.refused) < maxRefusals {
		m.refused[x.version] = mark{v.At, v.T}
	}
	if len(m.open) < maxRefusals {
		m.open = append(m.open, refusedVersion{mark{v.At, v.T}, x.At, x.method, supported})
	}
}

// versionAgain looks for a client that goes on with what was refused. A request on its way when the error
// came proves nothing.
func versionAgain(v *view) {
	const race = 2 * time.Millisecond
	m, c := memo[refusals](v, v.Process), v.call
	if v.from() != client {
		return
	}
	if c.protocol != "" || c.version != "" {
		said := c.version
		if said == "" {
			said = c.protocol
		}
		if len(m.spoken) < maxRefusals && !slices.Contains(m.spoken, said) {
			m.spoken = append(m.spoken, said)
		}
		m.open = slices.DeleteFunc(m.open, func(r refusedVersion) bool { return slices.Contains(r.supported, said) })
	}
	if at, ok := m.refused[c.version]; ok && v.T-at.T > race {
		v.reportOn(c.version, Finding{
			Message: fmt.Sprintf("%s in version %s once more, which the server refused (%s)", label(v.Entry.Method, v.Entry.Target), clean(c.version), at.At),
			Path:    pointer("/params/_meta", mcpspec.MetaProtocolVersion), Related: []Ref{at.At},
		})
	}
}

func versionNotRetried(v *view) {
	m := memo[refusals](v, v.Process)
	if v.uncertain() {
		return
	}
	for _, r := range m.open {
		// A probe may go on in another process, and a client that knows none of the versions has to give up.
		i := slices.IndexFunc(r.supported, func(s string) bool { return slices.Contains(m.spoken, s) })
		if r.method != "server/discover" && i >= 0 {
			v.reportOn("offered "+r.supported[i], Finding{
				At: r.at.At, Related: []Ref{r.request},
				Message: fmt.Sprintf("the server offered %s, which the client speaks, and no request in it followed", clean(r.supported[i])),
			})
		}
	}
}

func capabilityErrorShape(v *view) {
	x, err := v.Exchange, v.Entry.Err
	if x == nil || err.Code != mcpspec.MissingCapability {
		return
	}
	required := member(err.Data, "requiredCapabilities")
	f := Finding{Path: "/error/data", Related: []Ref{x.At}}
	switch {
	case !isObject(required):
		f.Message = "error -32021 without data.requiredCapabilities"
	case x.clientCaps != nil && declaresAll(x.clientCaps, required, nil):
		f.Message = "error -32021 asks for nothing that the request did not declare: " + excerpt(required)
		f.Path += "/requiredCapabilities"
	default:
		return
	}
	v.report(f)
}

// declaresAll reports whether a request declared all capabilities of an object of the same form.
func declaresAll(declared, required []byte, path []string) bool {
	all := true
	members(required, func(key, value []byte) bool {
		at := append(slices.Clip(path), string(key))
		have := member(declared, at...)
		form := len(at) == 2 && at[0] == "elicitation" && at[1] == "form" && declares(declared, "elicitation.form")
		all = (have != nil && !isNull(have) && string(have) != "false" || form) && (!isObject(value) || len(at) > 8 || declaresAll(declared, value, at))
		return all
	})
	return all
}

func forbiddenCode(v *view) {
	x, code := v.Exchange, v.Entry.Err.Code
	if x == nil || x.from != client || !v.Process.knowsModern() || x.method == "server/discover" && !v.Process.modern.marked {
		return
	}
	f := Finding{Path: "/error/code", Related: []Ref{x.At}}
	switch {
	case code == mcpspec.ResourceNotFound:
		f.Message = "-32002 is the legacy code for a missing resource; -32602 took its place"
	case code == mcpspec.URLElicitationRequired:
		f.Message = "-32042 is gone: a URL is asked for by resultType input_required"
	case code >= mcpspec.SpecificationLow && code <= mcpspec.SpecificationHigh &&
		code != mcpspec.HeaderMismatch && code != mcpspec.MissingCapability && code != mcpspec.UnsupportedVersion:
		f.Message = fmt.Sprintf("%d lies in the range that is the specification's, and it does not define it", code)
	default:
		return
	}
	v.reportOn(fmt.Sprint(code), f)
}

func legacyRangeCode(v *view) {
	x, code := v.Exchange, v.Entry.Err.Code
	if x == nil || x.from != client || code == mcpspec.ResourceNotFound || code < mcpspec.ImplementationLow || code > mcpspec.ImplementationHigh {
		return
	}
	f := Finding{Message: fmt.Sprintf("%d has no agreed meaning", code), Path: "/error/code", Related: []Ref{x.At}}
	switch code {
	case -32001:
		f.Message += "; in a draft it was the header mismatch (-32020)"
	case -32003:
		f.Message += "; in a draft it was the missing client capability (-32021)"
	case -32004:
		f.Message += "; in a draft it was the unsupported version (-32022)"
	}
	v.reportOn(fmt.Sprint(code), f)
}

func headerMismatch(v *view) {
	if v.Exchange != nil && v.Entry.Err.Code == mcpspec.HeaderMismatch {
		v.reportOn("header", Finding{Message: "-32020 on stdio, where there are no headers", Path: "/error/code", Related: []Ref{v.Exchange.At}})
	}
}
