package annotate

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestIDSet(t *testing.T) {
	var s idSet
	want := map[string]bool{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		key := strconv.Itoa(r.IntN(9_000) - 100)
		if r.IntN(10) == 0 {
			key = `"` + key + `"`
		}
		if r.IntN(50) == 0 {
			key = "9007199254740993" + key
		}
		if got := s.add(key); got != want[key] {
			t.Fatalf("add(%s) = %v, want %v", key, got, want[key])
		}
		want[key] = true
	}
	for i := range 10_000 {
		key := strconv.Itoa(i - 200)
		if s.has(key) != want[key] || s.has(`"`+key+`"`) != want[`"`+key+`"`] {
			t.Fatalf("has(%s) is wrong", key)
		}
	}
	s = idSet{}
	for i := range 100_000 {
		s.add(strconv.Itoa(i))
	}
	if len(s.ranges) != 1 || len(s.hashes) != 0 {
		t.Errorf("a hundred thousand numbers in a row take %d ranges and %d hashes", len(s.ranges), len(s.hashes))
	}
}
