package peer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Bounds of a list: a server whose cursors never end is not followed for ever.
const (
	mostPages = 1000
	mostItems = 100_000
)

// List is one of a server's lists, read page by page.
type List struct {
	Method  string
	Names   []string // of the items: name, or uri, or uriTemplate
	Pages   int
	Latency time.Duration // of all pages
	Fault   *Fault        // an error answer that ended it
	Err     error         // why there is no more of it
}

// lists are what a client asks for by itself.
var lists = []*mcpspec.List{&mcpspec.ToolList, &mcpspec.ResourceList, &mcpspec.TemplateList, &mcpspec.PromptList}

// list reads one list to its end.
func (v *visitor) list(ctx context.Context, of *mcpspec.List) List {
	l := List{Method: of.Method}
	seen := map[string]bool{}
	cursor := ""
	for {
		a, err := v.request(ctx, of.Method, [2]string{"cursor", cursor})
		if err != nil {
			l.Err = err
			return l
		}
		l.Latency += a.Latency
		if l.Fault = a.Fault; l.Fault != nil {
			return l
		}
		l.Pages++
		page, ok := jsonrpc.Lookup(a.Result, of.Member)
		if !ok || page[0] != '[' {
			l.Err = fmt.Errorf("the result has no array %s", of.Member)
			return l
		}
		for _, item := range elements(page) {
			l.Names = append(l.Names, textOf(item, of.Key))
		}
		raw, ok := jsonrpc.Lookup(a.Result, "nextCursor")
		if !ok || string(raw) == "null" {
			return l
		}
		switch {
		case raw[0] != '"':
			l.Err = errors.New("nextCursor is no string")
		case seen[string(raw)]:
			l.Err = errors.New("nextCursor comes back: the list has no end")
		case l.Pages == mostPages || len(l.Names) >= mostItems:
			l.Err = fmt.Errorf("more than %d pages: given up", l.Pages)
		}
		if l.Err != nil {
			return l
		}
		cursor = string(raw)
		seen[cursor] = true
	}
}
