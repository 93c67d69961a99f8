package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// Build says which shakescope this is, as the linker was told. What is empty is taken from the build
// information that the go command left.
type Build struct{ Version, Commit, Date string }

// String returns version, commit and date on one line: "v0.3.0 (1a2b3c4d5e6f, 2026-11-29T20:39:19Z)".
func (b Build) String() string {
	b = b.resolved()
	var more []string
	for _, s := range []string{b.Commit, b.Date} {
		if s != "" {
			more = append(more, s)
		}
	}
	if len(more) == 0 {
		return b.Version
	}
	return b.Version + " (" + strings.Join(more, ", ") + ")"
}

// resolved fills in what the linker did not set.
func (b Build) resolved() Build {
	info, ok := debug.ReadBuildInfo()
	if ok {
		if b.Version == "" {
			b.Version = info.Main.Version
		}
		modified := false
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				if b.Commit == "" {
					b.Commit = s.Value
				}
			case "vcs.time":
				if b.Date == "" {
					b.Date = s.Value
				}
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
		if len(b.Commit) > 12 {
			b.Commit = b.Commit[:12]
		}
		if modified && b.Commit != "" && !strings.Contains(b.Version, "dirty") {
			b.Commit += " modified"
		}
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	return b
}

func versionVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which shakescope this is",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "shakescope %s %s %s/%s\n", a.build, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
