package recordings

import (
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/jsonrpc"
)

// maxOpen bounds the requests that are kept waiting for their answers.
const maxOpen = 1 << 16

// senders tells who sent the messages of a log that does not say. A request tells by its method, an answer
// by the request it belongs to or by what is in it.
type senders struct {
	open   [3]map[string]int64 // by sender: the ids of requests without an answer, and their order
	number int64
	last   sender
	seen   [3]bool            // by sender
	tokens [3]map[string]bool // by sender: what progress was asked under
	newest [3]int64           // by sender: the highest id of a request
}

// of returns who sent the line data: from, unless that is unsaid.
func (s *senders) of(data []byte, from sender) sender {
	m := jsonrpc.Decode(data)
	if m.Kind == jsonrpc.Batch && len(m.Members) > 0 {
		first := s.message(&m.Members[0], from)
		for i := range m.Members[1:] {
			s.message(&m.Members[i+1], first)
		}
		return first
	}
	return s.message(&m, from)
}

func (s *senders) message(m *jsonrpc.Message, from sender) sender {
	answer := m.Kind == jsonrpc.Response || m.Kind == jsonrpc.Error
	if from == unsaid {
		switch {
		case m.Method != "":
			from = s.byMethod(m)
		case answer:
			from = s.byRequest(m)
		case s.last != unsaid:
			from = s.last
		default:
			from = fromServer // what is no message usually was printed by a server
		}
	}
	s.last = from
	s.seen[from] = true
	switch {
	case m.Kind == jsonrpc.Request:
		if s.open[from] == nil || len(s.open[from]) >= maxOpen {
			s.open[from] = map[string]int64{}
		}
		s.number++
		s.open[from][m.ID.Key()] = s.number
		if n, err := strconv.ParseInt(m.ID.Raw(), 10, 64); err == nil {
			s.newest[from] = max(s.newest[from], n)
		}
		if token, ok := jsonrpc.Lookup(m.Params, "_meta", "progressToken"); ok {
			if s.tokens[from] == nil || len(s.tokens[from]) >= maxOpen {
				s.tokens[from] = map[string]bool{}
			}
			s.tokens[from][jsonrpc.ParseID(token).Key()] = true
		}
	case answer:
		delete(s.open[from.other()], m.ID.Key())
	}
	return from
}

// certain returns the only end that sends a method, unsaid where there are two or none.
func certain(method string) sender {
	if known := mcpspec.Lookup(method); known != nil {
		switch known.From(mcpspec.Rev20251125) {
		case mcpspec.Client:
			return fromClient
		case mcpspec.Server:
			return fromServer
		}
	}
	return unsaid
}

func (s *senders) byMethod(m *jsonrpc.Message) sender {
	if from := certain(m.Method); from != unsaid {
		return from
	}
	switch m.Method {
	case "notifications/cancelled": // by who asked
		raw, _ := jsonrpc.Lookup(m.Params, "requestId")
		key := jsonrpc.ParseID(raw).Key()
		if s.open[fromServer][key] > s.open[fromClient][key] {
			return fromServer
		}
		return fromClient
	case "notifications/progress": // by who was asked
		raw, _ := jsonrpc.Lookup(m.Params, "progressToken")
		key := jsonrpc.ParseID(raw).Key()
		if s.tokens[fromServer][key] && !s.tokens[fromClient][key] {
			return fromClient
		}
		return fromServer
	}
	if m.Kind == jsonrpc.Notification && strings.HasPrefix(m.Method, "notifications/") {
		return fromServer
	}
	if m.Kind != jsonrpc.Request {
		return fromClient
	}
	// No end uses an id twice, and nearly all count upwards.
	if n, err := strconv.ParseInt(m.ID.Raw(), 10, 64); err == nil && s.seen[fromClient] && n <= s.newest[fromClient] {
		return fromServer
	}
	if _, waits := s.open[fromClient][m.ID.Key()]; waits {
		return fromServer
	}
	return fromClient
}

// byRequest finds the end that was asked. Where both ends wait for an answer with this id, the question
// inside another is answered first.
func (s *senders) byRequest(m *jsonrpc.Message) sender {
	client, server := s.open[fromClient][m.ID.Key()], s.open[fromServer][m.ID.Key()]
	byContent, tool := unsaid, false
	for name := range jsonrpc.Members(m.Result) {
		switch name {
		case "roots", "action", "model", "role":
			byContent = fromClient
		case "content", "structuredContent":
			tool = true
		case "serverInfo", "tools", "resources", "prompts", "contents", "messages", "resourceTemplates", "completion", "supportedVersions":
			byContent = fromServer
		}
		if byContent != unsaid {
			break
		}
	}
	if tool && byContent == unsaid {
		byContent = fromServer
	}
	switch {
	case !s.seen[fromClient] && byContent != fromClient:
		return fromServer // the client speaks first: this is the server's half of a conversation
	case client == 0 && server == 0 && byContent != unsaid, client > 0 && server > 0 && byContent != unsaid:
		return byContent
	case server > client:
		return fromClient
	case byContent == fromClient && server == 0:
		return fromClient // the client's half of a conversation: nothing in it answers its own requests
	default:
		return fromServer
	}
}

// keeper returns the end that must have kept the log it is from, unsaid where it does not tell.
func keeper(it *logItem) sender {
	if it.stderr || it.event != nil || it.from != fromWriter && it.from != fromReader {
		return unsaid
	}
	m := jsonrpc.Decode(it.data)
	if m.Kind == jsonrpc.Batch && len(m.Members) > 0 {
		m = m.Members[0]
	}
	from := certain(m.Method)
	if m.Method == "" {
		for name := range jsonrpc.Members(m.Result) {
			if name == "serverInfo" {
				from = fromServer
			}
		}
	}
	if it.from == fromReader {
		return from.other()
	}
	return from
}
