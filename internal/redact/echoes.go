package redact

import "slices"

// echoes finds secrets that come back without their name.
type echoes struct {
	known   map[string]struct{}
	byStart map[[4]byte][]int // lengths of those that begin with four bytes, the longest first
	table   []uint64          // a bit for each hash of four bytes that a secret begins with
}

// maxLengths bounds what is tried at one place: whoever names secrets of all lengths must not make it slow.
const maxLengths = 32

func hash4(h uint32) uint32 { return h * 0x9e3779b1 >> 16 }

func (e *echoes) add(value string) {
	if e.known == nil {
		e.known, e.byStart = make(map[string]struct{}), make(map[[4]byte][]int)
		e.table = make([]uint64, 1<<16/64)
	}
	var start [4]byte
	copy(start[:], value)
	list := e.byStart[start]
	at, found := slices.BinarySearchFunc(list, len(value), func(a, b int) int { return b - a })
	if !found {
		if len(list) == maxLengths {
			return
		}
		e.byStart[start] = slices.Insert(list, at, len(value))
	}
	e.known[value] = struct{}{}
	h := hash4(uint32(start[0])<<24 | uint32(start[1])<<16 | uint32(start[2])<<8 | uint32(start[3]))
	e.table[h/64] |= 1 << (h % 64)
}

// find appends the places in text at which a known secret stands.
func (e *echoes) find(dst []span, text []byte) []span {
	if len(e.byStart) == 0 || len(text) < 6 {
		return dst
	}
	work := 1<<20 + 16*len(text)
	h := uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2])
	for i := 3; i < len(text); i++ {
		h = h<<8 | uint32(text[i])
		if k := hash4(h); e.table[k/64]&(1<<(k%64)) == 0 {
			continue
		}
		from := i - 3
		for _, n := range e.byStart[[4]byte(text[from:i+1])] {
			if n > len(text)-from {
				continue
			}
			if work -= n; work < 0 {
				// Somebody makes this hard on purpose. What has not been looked at is taken for secret.
				return append(dst, span{from: from, to: len(text), kind: "secret", known: true})
			}
			if _, ok := e.known[string(text[from:from+n])]; ok {
				s := span{from: from, to: from + n, text: string(text[from : from+n]), known: true}
				if insideURL(text, from) {
					s.form = inURL
				}
				dst = append(dst, s)
				break
			}
		}
	}
	return dst
}
