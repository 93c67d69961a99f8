package recordings

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// told feeds frames, one a line, "> " from the client and "< " from the server, and returns what of them
// lasts, by their numbers.
func told(t *testing.T, c *lasting, text string) string {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		s := Stdin
		if line[0] == '<' {
			s = Stdout
		}
		data := []byte(line[2:])
		h, ok := scan(data)
		if !ok {
			h = decoded(data)
		}
		f := frameHead{seq: int64(i + 1), t: time.Duration(i), t0: time.Duration(i), stream: s}
		c.message(&f, &h, data)
	}
	return numbers(t, c.append(nil, 0, &Before{}, maxContext))
}

func numbers(t *testing.T, line []byte) string {
	t.Helper()
	var p parser
	var n nativeLine
	if err := p.parse(&n, line[:len(line)-1], true); err != nil || n.kind != contextLine {
		t.Fatalf("%v: %s", err, line)
	}
	var seqs []string
	for _, f := range n.context.Frames {
		seqs = append(seqs, fmt.Sprint(f.Seq))
	}
	if n.context.LeftOut > 0 {
		seqs = append(seqs, fmt.Sprintf("-%d", n.context.LeftOut))
	}
	return strings.Join(seqs, " ")
}

func TestLasting(t *testing.T) {
	call := func(dir string, id int, method, params string) string {
		if params != "" {
			params = `,"params":` + params
		}
		return fmt.Sprintf(`%s {"jsonrpc":"2.0","id":%d,"method":"%s"%s}`, dir, id, method, params)
	}
	result := func(dir string, id int) string {
		return fmt.Sprintf(`%s {"jsonrpc":"2.0","id":%d,"result":{}}`, dir, id)
	}
	for name, test := range map[string]struct {
		frames []string
		want   string
	}{
		"handshake": {[]string{call(">", 1, "initialize", "{}"), result("<", 1), `> {"jsonrpc":"2.0","method":"notifications/initialized"}`}, "1 2 3"},
		"the newest": {[]string{
			call(">", 1, "initialize", "{}"), result("<", 1), call(">", 2, "initialize", "{}"), result("<", 2),
		}, "3 4"},
		"discovery":        {[]string{call(">", 1, "server/discover", "{}"), result("<", 1)}, "1 2"},
		"not answered":     {[]string{call(">", 1, "initialize", "{}")}, ""},
		"answered by none": {[]string{call(">", 1, "initialize", "{}"), `< {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`, result("<", 1)}, ""},
		"pages": {[]string{
			call(">", 1, "tools/list", ""), result("<", 1), call(">", 2, "tools/list", `{"cursor":"x"}`), result("<", 2),
		}, "1 2 3 4"},
		"a new list": {[]string{
			call(">", 1, "tools/list", ""), result("<", 1), call(">", 2, "tools/list", `{"cursor":"x"}`), result("<", 2),
			call(">", 3, "prompts/list", ""), result("<", 3), call(">", 4, "tools/list", "{}"), result("<", 4),
		}, "5 6 7 8"},
		"changed since": {[]string{
			call(">", 1, "tools/list", ""), `< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, result("<", 1),
			`< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
			`> {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		}, "1 3 4"},
		"roots are the client's": {[]string{
			call("<", 1, "roots/list", ""), call(">", 1, "tools/list", ""), result(">", 1), result("<", 1), call(">", 2, "roots/list", ""), result("<", 2),
		}, "1 2 3 4"},
		"all else": {[]string{call(">", 1, "tools/call", "{}"), result("<", 1), call(">", 2, "ping", ""), result("<", 2)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := told(t, new(lasting), strings.Join(test.frames, "\n")); got != test.want {
				t.Errorf("%s lasts, want %s", got, test.want)
			}
		})
	}
}

// TestLastingIsBounded keeps no more than it may, and says what it leaves out.
func TestLastingIsBounded(t *testing.T) {
	var c lasting
	got := told(t, &c, `> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`+"\n"+`< {"jsonrpc":"2.0","id":1,"result":{}}`)
	if got != "1 2" {
		t.Error(got)
	}
	big := strings.Repeat("x", 200<<10)
	for i := range 20 {
		page := fmt.Sprintf(`> {"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":"%d"}}`+"\n"+`< {"jsonrpc":"2.0","id":9,"result":"%s"}`, i, big)
		got = told(t, &c, page)
		if c.size > maxContext {
			t.Fatalf("%d bytes are kept", c.size)
		}
	}
	if !strings.HasSuffix(got, " -30") {
		t.Errorf("left out: %s", got)
	}
	if got := numbers(t, c.append(nil, 0, &Before{}, 1000)); got != "1 2 -40" {
		t.Errorf("with little room: %s", got)
	}
	frame := []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
	h, _ := scan(frame)
	f := frameHead{stream: Stdout}
	if n := testing.AllocsPerRun(100, func() { c.message(&f, &h, frame) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
