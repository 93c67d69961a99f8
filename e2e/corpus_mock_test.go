package e2e

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/jsonrpc"
)

// TestMockOfTranscripts has the client of each recorded session say its lines to a mock of that session: every
// request that was answered, and not cancelled, must get the same answer.
func TestMockOfTranscripts(t *testing.T) {
	requests := 0
	for _, path := range corpusTranscripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) {
			var said bytes.Buffer
			want, times := map[string][]byte{}, map[string]int{}
			_, err := annotate.Collect(source(path), func(e *annotate.Entry) error {
				id := jsonrpc.ParseID([]byte(e.ID)).Key()
				switch {
				case e.From == "client" && e.Sub == annotate.NoSub:
					said.Write(e.Raw)
					said.WriteByte('\n')
					if e.Kind == annotate.Request {
						times[id]++
					}
				case e.From == "server" && (e.Kind == annotate.Response || e.Kind == annotate.ErrorAnswer) &&
					!e.Pair.IsZero() && !e.Cancelled && e.Method != "subscriptions/listen" && e.Sub == annotate.NoSub:
					want[id] = outcome(e.Raw)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			script, err := peer.NewScript(source(path))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := script.Play(&said, &got, peer.Playing{}); err != nil {
				t.Fatal(err)
			}
			answers := map[string][]byte{}
			for line := range bytes.Lines(got.Bytes()) {
				if m := jsonrpc.Decode(bytes.TrimSuffix(line, []byte("\n"))); m.Kind == jsonrpc.Response || m.Kind == jsonrpc.Error {
					answers[m.ID.Key()] = outcome(m.Raw)
				}
			}
			for id, answer := range want {
				if times[id] != 1 {
					continue // which of several is a matter of order
				}
				requests++
				if !bytes.Equal(answers[id], answer) {
					t.Errorf("request %s: got %.300s\nwant %.300s", id, answers[id], answer)
				}
			}
		})
	}
	if requests < 1000 {
		t.Errorf("only %d requests were compared", requests)
	}
}

// outcome is the result or error of an answer.
func outcome(line []byte) []byte {
	if v, ok := jsonrpc.Lookup(line, "result"); ok {
		return v
	}
	v, _ := jsonrpc.Lookup(line, "error")
	return v
}
