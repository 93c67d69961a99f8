package recordings

import (
	"bytes"
	"fmt"
	"io"

	"github.com/shakescope/shakescope/jsonrpc"
)

// OpenStreams reads the bytes that each side wrote, each kept in a file of its own (by tee, say), plain or
// packed. One of the names may be "". There are no times, and the order between the streams is put
// together again from requests and their answers: a request comes before its answer, and answers as early
// as they can.
func OpenStreams(client, server string) (*Reader, error) {
	r := &Reader{name: client, format: Streams}
	if client == "" {
		r.name = server
	}
	src := &streams{header: &Header{Format: formatVersion, Imported: &Imported{Format: string(Streams), Source: r.name, NoTime: true}}}
	for i, path := range [...]string{client, server} {
		s := &src.side[i]
		s.open = map[string]bool{}
		if path == "" {
			s.over = true
			continue
		}
		f, err := openRegular(path)
		if err != nil {
			r.Close()
			return nil, err
		}
		r.closers = append(r.closers, f)
		s.lines = lines{src: f}
		unpack, err := r.unpack(&s.lines)
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		if unpack != nil {
			s.lines = lines{src: unpack}
		}
	}
	r.src = src
	return r, nil
}

// streams merges two streams.
type streams struct {
	header *Header
	damage []Damage
	side   [2]oneStream
	seq    int64
}

// oneStream is what one side wrote, and the line of it that comes next.
type oneStream struct {
	lines   lines
	over    bool
	held    bool
	data    []byte
	eol     jsonrpc.EOL
	request string // key of the id it asks with or answers to, "" for none
	answer  string
	open    map[string]bool // requests it has sent that have no answer
}

func (s *streams) about() (*Header, []Damage, int64) { return s.header, s.damage, 0 }

func (s *streams) next(rec *Record) error {
	client, server := s.peek(0), s.peek(1)
	var from int
	ready := func(i int) bool { return s.side[i].answer == "" || s.side[1-i].open[s.side[i].answer] }
	switch {
	case !client && !server:
		return io.EOF
	case !server:
		from = 0
	case !client:
		from = 1
	case s.side[0].answer != "" && ready(0):
		from = 0
	case !ready(1):
		from = 0
	case !ready(0):
		from = 1
	case len(s.side[0].open) > 0:
		from = 1
	}
	o := &s.side[from]
	if o.request != "" && len(o.open) < maxOpen {
		o.open[o.request] = true
	}
	if o.answer != "" {
		delete(s.side[1-from].open, o.answer)
	}
	o.held = false
	s.seq++
	*rec = Record{
		Kind: FrameRecord, Seq: s.seq, Stream: Stdin + Stream(from), Data: o.data, EOL: o.eol, Partial: o.eol == jsonrpc.None, Size: int64(len(o.data)),
	}
	return nil
}

// peek makes the next line of a side known. It returns false when there is none.
func (s *streams) peek(i int) bool {
	o := &s.side[i]
	if o.held {
		return true
	}
	if o.over {
		return false
	}
	line, _, ok := o.lines.next()
	o.eol = jsonrpc.LF
	if !ok {
		o.over = true
		o.eol = jsonrpc.None
		var pos int64
		line, pos = o.lines.rest()
		long := o.lines.tooLong()
		if o.lines.err != nil || long {
			reason := "line too long; the rest of the stream was left out"
			if !long {
				reason = o.lines.err.Error()
			}
			s.damage = append(s.damage, Damage{Line: o.lines.number + 1, Offset: pos, Bytes: int64(len(line)), Reason: [...]string{"c2s: ", "s2c: "}[i] + reason, Torn: true})
		}
		if len(line) == 0 || long {
			return false
		}
	} else if cut, ok := bytes.CutSuffix(line, []byte("\r")); ok {
		line, o.eol = cut, jsonrpc.CRLF
	}
	o.data, o.held = line, true
	o.request, o.answer = "", ""
	switch m := jsonrpc.Decode(line); m.Kind {
	case jsonrpc.Request:
		o.request = m.ID.Key()
	case jsonrpc.Response, jsonrpc.Error:
		o.answer = m.ID.Key()
	}
	return true
}
