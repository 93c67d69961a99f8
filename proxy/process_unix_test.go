//go:build unix

package proxy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// client is a started command with its pipes in our hands.
type client struct {
	*exec.Cmd
	t      *testing.T
	in     io.WriteCloser
	out    *bytes.Buffer
	errOut *bytes.Buffer
	events string
}

// begin starts command behind the proxy process, in its own process group, as some clients do.
func begin(t *testing.T, command []string, env ...string) *client {
	t.Helper()
	p := throughProxy(t, command)
	c := &client{Cmd: exec.Command(p[0], p[1:]...), t: t, out: &bytes.Buffer{}, errOut: &bytes.Buffer{}, events: filepath.Join(t.TempDir(), "events")}
	c.Env = append(append(os.Environ(), "EVENTS="+c.events, "QUICK=1"), env...)
	c.Stdout, c.Stderr = c.out, c.errOut
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = 20 * time.Second
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in = in
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Kill(-c.Process.Pid, unix.SIGKILL)
	})
	return c
}

// code waits for the end and returns the exit code.
func (c *client) code() int {
	c.t.Helper()
	done := make(chan struct{})
	go func() { c.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		c.t.Fatal("the proxy does not end")
	}
	return exitCode(c.ProcessState)
}

func exitCode(s *os.ProcessState) int {
	if ws := s.Sys().(syscall.WaitStatus); ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}

// told are the lines of the event file.
func (c *client) told() []string {
	b, _ := os.ReadFile(c.events)
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func (c *client) wasTold(line string) bool {
	return slices.ContainsFunc(c.told(), func(s string) bool { return strings.HasPrefix(s, line) })
}

// Alone and behind the proxy a server must give and get the same bytes and end the same way.
func TestDifferential(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "odd")
	data := []byte("{\"a\":1}\r\n\xef\xbb\xbf\x00\xff\n\n" + strings.Repeat("x", 1<<20) + "\rno end")
	if err := os.WriteFile(odd, data, 0o600); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "plain.sh")
	if err := os.WriteFile(plain, []byte("echo no interpreter line $1; exit 9\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	dump := filepath.Join(dir, "dump")
	for name, command := range map[string][]string{
		"echo":             script(t, "echo"),
		"all three":        script(t, "send %s %s ; dump %s", odd, odd, dump),
		"exit 0":           script(t, "out x ; exit 0"),
		"exit 1":           script(t, "out x ; err y ; exit 1"),
		"exit 255":         script(t, "exit 255"),
		"SIGKILL":          script(t, "out x ; die SIGKILL"),
		"SIGTERM":          script(t, "out x ; die SIGTERM"),
		"SIGSEGV":          {"sh", "-c", "echo x; kill -SEGV $$"},
		"closes stdout":    script(t, "out x ; closeout ; dump %s ; exit 2", dump),
		"closes stderr":    script(t, "err x ; closeerr ; dump %s ; exit 2", dump),
		"closes stdin":     script(t, "closein ; out x ; exit 3"),
		"reads one line":   script(t, "line ; out x ; exit 4"),
		"last words":       script(t, "flood 3000000 ; err z ; exit 5"),
		"ignored signals":  script(t, "ignored SIGPIPE ; ignored SIGHUP ; ignored SIGINT ; ignored SIGCHLD"),
		"descriptor flags": script(t, "nonblock"),
		"script":           {plain, "a b"},
		"by PATH":          {"sh", "-c", "cat >&2; exit 6"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(argv []string) (string, string, string, int) {
				argv = slices.Clone(argv)
				mine := dump + strings.ReplaceAll(t.Name(), "/", "_")
				for i := range argv {
					if argv[i] == dump {
						argv[i] = mine
					}
				}
				os.Remove(mine)
				var out, errOut bytes.Buffer
				c := exec.Command(argv[0], argv[1:]...)
				c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(data), &out, &errOut
				c.Run()
				got, _ := os.ReadFile(mine)
				return out.String(), errOut.String(), string(got), exitCode(c.ProcessState)
			}
			alone := command
			if name == "script" { // os/exec does not do what execvp does
				alone = append([]string{"sh"}, command...)
			}
			o1, e1, d1, c1 := run(alone)
			o2, e2, d2, c2 := run(throughProxy(t, command))
			if c1 != c2 || o1 != o2 || e1 != e2 || d1 != d2 {
				t.Errorf("alone:   exit %d, %d+%d bytes out, got %d\nproxied: exit %d, %d+%d bytes out, got %d\n%.200q\n%.200q", c1, len(o1), len(e1), len(d1), c2, len(o2), len(e2), len(d2), o1+e1, o2+e2)
			}
		})
	}
}

