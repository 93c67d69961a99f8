package cli

import "os"

// openTerminal opens the console for reading keys when standard input is something else.
func openTerminal() (*os.File, error) { return os.OpenFile("CONIN$", os.O_RDWR, 0) }
