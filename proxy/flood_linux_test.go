package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// blockingPipe is a pipe as a client makes it: its ends block, and Go does not poll them.
func blockingPipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(p[0]), "|0"), os.NewFile(uintptr(p[1]), "|1")
}

// sameFiles waits until no more descriptors are open than before.
func sameFiles(t *testing.T, before int) {
	t.Helper()
	eventually(t, fmt.Sprintf("only %d descriptors", before), func() bool { return openFiles(t) <= before })
}

// Whenever an inlet is closed, or a deadline comes and goes, and however it is read then: what was read is a
// beginning of what was written, reads end, and no descriptor is left.
func TestInletUnderStress(t *testing.T) {
	var ring [4096]byte
	for k := range ring {
		ring[k] = byte(k * 31 >> 3)
	}
	before := openFiles(t)
	end := time.Now().Add(700 * time.Millisecond)
	for round := uint64(0); time.Now().Before(end); round++ {
		random := rand.New(rand.NewPCG(round, 1))
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		i := newInlet(r)
		var wg sync.WaitGroup
		wg.Go(func() { // writes
			random := rand.New(rand.NewPCG(round, 2))
			at := 0
			for range random.IntN(400) {
				n, err := w.Write(ring[at : at+min(1+random.IntN(3000), len(ring)-at)])
				at = (at + n) % len(ring)
				if err != nil {
					return // the reading end is closed
				}
				if random.IntN(20) == 0 {
					time.Sleep(time.Duration(random.IntN(200)) * time.Microsecond)
				}
			}
			if random.IntN(2) == 0 {
				w.Close()
			}
		})
		wg.Go(func() { // reads
			random := rand.New(rand.NewPCG(round, 3))
			buf := make([]byte, 8<<10)
			at := 0
			for {
				if random.IntN(4) == 0 {
					i.adapt(flow(random.IntN(3)))
				}
				n, err := i.Read(buf)
				for _, c := range buf[:n] {
					if c != ring[at%len(ring)] {
						t.Errorf("round %d: byte %d is another", round, at)
						i.Close()
						return
					}
					at++
				}
				switch {
				case err == nil && n > 0, errors.Is(err, os.ErrDeadlineExceeded):
				case err == io.EOF, errors.Is(err, os.ErrClosed):
					return
				default:
					t.Errorf("round %d: %d, %v", round, n, err)
					return
				}
			}
		})
		wg.Go(func() { // has enough, at last
			for range random.IntN(5) {
				i.SetReadDeadline(time.Unix(1, 0))
				time.Sleep(time.Duration(random.IntN(100)) * time.Microsecond)
				i.SetReadDeadline(time.Time{})
				time.Sleep(time.Duration(random.IntN(300)) * time.Microsecond)
			}
			i.Close()
		})
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("round %d does not end", round)
		}
		w.Close()
	}
	sameFiles(t, before)
}

