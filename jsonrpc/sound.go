package jsonrpc

import "bytes"

// Sound reports whether a frame is one message in which [Decode] found nothing odd: no batch, not invalid, without
// defects.
func (m *Message) Sound() bool {
	return m.Kind != Invalid && m.Kind != Blank && m.Kind != Batch && len(m.Defects) == 0
}

// DecodeSound is [Decode] for a frame that it has found [Message.Sound] before, several times faster because nothing is
// checked again. Of other frames it returns anything, with slices that point into data all the same.
func DecodeSound(data []byte) Message {
	var e envelope
	i := space(data, 0)
	if i == len(data) || data[i] != '{' {
		return Decode(data)
	}
	e.offset = i
	for i = space(data, i+1); i < len(data) && data[i] == '"'; i = space(data, i+1) {
		nameAt := i
		if i = SkipString(data, i); i > len(data) {
			return Decode(data)
		}
		name := data[nameAt:i]
		if i = space(data, i); i == len(data) || data[i] != ':' {
			return Decode(data)
		}
		i = space(data, i+1)
		from := i
		if i = Skip(data, i); i == from {
			return Decode(data)
		}
		e.set(name, nameAt, member{data[from:i:i], from})
		if i = space(data, i); i == len(data) || data[i] != ',' {
			break
		}
	}
	if i == len(data) || data[i] != '}' {
		return Decode(data)
	}
	e.raw = data[e.offset : i+1 : i+1]
	r := readers.Get().(*reader)
	m := r.classify(&e)
	readers.Put(r)
	return m
}

// Skip returns the index after the JSON value that begins at i, which must be one that was read before: nothing is
// checked, and of anything else it returns some index from i to len(b).
func Skip(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return min(SkipString(b, i), len(b))
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				i = SkipString(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return len(b)
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
		i++
	}
	return i
}

// SkipString returns the index after the string that begins at i, more than len(b) when it has no end.
func SkipString(b []byte, i int) int {
	for j := i + 1; j < len(b); {
		n := bytes.IndexByte(b[j:], '"')
		if n < 0 {
			break
		}
		j += n
		slashes := 0
		for k := j - 1; k > i && b[k] == '\\'; k-- {
			slashes++
		}
		j++
		if slashes%2 == 0 {
			return j
		}
	}
	return len(b) + 1
}
