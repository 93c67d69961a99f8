package tui

// Lanes are the places side by side in which requests in flight are drawn. A request takes the
// lowest lane that is free when it comes and keeps it until its answer, so that lanes do not change
// places when the window scrolls.

const (
	maxLanes  = 12
	laneEvery = 1024 // rows between two snapshots of what is in flight
)

// lanes assigns lanes to the requests of a recording.
type lanes struct {
	upTo  int
	now   laneState
	snaps []laneState // before row k*laneEvery
}

// laneState says which request is in each lane, none for an empty one.
type laneState [maxLanes]int32

func newLaneState() (ls laneState) {
	for i := range ls {
		ls[i] = none
	}
	return ls
}

// extend takes in rows that are new, a limited number, and reports whether there are no more.
func (l *lanes) extend(rs *rows) bool {
	if l.upTo == 0 {
		l.now = newLaneState()
		l.snaps = nil
	}
	for end := min(rs.n, l.upTo+countSlice); l.upTo < end; l.upTo++ {
		if l.upTo%laneEvery == 0 {
			l.snaps = append(l.snaps, l.now)
		}
		l.now.step(rs, l.upTo)
	}
	return l.upTo == rs.n
}

// step passes row i and returns the lane it begins or ends, none for neither.
func (ls *laneState) step(rs *rows, i int) int {
	r := rs.at(i)
	switch {
	case r.kind() == kindRequest:
		for k := range ls {
			if ls[k] == none {
				ls[k] = int32(i)
				return k
			}
		}
	case r.isAnswer() && r.pair() >= 0:
		return ls.end(r.pair())
	case r.kind() == kindNotification && r.flow() >= 0 && int(r.flow()) != i && rs.at(int(r.flow())).pair() < 0 && rs.names.text(r.method()) == "notifications/cancelled":
		// What was given up and never answered is not in flight any more.
		return ls.end(r.flow())
	}
	return none
}

// end frees the lane of a request and returns it, none if it had none.
func (ls *laneState) end(request int32) int {
	for k := range ls {
		if ls[k] == request {
			ls[k] = none
			return k
		}
	}
	return none
}

// before returns what is in flight before row i; nothing, as long as the rows up to there are not
// taken in.
func (l *lanes) before(rs *rows, i int) laneState {
	if i > l.upTo {
		return newLaneState()
	}
	snap := min(i/laneEvery, len(l.snaps)-1)
	if snap < 0 {
		return newLaneState()
	}
	ls := l.snaps[snap]
	for k := snap * laneEvery; k < i; k++ {
		ls.step(rs, k)
	}
	return ls
}
