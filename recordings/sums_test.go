package recordings

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// full returns a buffer in a loss: all of its blocks are filled, and its file takes nothing.
func full(t *testing.T, limit int) *buffer {
	t.Helper()
	b := newBuffer(limit, func() time.Duration { return 0 }, true)
	b.inside = time.Now().Add(-time.Hour)
	if !b.chunk(Stdout, make([]byte, limit+1)) {
		t.Fatal("nothing is lost")
	}
	return b
}

// The record of a gap must not wait for more traffic: whoever frees the block that ends it wakes the
// consumer, which may sleep by then.
func TestEndOfLossWakesTheConsumer(t *testing.T) {
	b := full(t, 8*hashAside)
	b.sums.aside = true // somebody else hashes, and is slow
	for b.take() != nil {
	}
	if !b.rest(false) {
		t.Fatal("there is something to do")
	}
	b.mu.Lock()
	b.hashDue()
	b.mu.Unlock()
	if b.lost.open || len(b.queue) != 1 {
		t.Fatalf("loss open %v, %d blocks wait", b.lost.open, len(b.queue))
	}
	select {
	case <-b.wake:
	default:
		t.Error("the consumer sleeps on")
	}
}

// Without a file the buffer is emptied all the same, however few blocks it has.
func TestNoFileHoldsNobodyUp(t *testing.T) {
	for _, limit := range []int{1, 40, 100, 4 << 10, 256 << 10} {
		h := Header{}
		r := newRecorder(&h, RecorderOptions{Buffer: limit})
		r.start(func(func() bool) (io.Writer, error) { return nil, errors.New("no file") }, nil)
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for range 200 {
				r.Chunk(Stdin, make([]byte, 10+limit/20))
			}
		}()
		select {
		case <-sent:
		case <-time.After(20 * time.Second):
			t.Fatalf("the caller waits for room in %d bytes", limit)
		}
		r.Close()
	}
}

// slowHash is a digest that falls behind, so many times.
type slowHash struct {
	hash.Hash
	pause time.Duration
	times int
}

func (s *slowHash) Write(b []byte) (int, error) {
	if s.times--; s.times >= 0 {
		time.Sleep(s.pause)
	}
	return s.Hash.Write(b)
}

// Hashing that falls behind is waited for: it is no stall of the file, and nothing is lost.
func TestSlowDigests(t *testing.T) {
	for name, test := range map[string]struct {
		limit, chunk, count int
		pause               time.Duration
		times               int
	}{
		"aside":                      {8 * hashAside, 3 * hashAside, 20, 5 * time.Millisecond, 60},
		"by the consumer":            {64, 5, 100, 2 * time.Millisecond, 60},
		"aside, very slow":           {8 * hashAside, 3 * hashAside, 20, stallAfter + 50*time.Millisecond, 2},
		"by the consumer, very slow": {1, 20, 20, stallAfter + 50*time.Millisecond, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &sink{}
			h := Header{}
			r := newRecorder(&h, RecorderOptions{Buffer: test.limit})
			r.buf.sums.digest[Stdout] = &slowHash{sha256.New(), test.pause, test.times}
			r.start(func(func() bool) (io.Writer, error) { return s, nil }, appendHeader(nil, &h))
			var sent []byte
			for i := range test.count {
				b := fmt.Appendf(bytes.Repeat([]byte{'x'}, test.chunk), "%d\n", i)
				r.Chunk(Stdout, b)
				sent = append(sent, b...)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			all, _ := checkAccount(t, s.bytes(), map[Stream][]byte{Stdout: sent})
			if end := endOf(t, all); end.Gaps > 0 {
				t.Errorf("%d gaps", end.Gaps)
			}
		})
	}
}

// Whatever the file does while blocks are due, being hashed or lost: sums and gaps add up.
func TestSumsUnderStress(t *testing.T) {
	for i, limit := range []int{20, 300, 5 << 10, 200 << 10, 1 << 20} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(i), 7))
			stalls := 0
			s := &sink{}
			s.fail = func(write, size int) (int, error) { // one call at a time
				switch n := random.IntN(40); {
				case write > 3 && n == 0 && stalls < 2:
					stalls++
					time.Sleep(stallAfter + 50*time.Millisecond)
				case n < 4:
					time.Sleep(time.Duration(random.IntN(3)) * time.Millisecond)
				case write > 3 && n == 5 && stalls < 2:
					stalls++
					return random.IntN(size), errors.New("no space")
				}
				return -1, nil
			}
			r := NewRecorder(s, Header{}, RecorderOptions{Buffer: limit})
			streams := make([][]byte, 4)
			end := time.Now().Add(700 * time.Millisecond)
			var wg sync.WaitGroup
			for stream := Stdin; stream <= Stderr; stream++ {
				wg.Go(func() {
					random := rand.New(rand.NewPCG(uint64(i), uint64(stream)))
					line := bytes.Repeat([]byte("0123456789abcdef"), 20<<10)
					for time.Now().Before(end) && len(streams[stream]) < min(limit<<10, 20<<20) {
						for range random.IntN(30) {
							b := line[:min(1<<random.IntN(18), 4*limit)]
							if random.IntN(3) > 0 {
								b = append(bytes.Clone(b), '\n')
							}
							r.Chunk(stream, b)
							streams[stream] = append(streams[stream], b...)
						}
						switch random.IntN(3) {
						case 0:
							r.Event(Event{Name: "note"})
						case 1:
							time.Sleep(time.Duration(random.IntN(3)) * time.Millisecond)
						}
					}
					r.EndStream(stream)
				})
			}
			wg.Wait()
			if err := r.Close(); errors.Is(err, ErrStalled) {
				t.Fatal(err)
			}
			checkAccount(t, s.bytes(), map[Stream][]byte{Stdin: streams[Stdin], Stdout: streams[Stdout], Stderr: streams[Stderr]})
		})
	}
}

// The limit of the buffer holds for chunks of any length, and for what is written of them at once.
func TestMemoryIsBounded(t *testing.T) {
	const limit = 1 << 20
	b := newBuffer(limit, func() time.Duration { return 0 }, true)
	b.inside = time.Now().Add(-time.Hour)
	chunks := 0
	for !b.chunk(Stdin+Stream(chunks%3), []byte("\n")) {
		if chunks++; chunks > limit {
			t.Fatal("nothing is lost")
		}
	}
	items := 0
	for _, block := range b.queue {
		items += cap(block.items)
	}
	if size := items * int(unsafe.Sizeof(item{})); size > 2*limit {
		t.Errorf("%d bytes for the items of %d chunks", size, chunks)
	}

	longest := 0
	s := &sink{fail: func(_, size int) (int, error) { longest = max(longest, size); return -1, nil }}
	r := NewRecorder(s, Header{}, RecorderOptions{})
	sent := bytes.Repeat([]byte{'\n'}, maxBlock)
	r.Chunk(Stdout, sent)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	checkAccount(t, s.bytes(), map[Stream][]byte{Stdout: sent})
	if longest > mostOutput+flushSize {
		t.Errorf("%d bytes in a write", longest)
	}
}
