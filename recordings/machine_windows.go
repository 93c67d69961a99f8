package recordings

import (
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

func machineID() string {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return ""
	}
	defer key.Close()
	id, _, err := key.GetStringValue("MachineGuid")
	if err != nil {
		return ""
	}
	return id
}

// bootID is unknown here: the start time of a process, which is absolute, tells enough.
func bootID() string { return "" }

// processStart returns the start of a process in units of 100 ns, 0 when there is no such process
// or it cannot be told.
func processStart(pid int) int64 {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(process)
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	// Somebody may hold a process open that has ended.
	var code uint32
	const stillActive = 259
	if windows.GetExitCodeProcess(process, &code) != nil || code != stillActive {
		return 0
	}
	return int64(created.HighDateTime)<<32 | int64(created.LowDateTime)
}

func processName(pid int) string {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		if entry.ProcessID == uint32(pid) {
			return windows.UTF16ToString(entry.ExeFile[:])
		}
	}
	return ""
}
