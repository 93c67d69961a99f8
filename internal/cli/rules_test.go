package cli_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/shakescope/shakescope/internal/cli"
)

// TestRulesPage holds that docs/rules.md is what the table of rules says.
func TestRulesPage(t *testing.T) {
	const page = "../../docs/rules.md"
	var want bytes.Buffer
	if err := cli.WriteRulesPage(&want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is out of date; `go test ./internal/cli -run TestRulesPage -update` writes it anew", page)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"id-nul", "id-null", 1}} {
		if got := cli.Distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
