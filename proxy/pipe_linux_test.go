package proxy

import (
	"bytes"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Only a flood is worth the kernel's memory.
func TestFloodsWidenPipes(t *testing.T) {
	allowed, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer allowed.Close()
	defer other.Close()
	if _, err := unix.FcntlInt(allowed.Fd(), unix.F_SETPIPE_SZ, wide); err != nil {
		t.Skipf("the kernel has no more for this user: %v", err)
	}
	for _, test := range []struct {
		name   string
		chunks []int
		flood  bool
	}{
		{"small", []int{100, 200, 64<<10 - 1, 100}, false},
		{"one big message", []int{200, 64 << 10, 64 << 10, 300, 64 << 10, 64 << 10}, false},
		{"flood", append(repeated(64<<10, floodAfter+1), 7), true},
		{"nearly a flood", append(append(repeated(64<<10, floodAfter-1), 7), repeated(64<<10, floodAfter-1)...), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			got := make(chan []byte)
			go func() { b, _ := io.ReadAll(r); got <- b }()
			var sent []byte
			l := newLane(Stdin, noTap{})
			l.pumpIn(w, &chunks{sizes: test.chunks, sent: &sent})
			if b := <-got; !bytes.Equal(b, sent) {
				t.Errorf("%d bytes arrived of %d, or others", len(b), len(sent))
			}
			size, err := unix.FcntlInt(r.Fd(), unix.F_GETPIPE_SZ, 0)
			if err != nil {
				t.Fatal(err)
			}
			if size >= wide != test.flood {
				t.Errorf("the pipe holds %d bytes", size)
			}
		})
	}
}

func repeated(n, times int) []int {
	all := make([]int, times)
	for i := range all {
		all[i] = n
	}
	return all
}

// chunks gives reads of these sizes and keeps what it gave.
type chunks struct {
	sizes []int
	sent  *[]byte
}

func (c *chunks) Read(b []byte) (int, error) {
	if len(c.sizes) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(c.sizes[0], len(b))], bytes.Repeat([]byte{byte('a' + len(c.sizes)%26)}, c.sizes[0]))
	c.sizes = c.sizes[1:]
	*c.sent = append(*c.sent, b[:n]...)
	return n, nil
}
