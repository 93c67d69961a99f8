package annotate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/shakescope/shakescope/recordings"
)

// TestSegmentAlone annotates the last segment of a recording without the others: its entries are what they
// are in the whole, and what is missing makes no finding.
func TestSegmentAlone(t *testing.T) {
	dir := t.TempDir()
	r, err := recordings.Create(dir, recordings.NewHeader([]string{"server"}), recordings.RecorderOptions{MaxSize: 4000})
	if err != nil {
		t.Fatal(err)
	}
	in := func(line string) { r.Chunk(recordings.Stdin, []byte(line+"\n")) }
	out := func(line string) { r.Chunk(recordings.Stdout, []byte(line+"\n")) }
	in(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	out(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`)
	in(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	in(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	out(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"dig","inputSchema":{"type":"object","required":["deep"]}}]}}`)
	in(`{"jsonrpc":"2.0","id":"open","method":"tools/call","params":{"name":"dig","arguments":{"deep":true}}}`)
	for i := range 30 {
		in(fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, i))
		out(fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","result":{}}`, i))
	}
	out(`{"jsonrpc":"2.0","id":"open","result":{"content":[]}}`)
	in(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"dig","arguments":{}}}`)
	out(`{"jsonrpc":"2.0","id":3,"result":{"content":[]}}`)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	read := func(path string) (entries []Entry, whole *Recording) {
		whole, err := Collect(func() (*recordings.Reader, error) { return recordings.Open(path) }, func(e *Entry) error {
			c := *e
			c.Raw, c.Message = nil, nil
			entries = append(entries, c)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return entries, whole
	}
	all, _ := read(r.Path())
	newest := slices.MaxFunc(files, func(a, b string) int { return len(a) - len(b) })
	for _, f := range files {
		if f != r.Path() && f > newest {
			newest = f
		}
	}
	alone := filepath.Join(t.TempDir(), "alone.jsonl")
	if err := os.Rename(newest, alone); err != nil {
		t.Fatal(err)
	}
	some, whole := read(alone)
	if len(some) == 0 || len(some) >= len(all) {
		t.Fatalf("%d of %d entries", len(some), len(all))
	}
	all = all[len(all)-len(some):]
	for i := range some {
		a, b := &all[i], &some[i]
		if a.Ref != b.Ref || a.Kind != b.Kind || a.Phase != b.Phase || a.Era != b.Era {
			t.Errorf("#%d %s %s: %s %s %s %v\nalone %s %s %s %v", a.Seq, a.Kind, a.Method, a.Revision, a.Method, a.State, a.Capability, b.Revision, b.Method, b.State, b.Capability)
		}
		if !a.Pair.IsZero() && a.Pair.Seq < some[0].Seq {
			continue // its request is not there
		}
		if a.Revision != b.Revision || a.Method != b.Method || a.State != b.State || !slices.Equal(a.Capability, b.Capability) {
			t.Errorf("#%d %s %s: %s %s %s %v\nalone %s %s %s %v", a.Seq, a.Kind, a.Method, a.Revision, a.Method, a.State, a.Capability, b.Revision, b.Method, b.State, b.Capability)
		}
	}
	for _, f := range whole.Findings {
		if !slices.ContainsFunc(all, func(e Entry) bool {
			return slices.ContainsFunc(e.Findings, func(g Finding) bool { return g.Rule == f.Rule && g.At == f.At })
		}) {
			t.Errorf("a finding that the whole does not have: %+v", f)
		}
	}
	if whole.Stats.Negotiated != "2025-06-18" || len(whole.Stats.Capabilities.Server) == 0 || whole.Stats.Bytes.Server == 0 {
		t.Errorf("%+v", whole.Stats)
	}
	// The list that stands in the first segment is known: the call that breaks its schema is found.
	if !slices.ContainsFunc(whole.Findings, func(f Finding) bool { return f.At.Seq == some[len(some)-2].Seq }) {
		t.Errorf("nothing found about %+v: %+v", some[len(some)-2], whole.Findings)
	}
}
