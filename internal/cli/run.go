package cli

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/proxy"
)

type runFlags struct {
	grace time.Duration
}

// runVerb wraps a server. Its exit codes are the server's; 128+n for a signal; 127 not found; 126 not
// startable; 125 for misuse of run itself.
func runVerb(a *app) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [flags] [--] COMMAND [ARGS…]",
		Short: "Wrap a server: forward and record (the word run may be left out)",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fail(125, "put the server's command behind `--`: shakescope -- npx -y some-server", "run needs a command")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.run(args, f) },
	}
	c.Flags().SetInterspersed(false)
	c.Flags().DurationVar(&f.grace, "grace", 30*time.Second, "after the client's end of input, wait this long in silence for open requests")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fail(125, "flags of run stand before the command; try `shakescope run --help`", "%w", err)
	})
	return c
}

func (a *app) run(command []string, f runFlags) error {
	if f.grace <= 0 {
		return fail(125, "", "--grace must be longer than zero, got %v", f.grace)
	}
	result, err := proxy.Run(context.Background(), proxy.Config{
		Command: command,
		Stdin:   a.stdin, Stdout: a.stdout, Stderr: a.stderr,
		Grace:        f.grace,
		WholeProcess: true,
	})
	if err != nil {
		return a.startFailure(err)
	}
	return exit(result.Code)
}

// startFailure says why a server could not be started, and what may help.
func (a *app) startFailure(err error) error {
	var s *proxy.StartError
	if !errors.As(err, &s) {
		return fail(126, "", "%w", err)
	}
	if s.Code != 127 || strings.ContainsAny(s.Command, `/\`) {
		return fail(s.Code, "", "%w", err)
	}
	hint := a.meantVerb(s.Command)
	if hint == "" {
		hint = pathHint(s.Searched)
	}
	return fail(127, hint, "%w; PATH searched: %s", err, orNothing(s.Searched))
}

func orNothing(path string) string {
	if path == "" {
		return "(empty)"
	}
	return path
}

// pathHint explains the commonest reason of all: a client started from a desktop has a PATH of system
// folders only, without those of Homebrew, nvm, pipx and the like.
func pathHint(path string) string {
	if runtime.GOOS == "windows" {
		return "give the full path of the command, or start the client anew: it keeps the PATH it was started with"
	}
	for _, dir := range filepath.SplitList(path) {
		switch dir {
		case "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/games", "/usr/local/games", "/snap/bin", "":
		default:
			return ""
		}
	}
	return "clients started from a desktop get a short PATH, not that of your shell; use the full path (`command -v` in a terminal prints it) or set PATH in the client's configuration"
}
