package tui

import (
	"syscall"
	"time"
)

// cpuOfProcess is the CPU time that this process has used.
func cpuOfProcess() time.Duration {
	p, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, exited, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(p, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return time.Duration(kernel.Nanoseconds() + user.Nanoseconds())
}
