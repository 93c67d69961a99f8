package tui

// flight counts the requests that are open at the playhead. It is kept while a replay goes on, so that
// a step costs what it steps over.
type flight struct {
	head, n int
}

// inFlight is the number of requests without an answer before the playhead.
func (s *session) inFlight() int {
	if !s.replay.on {
		return len(s.rows.pending)
	}
	f := &s.flight
	change := func(i int) int {
		r := s.rows.at(i)
		switch {
		case r.kind() == kindRequest && r.state() != stateOpen:
			return 1
		case r.isAnswer() && r.pair() >= 0 && s.rows.at(int(r.pair())).state() != stateOpen:
			return -1
		}
		return 0
	}
	for ; f.head < s.limit(); f.head++ {
		f.n += change(f.head)
	}
	for ; f.head > s.limit(); f.head-- {
		f.n -= change(f.head - 1)
	}
	return f.n
}
