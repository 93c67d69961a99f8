package proxy

import (
	"bytes"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tree knows the server's descendants. As a subreaper we become the parent of those whose own parent
// ends, so that not even setsid(2) takes them out of our sight.
type tree struct {
	reaper bool
	server int
	ended  atomic.Bool // the server has been waited for
}

func (t *tree) adopt(reaper bool) {
	if reaper && unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil {
		t.reaper = true
	}
}

func (t *tree) disown() {
	if t.reaper {
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
		t.reaper = false
	}
}

func (t *tree) root(pid int) { t.server = pid }

// forward passes a signal on to the server's group, or to what is left of it. It reports whether
// there was anybody to take it.
func (s *server) forward(sig os.Signal) bool {
	if s.pinned() {
		return s.group(sig)
	}
	return s.each(sig, func(procStat) bool { return true }) > 0
}

// signalTree sends sig to the group and to descendants that have left it.
func (s *server) signalTree(sig os.Signal) {
	if s.pinned() {
		s.group(sig)
		s.each(sig, func(p procStat) bool { return p.group != s.id })
		return
	}
	s.forward(sig)
}

// pinned reports whether the number of the group is still certain to be ours. Once the server has been
// waited for it may be given to somebody else; as a subreaper we then go by the processes below us,
// whose numbers stay theirs until we reap them.
func (s *server) pinned() bool { return !s.reaper || !s.ended.Load() }

func (s *server) each(sig os.Signal, wanted func(procStat) bool) (n int) {
	for _, p := range s.descendants() {
		if wanted(p) && unix.Kill(p.pid, sig.(syscall.Signal)) == nil {
			n++
		}
	}
	return n
}

// kill ends everything, and repeats it while descendants still appear: one may have been forking.
func (s *server) kill() {
	for nap := time.Millisecond; nap < 100*time.Millisecond; nap *= 2 {
		s.signalTree(unix.SIGKILL)
		time.Sleep(nap)
		if len(s.descendants()) == 0 {
			return
		}
		s.reapOrphans()
	}
}

// left are the descendants alive besides the server itself.
func (s *server) left() []process {
	if s.reaper {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err == unix.ECHILD {
			return nil // the usual end, and the cheap one
		}
		s.reapOrphans()
	}
	var left []process
	for _, p := range s.descendants() {
		if p.pid != s.id {
			left = append(left, p.process)
		}
	}
	if !s.reaper && left == nil && unix.Kill(-s.id, 0) == nil {
		left = groupMembers(s.id)
	}
	return left
}

// reapOrphans waits for the zombies that came to us as their subreaper, and for none but those.
func (s *server) reapOrphans() {
	if !s.reaper {
		return
	}
	self := os.Getpid()
	for _, p := range processes() {
		if p.zombie && p.parent == self && p.pid != s.id { // the server is waited for elsewhere
			unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
		}
	}
}

type procStat struct {
	process
	parent, group int
	zombie        bool
}

// descendants are the living processes below the server and, as a subreaper, below ourselves.
func (t *tree) descendants() []procStat {
	root := t.server
	if t.reaper {
		root = os.Getpid()
	}
	all := processes()
	below := map[int]bool{root: true}
	var found []procStat
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if below[p.parent] && !below[p.pid] {
				below[p.pid] = true
				grew = true
				if !p.zombie {
					found = append(found, p)
				}
			}
		}
	}
	if root == t.server {
		for _, p := range all {
			if p.pid == root && !p.zombie {
				found = append(found, p)
			}
		}
	}
	return found
}

func groupMembers(group int) []process {
	var in []process
	for _, p := range processes() {
		if p.group == group && !p.zombie {
			in = append(in, p.process)
		}
	}
	return in
}

// processes are all there are, from /proc; nil where that is not mounted.
func processes() []procStat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	all := make([]procStat, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		if p, ok := parseStat(stat); ok {
			p.pid = pid
			all = append(all, p)
		}
	}
	return all
}

// parseStat reads name, parent and group out of /proc/PID/stat. The name stands in parentheses and
// may hold any character, parentheses included.
func parseStat(stat []byte) (p procStat, ok bool) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return p, false
	}
	f := bytes.Fields(stat[end+1:])
	const threads = 17
	if len(f) <= threads {
		return p, false
	}
	p.name = string(stat[open+1 : end])
	p.parent, _ = strconv.Atoi(string(f[1]))
	p.group, _ = strconv.Atoi(string(f[2]))
	// Where only the first thread has ended the process looks dead, but lives, and keeps its children.
	p.zombie = (f[0][0] == 'Z' || f[0][0] == 'X') && len(f[threads]) == 1 && f[threads][0] <= '1'
	return p, true
}