// Clients make their servers' streams out of different things.
func TestKindsOfDescriptors(t *testing.T) {
	dir := t.TempDir()
	data := []byte(strings.Repeat("0123456789\n", 500_000)) // a flood
	feed := func(w *os.File) {
		w.Write(data)
		w.Close()
	}
	socket := func() (a, b *os.File) {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
		return os.NewFile(uintptr(fds[0]), "a"), os.NewFile(uintptr(fds[1]), "b")
	}
	for name, open := range map[string]func() *os.File{
		"file": func() *os.File {
			path := filepath.Join(dir, "in")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			f, _ := os.Open(path)
			return f
		},
		"pipe": func() *os.File {
			r, w, _ := os.Pipe()
			go feed(w)
			return r
		},
		"named pipe": func() *os.File {
			path := filepath.Join(dir, "fifo")
			if err := unix.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			go func() {
				w, _ := os.OpenFile(path, os.O_WRONLY, 0)
				feed(w)
			}()
			r, _ := os.Open(path)
			return r
		},
		"socket": func() *os.File {
			a, b := socket()
			go feed(b)
			return a
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := open()
			defer in.Close()
			flags := func() int {
				n, err := unix.FcntlInt(in.Fd(), unix.F_GETFL, 0)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			before := flags()
			outR, outW := socket()
			defer outR.Close()
			dump := filepath.Join(dir, "dump")
			p := throughProxy(t, script(t, "dump %s ; send %s /dev/null ; exit 3", dump, dump))
			c := exec.Command(p[0], p[1:]...)
			c.Stdin, c.Stdout = in, outW
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			outW.Close()
			got, err := io.ReadAll(outR)
			c.Wait()
			if !bytes.Equal(got, data) || exitCode(c.ProcessState) != 3 {
				t.Errorf("%d of %d bytes, %v, exit %d", len(got), len(data), err, exitCode(c.ProcessState))
			}
			if after := flags(); after != before {
				t.Errorf("the flags of what we share were %#x, are %#x", before, after)
			}
		})
	}
}

// The server's own handler runs to its end, and its words and exit code come through.
func TestSignalsAreForwarded(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1} {
		t.Run(signalName(sig), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			trapped, pid := filepath.Join(dir, "trapped"), filepath.Join(dir, "pid")
			c := begin(t, script(t, "trap %s %s 7 ; pid %s ; forever", signalName(sig), trapped, pid))
			server := pidIn(t, pid)
			c.Process.Signal(sig)
			if code := c.code(); code != 7 {
				t.Errorf("exit %d, want the server's 7", code)
			}
			if b, _ := os.ReadFile(trapped); string(b) != signalName(sig) {
				t.Errorf("the server got %q", b)
			}
			if c.out.String() != "bye\n" {
				t.Errorf("last words %q", c.out)
			}
			if !gone(server) {
				t.Error("the server lives on")
			}
			for _, want := range []string{"received", "forwarded"} {
				if !c.wasTold("signal " + signalName(sig) + " " + want) {
					t.Errorf("events %q lack %s", c.told(), want)
				}
			}
		})
	}
}

