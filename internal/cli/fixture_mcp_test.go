package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// mcpServer is a server of which the arguments say what it is like:
//
//	legacy, modern         the eras it knows (none: legacy)
//	answers=REVISION       what it answers to initialize, whatever was asked
//	code=N                 its code of exit once its input is closed
//	garbage                prints lines that are no messages between its own
//	dies                   at once, with code 3 and a last word
//	dies-of-discover       when it is asked that
//	silent, silent-lists   answers nothing; answers no list
//	asks                   asks for roots, a sample and a ping before it was asked anything
//	floods                 writes without end
//	stays, stubborn        does not go at the end of its input; nor at SIGTERM
//	pages, endless         has its tools in three pages; has cursors that come back
//	bare                   declares nothing
//	say=WORD               another word in the answers of its tool
func mcpServer() {
	s := &fixture{has: os.Args[1:], out: bufio.NewWriter(os.Stdout)}
	if s.is("stubborn") {
		signal.Ignore(syscall.SIGTERM)
	}
	if s.is("dies") {
		fmt.Fprintln(os.Stderr, "fixture: no configuration")
		os.Exit(3)
	}
	if s.is("floods") {
		line := strings.Repeat("x", 1<<16)
		for {
			if _, err := os.Stdout.WriteString(line); err != nil {
				os.Exit(0)
			}
		}
	}
	if s.is("asks") {
		s.line(`{"jsonrpc":"2.0","id":"a","method":"roots/list"}`)
		s.line(`{"jsonrpc":"2.0","id":"b","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
		s.line(`{"jsonrpc":"2.0","id":"c","method":"ping"}`)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		m := jsonrpc.Decode(in.Bytes())
		if s.is("asks") && m.Kind != jsonrpc.Request && m.Kind != jsonrpc.Notification {
			fmt.Fprintf(os.Stderr, "answered %s %s\n", m.ID.Raw(), in.Text())
		}
		if m.Kind == jsonrpc.Request && !s.is("silent") {
			s.serve(&m)
		}
	}
	for s.is("stays") || s.is("stubborn") {
		time.Sleep(time.Hour)
	}
	code := 0
	fmt.Sscan(s.value("code"), &code)
	os.Exit(code)
}

type fixture struct {
	has []string
	out *bufio.Writer
}

func (s *fixture) is(word string) bool { return slices.Contains(s.has, word) }

func (s *fixture) value(name string) string {
	for _, w := range s.has {
		if v, ok := strings.CutPrefix(w, name+"="); ok {
			return v
		}
	}
	return ""
}

func (s *fixture) line(text string) {
	if s.is("garbage") {
		s.out.WriteString("listening on nothing\n")
	}
	s.out.WriteString(text + "\n")
	s.out.Flush()
}

func (s *fixture) result(m *jsonrpc.Message, result string) {
	s.line(`{"jsonrpc":"2.0","id":` + m.ID.Raw() + `,"result":` + result + `}`)
}

func (s *fixture) fault(m *jsonrpc.Message, code int64, message, data string) {
	s.line(string(jsonrpc.AppendError(nil, m.ID, code, message, []byte(data))))
}

const fixtureInfo = `{"name":"fixture","version":"1.2.3"}`

func (s *fixture) serve(m *jsonrpc.Message) {
	version, _ := jsonrpc.Lookup(m.Params, "_meta", "io.modelcontextprotocol/protocolVersion")
	modern := version != nil
	if m.Method == "server/discover" && s.is("dies-of-discover") {
		os.Exit(4)
	}
	capabilities := `{"tools":{}}`
	if s.is("bare") {
		capabilities = "{}"
	}
	switch {
	case modern && !s.is("modern"):
		s.fault(m, -32601, "Method not found", "null")
		return
	case modern && string(version) != `"2026-07-28"`:
		s.fault(m, -32022, "Unsupported protocol version", `{"supported":["2026-07-28"],"requested":`+string(version)+`}`)
		return
	case !modern && s.is("modern") && !s.is("legacy"):
		s.fault(m, -32022, "Unsupported protocol version", `{"supported":["2026-07-28"]}`)
		return
	}
	done := func(members string) {
		if modern {
			members = `"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":` + fixtureInfo + `},` + members
		}
		s.result(m, "{"+strings.TrimSuffix(members, ",")+"}")
	}
	switch m.Method {
	case "server/discover":
		done(`"supportedVersions":["2026-07-28"],"capabilities":` + capabilities)
	case "initialize":
		answer := s.value("answers")
		if answer == "" {
			raw, _ := jsonrpc.Lookup(m.Params, "protocolVersion")
			answer, _ = jsonrpc.Unquote(raw)
		}
		done(`"protocolVersion":"` + answer + `","capabilities":` + capabilities + `,"serverInfo":` + fixtureInfo)
	case "ping":
		done("")
	case "tools/list":
		s.tools(m, done)
	case "tools/call":
		name, _ := jsonrpc.Lookup(m.Params, "name")
		arguments, _ := jsonrpc.Lookup(m.Params, "arguments")
		switch string(name) {
		case `"echo"`:
			word, _ := jsonrpc.Lookup(arguments, "word")
			text, _ := jsonrpc.Unquote(word)
			done(`"content":[{"type":"text","text":"` + s.value("say") + text + `"}]`)
		case `"fail"`:
			done(`"content":[{"type":"text","text":"it failed"}],"isError":true`)
		default:
			s.fault(m, -32602, "Unknown tool", "null")
		}
	default:
		s.fault(m, -32601, "Method not found", "null")
	}
}

func (s *fixture) tools(m *jsonrpc.Message, done func(string)) {
	const schema = `,"description":"It does.","inputSchema":{"type":"object"}}`
	cursor, _ := jsonrpc.Lookup(m.Params, "cursor")
	switch {
	case s.is("silent-lists"):
	case s.is("endless"):
		done(`"tools":[{"name":"echo"` + schema + `],"nextCursor":"again"`)
	case s.is("pages") && cursor == nil:
		done(`"tools":[{"name":"echo"` + schema + `],"nextCursor":""`)
	case s.is("pages") && string(cursor) == `""`:
		done(`"tools":[{"name":"fail"` + schema + `],"nextCursor":"3"`)
	case s.is("pages"):
		done(`"tools":[{"name":"third"` + schema + `]`)
	default:
		done(`"tools":[{"name":"echo"` + schema + `,{"name":"fail"` + schema + `]`)
	}
}
