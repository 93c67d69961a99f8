package filter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/recordings"
)

// What a recording holds is offered for each field whose values are words, and only that.
func TestSeen(t *testing.T) {
	log := strings.Join([]string{
		`{"t_ms":0,"dir":"c2s","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"moor\",\"arguments\":{\"ship\":\"a\",\"berth\":3}}}"}`,
		`{"t_ms":1,"dir":"s2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no ship\"}}"}`,
		`{"t_ms":2,"dir":"c2s","raw":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{\"uri\":\"harbour://tide\"}}"}`,
		`{"t_ms":3,"dir":"s2c","raw":"no JSON"}`,
		"",
	}, "\n")
	for name, want := range map[string]string{
		"method":            "resources/read 1, tools/call 2",
		"tool":              "moor 2",
		"prompt":            "",
		"resource":          "harbour://tide 1",
		"error.code":        "-32602 1",
		"error.message":     "no ship 1",
		"from":              "client 2, server 2",
		"params.":           "arguments 1, name 1, uri 1",
		"params.arguments.": "berth 1, ship 1",
		"params.name.":      "",
		"size":              "",
		"id":                "",
		"nosuch":            "",
	} {
		seen := filter.NewSeen(name)
		_, err := annotate.Collect(func() (*recordings.Reader, error) {
			return recordings.NewReader(strings.NewReader(log), "log")
		}, func(e *annotate.Entry) error { seen.Add(e); return nil })
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, v := range seen.Values() {
			have = append(have, fmt.Sprint(v.Text, " ", v.Count))
		}
		slices.Sort(have)
		if got := strings.Join(have, ", "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
