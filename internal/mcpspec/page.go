package mcpspec

import (
	"strings"
	"sync"
)

// edition says where a section stands from a revision on, until the next edition. No page means that
// the specification no longer speaks of it.
type edition struct {
	since string
	page  string
}

// editions are the sections that a rule may name, by the name they have there without the revision: where
// they stand in which revision, oldest first. A revision before the first edition says nothing of the matter.
var editions = sync.OnceValue(func() map[string][]edition {
	return map[string][]edition{
		"basic/index#requests":      messages("#requests", "basic/index#requests"),
		"basic/index#responses":     messages("#responses", "basic/index#responses"),
		"basic/index#notifications": messages("#notifications", "basic/index#notifications"),
		"basic/index#messages":      messages("", "basic/index#messages"),
		"basic/index#schema-validation": {
			{Rev20241105, "server/tools#tool"}, {Rev20251125, "basic/index#schema-validation"},
		},
		"basic/index#schema-dialect": since(Rev20251125, "basic/index#schema-dialect"),
		"basic/index#_meta":          since(Rev20250618, "basic/index#_meta"),

		"basic/lifecycle#initialization":         legacy("basic/lifecycle#initialization"),
		"basic/lifecycle#version-negotiation":    legacy("basic/lifecycle#version-negotiation"),
		"basic/lifecycle#capability-negotiation": legacy("basic/lifecycle#capability-negotiation"),
		"basic/lifecycle#operation":              legacy("basic/lifecycle#operation"),
		"basic/lifecycle#shutdown": {
			{Rev20241105, "basic/lifecycle#shutdown"}, {Rev20260728, "basic/transports/stdio#shutdown"},
		},
		"basic/lifecycle#timeouts": {
			{Rev20241105, "basic/lifecycle#error-handling"}, {Rev20250326, "basic/lifecycle#timeouts"}, {Rev20260728, "basic/transports/stdio#cancellation"},
		},
		"basic/transports#stdio": {
			{Rev20241105, "basic/transports#stdio"}, {Rev20260728, "basic/transports/stdio"},
		},
		"basic/transports/index#messages": {
			{Rev20241105, "basic/transports#stdio"}, {Rev20250326, "basic/transports"}, {Rev20260728, "basic/transports/index#messages"},
		},
		"basic/transports/stdio#shutdown": {
			{Rev20241105, "basic/lifecycle#shutdown"}, {Rev20260728, "basic/transports/stdio#shutdown"},
		},
		"basic/transports/stdio#unexpected-termination": {
			{Rev20241105, "basic/lifecycle#shutdown"}, {Rev20260728, "basic/transports/stdio#unexpected-termination"},
		},
		"basic/security_best_practices": {
			{Rev20250618, "basic/security_best_practices"}, {Rev20260728, ""},
		},

		"basic/utilities/cancellation#behavior-requirements": {
			{Rev20241105, "basic/utilities/cancellation#behavior-requirements"}, {Rev20260728, "basic/patterns/cancellation"},
		},
		"basic/utilities/cancellation#timing-considerations": {
			{Rev20241105, "basic/utilities/cancellation#timing-considerations"}, {Rev20260728, "basic/patterns/cancellation"},
		},
		"basic/utilities/progress#progress-flow": {
			{Rev20241105, "basic/utilities/progress#progress-flow"}, {Rev20260728, "basic/patterns/progress"},
		},
		"basic/utilities/progress#behavior-requirements": {
			{Rev20241105, "basic/utilities/progress#behavior-requirements"}, {Rev20260728, "basic/patterns/progress"},
		},
		"basic/utilities/progress#implementation-notes": {
			{Rev20241105, "basic/utilities/progress#implementation-notes"}, {Rev20260728, "basic/patterns/progress"},
		},
		"basic/utilities/ping#behavior-requirements": legacy("basic/utilities/ping#behavior-requirements"),

		"server/tools#calling-tools":             same("server/tools#calling-tools"),
		"server/tools#list-changed-notification": same("server/tools#list-changed-notification"),
		"server/tools#message-flow":              same("server/tools#message-flow"),
		"server/tools#tool":                      same("server/tools#tool"),
		"server/tools#tool-result":               same("server/tools#tool-result"),
		"server/tools#embedded-resources":        same("server/tools#embedded-resources"),
		"server/tools#error-handling":            same("server/tools#error-handling"),
		"server/tools#security-considerations":   same("server/tools#security-considerations"),
		"server/tools#structured-content":        since(Rev20250618, "server/tools#structured-content"),
		"server/tools#output-schema":             since(Rev20250618, "server/tools#output-schema"),
		"server/tools#tool-names": {
			{Rev20241105, "server/tools#tool"}, {Rev20251125, "server/tools#tool-names"},
		},

		"server/resources#list-changed-notification": same("server/resources#list-changed-notification"),
		"server/resources#message-flow":              same("server/resources#message-flow"),
		"server/resources#capabilities":              legacy("server/resources#capabilities"),
		"server/resources#reading-resources":         same("server/resources#reading-resources"),
		"server/resources#resource":                  same("server/resources#resource"),
		"server/resources#resource-contents":         same("server/resources#resource-contents"),
		"server/resources#resource-templates":        same("server/resources#resource-templates"),
		"server/resources#error-handling":            same("server/resources#error-handling"),
		"server/resources#security-considerations":   same("server/resources#security-considerations"),
		"server/resources#annotations":               {{Rev20241105, "schema"}, {Rev20250618, "server/resources#annotations"}},

		"server/prompts#list-changed-notification": same("server/prompts#list-changed-notification"),
		"server/prompts#message-flow":              same("server/prompts#message-flow"),
		"server/prompts#prompt":                    same("server/prompts#prompt"),
		"server/prompts#promptmessage":             same("server/prompts#promptmessage"),
		"server/prompts#error-handling":            same("server/prompts#error-handling"),

		"server/utilities/completion#reference-types":    same("server/utilities/completion#reference-types"),
		"server/utilities/completion#completion-results": same("server/utilities/completion#completion-results"),
		"server/utilities/completion#error-handling": {
			{Rev20241105, "server/utilities/completion#reference-types"}, {Rev20250326, "server/utilities/completion#error-handling"},
		},

		"server/utilities/logging#capabilities":                  same("server/utilities/logging#capabilities"),
		"server/utilities/logging#log-levels":                    same("server/utilities/logging#log-levels"),
		"server/utilities/logging#error-handling":                same("server/utilities/logging#error-handling"),
		"server/utilities/logging#implementation-considerations": same("server/utilities/logging#implementation-considerations"),
		"server/utilities/logging#security":                      same("server/utilities/logging#security"),

		"server/utilities/pagination":                           same("server/utilities/pagination"),
		"server/utilities/pagination#error-handling":            same("server/utilities/pagination#error-handling"),
		"server/utilities/pagination#implementation-guidelines": same("server/utilities/pagination#implementation-guidelines"),

		"client/roots":                same("client/roots"),
		"client/roots#root":           same("client/roots#root"),
		"client/roots#message-flow":   legacy("client/roots#message-flow"),
		"client/roots#error-handling": legacy("client/roots#error-handling"),

		"client/sampling#user-interaction-model": same("client/sampling#user-interaction-model"),
		"client/sampling":                        same("client/sampling"),
		"client/sampling#messages":               same("client/sampling#messages"),
		"client/sampling#capability-priorities":  same("client/sampling#capability-priorities"),
		"client/sampling#error-handling":         legacy("client/sampling#error-handling"),
		"client/sampling#sampling-parameters": {
			{Rev20241105, "client/sampling#creating-messages"}, {Rev20260728, "client/sampling#sampling-parameters"},
		},
		"client/sampling#result-fields": {
			{Rev20241105, "client/sampling#creating-messages"}, {Rev20260728, "client/sampling#result-fields"},
		},
		"client/sampling#capabilities":                since(Rev20251125, "client/sampling#capabilities"),
		"client/sampling#tools-in-sampling":           since(Rev20251125, "client/sampling#tools-in-sampling"),
		"client/sampling#tool-choice-modes":           since(Rev20251125, "client/sampling#tool-choice-modes"),
		"client/sampling#tool-result-messages":        since(Rev20251125, "client/sampling#tool-result-messages"),
		"client/sampling#tool-use-and-result-balance": since(Rev20251125, "client/sampling#tool-use-and-result-balance"),

		"client/elicitation#user-interaction-model": since(Rev20250618, "client/elicitation#user-interaction-model"),
		"client/elicitation":                        since(Rev20250618, "client/elicitation"),
		"client/elicitation#capabilities":           since(Rev20250618, "client/elicitation#capabilities"),
		"client/elicitation#elicitation-requests": {
			{Rev20250618, "client/elicitation#creating-elicitation-requests"}, {Rev20251125, "client/elicitation#elicitation-requests"},
		},
		"client/elicitation#requested-schema": {
			{Rev20250618, "client/elicitation#request-schema"}, {Rev20251125, "client/elicitation#requested-schema"},
		},
		"client/elicitation#response-actions": since(Rev20250618, "client/elicitation#response-actions"),
		"client/elicitation#form-mode-security": {
			{Rev20250618, "client/elicitation#security-considerations"}, {Rev20251125, "client/elicitation#form-mode-security"},
		},
		"client/elicitation#safe-url-handling":             since(Rev20251125, "client/elicitation#safe-url-handling"),
		"client/elicitation#url-mode-elicitation-requests": since(Rev20251125, "client/elicitation#url-mode-elicitation-requests"),

		"schema":                                  same("schema"),
		"schema#calltoolrequestparams":            params("calltoolrequest"),
		"schema#calltoolresult":                   definition("schema#calltoolresult"),
		"schema#cancellednotificationparams":      params("cancellednotification"),
		"schema#getpromptrequestparams":           params("getpromptrequest"),
		"schema#imagecontent":                     definition("schema#imagecontent"),
		"schema#legacytitledenumschema":           since(Rev20251125, "schema#legacytitledenumschema"),
		"schema#loggingmessagenotificationparams": params("loggingmessagenotification"),
		"schema#methodnotfounderror": {
			{Rev20241105, "basic/messages#responses"}, {Rev20250326, "basic/index#responses"}, {Rev20260728, "schema#methodnotfounderror"},
		},
		"schema#promptmessage":                     definition("schema#promptmessage"),
		"schema#resourceupdatednotification":       definition("schema#resourceupdatednotification"),
		"schema#resourceupdatednotificationparams": params("resourceupdatednotification"),
		"schema#setlevelrequestparams":             append(params("setlevelrequest"), edition{Rev20260728, ""}),
		"schema#textcontent":                       definition("schema#textcontent"),
		"schema#tool":                              definition("schema#tool"),
		"schema#toolannotations": {
			{Rev20250326, "schema"}, {Rev20250618, "schema#toolannotations"},
		},
		"schema#toolresultcontent":  since(Rev20251125, "schema#toolresultcontent"),
		"schema#unsubscriberequest": append(definition("schema#unsubscriberequest"), edition{Rev20260728, ""}),
	}
})

