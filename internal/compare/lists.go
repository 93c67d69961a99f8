package compare

import (
	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/mcpspec"
)

// listers are the lists with what reports call an item.
var listers = [annotate.ListKinds]struct {
	noun string
	*mcpspec.List
}{
	annotate.ToolList:     {"tool", &mcpspec.ToolList},
	annotate.PromptList:   {"prompt", &mcpspec.PromptList},
	annotate.ResourceList: {"resource", &mcpspec.ResourceList},
	annotate.TemplateList: {"template", &mcpspec.TemplateList},
}

func isList(method string) bool {
	for k := range listers {
		if listers[k].Method == method {
			return true
		}
	}
	return false
}

// list is one list as it stood at the end.
type list struct {
	*annotate.Listing
	order []*annotate.ListItem
}

func (h *half) list(k annotate.ListKind) list {
	l := h.catalogue.List(k)
	return list{l, l.Items()}
}

// sameOrder reports whether two lists name the same things in the same order.
func sameOrder(a, b list) bool {
	if len(a.order) != len(b.order) {
		return false
	}
	for i := range a.order {
		if a.order[i].Name != b.order[i].Name {
			return false
		}
	}
	return true
}

// first is the answer that has the first item.
func (l list) first() annotate.Ref {
	if len(l.order) == 0 {
		return annotate.Ref{}
	}
	return l.order[0].Page.At
}
