package annotate

import "strings"

// Lines of scripts, for the tests of rules of the modern era.

// stated makes a request that states its version and capabilities; params are members, without braces.
func stated(version, caps, id, method, params string) string {
	if params != "" {
		params += ","
	}
	return `> {"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version +
		`","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + caps + `}}}` + "\n"
}

// modernCall makes a modern request of a client without capabilities.
func modernCall(id, method, params string) string {
	return stated("2026-07-28", "{}", id, method, params)
}

// bare makes a request without metadata.
func bare(id, method string) string {
	return `> {"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}` + "\n"
}

// gives makes a result; members are without braces.
func gives(id, members string) string {
	return `< {"jsonrpc":"2.0","id":` + id + `,"result":{` + members + `}}` + "\n"
}

// done makes a complete modern result.
func done(id, members string) string {
	if members != "" {
		members += ","
	}
	return gives(id, members+`"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}`)
}

// fails makes an error; data may be empty.
func fails(id, code, message, data string) string {
	if data != "" {
		data = `,"data":` + data
	}
	return `< {"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"` + message + `"` + data + `}}` + "\n"
}

// notes makes a notification of the server, tells one of the client; params may be empty.
func notes(method, params string) string { return "< " + notice(method, params) }
func tells(method, params string) string { return "> " + notice(method, params) }

func notice(method, params string) string {
	if params != "" {
		params = `,"params":{` + params + `}`
	}
	return `{"jsonrpc":"2.0","method":"notifications/` + method + `"` + params + `}` + "\n"
}

const fresh0 = `"ttlMs":0,"cacheScope":"public"`

// discovered is a discovery, lines #1 and #2, of a server with some capabilities.
func discovered(caps string) string {
	return modernCall(`"d"`, "server/discover", "") + done(`"d"`, `"supportedVersions":["2026-07-28"],"capabilities":`+caps+`,`+fresh0)
}

// rulesOf returns the ids of all rules of some tables.
func rulesOf(tables ...[]Rule) []string {
	var ids []string
	for _, table := range tables {
		for _, r := range table {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// without returns ids but for some.
func without(ids []string, less ...string) []string {
	var out []string
	for _, id := range ids {
		if !strings.Contains(" "+strings.Join(less, " ")+" ", " "+id+" ") {
			out = append(out, id)
		}
	}
	return out
}
