package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fail(2, fmt.Sprintf("try `%s --help`", c.CommandPath()), "%s takes no argument, got %q", c.Name(), args[0])
	}
	return nil
}

const whatFileIs = "FILE is a path, the id of a recording, `last`, or `-` for standard input; `shakescope list` shows what there is"

// oneFile demands exactly one FILE.
func oneFile(c *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return fail(2, whatFileIs, "%s needs a FILE", c.Name())
	case 1:
		return nil
	}
	return fail(2, "", "%s takes one FILE, got %d arguments", c.Name(), len(args))
}

// someFiles demands one FILE or more.
func someFiles(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fail(2, whatFileIs, "%s needs a FILE", c.Name())
	}
	return nil
}
