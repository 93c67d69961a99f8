//go:build unix

package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminate is what the ladder sends first.
const terminate = unix.SIGTERM

// server is the process we started, leader of a process group of its own.
type server struct {
	path string
	proc *os.Process
	id   int
	tree
}

func startServer(c *Config, path string, stdio []*os.File) (*server, error) {
	s := &server{path: path}
	s.adopt(c.WholeProcess)
	attr := &os.ProcAttr{Dir: c.Dir, Env: c.environment(), Files: stdio, Sys: &syscall.SysProcAttr{Setpgid: true}}
	var err error
	s.proc, err = os.StartProcess(path, c.Command, attr)
	if errors.Is(err, unix.ENOEXEC) { // a script without "#!": execvp gives it to the shell
		s.proc, err = os.StartProcess("/bin/sh", append([]string{"sh", path}, c.Command[1:]...), attr)
	}
	if err != nil {
		s.disown()
		return nil, startFailure(c, path, err)
	}
	s.id = s.proc.Pid
	s.root(s.id)
	return s, nil
}

// startFailure says more than the kernel, which reports a missing interpreter as a missing file.
func startFailure(c *Config, path string, err error) error {
	if errors.Is(err, unix.ENOENT) {
		if c.Dir != "" && !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		if i := interpreter(path); i != "" {
			return fmt.Errorf("its interpreter %s is missing", i)
		}
		if c.Dir != "" {
			if _, e := os.Stat(c.Dir); e != nil {
				return fmt.Errorf("working folder: %w", e)
			}
		}
	}
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err
}

// interpreter is the first word behind "#!" in a script.
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	words, script := bytes.CutPrefix(line, []byte("#!"))
	if fields := strings.Fields(string(words)); script && len(fields) > 0 {
		return fmt.Sprintf("%q", fields[0])
	}
	return ""
}

func (s *server) pid() int { return s.id }

// wait blocks until the server itself has ended.
func (s *server) wait() exitStatus {
	st, err := s.proc.Wait()
	s.ended.Store(true)
	if err != nil {
		return exitStatus{code: 126}
	}
	ws := st.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return exitStatus{code: 128 + int(ws.Signal()), signal: signalName(ws.Signal())}
	}
	return exitStatus{code: ws.ExitStatus()}
}

// group sends sig to the process group; it reports whether there was anybody in it.
func (s *server) group(sig os.Signal) bool {
	return unix.Kill(-s.id, sig.(syscall.Signal)) == nil
}

func (s *server) close() { s.disown() }
