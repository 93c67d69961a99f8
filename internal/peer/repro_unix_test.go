//go:build unix

package peer

import (
	"os/exec"
	"strings"
	"testing"
)

// Whatever stands in a value, a shell takes it as it is.
func FuzzShellQuote(f *testing.F) {
	for _, s := range []string{"", "it's", `"$HOME" $(id) \n`, "`id`", "a\nb", "-n", "!!", "''\\''", "\x01\x7f é 日"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsRune(s, 0) {
			return // no argument and no line of JSON can hold it
		}
		out, err := exec.Command("/bin/sh", "-c", "printf %s "+shellQuote(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q became %q (%v)", s, out, err)
		}
	})
}
