package annotate

import (
	"hash/fnv"
	"slices"
	"strconv"
)

// idSet remembers which ids (or progress tokens) were used, in little memory: most senders count, so
// whole numbers are kept as ranges, everything else as a 64-bit hash of its key.
type idSet struct {
	ranges []idRange // sorted, apart from each other
	hashes map[uint64]struct{}
}

type idRange struct{ from, to int64 }

// maxRanges bounds the search and the moves of senders whose numbers jump about.
const maxRanges = 4096

// add adds a key and reports whether it was there already.
func (s *idSet) add(key string) bool {
	if s.has(key) {
		return true
	}
	n, ok := wholeNumber(key)
	if !ok {
		s.hash(key)
		return false
	}
	i, _ := slices.BinarySearchFunc(s.ranges, n, func(r idRange, n int64) int { return cmpRange(r, n) })
	left := i > 0 && s.ranges[i-1].to == n-1
	right := i < len(s.ranges) && s.ranges[i].from == n+1
	switch {
	case left && right:
		s.ranges[i-1].to = s.ranges[i].to
		s.ranges = slices.Delete(s.ranges, i, i+1)
	case left:
		s.ranges[i-1].to = n
	case right:
		s.ranges[i].from = n
	case len(s.ranges) < maxRanges:
		s.ranges = slices.Insert(s.ranges, i, idRange{n, n})
	default:
		s.hash(key)
	}
	return false
}

func (s *idSet) has(key string) bool {
	if n, ok := wholeNumber(key); ok {
		if _, found := slices.BinarySearchFunc(s.ranges, n, func(r idRange, n int64) int { return cmpRange(r, n) }); found {
			return true
		}
	}
	if s.hashes == nil {
		return false
	}
	_, ok := s.hashes[hashOf(key)]
	return ok
}

// any reports whether a key was ever added.
func (s *idSet) any() bool { return len(s.ranges) > 0 || len(s.hashes) > 0 }

func (s *idSet) hash(key string) {
	if s.hashes == nil {
		s.hashes = make(map[uint64]struct{})
	}
	s.hashes[hashOf(key)] = struct{}{}
}

func cmpRange(r idRange, n int64) int {
	switch {
	case r.to < n:
		return -1
	case r.from > n:
		return 1
	}
	return 0
}

// wholeNumber reads a key of an integer well inside 64 bits, so that its neighbours exist.
func wholeNumber(key string) (int64, bool) {
	if key == "" || len(key) > 18 || key[0] == '"' {
		return 0, false
	}
	n, err := strconv.ParseInt(key, 10, 64)
	return n, err == nil
}

func hashOf(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return h.Sum64()
}
