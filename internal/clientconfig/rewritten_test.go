package clientconfig

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/pelletier/go-toml/v2"
)

// What other writers make of a wrapped file is unwrapped to the same meaning.
func TestRewrittenByOthers(t *testing.T) {
	for _, c := range []struct {
		client, file, before string
		read                 func([]byte, any) error
		write                func(any) ([]byte, error)
	}{
		{"codex", "c.toml", "[mcp_servers.x]\ncommand = \"npx\"\n%s\n[mcp_servers.x.env]\nK = \"v\"\n", toml.Unmarshal, toml.Marshal},
		{"goose", "c.yaml", "extensions:\n  x:\n    cmd: npx\n    %s\n    envs:\n      K: v\n", yaml.Unmarshal, yaml.Marshal},
	} {
		args := []string{"", `args = []`, `args = ["a", "--", "b: c"]`}
		if c.client == "goose" {
			args = []string{"", `args: []`, `args: [a, "--", "b: c"]`, "args:\n    - a\n    - '- b'"}
		}
		for _, a := range args {
			f := loaded(t, c.client, c.file, fmt.Sprintf(c.before, a))
			if err := f.Wrap(serversOf(t, f)[0], testWrapper); err != nil {
				t.Fatal(err)
			}
			var before, between, after map[string]any
			c.read(f.original, &before)
			if err := c.read(f.now, &between); err != nil {
				t.Fatalf("%v\n%s", err, f.now)
			}
			again, err := c.write(between)
			if err != nil {
				t.Fatal(err)
			}
			g := loaded(t, c.client, c.file, string(again))
			if err := g.Unwrap(serversOf(t, g)[0], testWrapper); err != nil {
				t.Errorf("%v\n%s", err, again)
				continue
			}
			if err := c.read(g.now, &after); err != nil {
				t.Errorf("%v\n%s", err, g.now)
			}
			b, _ := json.Marshal(before)
			if got, _ := json.Marshal(after); string(got) != string(b) {
				t.Errorf("got %s, want %s\nwritten:\n%s", got, b, again)
			}
		}
	}
}
