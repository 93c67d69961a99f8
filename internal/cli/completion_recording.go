package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/termtext"
	"github.com/shakescope/shakescope/recordings"
)

// A completion reads so much of a recording in any case, and from there on as much as it can in so long a time: who
// presses tab does not wait, and what is usual is read to its end on a busy machine too.
const (
	glanceRecords = 1000
	glanceBytes   = 2 << 20
	glanceFor     = 60 * time.Millisecond
)

// glance hands the entries of the recording that is the first of args to yield, as they are known when their record is
// read, until there are no more or it is enough. What cannot be read has none: a completion has no way to complain.
func glance(args []string, yield func(*annotate.Entry)) {
	if len(args) == 0 || args[0] == "-" {
		return
	}
	until := time.Now().Add(glanceFor)
	dir, _ := recordings.DefaultDir()
	path, err := recordings.Folder{Dir: dir}.Resolve(args[0])
	if err != nil {
		return
	}
	r, err := recordings.Open(path)
	if err != nil {
		return
	}
	defer r.Close()
	s := annotate.NewSession()
	s.Open(r.Header())
	size := 0
	for n := 0; n < glanceRecords && size < glanceBytes || time.Now().Before(until); n++ {
		rec, err := r.Next()
		if err != nil {
			return
		}
		size += len(rec.Data)
		u := s.Add(rec)
		for i := range u.Entries {
			yield(&u.Entries[i])
		}
	}
}

// described are the words of a completion, each with what it is, in their order. Words with characters that a terminal
// obeys are left out: nobody could type them.
func described(words [][2]string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const most = 60
	var out []cobra.Completion
	for _, w := range words {
		if w[0] != "" && termtext.Clean(w[0]) == w[0] {
			out = append(out, cobra.CompletionWithDesc(w[0], termtext.Line(w[1], most)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeTool offers the tools of the recording, the most used first.
func completeTool(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var review annotate.ToolReview
	glance(args, review.Add)
	tools := review.Report().Tools
	slices.SortStableFunc(tools, func(x, y annotate.ToolAccount) int { return toolOrders["calls"](&x, &y) })
	var words [][2]string
	for i := range tools {
		t := &tools[i]
		about := plural(t.Calls, "call")
		if t.Description != "" {
			about += ": " + t.Description
		}
		words = append(words, [2]string{t.Name, about})
	}
	return described(words)
}

// completeCapability offers the capabilities that were declared in the recording, or used.
func completeCapability(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ledger annotate.Ledger
	glance(args, ledger.Add)
	var words [][2]string
	for _, l := range ledger.Lines() {
		if l.Declared > 0 { // else there is nothing that could be taken away
			words = append(words, [2]string{l.Side + ":" + l.Path, "leant on by " + plural(l.Used, "message")})
		}
	}
	return described(words)
}

// completeRequest offers the requests of the client.
func completeRequest(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 1 {
		args = args[:1] // what follows is the server's command
	}
	const most = 200
	var words [][2]string
	glance(args, func(e *annotate.Entry) {
		if e.From != "client" || e.Kind != annotate.Request || !strings.HasPrefix(refText(e.Ref), typed) {
			return
		}
		if len(words) == most {
			words = words[1:]
		}
		words = append(words, [2]string{refText(e.Ref), strings.Join(strings.Fields(e.Method+" "+e.Target+" "+e.Summary()), " ")})
	})
	return described(words)
}

// completeTwoFiles offers recordings for both sides of a comparison: for the second those of the same server come first.
func completeTwoFiles(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeFile(c, args, word)
}
