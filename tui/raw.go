package tui

// rawTree is a JSON tree of one message, made in the background.
type rawTree struct{}

func parseRaw([]byte) rawTree { return rawTree{} }

func (t rawTree) ok() bool { return false }

// rawView is the tree with what is folded.
type rawView struct{ tree rawTree }

func (v *rawView) open()                     {}
func (v *rawView) count() int                { return 0 }
func (v *rawView) act(a action, _ *int) bool { return false }
func (v *rawView) reveal(string) int         { return 0 }
func (v *rawView) toggle(int)                {}
func (v *rawView) draw(*pen, int)            {}

// rawFacts shows the exact text where it is no tree.
func (s *session) rawFacts(i, width int) []dline {
	p := s.detail.payloadOf(i)
	switch {
	case !s.rows.at(i).hasPayload():
		return s.eventLines(i, width)
	case p == nil:
		return []dline{{segs: []seg{{roleMuted, "reading…"}}, jump: none}}
	case p.err != nil:
		return []dline{{segs: []seg{{roleError, p.err.Error()}}, jump: none}}
	}
	return s.textLines(p, max(width-2, 10))
}
