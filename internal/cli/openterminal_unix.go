//go:build !windows

package cli

import "os"

// openTerminal opens the terminal for reading keys when standard input is something else.
func openTerminal() (*os.File, error) { return os.Open("/dev/tty") }
