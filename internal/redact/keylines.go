package redact

import "bytes"

// maxKeyLines bounds the lines of a private key.
const maxKeyLines = 400

// Log is [Redactor.Line] for one line of several. It knows of private keys that are written over several lines of a
// stream; the number tells streams apart.
func (r *Redactor) Log(stream int, line []byte) []byte {
	return r.masked(line, r.logSpans(masking, stream, line))
}

// LearnLog is [Redactor.Learn] for one line of several.
func (r *Redactor) LearnLog(stream int, line []byte) bool {
	return len(r.logSpans(learning, stream, line)) > 0
}

// What is done with lines. Each has its own place in the logs.
const (
	learning = iota
	masking
)

func (r *Redactor) logSpans(doing, stream int, line []byte) []span {
	open := r.logs[doing][stream]
	if open > 0 {
		r.logs[doing][stream]--
		if end := bytes.Index(line, []byte("-----END ")); end >= 0 {
			to := len(line)
			if tail := bytes.Index(line[end+9:], []byte("-----")); tail >= 0 {
				to = end + 9 + tail + 5
			}
			delete(r.logs[doing], stream)
			dst := r.hit(nil, line, 0, to, "private-key", true)
			for _, s := range r.scanText(nil, line[to:], loose) {
				s.from, s.to = s.from+to, s.to+to
				dst = append(dst, s)
			}
			return dst
		}
		if isKeyLine(line) {
			return r.hit(nil, line, 0, len(line), "private-key", true)
		}
		delete(r.logs[doing], stream)
	}
	spans := r.spans(line, protocol)
	for _, s := range spans {
		if s.kind == "private-key" && s.to == len(line) && !bytes.Contains(line[s.from:], []byte("-----END ")) {
			if r.logs[doing] == nil {
				r.logs[doing] = make(map[int]int)
			}
			r.logs[doing][stream] = maxKeyLines
		}
	}
	return spans
}

// isKeyLine reports whether a line may be part of a private key: base64, a header, or nothing.
func isKeyLine(line []byte) bool {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte("Proc-Type:")) || bytes.HasPrefix(line, []byte("DEK-Info:")) {
		return true
	}
	for _, c := range line {
		if !base64c.has(c) {
			return false
		}
	}
	return true
}
