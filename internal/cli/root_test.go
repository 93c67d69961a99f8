package cli

import (
	"os"
	"testing"
)

// A verb is found by the name in the table: the command behind it must go by the same, and by no other.
func TestVerbsAreWhatTheyAreCalled(t *testing.T) {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	for _, v := range verbs() {
		c := v.command(a)
		if c.Name() != v.name || len(c.Aliases) > 0 {
			t.Errorf("the verb %s makes the command %s, aliases %q", v.name, c.Name(), c.Aliases)
		}
		want := 1
		if v.tree {
			want = len(verbs())
		}
		if n := len(needed([]string{v.name, "--help"})); n != want {
			t.Errorf("%s needs %d verbs, want %d", v.name, n, want)
		}
	}
	for _, args := range [][]string{nil, {"help", "run"}, {"--help"}, {"__complete", "r"}} {
		if n := len(needed(args)); n != len(verbs()) {
			t.Errorf("%q needs %d verbs, want all", args, n)
		}
	}
}
