//go:build unix

package recordings

import (
	"strings"
	"syscall"
	"testing"
)

// TestNoRoomForAWhile has a disk that is full, or a quota that is used up, for some writes: the gap that
// comes first afterwards says why.
func TestNoRoomForAWhile(t *testing.T) {
	for _, no := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO} {
		t.Run(no.Error(), func(t *testing.T) {
			t.Parallel()
			s := &sink{fail: func(write, size int) (int, error) { return when(write >= 3 && write < 6, size/2), no }}
			var said logged
			r := NewRecorder(s, Header{}, RecorderOptions{Log: said.log})
			streams := map[Stream][]byte{}
			for i := range 20 {
				n := s.count()
				r.Chunk(Stdin, numbered(i))
				streams[Stdin] = append(streams[Stdin], numbered(i)...)
				if i < 3 {
					waitFor(t, func() bool { return s.count() > n })
				}
			}
			waitFor(t, func() bool { return s.count() > 6 })
			if err := r.Close(); err == nil || !strings.Contains(err.Error(), no.Error()) {
				t.Errorf("Close returned %v", err)
			}
			records, _ := checkAccount(t, s.bytes(), streams)
			gaps := 0
			for i := range records {
				if g := records[i].Gap; g != nil {
					gaps++
					if !strings.Contains(g.Reason, no.Error()) {
						t.Errorf("reason %q", g.Reason)
					}
				}
			}
			if gaps != 1 {
				t.Errorf("%d gaps", gaps)
			}
			waitFor(t, func() bool { return len(said.all()) > 0 })
			if lines := said.all(); len(lines) != 1 || !strings.Contains(lines[0], no.Error()) {
				t.Errorf("said %q", lines)
			}
		})
	}
}