// Servers and trees that do not want to end, and what must be climbed to end them.
func TestLadder(t *testing.T) {
	for _, test := range []struct {
		name   string
		script string // PID: the file for the pid that must be gone
		signal syscall.Signal
		code   int
		events []string
		not    []string
	}{
		{name: "ends by itself", script: "pid PID ; dump /dev/null ; exit 5", code: 5, events: []string{"client_closed_stdin"}, not: []string{"signal"}},
		{name: "ignores the end of input", script: "pid PID ; forever", code: 128 + 15, events: []string{"client_closed_stdin", "signal SIGTERM ladder"}, not: []string{"signal SIGKILL"}},
		{name: "ignores that and TERM", script: "ignore SIGTERM ; pid PID ; forever", code: 128 + 9, events: []string{"signal SIGTERM ladder", "signal SIGKILL ladder"}},
		{name: "told to end, will not", script: "ignore SIGTERM SIGINT SIGHUP ; pid PID ; forever", signal: unix.SIGTERM, code: 128 + 9, events: []string{"signal SIGTERM forwarded", "signal SIGKILL ladder"}},
		{name: "a child does not want to end", script: "child ignore SIGTERM ; pid PID ; forever ; parent forever", signal: unix.SIGTERM, code: 128 + 15, events: []string{"signal SIGTERM forwarded", "signal SIGKILL ladder"}},
		{name: "a child holds the pipes", script: "child pid PID ; forever ; parent await PID ; exit 4", code: 4, events: []string{"exit", "signal SIGTERM ladder"}},
		{name: "a child holds the pipes and ignores TERM", script: "child ignore SIGTERM ; pid PID ; forever ; parent await PID ; exit 4", code: 4, events: []string{"exit", "signal SIGKILL ladder"}},
		{name: "a child of another session holds the pipes", script: "daemon pid PID ; forever ; parent await PID ; exit 4", code: 4, events: []string{"exit", "signal SIGTERM ladder"}},
		{name: "a child of another session lives on", script: "background pid PID ; forever ; parent await PID ; exit 4", code: 4, events: []string{"exit", "group_left", "signal SIGTERM ladder"}},
		{name: "one that ignores TERM", script: "background ignore SIGTERM ; pid PID ; forever ; parent await PID ; exit 4", code: 4, events: []string{"group_left", "signal SIGKILL ladder"}},
		{name: "a grandchild of another session lives on", script: "background child pid PID ; forever ; parent await PID ; exit 0 ; parent await PID ; exit 4", code: 4, events: []string{"group_left"}},
		{name: "one of another session that looks dead lives on", script: "background pid PID ; beheaded ; parent await PID ; sleep 100 ; exit 4", code: 4, events: []string{"group_left"}},
		{name: "a grandchild of another session whose parent looks dead", script: "background child pid PID ; forever ; parent await PID ; beheaded ; parent await PID ; sleep 100 ; exit 4", code: 4, events: []string{"group_left"}},
	} {
		if strings.Contains(test.name, "session") || strings.HasPrefix(test.name, "one that") {
			if runtime.GOOS != "linux" {
				continue // only Linux lets us find them
			}
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pid := filepath.Join(t.TempDir(), "pid")
			c := begin(t, script(t, "%s", strings.ReplaceAll(test.script, "PID", pid)))
			p := pidIn(t, pid)
			switch {
			case test.signal != 0:
				c.Process.Signal(test.signal)
			case !slices.Contains(test.events, "exit") && !slices.Contains(test.events, "group_left"):
				c.in.Close()
			}
			if code := c.code(); code != test.code {
				t.Errorf("exit %d, want %d", code, test.code)
			}
			eventually(t, "the end of the server's last process", func() bool { return gone(p) })
			for _, e := range test.events {
				if !c.wasTold(e) {
					t.Errorf("events %q lack %q", c.told(), e)
				}
			}
			for _, e := range test.not {
				if c.wasTold(e) {
					t.Errorf("events %q hold %q", c.told(), e)
				}
			}
		})
	}
}

// Closing the input is no order to end at once while a request is open.
func TestOpenRequestsAreWaitedFor(t *testing.T) {
	for _, open := range []bool{true, false} {
		server := script(t, "dump /dev/null ; sleep %d ; out answer ; exit 6", 4*quickPace.idle.Milliseconds())
		env, code, out := []string(nil), 128+15, ""
		if open {
			env, code, out = []string{"OPEN=1"}, 6, "answer"
		}
		c := begin(t, server, env...)
		c.in.Close()
		if got := c.code(); got != code || c.out.String() != out {
			t.Errorf("open %v: exit %d, output %q, want %d, %q", open, got, c.out, code, out)
		}
	}
}

// A server that writes after the end of its input is not silent.
func TestOutputKeepsAServerAlive(t *testing.T) {
	step := "sleep 100 ; out x ; "
	c := begin(t, script(t, "dump /dev/null ; %s exit 6", strings.Repeat(step, int(3*quickPace.idle.Milliseconds()/100))))
	c.in.Close()
	if code := c.code(); code != 6 {
		t.Errorf("exit %d after %q", code, c.out)
	}
}

// When the proxy is killed the server sees the end of its input: no more can be promised.
func TestProxyIsKilled(t *testing.T) {
	dir := t.TempDir()
	pid, mark := filepath.Join(dir, "pid"), filepath.Join(dir, "mark")
	c := begin(t, script(t, "pid %s ; dump /dev/null ; mark %s", pid, mark))
	p := pidIn(t, pid)
	c.Process.Kill()
	eventually(t, "the end of the server", func() bool { return gone(p) })
	if _, err := os.Stat(mark); err != nil {
		t.Error("the server did not see the end of its input")
	}
	c.code()
}

