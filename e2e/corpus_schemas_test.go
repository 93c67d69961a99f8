package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/shakescope/shakescope/internal/schemaguard"
)

// TestToolSchemas holds that every schema that a recorded server listed can be compiled under
// either default dialect: what real servers send is far below the limits.
func TestToolSchemas(t *testing.T) {
	f, err := os.Open(filepath.Join(corpus(t), "transcripts", "tools.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	schemas := 0
	var cache schemaguard.Cache
	for lines.Scan() {
		var l struct {
			Server string
			Tool   struct {
				Name                      string
				InputSchema, OutputSchema json.RawMessage
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		for _, schema := range []json.RawMessage{l.Tool.InputSchema, l.Tool.OutputSchema} {
			if schema == nil {
				continue
			}
			schemas++
			for _, draft := range []schemaguard.Draft{schemaguard.Draft07, schemaguard.Draft202012} {
				s, err := cache.Compile(schema, draft)
				if err != nil {
					t.Errorf("%s %s: %v", l.Server, l.Tool.Name, err)
					continue
				}
				if v := s.Check([]byte(`{}`)); v.NotChecked != nil {
					t.Errorf("%s %s: %v", l.Server, l.Tool.Name, v.NotChecked)
				}
			}
			if facts, refused := schemaguard.Inspect(schema); refused != nil || !facts.IsObject {
				t.Errorf("%s %s: %+v, %v", l.Server, l.Tool.Name, facts, refused)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if schemas < 900 {
		t.Errorf("only %d schemas found", schemas)
	}
}
