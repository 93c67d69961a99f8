// Command shakescope is a man in the middle for MCP over stdio: it starts a server, forwards every
// byte between it and its client, records what travelled, and shows it annotated.
package main

import (
	"os"

	"github.com/shakescope/shakescope/internal/cli"
)

// Set by the linker on a release; empty otherwise, and then the build information of the module counts.
var version, commit, date string

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Build{Version: version, Commit: commit, Date: date}))
}
