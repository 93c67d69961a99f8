package cli

import (
	"errors"
	"os/exec"

	"github.com/spf13/cobra"
)

// runVerb wraps a server. Its exit codes are the server's; 128+n for a signal; 127 not found; 126 not
// startable; 125 for misuse of run itself.
func runVerb(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "run [flags] [--] COMMAND [ARGS…]",
		Short: "Wrap a server: forward and record (the word run may be left out)",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fail(125, "put the server's command behind `--`: shakescope -- npx -y some-server", "run needs a command")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := exec.LookPath(args[0]); errors.Is(err, exec.ErrNotFound) {
				return fail(127, a.meantVerb(args[0]), "%s: command not found", args[0])
			}
			return fail(125, "", "run is not wired to the proxy yet")
		},
	}
	c.Flags().SetInterspersed(false)
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fail(125, "flags of run stand before the command; try `shakescope run --help`", "%w", err)
	})
	return c
}
