package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

// Rules about tools inside sampling.
var samplingToolRules = []Rule{
	{
		ID: "sampling-mixed-tool-result", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/client/sampling#tool-result-messages",
		Title: "A user message mixes tool results with other content.",
		Why:   "Model APIs take the results of tools in a message of their own and refuse the mixture.",
		Fix:   "Put the tool results into one user message, and further text into the next.",
		hooks: onAsk(mixedToolResult, samplingMethod),
	},
	{
		ID: "sampling-tool-use-unbalanced", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/client/sampling#tool-use-and-result-balance",
		Title: "Tool uses of an assistant message are not all answered by the next message.",
		Why:   "Model APIs refuse a conversation in which a tool use has no result.",
		Fix:   "Let a user message with one tool_result for each tool_use id follow at once.",
		hooks: onAsk(unbalanced, samplingMethod),
	},
	{
		ID: "sampling-tool-result-orphan", Group: GroupSampling, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/schema#toolresultcontent",
		Title: "A tool result for a tool use that does not exist.",
		Why:   "Model APIs refuse the conversation.",
		Fix:   "Use the id of a tool_use block of an earlier message as toolUseId.",
		hooks: onAsk(orphanResult, samplingMethod),
	},
	{
		ID: "sampling-tool-use-not-offered", Group: GroupSampling, Levels: []Level{LevelWarning}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "client",
		Spec:  "2025-11-25/client/sampling#tool-choice-modes",
		Title: "The result of sampling does not go with the tools that were offered.",
		Why:   "The server cannot run a tool that it did not offer, or waits for one that does not come.",
		Fix:   "Hand tools and toolChoice on to the model as they came, and return tool_use blocks with stopReason toolUse.",
		hooks: []hook{on(onResult, useNotOffered, samplingMethod), on(onRequest, useNotOffered, "tools/call", "prompts/get", "resources/read")},
	},
}

// toolBlocks returns the ids of the tool uses, and those that tool results name, of a message, and whether
// it holds anything else.
func (m *samplingMessage) toolBlocks() (uses, results []string, others bool) {
	for _, block := range m.blocks() {
		switch text(member(block, "type")) {
		case "tool_use":
			uses = append(uses, text(member(block, "id")))
		case "tool_result":
			results = append(results, text(member(block, "toolUseId")))
		default:
			others = true
		}
	}
	return uses, results, others
}

func mixedToolResult(v *view) {
	v.asks(func(a *ask) {
		for _, m := range a.messages() {
			if _, results, others := m.toolBlocks(); text(m.role) == "user" && len(results) > 0 && others {
				v.reportOn("mixed", Finding{Message: fmt.Sprintf("a user message has %s beside other content", counted(len(results), "tool result", "tool results")), Path: m.path + "/content"})
			}
		}
	}, samplingMethod)
}

func unbalanced(v *view) {
	v.asks(func(a *ask) {
		messages := a.messages()
		for i := range messages {
			m := &messages[i]
			uses, _, _ := m.toolBlocks()
			if text(m.role) != "assistant" || len(uses) == 0 {
				continue
			}
			answered := map[string]bool{}
			if i+1 < len(messages) && text(messages[i+1].role) == "user" {
				_, results, _ := messages[i+1].toolBlocks()
				for _, id := range results {
					answered[id] = true
				}
			}
			var open []string
			for _, id := range uses {
				if !answered[id] {
					open = append(open, shortID(id))
				}
			}
			if len(open) > 0 {
				v.reportOn("unbalanced", Finding{Message: "no tool result follows at once for tool use " + strings.Join(open[:min(len(open), 4)], ", "), Path: m.path})
			}
		}
	}, samplingMethod)
}

func orphanResult(v *view) {
	v.asks(func(a *ask) {
		known := map[string]bool{}
		for _, m := range a.messages() {
			uses, results, _ := m.toolBlocks()
			for _, id := range results {
				if !known[id] {
					v.reportOn("orphan", Finding{Message: "tool result for " + shortID(id) + ", but no earlier tool use has that id", Path: m.path + "/content"})
				}
			}
			for _, id := range uses {
				known[id] = true
			}
		}
	}, samplingMethod)
}

// useNotOffered is about a result in either form, next to the request that it answers.
func useNotOffered(v *view) {
	if v.Entry.Kind == Response {
		if x := v.Exchange; x != nil && x.from == server && x.sized && x.params != nil && !isObject(v.outcome.task) {
			v.usesOffered(x.params, v.Entry.Message.Result, "/result", x.At)
		}
		return
	}
	in := v.Exchange.resumes
	if in == nil {
		return
	}
	members(v.call.inputResponses, func(key, value []byte) bool {
		if q := in.find(string(key)); q != nil && q.method == samplingMethod && q.params != nil {
			v.usesOffered(q.params, value, pointer("/params/inputResponses", string(key)), in.at.At)
		}
		return true
	})
}

func (v *view) usesOffered(params, result []byte, path string, at Ref) {
	content := member(result, "content")
	if content == nil {
		return
	}
	offered := map[string]bool{}
	elements(member(params, "tools"), func(tool []byte) bool {
		offered[text(member(tool, "name"))] = true
		return true
	})
	choice := text(member(params, "toolChoice", "mode"))
	reason := text(member(result, "stopReason"))
	m := samplingMessage{content: content}
	var used []string
	for _, block := range m.blocks() {
		if text(member(block, "type")) == "tool_use" {
			used = append(used, text(member(block, "name")))
		}
	}
	f := Finding{Path: path + "/content", Related: []Ref{at}}
	switch {
	case len(used) > 0 && choice == "none":
		f.Message = "the model uses tool " + shortID(used[0]) + ", though toolChoice is none"
	case len(used) == 0 && reason == "toolUse":
		f.Message, f.Path = "stopReason is toolUse, but no tool is used", path+"/stopReason"
	case len(used) == 0 && choice == "required" && reason != "maxTokens":
		f.Message = "toolChoice is required, but no tool is used"
	default:
		for _, name := range used {
			if !offered[name] {
				f.Message = "the model uses tool " + shortID(name) + ", which was not offered"
				break
			}
		}
	}
	if f.Message != "" {
		v.reportOn(f.Message, f)
	}
}
