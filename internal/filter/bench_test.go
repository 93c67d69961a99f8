package filter

import (
	"testing"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// packed is a row as a view of a large recording keeps it: numbers, and names by index.
type packed struct {
	t, latency                            int64
	seq, size                             uint32
	half                                  int32
	method, target                        uint16
	kind, state, phase, group, from, flow uint8
}

// names are what the indices of packed rows mean.
var (
	benchMethods = []string{"", "initialize", "tools/call", "tools/list", "ping", "notifications/progress", "resources/read"}
	benchTargets = []string{"", "search_issues", "get_file", "create_issue", "file:///a"}
	benchCaps    = []annotate.Capability{{Side: "server", Path: "tools", State: annotate.IsDeclared, At: 2}}
)

type packedRow struct {
	rows []packed
	i    int
	mate *packedRow
}

func (r *packedRow) Text(f Field) string {
	p := &r.rows[r.i]
	switch f {
	case Method:
		return benchMethods[p.method]
	case Target:
		return benchTargets[p.target]
	case Kind:
		return kindValues[p.kind]
	case State:
		return stateValues[p.state]
	case Phase:
		return phaseValues[p.phase]
	case Group, Primitive:
		return groups[p.group]
	case From:
		return sides[p.from]
	}
	return ""
}

func (r *packedRow) Number(f Field) (int64, bool) {
	p := &r.rows[r.i]
	switch f {
	case Seq:
		return int64(p.seq), true
	case Size:
		return int64(p.size), true
	case T:
		return p.t, true
	case Latency:
		return p.latency, p.latency > 0
	}
	return 0, false
}

func (r *packedRow) Flag(Field) bool { return false }
func (r *packedRow) Ref(Field) annotate.Ref {
	return annotate.Ref{Seq: int64(r.rows[r.i].flow), Sub: annotate.NoSub}
}
func (r *packedRow) Start() time.Time                    { return began }
func (r *packedRow) Touches() []string                   { return nil }
func (r *packedRow) Capabilities() []annotate.Capability { return benchCaps }
func (r *packedRow) Defects() []jsonrpc.Defect           { return nil }
func (r *packedRow) Findings() int                       { return 0 }
func (r *packedRow) Finding(int) *annotate.Finding       { return nil }
func (r *packedRow) Raw() []byte                         { return nil }
func (r *packedRow) Message() *jsonrpc.Message           { return nil }
func (r *packedRow) Summary() string                     { return "" }
func (r *packedRow) Half() Row {
	j := r.rows[r.i].half
	if j < 0 {
		return nil
	}
	if r.mate == nil {
		r.mate = &packedRow{rows: r.rows}
	}
	r.mate.i = int(j)
	return r.mate
}

// benchRows is as many rows as the large transcript has.
func benchRows() []packed {
	const n = 272_907
	rows := make([]packed, n)
	for i := range rows {
		rows[i] = packed{
			t: int64(i) * 1e6, seq: uint32(i + 1), size: uint32(i * 7919 % 100_000), half: int32(i ^ 1), method: uint16(i / 2 % len(benchMethods)),
			target: uint16(i / 2 % len(benchTargets)), kind: uint8(i & 1 * 2), state: uint8(i / 2 % 5), phase: 1, group: uint8(i / 2 % len(groups)), from: uint8(i & 1),
		}
		if i&1 == 1 {
			rows[i].latency = int64(i * 104729 % 3_000_000_000)
		}
		if i^1 >= n {
			rows[i].half = -1
		}
	}
	return rows
}

// One pass over all rows, as a keystroke in the filter bar makes it; the bar is 50 ms.
func BenchmarkRows(b *testing.B) {
	rows := benchRows()
	for _, src := range []string{
		`kind == request`,
		`method == "tools/call" && latency > 500ms`,
		`method:tools/* is:pending -is:ok`,
		`tool contains ISSUE || target ~ issue`,
		`method matches /^tools\/.*l$/`,
		`method in {tools/call, ping, resources/read} size > 4kB t > 90s`,
		`capability:"server tools declared"`,
		`time >= 14:02`,
		`pair(latency > 1s && method:tools/*)`,
		`state in {error, tool_error} || kind in {error, invalid} || finding.level == error`,
	} {
		x := must(b, src)
		b.Run(src, func(b *testing.B) {
			b.ReportAllocs()
			row := &packedRow{rows: rows}
			found := 0
			for b.Loop() {
				for i := range rows {
					row.i = i
					if x.Match(row) {
						found++
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(rows)), "ns/row")
			b.ReportMetric(float64(found)/float64(b.N), "found")
		})
	}
}

// Searching text in any case, where the word is not there.
func BenchmarkSearch(b *testing.B) {
	text := textOf(big(1 << 20))
	for _, needle := range []string{"needle", "zebra", "Needle", "größe"} {
		is := finder(needle)
		b.Run(needle, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if is(text) {
					b.Fatal("found")
				}
			}
		})
	}
}

// A value deep inside a large payload.
func BenchmarkPath(b *testing.B) {
	line := append(append([]byte(`{"content":[{"text":"`), make([]byte, 0)...), []byte(`x"},{"type":"image"}],"pad":"`)...)
	line = append(line, big(1<<20)...)
	for i, c := range line[30:] {
		if c == '"' {
			line[30+i] = '.'
		}
	}
	line = append(line, `"}`...)
	steps := []step{{key: "content"}, {kind: each}, {key: "type"}}
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		find(line, steps, func([]byte) bool { return false })
	}
}
