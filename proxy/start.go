package proxy

import (
	"fmt"
	"os"
	"strings"
)

// StartError says why the server could not be started.
type StartError struct {
	Command  string // as given
	Path     string // what was found for it, if anything
	Searched string // the PATH searched, "" if the command is a path itself
	Code     int    // 127 not found, 126 found but not startable
	Err      error
}

func (e *StartError) Error() string {
	if e.Code == 127 {
		return fmt.Sprintf("%s: %v", quoted(e.Command), e.Err)
	}
	return fmt.Sprintf("%s: cannot be started: %v", quoted(e.Command), e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// quoted shows an odd command word in a way that can be read; a plain one as it is.
func quoted(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\'' || r == '"' }) {
		return fmt.Sprintf("%q", s)
	}
	return s
}

// environment is what the server gets, and variable one variable of it.
func (c *Config) environment() []string {
	if c.Env == nil {
		return os.Environ()
	}
	return c.Env
}

func (c *Config) variable(name string) (string, bool) {
	if c.Env == nil {
		return os.LookupEnv(name)
	}
	for i := len(c.Env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(c.Env[i], "="); ok && sameVariable(k, name) {
			return v, true
		}
	}
	return "", false
}

// start finds and starts the server.
func start(c *Config) (*server, pipes, *StartError) {
	if len(c.Command) == 0 {
		return nil, pipes{}, &StartError{Code: 127, Err: fmt.Errorf("no command")}
	}
	path, serr := lookup(c, c.Command[0])
	if serr != nil {
		return nil, pipes{}, serr
	}
	ours, theirs, err := openPipes()
	if err != nil {
		return nil, pipes{}, &StartError{Command: c.Command[0], Path: path, Code: 126, Err: fmt.Errorf("making pipes: %w", err)}
	}
	srv, err := startServer(c, path, theirs)
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		ours.close()
		return nil, pipes{}, &StartError{Command: c.Command[0], Path: path, Code: 126, Err: err}
	}
	return srv, ours, nil
}
