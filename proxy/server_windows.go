package proxy

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// terminate is what the ladder sends first; a console program gets it as Ctrl-Break.
const terminate = syscall.SIGTERM

// server is the process we started. It and all it starts are in a job object that ends them when its
// last handle is closed, so even killing us leaves nothing behind.
type server struct {
	path string
	proc *os.Process
	job  windows.Handle
}

func startServer(c *Config, path string, stdio []*os.File) (*server, error) {
	attr := &syscall.SysProcAttr{
		// Suspended, so that it starts nothing before it is in the job.
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED,
		CmdLine:       commandLine(c.Command),
	}
	program := path
	if isBatch(path) {
		line, err := batchCommandLine(path, c.Command[1:])
		if err != nil {
			return nil, err
		}
		system, err := windows.GetSystemDirectory()
		if err != nil {
			return nil, fmt.Errorf("finding cmd.exe: %w", err)
		}
		program, attr.CmdLine = filepath.Join(system, "cmd.exe"), line
	}
	job, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("making a job object: %w", err)
	}
	s := &server{path: path, job: job}
	s.proc, err = os.StartProcess(program, c.Command, &os.ProcAttr{Dir: c.Dir, Env: c.environment(), Files: stdio, Sys: attr})
	if err != nil {
		s.close()
		return nil, err
	}
	if err = s.enterJob(); err == nil {
		err = resume(uint32(s.proc.Pid))
	}
	if err != nil {
		s.proc.Kill()
		s.proc.Wait()
		s.close()
		return nil, err
	}
	return s, nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

func (s *server) enterJob() error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(s.proc.Pid))
	if err != nil {
		return fmt.Errorf("opening the server's process: %w", err)
	}
	defer windows.CloseHandle(h)
	if err := windows.AssignProcessToJobObject(s.job, h); err != nil {
		return fmt.Errorf("putting the server into its job: %w", err)
	}
	return nil
}

// resume lets a process run that was started suspended: its only thread so far is found in a snapshot.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("listing threads: %w", err)
	}
	defer windows.CloseHandle(snapshot)
	e := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &e); err == nil; err = windows.Thread32Next(snapshot, &e) {
		if e.OwnerProcessID != pid {
			continue
		}
		t, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, e.ThreadID)
		if err != nil {
			return fmt.Errorf("opening the server's thread: %w", err)
		}
		defer windows.CloseHandle(t)
		if _, err := windows.ResumeThread(t); err != nil {
			return fmt.Errorf("letting the server run: %w", err)
		}
		return nil
	}
	return fmt.Errorf("finding the server's thread: %w", err)
}

func (s *server) pid() int { return s.proc.Pid }

// wait blocks until the server itself has ended.
func (s *server) wait() exitStatus {
	st, err := s.proc.Wait()
	if err != nil {
		return exitStatus{code: 126}
	}
	return exitStatus{code: st.ExitCode()}
}

// forward sends Ctrl-Break to the server's console group. Ctrl-C is switched off in a new group, and a
// process without our console gets neither: the kill that follows is for those.
func (s *server) forward(os.Signal) bool {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(s.proc.Pid)) == nil
}

func (s *server) signalTree(sig os.Signal) { s.forward(sig) }

func (s *server) kill() { windows.TerminateJobObject(s.job, 1) }

func (s *server) reapOrphans() {}

// left are the processes still in the job, the server itself left out.
func (s *server) left() []process {
	var list struct {
		assigned, listed uint32
		ids              [256]uintptr
	}
	err := windows.QueryInformationJobObject(s.job, windows.JobObjectBasicProcessIdList, uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil && err != windows.ERROR_MORE_DATA {
		return nil
	}
	var left []process
	for _, id := range list.ids[:list.listed] {
		if int(id) != s.proc.Pid {
			left = append(left, process{pid: int(id)})
		}
	}
	return left
}

func (s *server) close() { windows.CloseHandle(s.job) }
