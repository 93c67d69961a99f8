package mcpspec

import (
	"strings"
	"testing"
)

func TestPageIn(t *testing.T) {
	for _, c := range []struct{ page, revision, want string }{
		{"2025-11-25/server/tools#tool", Rev20250618, "2025-06-18/server/tools#tool"},
		{"2025-11-25/server/tools#tool", Rev20251125, "2025-11-25/server/tools#tool"},
		{"2025-11-25/server/tools#tool", Rev20260728, "2026-07-28/server/tools#tool"},
		{"2025-11-25/server/tools#tool-names", Rev20250326, "2025-03-26/server/tools#tool"},
		{"2025-11-25/basic/index#requests", Rev20241105, "2024-11-05/basic/messages#requests"},
		{"2025-11-25/basic/lifecycle#timeouts", Rev20241105, "2024-11-05/basic/lifecycle#error-handling"},
		{"2025-11-25/basic/lifecycle#timeouts", Rev20250326, "2025-03-26/basic/lifecycle#timeouts"},
		{"2025-11-25/basic/lifecycle#initialization", Rev20260728, "2025-11-25/basic/lifecycle#initialization"},
		{"2026-07-28/basic/transports/stdio#unexpected-termination", Rev20251125, "2025-11-25/basic/lifecycle#shutdown"},
		{"2025-11-25/basic/utilities/progress#progress-flow", Rev20260728, "2026-07-28/basic/patterns/progress"},
		{"2025-11-25/client/elicitation#requested-schema", Rev20250618, "2025-06-18/client/elicitation#request-schema"},
		{"2025-11-25/schema#calltoolrequestparams", Rev20250618, "2025-06-18/schema#calltoolrequest"},
		{"2025-11-25/schema#calltoolresult", Rev20241105, "2024-11-05/schema"},
		// What a revision does not speak of keeps its page, and so does what belongs to one revision.
		{"2025-11-25/client/elicitation#response-actions", Rev20241105, "2025-11-25/client/elicitation#response-actions"},
		{"2025-06-18/changelog", Rev20251125, "2025-06-18/changelog"},
		{"2026-07-28/basic/transports/stdio#backward-compatibility", Rev20251125, "2026-07-28/basic/transports/stdio#backward-compatibility"},
		{"ext-tasks 2026-07-28/tasks#task-creation", Rev20251125, "ext-tasks 2026-07-28/tasks#task-creation"},
		{"2025-11-25/server/tools#tool", "", "2025-11-25/server/tools#tool"},
		{"2025-11-25/server/tools#tool", "2099-01-01", "2025-11-25/server/tools#tool"},
		{"", Rev20251125, ""},
	} {
		if got := PageIn(c.page, c.revision); got != c.want {
			t.Errorf("PageIn(%q, %q) = %q, want %q", c.page, c.revision, got, c.want)
		}
	}
}

func TestEditionsAreInOrder(t *testing.T) {
	for path, list := range editions() {
		named := false
		for i, e := range list {
			named = named || e.page == path
			if !Known(e.since) || i > 0 && e.since <= list[i-1].since {
				t.Errorf("%s: edition %d is since %q", path, i, e.since)
			}
		}
		if !named {
			t.Errorf("%s: in no edition under its own name", path)
		}
	}
}

func TestPageURL(t *testing.T) {
	for page, want := range map[string]string{
		"2025-11-25/server/tools#tool":                "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool",
		"2025-11-25/basic/index#_meta":                "https://modelcontextprotocol.io/specification/2025-11-25/basic/index#meta",
		"2025-06-18/schema#tool":                      "https://modelcontextprotocol.io/specification/2025-06-18/schema#tool",
		"2024-11-05/schema":                           "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts",
		"ext-tasks 2026-07-28/tasks#task-creation":    "https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md#task-creation",
		"ext-apps 2026-01-26/apps#resource-discovery": "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#resource-discovery",
		"extensions/apps/overview":                    "https://modelcontextprotocol.io/extensions/apps/overview",
	} {
		if got := PageURL(page); got != want || strings.Contains(got, " ") {
			t.Errorf("PageURL(%q) = %q, want %q", page, got, want)
		}
	}
}