func since(revision, page string) []edition { return []edition{{revision, page}} }

// same is for what stands under one name in every revision.
func same(page string) []edition { return since(Rev20241105, page) }

// legacy is for what went with the handshake.
func legacy(page string) []edition {
	return []edition{{Rev20241105, page}, {Rev20260728, ""}}
}

// messages is for what had a page of its own in the first revision.
func messages(section, page string) []edition {
	return []edition{{Rev20241105, "basic/messages" + section}, {Rev20250326, page}}
}

// definition is for a type: the reference of the schema, which has sections, is younger than the schema.
func definition(page string) []edition {
	return []edition{{Rev20241105, "schema"}, {Rev20250618, page}}
}

// params is for the params of a message, which got a type of their own late.
func params(message string) []edition {
	return []edition{{Rev20241105, "schema"}, {Rev20250618, "schema#" + message}, {Rev20251125, "schema#" + message + "params"}}
}

// PageIn returns where a revision speaks of what a page, named as REVISION/PATH#SECTION, says: under another
// path or section where these moved. The page itself is returned for a revision that says nothing of the matter, for
// one that nobody knows, and for pages that belong to one revision, such as a change log.
func PageIn(page, revision string) string {
	rev, path, ok := strings.Cut(page, "/")
	if !ok || rev == revision || !Known(rev) || !Known(revision) {
		return page
	}
	found := ""
	for _, e := range editions()[path] {
		if e.since <= revision {
			found = e.page
		}
	}
	if found == "" {
		return page
	}
	return revision + "/" + found
}

// PageURL is the address of a page of the specification, which rules name as REVISION/PATH#SECTION, or
// of an extension: "ext-NAME REVISION/PATH#SECTION" for its specification, extensions/… for its pages.
func PageURL(page string) string {
	const (
		site  = "https://modelcontextprotocol.io/"
		forge = "https://github.com/modelcontextprotocol/"
	)
	if repository, rest, ok := strings.Cut(page, " "); ok {
		path, section, _ := strings.Cut(rest, "#")
		suffix := ".md"
		if repository == "ext-apps" {
			suffix = ".mdx"
		}
		return forge + repository + "/blob/main/specification/" + path + suffix + fragment(section)
	}
	if strings.HasPrefix(page, "extensions/") {
		return site + page
	}
	path, section, _ := strings.Cut(page, "#")
	if rev, name, _ := strings.Cut(path, "/"); name == "schema" && rev < Rev20250618 {
		return forge + "modelcontextprotocol/blob/main/schema/" + rev + "/schema.ts" // without a page of its own yet
	}
	return site + "specification/" + path + fragment(strings.TrimPrefix(section, "_")) // which drops the underscore of _meta
}

func fragment(section string) string {
	if section == "" {
		return ""
	}
	return "#" + section
}
