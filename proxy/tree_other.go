//go:build unix && !linux

package proxy

import (
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// tree knows the server's descendants by their process group only: a child that calls setsid(2) is
// out of our sight here.
type tree struct {
	ended atomic.Bool // the server has been waited for
}

func (t *tree) adopt(bool) {}
func (t *tree) disown()    {}
func (t *tree) root(int)   {}

func (s *server) forward(sig os.Signal) bool { return s.group(sig) }
func (s *server) signalTree(sig os.Signal)   { s.group(sig) }
func (s *server) kill()                      { s.group(unix.SIGKILL) }
func (s *server) reapOrphans()               {}

// left is one nameless process when anybody is left in the group. It is asked right after the server
// has been waited for: the number of an empty group is not given away that fast.
func (s *server) left() []process {
	if !s.ended.Load() || unix.Kill(-s.id, syscall.Signal(0)) != nil {
		return nil
	}
	return []process{{pid: s.id, name: "process group"}}
}