// The parent may end without closing the client's pipes: others may hold them.
func TestParentGoes(t *testing.T) {
	for _, nohup := range []bool{false, true} {
		dir := t.TempDir()
		pid, proxyPid, events := filepath.Join(dir, "pid"), filepath.Join(dir, "proxy"), filepath.Join(dir, "events")
		in, _ := pipe(t) // its writing end stays open
		server := throughProxy(t, script(t, "pid %s ; forever", pid))
		quotedServer := "'" + strings.Join(server, "' '") + "'"
		trap := ""
		if nohup {
			trap = "trap '' HUP; "
		}
		sh := exec.Command("sh", "-c", trap+quotedServer+" <&3 3<&- & echo $! > "+proxyPid+".new; mv "+proxyPid+".new "+proxyPid+"; while ! test -s "+pid+"; do sleep 0.01; done")
		sh.ExtraFiles = []*os.File{in}
		sh.Env = append(os.Environ(), "EVENTS="+events, "QUICK=1")
		if err := sh.Run(); err != nil {
			t.Fatal(err)
		}
		p, server1 := pidIn(t, proxyPid), pidIn(t, pid)
		if nohup {
			time.Sleep(5 * quickPace.parent)
			unix.Kill(p, unix.SIGHUP) // ignored by us and by the server
			time.Sleep(5 * quickPace.parent)
			if gone(p) || gone(server1) {
				t.Error("nohup: ended with its parent")
			}
			unix.Kill(p, unix.SIGTERM)
		}
		eventually(t, "the end of the proxy", func() bool { return gone(p) })
		eventually(t, "the end of the server", func() bool { return gone(server1) })
		b, _ := os.ReadFile(events)
		if told := strings.Contains(string(b), "parent_gone"); told == nohup {
			t.Errorf("nohup %v: events %q", nohup, b)
		}
	}
}

// A client that closes our output, and does not speak, is noticed by the server as without us.
func TestProxyProcessSurvivesBrokenOutput(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "mark")
	p := throughProxy(t, script(t, "ignore SIGPIPE ; line ; out one ; sleep 50 ; out two ; err three ; dump /dev/null ; mark %s ; exit 8", mark))
	c := exec.Command(p[0], p[1:]...)
	in, _ := c.StdinPipe()
	outR, outW := pipe(t)
	errR, errW := pipe(t)
	c.Stdout, c.Stderr = outW, errW
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	outW.Close()
	errW.Close()
	outR.Close()
	errR.Close()
	io.WriteString(in, "go\n")
	time.AfterFunc(300*time.Millisecond, func() { in.Close() })
	c.Wait()
	if code := exitCode(c.ProcessState); code != 8 {
		t.Errorf("exit %d, want the server's 8", code)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error("the server did not get to its end")
	}
}

// Somebody who shares our open file may make it non-blocking under our hands.
func TestNonBlockingDescriptor(t *testing.T) {
	var fds [2]int
	if err := unix.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	r, w := os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
	defer r.Close()
	defer w.Close()
	for _, fd := range fds {
		if err := unix.SetNonblock(fd, true); err != nil {
			t.Fatal(err)
		}
	}
	const size = 1 << 20
	got := make(chan int)
	go func() {
		n, buf := 0, make([]byte, 10_000)
		for n < size {
			k, err := read(r, buf)
			if err != nil {
				t.Errorf("after %d bytes: %v", n, err)
				break
			}
			n += k
		}
		got <- n
	}()
	if n, err := writeAll(w, make([]byte, size)); n != size || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	if n := <-got; n != size {
		t.Errorf("read %d", n)
	}
}

func TestCommandsThatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	file("noexec", "#!/bin/sh\n", 0o600)
	file("ok", "#!/bin/sh\nexit 3\n", 0o700)
	orphan := file("orphan", "#!/no/such/interpreter -x\n", 0o700)
	for _, test := range []struct {
		command string
		path    string
		code    int
		says    []string
	}{
		{"no-such-command", dir, 127, []string{"command not found"}},
		{"", dir, 127, []string{`""`, "not found"}},
		{dir + "/missing", dir, 127, []string{"missing", "no such file"}},
		{dir + "/ok/below", dir, 127, []string{"no such file"}},
		{dir, dir, 126, []string{"is a folder"}},
		{dir + "/noexec", dir, 126, []string{"not executable"}},
		{"noexec", dir, 126, []string{"noexec", "not executable"}},
		{orphan, dir, 126, []string{"/no/such/interpreter", "missing"}},
		{"ok", "/nowhere::" + dir, 3, nil},
	} {
		tap := &memory{}
		r, err := Run(t.Context(), Config{Command: []string{test.command}, Env: []string{"PATH=" + test.path}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Tap: tap, pace: &quickPace})
		if r.Code != test.code {
			t.Errorf("%q: code %d, want %d (%v)", test.command, r.Code, test.code, err)
		}
		if (err != nil) != (test.says != nil) || tap.has("spawn_error") != (err != nil) {
			t.Errorf("%q: %v, events %q", test.command, err, tap.names())
			continue
		}
		for _, s := range test.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%q: %q lacks %q", test.command, err, s)
			}
		}
		var start *StartError
		if err != nil && (!errors.As(err, &start) || test.code == 127 && !strings.Contains(test.command, "/") && start.Searched != dir) {
			t.Errorf("%q: searched %+v", test.command, start)
		}
	}
}
