package mcpshape

// revisions is a set of revisions.
type revisions uint8

const (
	r2411 revisions = 1 << iota
	r2503
	r2506
	r2511
	r2607

	all       = r2411 | r2503 | r2506 | r2511 | r2607
	legacy    = all &^ r2607
	modern    = r2607
	since2503 = all &^ r2411
	since2506 = since2503 &^ r2503
	since2511 = r2511 | r2607
	until2503 = r2411 | r2503
	until2506 = until2503 | r2506
)

// revisionNames stand in the order of the bits.
var revisionNames = [...]string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// revisionOf returns 0 for a revision that is not published. The draft has the shapes of the newest.
func revisionOf(name string) revisions {
	if name == "draft" {
		return r2607
	}
	for i, n := range revisionNames {
		if n == name {
			return 1 << i
		}
	}
	return 0
}

// first names the oldest revision of the set.
func (r revisions) first() string {
	for i, n := range revisionNames {
		if r&(1<<i) != 0 {
			return n
		}
	}
	return ""
}

// types is a set of JSON types.
type types uint8

const (
	tString types = 1 << iota
	tInteger
	tNumber // includes integers
	tBoolean
	tObject
	tArray
	tNull
	tAny = tString | tNumber | tBoolean | tObject | tArray | tNull
)

var typeNames = [...]string{"string", "integer", "number", "boolean", "object", "array", "null"}

// String spells the set for people: "string or integer".
func (t types) String() string {
	if t == tAny {
		return "any value"
	}
	out := ""
	for i, n := range typeNames {
		if t&(1<<i) == 0 {
			continue
		}
		if out != "" {
			out += " or "
		}
		out += n
	}
	return out
}

// format is a syntax for strings.
type format uint8

const (
	noFormat format = iota
	formatURI
	formatURITemplate
	formatByte
	formatDateTime
)

var formatNames = [...]string{"", "uri", "uri-template", "byte", "date-time"}

// shape is what a value must look like. The zero value of a field means no constraint, except that
// types must be set.
type shape struct {
	name  string // of the type in the specification, for [Problem.Type]
	types types

	// Of an object.
	members []member
	base    []member // more members, shared by several shapes
	others  *shape   // of each member that is not named
	union   *union
	also    *shape // that the object must have as well

	// Of an array.
	items    *shape
	maxItems int

	// Of a string.
	enum   []string
	format format

	// Of a number.
	bounds *bounds
}

// member is a named member of an object.
type member struct {
	name  string
	in    revisions // that define it
	must  revisions // that demand it
	shape *shape
}

// bounds limit a number, both ends included.
type bounds struct {
	low, high float64
	noHigh    bool
}

// union is an object of several alternatives. With tag set, the string value of that member decides;
// else the presence of a member.
type union struct {
	tag          string
	alternatives []alternative
	absent       *shape    // when the tag, or every telling member, is missing; nil: that is a problem
	unknown      *shape    // when the tag has another value; nil: that is a problem
	lax          revisions // that know no tag: absent holds there, whatever stands in its place
}

type alternative struct {
	when  string // value of the tag, or name of the telling member
	in    revisions
	shape *shape
}
