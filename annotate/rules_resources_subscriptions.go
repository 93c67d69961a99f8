package annotate

import (
	"github.com/shakescope/shakescope/internal/mcpshape"
)

// watches are the subscriptions of a legacy session, by URI.
type watches struct{ of map[string]*watch }

// watch is what became of a subscription. Several may be under way for one URI.
type watch struct {
	asking int  // subscribe requests without an answer
	active bool // the newest answer was that of a subscribe
	ending int  // unsubscribe requests without an answer
	ended  Ref  // the answer to an unsubscribe
	// refused says that a subscribe was answered with an error.
	refused bool
}

func (v *view) watches() *watches {
	w := memo[watches](v, v.Session)
	if w.of == nil {
		w.of = make(map[string]*watch)
	}
	return w
}

func watchAsked(v *view) {
	if v.from() != client || v.Entry.Target == "" {
		return
	}
	w := v.watches()
	one := w.of[v.Entry.Target]
	if one == nil {
		if len(w.of) >= maxLinks {
			return
		}
		one = new(watch)
		w.of[v.Entry.Target] = one
	}
	if v.Entry.Method == "resources/subscribe" {
		one.asking++
	} else {
		one.ending++
	}
}

// watchTried is about a subscribe that is no valid message: the server may act upon it all the same.
func watchTried(v *view) {
	if watchAsked(v); v.from() == client {
		if one := v.watches().of[v.Entry.Target]; one != nil {
			one.asking, one.active = max(0, one.asking-1), true
		}
	}
}

func watchAnswered(v *view) {
	if v.Exchange == nil || v.Exchange.from != client {
		return
	}
	one := v.watches().of[v.Exchange.target]
	if one == nil {
		return
	}
	subscribe := v.Exchange.method == "resources/subscribe"
	if subscribe {
		one.asking = max(0, one.asking-1)
	} else {
		one.ending = max(0, one.ending-1)
	}
	if v.Entry.Kind == ErrorAnswer {
		one.refused = one.refused || subscribe
		return
	}
	one.active = subscribe
	if !subscribe {
		one.ended = v.At
	}
}

// watching returns the subscription that an update falls under: live, or else one that has ended.
func (v *view) watching(uri string) (live, ended *watch) {
	consider := func(one *watch) {
		switch {
		case one.asking > 0 || one.active || one.ending > 0:
			live = one
		case !one.ended.IsZero():
			if ended == nil || ended.ended.Compare(one.ended) < 0 {
				ended = one
			}
		}
	}
	w := v.watches()
	if one := w.of[uri]; one != nil {
		if consider(one); live != nil {
			return live, nil
		}
	}
	for have, one := range w.of {
		if leadsTo(have, uri) {
			consider(one)
		}
	}
	return live, ended
}

func updateUnasked(v *view) {
	uri := v.Entry.Target
	if v.from() != server || uri == "" || v.uncertain() {
		return
	}
	if live, ended := v.watching(uri); live != nil || ended != nil {
		return
	}
	f := Finding{Message: "update of " + shortID(uri) + ", to which nobody subscribed", Path: "/params/uri"}
	if one := v.watches().of[uri]; one != nil && one.refused {
		// The client did ask, which is all that the schema's text demands.
		f.Level, f.Message = LevelInfo, "update of "+shortID(uri)+", though the subscription was refused"
	}
	v.reportOn(uri, f)
}

func updateAfterEnd(v *view) {
	uri := v.Entry.Target
	if v.from() != server || uri == "" || v.uncertain() {
		return
	}
	if live, ended := v.watching(uri); live == nil && ended != nil {
		v.reportOn(uri, Finding{Message: "update of " + shortID(uri) + " after its subscription ended in " + ended.ended.String(), Path: "/params/uri", Related: []Ref{ended.ended}})
	}
}

func unsubscribeUnknown(v *view) {
	uri := v.Entry.Target
	if v.from() != client || uri == "" || v.uncertain() {
		return
	}
	// watchAsked, of a rule before this one, has noted the request.
	if one := v.watches().of[uri]; one != nil && one.asking == 0 && !one.active && !one.refused && one.ended.IsZero() && one.ending == 1 {
		v.reportOn(uri, Finding{Message: "unsubscribes from " + shortID(uri) + ", to which it never subscribed", Path: "/params/uri"})
	}
}

func updateWithoutURI(v *view) {
	if v.from() != server {
		return
	}
	v.misshapen(func(p *mcpshape.Problem) {
		switch {
		case p.Keyword == "required" && p.Want == "params", p.Keyword == "required" && p.Path == "" && p.Want == "uri":
			v.reportOn("missing", Finding{Message: "update without a URI", Path: "/params"})
		case p.Keyword == "type" && p.Path == "/uri":
			v.reportOn(p.Value, Finding{Message: "update with the URI " + p.Value, Path: "/params/uri"})
		}
	})
}
