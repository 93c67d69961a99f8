package recordings

import (
	"strings"
	"testing"
)

// A wire log may begin with a line that is longer than what is looked at to tell formats apart.
func TestSniffLongFirstLine(t *testing.T) {
	raw := `{"jsonrpc":"2.0","method":"x","params":{"d":"` + strings.Repeat("x", 3<<20) + `"}}`
	line := `{"t_ms":10,"dir":"s2c","raw":` + quoteJSON(raw) + "}\n"
	r, err := NewReader(strings.NewReader(line), "long.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Next()
	if err != nil || string(rec.Data) != raw {
		t.Fatalf("%v, %d bytes of %d", err, len(rec.Data), len(raw))
	}
	if _, err := NewReader(strings.NewReader(`{"other":"`+strings.Repeat("x", 3<<20)+"\"}\n"), "other.jsonl"); err == nil {
		t.Error("a long line of something else is taken for a wire log")
	}
}

func quoteJSON(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }
