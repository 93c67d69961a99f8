//go:build unix

package tui

import (
	"syscall"
	"time"
)

// cpuOfProcess is the CPU time that this process has used.
func cpuOfProcess() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
