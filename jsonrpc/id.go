package jsonrpc

// IDKind is the JSON type of an id.
type IDKind uint8

// The kinds of an id. IDOther is a boolean, an array or an object.
const (
	IDAbsent IDKind = iota
	IDNull
	IDString
	IDNumber
	IDOther
)

// ID is the id of a message: its text as it travelled and its type. The zero ID is absent.
type ID struct {
	raw  string
	kind IDKind
	key  string
}

// Raw returns the JSON text of the id as it travelled, "" when absent.
func (id ID) Raw() string { return id.raw }

// Kind returns the JSON type.
func (id ID) Kind() IDKind { return id.kind }

// Key returns a string that is equal for two ids exactly when JSON-RPC holds them equal: strings by
// value, numbers by exact decimal value. It is "" for ids that can match nothing (absent, null, other).
func (id ID) Key() string { return id.key }
