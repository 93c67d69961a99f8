//go:build unix

package proxy

import (
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// platformStep does the steps that need signals.
func platformStep(step []string) bool {
	switch step[0] {
	case "ignore": // SIG…
		for _, s := range step[1:] {
			signal.Ignore(unix.SignalNum(s))
		}
	case "trap": // SIG FILE CODE: on SIG write its name to FILE, work a little, say bye, exit CODE
		ch := make(chan os.Signal, 1)
		signal.Notify(ch, unix.SignalNum(step[1]))
		go func() {
			<-ch
			must(os.WriteFile(step[2], []byte(step[1]), 0o600))
			time.Sleep(50 * time.Millisecond)
			os.Stdout.WriteString("bye\n")
			code, _ := strconv.Atoi(step[3])
			os.Exit(code)
		}()
	case "die": // SIG
		s := unix.SignalNum(step[1])
		signal.Reset(s)
		unix.Kill(os.Getpid(), s)
		time.Sleep(time.Hour)
	case "beheaded": // lives on without its first thread
		behead()
	case "ignored": // SIG: says whether it is ignored
		os.Stdout.WriteString(strconv.FormatBool(signal.Ignored(unix.SignalNum(step[1]))))
	case "nonblock": // whether the three descriptors are
		for fd := range 3 {
			fl, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			os.Stdout.WriteString(strconv.FormatBool(fl&unix.O_NONBLOCK != 0) + " ")
		}
	default:
		return false
	}
	return true
}

func ownSession(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// pidIn waits for the pid that a fixture writes to a file.
func pidIn(t testing.TB, file string) int {
	t.Helper()
	var pid int
	eventually(t, file, func() bool {
		b, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return pid > 0
	})
	return pid
}

// gone reports whether a process has ended (it may still be waited for).
func gone(pid int) bool {
	if unix.Kill(pid, 0) == unix.ESRCH {
		return true
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(state, "Z")
}

// throughProxy puts the proxy process in front of a command.
func throughProxy(t testing.TB, command []string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{exe, "proxy"}, command...)
}

// eventually waits until f holds; it gives up after a time that only a hang reaches.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never came: %s", what)
		}
	}
}
