package annotate

import (
	"bytes"
	"strconv"

	"github.com/shakescope/shakescope/jsonrpc"
)

// maxCompared bounds the nesting and the width of what equalValues takes apart; beyond it only equal
// bytes are equal values.
const (
	maxComparedDepth   = 64
	maxComparedMembers = 4096
)

// equalValues reports whether two raw JSON values mean the same: members may stand in another order,
// white space, escapes and the spelling of numbers do not count. nil is equal to nil only.
func equalValues(a, b []byte) bool { return equalWithin(a, b, 0) }

func equalWithin(a, b []byte, depth int) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || depth > maxComparedDepth {
		return false
	}
	switch {
	case isString(a) && isString(b):
		s, _ := jsonrpc.Unquote(a)
		t, _ := jsonrpc.Unquote(b)
		return s == t
	case isObject(a) && isObject(b):
		return equalObjects(a, b, depth)
	case isArray(a) && isArray(b):
		return equalArrays(a, b, depth)
	}
	if !isDigit(a[0]) || !isDigit(b[0]) {
		return false
	}
	if m, err := strconv.ParseInt(string(a), 10, 64); err == nil {
		if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return m == n
		}
	}
	f, err := strconv.ParseFloat(string(a), 64)
	g, err2 := strconv.ParseFloat(string(b), 64)
	return err == nil && err2 == nil && f == g
}

func isDigit(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

func equalObjects(a, b []byte, depth int) bool {
	have := make(map[string][]byte)
	members(a, func(key, value []byte) bool { have[string(key)] = value; return len(have) <= maxComparedMembers })
	if len(have) > maxComparedMembers {
		return false
	}
	seen, equal := make(map[string]bool), true
	members(b, func(key, value []byte) bool {
		other, ok := have[string(key)]
		seen[string(key)] = true
		equal = ok && equalWithin(other, value, depth+1)
		return equal
	})
	return equal && len(seen) == len(have)
}

func equalArrays(a, b []byte, depth int) bool {
	var have [][]byte
	elements(a, func(value []byte) bool { have = append(have, value); return len(have) <= maxComparedMembers })
	if len(have) > maxComparedMembers {
		return false
	}
	i, equal := 0, true
	elements(b, func(value []byte) bool {
		equal = i < len(have) && equalWithin(have[i], value, depth+1)
		i++
		return equal
	})
	return equal && i == len(have)
}
