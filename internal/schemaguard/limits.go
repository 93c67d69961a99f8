package schemaguard

import "strconv"

// Limits. They are far above what tools in the field use.
const (
	MaxSchema     = 1 << 20   // bytes of a schema
	MaxDepth      = 100       // nesting of a schema, and of an instance
	MaxSubschemas = 10_000    // JSON objects and booleans in a schema
	MaxInstance   = 8 << 20   // bytes of an instance
	MaxWork       = 1_000_000 // steps of one validation, a tenth of a microsecond each
	MaxProblems   = 20        // reported of one instance

	maxPointers = 16 << 20    // bytes of the JSON pointers of all values of a schema
	maxProgram  = 50_000      // instructions of all patterns of a schema
	maxVisits   = 100_000_000 // steps of looking whether a schema is valid, which takes a few for each of its values
	maxNumber   = 400         // digits of a number, and size of its exponent
	maxChain    = 200         // subschemas applied to one value within each other
)

// Reason says why something was not checked. Values are stable: they appear in machine-readable output.
type Reason string

// The reasons.
const (
	NotJSON    Reason = "not_json"    // schema or instance is no JSON, or the schema neither object nor boolean
	TooLarge   Reason = "too_large"   // more bytes than [MaxSchema] or [MaxInstance]
	TooDeep    Reason = "too_deep"    // nested deeper than [MaxDepth]
	TooComplex Reason = "too_complex" // more subschemas than [MaxSubschemas], or equally hard to compile
	TooCostly  Reason = "too_costly"  // checking this instance takes more than [MaxWork] steps
	BadNumber  Reason = "number"      // a number beyond exact arithmetic of sane cost
	Dialect    Reason = "dialect"     // $schema names an unknown dialect
	BadPattern Reason = "pattern"     // a pattern that RE2 cannot express, or of absurd size
	RemoteRef  Reason = "remote_ref"  // $ref leads outside of the schema
	BadRef     Reason = "broken_ref"  // $ref leads nowhere, or an $id or anchor is unusable
	Recursion  Reason = "recursion"   // the schema applies to a value what it is applying already
	Internal   Reason = "internal"    // a fault of this package
)

// NotChecked says that a question was left open. It is an error so that [Compile] can return it.
type NotChecked struct {
	Reason Reason
	Detail string // what exactly: the pattern, the reference, the count; "" when nothing to add
}

// Error says it in words.
func (n *NotChecked) Error() string {
	text := "not checked: " + reasonWords[n.Reason]
	if n.Detail != "" {
		text += ": " + n.Detail
	}
	return text
}

var reasonWords = map[Reason]string{
	NotJSON:    "it is no JSON value that could be checked",
	TooLarge:   "it is too large",
	TooDeep:    "it is nested too deep",
	TooComplex: "the schema is too complex",
	TooCostly:  "checking it takes too long",
	BadNumber:  "a number is too long",
	Dialect:    "the schema is in an unknown dialect",
	BadPattern: "the schema has a pattern that cannot be run safely",
	RemoteRef:  "the schema refers to something outside, which is never fetched",
	BadRef:     "the schema refers to something that is not there",
	Recursion:  "the schema refers to itself in a circle",
	Internal:   "the validator failed",
}

// Invalid says that a schema breaks its own dialect.
type Invalid struct {
	Problems []Problem // pointers into the schema
}

// Error names the first problem.
func (i *Invalid) Error() string {
	if len(i.Problems) == 0 {
		return "invalid schema"
	}
	p := i.Problems[0]
	at := p.Pointer
	if at == "" {
		at = "its root"
	}
	return "invalid schema at " + at + ": " + p.Message
}

func counted(n int, what string) string { return strconv.Itoa(n) + " " + what }
