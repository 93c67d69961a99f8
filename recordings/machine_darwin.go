package recordings

import (
	"bytes"

	"golang.org/x/sys/unix"
)

func machineID() string {
	id, err := unix.Sysctl("kern.uuid")
	if err != nil {
		return ""
	}
	return id
}

func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// processStart returns the start of a process in microseconds, 0 when there is no such process or
// it cannot be told.
func processStart(pid int) int64 {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return p.Proc.P_starttime.Sec*1e6 + int64(p.Proc.P_starttime.Usec)
}

func processName(pid int) string {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return ""
	}
	name := p.Proc.P_comm[:]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	return string(name)
}