// However a run ends in the middle of floods, Run returns and leaves nothing behind.
func TestRunEndsInMidFlood(t *testing.T) {
	defer goleak.VerifyNone(t)
	before := openFiles(t)
	const much = 1 << 40
	for name, test := range map[string]struct {
		server string
		polled bool // the client's ends are
		cancel bool // the context in the middle
		leave  bool // the client closes its end of our output
		unread bool // the client reads nothing at all
		ends   bool // the client's input does, in the middle
		code   int  // -1 is any
	}{
		"echo, cancelled":                   {server: "echo", cancel: true, code: -1},
		"echo, cancelled, polled":           {server: "echo", cancel: true, polled: true, code: -1},
		"echo, end of input":                {server: "echo ; exit 3", ends: true, code: 3},
		"echo, client leaves":               {server: "echo ; exit 3", leave: true, code: -1},
		"input, killed":                     {server: "swallow 3000000 ; die SIGKILL", code: 137},
		"input, exit":                       {server: "swallow 3000000 ; exit 4", code: 4},
		"input, closed":                     {server: "swallow 3000000 ; closein ; sleep 50 ; exit 4", code: 4},
		"output, killed":                    {server: "flood 3000000 ; die SIGKILL", code: 137},
		"output, client leaves":             {server: fmt.Sprintf("flood %d", much), leave: true, code: 141},
		"output, client leaves, polled":     {server: fmt.Sprintf("flood %d", much), leave: true, polled: true, code: 141},
		"output, cancelled":                 {server: fmt.Sprintf("flood %d", much), cancel: true, code: 143},
		"output, unread, cancelled":         {server: fmt.Sprintf("flood %d", much), cancel: true, unread: true, code: 143},
		"output, unread, cancelled, polled": {server: fmt.Sprintf("flood %d", much), cancel: true, unread: true, polled: true, code: 143},
		"errors, cancelled":                 {server: fmt.Sprintf("errflood %d", much), cancel: true, code: 143},
		"all, cancelled":                    {server: fmt.Sprintf("all %d", much), cancel: true, code: 143},
		"all, exit":                         {server: "all 20000000 ; exit 5", code: 5},
		"grandchild holds the pipes":        {server: "flood 3000000 ; child forever parent exit 6", code: 6},
		"grandchild out of reach":           {server: "all 3000000 ; daemon sleep 3000 ; parent exit 6", code: 6}, // holds the pipes until nobody reads them
		"grandchild floods on":              {server: fmt.Sprintf("child flood %d ; parent flood 3000000 ; exit 6", much), cancel: true, code: -1},
	} {
		t.Run(name, func(t *testing.T) {
			pipe := blockingPipe
			if test.polled {
				pipe = func(t testing.TB) (r, w *os.File) {
					r, w, err := os.Pipe()
					if err != nil {
						t.Fatal(err)
					}
					return r, w
				}
			}
			inR, inW := pipe(t)
			outR, outW := pipe(t)
			errR, errW := pipe(t)
			var wg sync.WaitGroup
			// The client closes its ends at once when Run has returned.
			wg.Go(func() {
				b := bytes.Repeat([]byte("0123456789abcdef"), 4<<10)
				for n := 0; ; n++ {
					if _, err := inW.Write(b); err != nil {
						return
					}
					if test.ends && n == 500 {
						inW.Close()
						return
					}
				}
			})
			if !test.unread {
				wg.Go(func() {
					if test.leave {
						io.CopyN(io.Discard, outR, 5<<20)
						outR.Close()
						return
					}
					io.Copy(io.Discard, outR)
				})
			}
			wg.Go(func() { io.Copy(io.Discard, errR) })

			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if test.cancel {
				defer time.AfterFunc(50*time.Millisecond, cancel).Stop()
			}
			done := make(chan Result, 1)
			go func() {
				r, err := Run(ctx, Config{Command: script(t, "%s", test.server), Stdin: inR, Stdout: outW, Stderr: errW, pace: &quickPace})
				if err != nil {
					t.Error(err)
				}
				done <- r
			}()
			select {
			case r := <-done:
				if test.code >= 0 && r.Code != test.code {
					t.Errorf("%+v, want code %d", r, test.code)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("Run does not return")
			}
			for _, f := range []*os.File{inR, inW, outR, outW, errR, errW} {
				f.Close()
			}
			wg.Wait()
		})
	}
	sameFiles(t, before)
}

// A conversation between floods, and floods both ways at once: no byte is lost, changed or kept back.
func TestFloodAndConversation(t *testing.T) {
	p := throughProxy(t, script(t, "echo ; exit 7"))
	c := exec.Command(p[0], p[1:]...)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(30*time.Second, func() { c.Process.Kill() })
	defer stuck.Stop()
	random := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, 8<<20)
	for k := range noise {
		noise[k] = byte(random.Uint32())
	}
	got := make([]byte, len(noise))
	for turn := range 3 {
		wrote := make(chan error, 1)
		go func() {
			for rest := noise; len(rest) > 0; {
				n := min(len(rest), 1+random.IntN(1<<(4+random.IntN(17))))
				if _, err := in.Write(rest[:n]); err != nil {
					wrote <- err
					return
				}
				rest = rest[n:]
			}
			wrote <- nil
		}()
		if _, err := io.ReadFull(out, got); err != nil {
			t.Fatal(err)
		}
		if err := <-wrote; err != nil || !bytes.Equal(got, noise) {
			t.Fatalf("flood %d: %v, or other bytes", turn, err)
		}
		for ping := range 200 {
			b := noise[ping : ping+1+random.IntN(300)]
			in.Write(b)
			if _, err := io.ReadFull(out, got[:len(b)]); err != nil || !bytes.Equal(got[:len(b)], b) {
				t.Fatalf("ping %d: %v, or other bytes", ping, err)
			}
		}
	}
	in.Close()
	if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil {
		t.Errorf("%d bytes more, %v", len(rest), err)
	}
	c.Wait()
	if code := exitCode(c.ProcessState); code != 7 {
		t.Errorf("code %d", code)
	}
}

// The proxy process ends, and so does the server, whoever is killed in the middle of a flood.
func TestKilledInMidFlood(t *testing.T) {
	for _, who := range []string{"server", "proxy", "client"} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			pid := filepath.Join(t.TempDir(), "pid")
			p := throughProxy(t, script(t, "pid %s ; all %d", pid, 1<<40))
			c := exec.Command(p[0], p[1:]...)
			c.Env = append(os.Environ(), "QUICK=1")
			inR, inW := blockingPipe(t)
			outR, outW := blockingPipe(t)
			c.Stdin, c.Stdout = inR, outW
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			inR.Close()
			outW.Close()
			server := pidIn(t, pid)
			var wg sync.WaitGroup
			wg.Go(func() {
				b := make([]byte, 64<<10)
				for {
					if _, err := inW.Write(b); err != nil {
						return
					}
				}
			})
			io.CopyN(io.Discard, outR, 20<<20)
			switch who {
			case "server":
				unix.Kill(server, unix.SIGKILL)
			case "proxy":
				c.Process.Kill()
			case "client":
				outR.Close() // what is in a write cannot be closed; the server's end ends that
			}
			wg.Go(func() { io.Copy(io.Discard, outR) })
			done := make(chan int)
			go func() { c.Wait(); done <- exitCode(c.ProcessState) }()
			select {
			case code := <-done:
				if want := map[string]int{"server": 137, "proxy": 137, "client": 141}[who]; code != want {
					t.Errorf("code %d, want %d", code, want)
				}
			case <-time.After(30 * time.Second):
				c.Process.Kill()
				t.Error("the proxy does not end")
			}
			eventually(t, "the end of the server", func() bool { return gone(server) })
			wg.Wait()
			inW.Close()
			outR.Close()
		})
	}
}
