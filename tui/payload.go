package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/jsonrpc"
)

// summaryCache bounds the summaries kept; the window is a small part of it.
const summaryCache = 8192

type summariesMsg struct {
	owned
	texts map[int32]string
	odd   []int32
}

// wanted is an entry whose payload is to be read.
type wanted struct {
	row         int32
	entry       annotate.Entry
	pos, length int64
}

func (s *session) want(i int) wanted {
	r := s.rows.at(i)
	return wanted{row: int32(i), entry: s.rows.entryAsOf(i, s.known()), pos: r.pos(), length: r.length()}
}

// hasPayload reports whether the file holds more about row i than the row.
func (r row) hasPayload() bool {
	return r.length() > 0 && r.kind() != kindEvent && r.kind() != kindGap && r.kind() != kindBlank
}

// fetch returns the command that reads what the window and its surroundings still lack, nil if nothing.
func (s *session) fetch() tea.Cmd {
	if s.fetching || s.src == nil || s.src.read == nil || s.limit() == 0 {
		return nil
	}
	first, last := s.list.window(s)
	reach := last - first + 1
	var need []wanted
	missing := false
	for line := max(0, first-reach); line <= min(s.list.total(s)-1, last+reach); line++ {
		i, rule := s.rowAt(line)
		if rule || i < 0 || i >= s.limit() || !s.rows.at(i).hasPayload() {
			continue
		}
		if _, ok := s.summaries[int32(i)]; !ok {
			need = append(need, s.want(i))
			missing = missing || line >= first && line <= last
		}
	}
	// What lies outside the window is only worth a read when something inside is.
	if !missing {
		return nil
	}
	s.fetching = true
	id, read := owned(s.id), s.src.read
	return func() tea.Msg {
		texts := make(map[int32]string, len(need))
		var odd []int32
		for _, w := range need {
			e := w.entry
			if err := fill1(&e, read, w); err != nil {
				texts[w.row] = "(" + err.Error() + ")"
				continue
			}
			texts[w.row] = clip(e.Summary(), 1024)
			if oddText(e.Raw) {
				odd = append(odd, w.row)
			}
		}
		return summariesMsg{id, texts, odd}
	}
}

// fill1 reads the payload of an entry and decodes it.
func fill1(e *annotate.Entry, read func(pos, length int64) ([]byte, error), w wanted) error {
	data, err := read(w.pos, w.length)
	if err != nil {
		return err
	}
	setPayload(e, data)
	return nil
}

// setPayload decodes data, a whole frame, into what annotate leaves to the reader.
func setPayload(e *annotate.Entry, data []byte) {
	e.Raw = data
	if e.Kind == annotate.Stderr || e.Withheld != "" {
		return
	}
	msg := jsonrpc.Decode(data)
	if e.Sub != annotate.NoSub {
		if int(e.Sub) >= len(msg.Members) {
			return
		}
		msg = msg.Members[e.Sub]
		e.Raw = msg.Raw
	}
	e.Reason, e.Offset, e.Defects, e.Err = msg.Reason, msg.Offset, msg.Defects, msg.Err
	if msg.Kind != jsonrpc.Blank {
		e.Message = &msg
	}
}

func (s *session) summarised(msg summariesMsg) tea.Cmd {
	s.fetching = false
	if len(s.summaries) > summaryCache {
		clear(s.summaries)
		clear(s.odd)
	}
	for _, i := range msg.odd {
		s.odd[i] = true
	}
	for i, text := range msg.texts {
		s.summaries[i] = text
	}
	s.m.dirty = true
	// The window may have moved meanwhile.
	return s.fetch()
}

// summaryText is what happened in row i, as far as it is read.
func (s *session) summaryText(i int) string {
	if text, ok := s.summaries[int32(i)]; ok {
		return text
	}
	r := s.rows.at(i)
	if r.hasPayload() && s.src != nil && s.src.read != nil {
		return s.rows.names.text(r.target)
	}
	if r.kind() == kindGap {
		if g, ok := s.rows.gaps[int32(i)]; ok {
			var total int64
			for _, n := range g.Bytes {
				total += n
			}
			return fmt.Sprintf("%s not recorded: %s", bytesText(total), g.Reason)
		}
	}
	e := s.rows.entry(i)
	return e.Summary()
}

func refOf(seq int64) annotate.Ref { return annotate.Ref{Seq: seq, Sub: annotate.NoSub} }
