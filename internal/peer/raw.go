package peer

import (
	"encoding/json"
	"strings"

	"github.com/shakescope/shakescope/jsonrpc"
)

// elements returns the raw values of an array, nil when raw is none. They share its bytes or not.
func elements(raw []byte) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// object writes an object of members in order; values are raw JSON, and one that is "" is left out.
func object(members ...[2]string) []byte {
	var b strings.Builder
	b.WriteByte('{')
	for _, m := range members {
		if m[1] == "" {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(quote(m[0]))
		b.WriteByte(':')
		b.WriteString(m[1])
	}
	b.WriteByte('}')
	return []byte(b.String())
}

// quote writes a string as JSON.
func quote(s string) string { return jsonrpc.StringID(s).Raw() }

// textOf returns a string inside raw, "" where there is none.
func textOf(raw []byte, path ...string) string {
	v, _ := jsonrpc.Lookup(raw, path...)
	s, _ := jsonrpc.Unquote(v)
	return s
}
