package recordings

import (
	"bytes"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

const (
	// maxContext bounds what is kept of a session for the segments to come.
	maxContext = 1 << 20

	// maxRemembered bounds the requests whose answers belong to it.
	maxRemembered = 64
)

// lasting keeps the frames without which later ones cannot be understood: the handshake, and the newest
// lists with all their pages. Its zero value is ready.
type lasting struct {
	topics  []topic
	asked   map[string]question // open requests by sender and id
	size    int
	leftOut int
}

// topic is what is kept of one method.
type topic struct {
	name   string
	frames []frameCopy
}

// frameCopy is a frame with bytes of its own.
type frameCopy struct {
	seq    int64
	t, t0  time.Duration
	stream Stream
	data   []byte
}

// question is a request whose answer is to be kept with it.
type question struct {
	name    string
	request frameCopy
	goesOn  bool // with the next page of a list
}

// message looks at one frame. Its cost does not depend on the payload, but for the frames that are kept.
func (c *lasting) message(f *frameHead, h *head, data []byte) {
	switch h.kind {
	case jsonrpc.Request:
		c.request(f, h, data)
	case jsonrpc.Notification:
		c.notification(f, h.method, data)
	case jsonrpc.Response, jsonrpc.Error:
		if len(c.asked) > 0 {
			c.answer(f, h, data)
		}
	}
}

func (c *lasting) request(f *frameHead, h *head, data []byte) {
	name, list := keptRequest(f.stream, h.method)
	if name == "" {
		return
	}
	q := question{name: name}
	if list {
		_, q.goesOn = jsonrpc.Lookup(data, "params", "cursor")
	}
	key := askedKey(f.stream, h.id)
	if key == "" || len(c.asked) >= maxRemembered || len(data) > maxContext {
		return
	}
	q.request = copyOf(f, data)
	if c.asked == nil {
		c.asked = make(map[string]question)
	}
	c.asked[key] = q
}

// keptRequest returns the name of a method whose requests by the sender of s are kept with their
// answers, and whether these are pages of a list; "" for all others, which cost nothing.
func keptRequest(s Stream, method []byte) (name string, list bool) {
	if s == Stdout {
		if string(method) == "roots/list" {
			return "roots/list", true
		}
		return "", false
	}
	switch string(method) {
	case "initialize":
		return "initialize", false
	case "server/discover":
		return "server/discover", false
	case "logging/setLevel":
		return "logging/setLevel", false
	case "tools/list":
		return "tools/list", true
	case "prompts/list":
		return "prompts/list", true
	case "resources/list":
		return "resources/list", true
	case "resources/templates/list":
		return "resources/templates/list", true
	}
	return "", false
}

// askedKey is equal for a request and its answer: s is the stream of the request.
func askedKey(s Stream, id []byte) string {
	key := jsonrpc.ParseID(id).Key()
	if key == "" {
		return ""
	}
	return streamNames[s] + key
}

func (c *lasting) answer(f *frameHead, h *head, data []byte) {
	other := Stdin
	if f.stream == Stdin {
		other = Stdout
	}
	key := askedKey(other, h.id)
	q, ok := c.asked[key]
	if !ok || key == "" {
		return
	}
	delete(c.asked, key)
	if h.kind == jsonrpc.Error {
		return
	}
	t := c.topic(q.name)
	if !q.goesOn {
		c.forget(t)
	}
	c.keep(t, q.request, copyOf(f, data))
}

func (c *lasting) notification(f *frameHead, method, data []byte) {
	var changed string
	switch string(method) {
	case "notifications/initialized":
		if f.stream == Stdin {
			t := c.topic("notifications/initialized")
			c.forget(t)
			c.keep(t, copyOf(f, data))
		}
		return
	case "notifications/tools/list_changed":
		changed = "tools/list"
	case "notifications/prompts/list_changed":
		changed = "prompts/list"
	case "notifications/resources/list_changed":
		changed = "resources/list" // and the templates: a copy behind one list tells of both
	default:
		return
	}
	// The list that is kept is out of date until it is asked for again. To say so once is enough.
	t := c.topic(changed)
	if n := len(t.frames); f.stream == Stdout && n > 0 && !bytes.Equal(t.frames[n-1].data, data) {
		c.keep(t, copyOf(f, data))
	}
}

func (c *lasting) topic(name string) *topic {
	for i := range c.topics {
		if c.topics[i].name == name {
			return &c.topics[i]
		}
	}
	c.topics = append(c.topics, topic{name: name})
	return &c.topics[len(c.topics)-1]
}

func (c *lasting) forget(t *topic) {
	for i := range t.frames {
		c.size -= len(t.frames[i].data)
	}
	t.frames = nil
}

// keep adds frames to a topic, all or none of them.
func (c *lasting) keep(t *topic, frames ...frameCopy) {
	n := 0
	for i := range frames {
		n += len(frames[i].data)
	}
	if c.size+n > maxContext {
		c.leftOut += len(frames)
		return
	}
	c.size += n
	t.frames = append(t.frames, frames...)
}

func copyOf(f *frameHead, data []byte) frameCopy {
	return frameCopy{seq: f.seq, t: f.t, t0: f.t0, stream: f.stream, data: bytes.Clone(data)}
}

// append appends a context record. Topics that would make it longer than most are left out, the largest
// first: handshakes are small, lists may not be.
func (c *lasting) append(dst []byte, t time.Duration, before *Before, most int) []byte {
	var frames []frameCopy
	left := c.leftOut
	topics := slices.Clone(c.topics)
	sort.SliceStable(topics, func(i, j int) bool { return topics[i].size() < topics[j].size() })
	for i := range topics {
		most -= topics[i].size()
		if most < 0 {
			left += len(topics[i].frames)
			continue
		}
		frames = append(frames, topics[i].frames...)
	}
	sort.SliceStable(frames, func(i, j int) bool { return frames[i].seq < frames[j].seq })
	dst = append(dst, `{"t":`...)
	dst = strconv.AppendInt(dst, int64(t), 10)
	dst = append(dst, `,"context":{"before":`...)
	dst = append(dst, encoded(before)...)
	if left > 0 {
		dst = append(dst, `,"left_out":`...)
		dst = strconv.AppendInt(dst, int64(left), 10)
	}
	dst = append(dst, `,"frames":[`...)
	for i := range frames {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = frames[i].append(dst)
	}
	return append(dst, "]}}\n"...)
}

// room is what a frame takes besides its payload.
const contextRoom = 100

func (t *topic) size() int {
	n := 0
	for i := range t.frames {
		n += len(t.frames[i].data) + contextRoom
	}
	return n
}

// append appends the members of a frame record, in another order: no piece of a context can be taken for
// a record.
func (f *frameCopy) append(dst []byte) []byte {
	dst = append(dst, `{"s":"`...)
	dst = append(dst, streamNames[f.stream]...)
	dst = append(dst, `","seq":`...)
	dst = strconv.AppendInt(dst, f.seq, 10)
	dst = append(dst, `,"t":`...)
	dst = strconv.AppendInt(dst, int64(f.t), 10)
	if f.t0 != f.t {
		dst = append(dst, `,"t0":`...)
		dst = strconv.AppendInt(dst, int64(f.t0), 10)
	}
	if _, verbatim := scan(f.data); verbatim {
		dst = append(append(dst, `,"msg":`...), f.data...)
		return append(dst, '}')
	}
	dst = appendPayload(dst, f.data)
	return dst[:len(dst)-1]
}
