package recordings

import (
	"bytes"
	"io"
)

const (
	firstRead = 64 << 10
	largeRead = 1 << 20

	// maxLine bounds the lines of a file. Ours are far shorter, messages in foreign logs may be long.
	maxLine = 512 << 20

	// lookahead is how much of the next line can be seen with one, unless the file ends there.
	lookahead = 64
)

// lines reads a file line by line, without copying. It can go on after the end of a file that grew.
type lines struct {
	src    io.Reader
	buf    []byte // what is read and not handed out yet is buf[from:to]
	from   int
	to     int
	seen   int   // bytes of the unfinished line at from that hold no line end
	offset int64 // of buf[from] in the file
	number int64 // of the line handed out last, from 1
	ended  bool  // src had no more, for now
	err    error // other than io.EOF
}

// next returns the next line without its LF, and where it stands. It returns false when there is no
// complete one; what is there of an incomplete one is [lines.rest].
func (l *lines) next() (line []byte, pos int64, ok bool) {
	for {
		if i := bytes.IndexByte(l.buf[l.from+l.seen:l.to], '\n'); i >= 0 {
			length := l.seen + i
			if l.to-l.from-length-1 < lookahead && !l.ended && l.fill() {
				continue
			}
			end := l.from + length // fill may have moved it, even where it found no more
			line, pos = l.buf[l.from:end:end], l.offset
			l.advance(end + 1 - l.from)
			return line, pos, true
		}
		l.seen = l.to - l.from
		if l.seen > maxLine || !l.fill() {
			return nil, 0, false
		}
	}
}

// peek returns the n-th line from here, complete or as far as limit goes, without handing it out.
func (l *lines) peek(n, limit int) ([]byte, bool) {
	start := l.from
	for {
		i := bytes.IndexByte(l.buf[start:l.to], '\n')
		switch {
		case i >= 0 && n == 0:
			return l.buf[start : start+i], true
		case i >= 0:
			start += i + 1
			n--
			continue
		}
		at := start - l.from
		more := l.to-l.from < limit && l.fill()
		start = l.from + at
		if more {
			continue
		}
		return l.buf[start:l.to], n == 0 && l.to > start
	}
}

// after returns the beginning of what follows the line handed out last.
func (l *lines) after() []byte { return l.buf[l.from:l.to] }

// rest returns the incomplete line at the end of what could be read.
func (l *lines) rest() (line []byte, pos int64) { return l.buf[l.from:l.to], l.offset }

// tooLong reports whether the line to come is too long to be read.
func (l *lines) tooLong() bool { return l.to-l.from > maxLine }

// skipRest drops the incomplete line, or, if it is too long, all that follows up to its end.
func (l *lines) skipRest() {
	long := l.tooLong()
	l.advance(l.to - l.from)
	for long && l.fill() {
		i := bytes.IndexByte(l.buf[l.from:l.to], '\n')
		if i >= 0 {
			l.advance(i + 1)
			l.number--
			return
		}
		l.number--
		l.advance(l.to - l.from)
	}
}

func (l *lines) advance(n int) {
	l.from += n
	l.offset += int64(n)
	l.seen = 0
	l.number++
}

// fill reads more. It returns false when there is no more, for now or for good.
func (l *lines) fill() bool {
	if l.err != nil {
		return false
	}
	if l.from > 0 && (l.from == l.to || l.to == len(l.buf)) {
		copy(l.buf, l.buf[l.from:l.to])
		l.to -= l.from
		l.from = 0
	}
	if l.to == len(l.buf) {
		bigger := make([]byte, min(max(firstRead, 2*len(l.buf)), max(largeRead, len(l.buf)+len(l.buf)/2)))
		copy(bigger, l.buf[:l.to])
		l.buf = bigger
	}
	for range 100 {
		n, err := l.src.Read(l.buf[l.to:])
		l.to += n
		l.ended = err != nil
		if err != nil && err != io.EOF {
			l.err = err
		}
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	l.err = io.ErrNoProgress
	return false
}
