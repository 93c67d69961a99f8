package annotate

import (
	"regexp"
	"sync"
)

// lazily compiles a regular expression when it is first needed. A program that only forwards links the
// rules too, and should not pay for them at its start.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
