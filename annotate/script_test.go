package annotate

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// A scenario is a script of records. Each line is one, 10 ms after the one before:
//
//	> {…}      a line of the client       < {…}      a line of the server       ! text  a line of stderr
//	>| {…}     … that has no end (<| too)
//	@ exit code=1 signal=SIGKILL reason=x  an event
//	~ in=10 out=5                          a gap
//	+ 2500                                 2500 ms pass
//	# …                                    a comment
//
// Text may hold \xNN and \t as in Go strings where a line begins with ` instead of a space after the sign.
func parseScenario(t *testing.T, script []byte) []*recordings.Record {
	t.Helper()
	var out []*recordings.Record
	var now time.Duration
	for line := range strings.SplitSeq(string(script), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		sign, rest, _ := strings.Cut(line, " ")
		if sign == "+" {
			ms, err := strconv.Atoi(rest)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			now += time.Duration(ms) * time.Millisecond
			continue
		}
		now += 10 * time.Millisecond
		r := &recordings.Record{Seq: int64(len(out) + 1), T: now, T0: now}
		out = append(out, r)
		if quoted, ok := strings.CutPrefix(rest, "`"); ok {
			s, err := strconv.Unquote(`"` + quoted + `"`)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			rest = s
		}
		switch sign {
		case ">", ">|", "<", "<|", "!":
			r.Kind, r.Data, r.Size, r.EOL = recordings.FrameRecord, []byte(rest), int64(len(rest)), jsonrpc.LF
			r.Stream = map[byte]recordings.Stream{'>': recordings.Stdin, '<': recordings.Stdout, '!': recordings.Stderr}[sign[0]]
			if len(sign) > 1 {
				r.Partial, r.EOL = true, jsonrpc.None
			}
		case "@":
			words := strings.Fields(rest)
			r.Kind, r.Event = recordings.EventRecord, &recordings.Event{Name: words[0]}
			for _, w := range words[1:] {
				key, value, _ := strings.Cut(w, "=")
				switch key {
				case "code":
					code, err := strconv.Atoi(value)
					if err != nil {
						t.Fatalf("%q: %v", line, err)
					}
					r.Event.Code = &code
				case "signal":
					r.Event.Signal = value
				case "reason":
					r.Event.Reason = value
				default:
					t.Fatalf("%q: no member %s", line, key)
				}
			}
		case "~":
			r.Kind, r.Gap = recordings.GapRecord, &recordings.Gap{Bytes: map[string]int64{}, Reason: "stalled", From: now - time.Millisecond, To: now}
			for w := range strings.FieldsSeq(rest) {
				key, value, _ := strings.Cut(w, "=")
				n, err := strconv.ParseInt(value, 10, 64)
				if err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				r.Gap.Bytes[key] = n
			}
		default:
			t.Fatalf("%q: no such sign", line)
		}
	}
	return out
}
