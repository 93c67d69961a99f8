package filter

import (
	"maps"
	"sync/atomic"
)

// memo remembers the verdicts of a costly test over values that come again and again. It may be used by
// several goroutines at a time.
type memo[K comparable] struct {
	of    func(K) bool
	known atomic.Pointer[map[K]bool]
}

// memoSize bounds a memo; what is beyond is tested each time.
const memoSize = 256

func remember[K comparable](of func(K) bool) func(K) bool {
	m := &memo[K]{of: of}
	m.known.Store(&map[K]bool{})
	return m.ask
}

func (m *memo[K]) ask(k K) bool {
	known := *m.known.Load()
	if verdict, ok := known[k]; ok {
		return verdict
	}
	verdict := m.of(k)
	if old := m.known.Load(); len(*old) < memoSize {
		next := maps.Clone(*old)
		next[k] = verdict
		m.known.CompareAndSwap(old, &next) // if another was faster, this one comes again
	}
	return verdict
}
