package jsonrpc

// Kind says what a frame, or a member of a batch, is.
type Kind uint8

// The kinds. Response is an answer with a result, Error an answer with an error.
const (
	Invalid Kind = iota
	Blank
	Request
	Notification
	Response
	Error
	Batch
)

// Reason says why a Message is Invalid. Values are stable: they appear in machine-readable output.
type Reason string

// Reasons, in the order in which they are tested.
const (
	NotUTF8      Reason = "not_utf8"
	NotJSON      Reason = "not_json"
	EmptyBatch   Reason = "empty_batch"
	NotObject    Reason = "not_object"
	BadVersion   Reason = "bad_jsonrpc"            // "jsonrpc" is missing or not "2.0"
	BadMethod    Reason = "bad_method"             // not a string
	BadID        Reason = "bad_id"                 // of a type that no id may have, or missing on an answer
	ResultAndErr Reason = "both"                   // result and error
	NoContent    Reason = "no_method_result_error" // none of the three
	BadError     Reason = "bad_error"              // code not an integer or message not a string
)

// DefectKind names an oddity of a frame that does not by itself make it invalid (or not only).
type DefectKind string

// The defects. Values are stable: they appear in machine-readable output.
const (
	DuplicateKey   DefectKind = "duplicate_key" // Detail: the key; JSON pointer of the object in Path
	BOM            DefectKind = "bom"
	BadUTF8        DefectKind = "bad_utf8"
	TrailingBytes  DefectKind = "trailing_bytes" // a complete JSON value is followed by more
	EdgeSpace      DefectKind = "edge_space"     // white space before or after the value
	IDType         DefectKind = "id_type"        // Detail: null, bool, array, object, fraction
	MissingVersion DefectKind = "missing_jsonrpc"
	WrongVersion   DefectKind = "wrong_jsonrpc"    // Detail: the raw value
	ExtraMember    DefectKind = "extra_member"     // Detail: a member of the envelope that JSON-RPC does not define
	ParamsType     DefectKind = "params_type"      // Detail: null, string, number, bool, array
	CaseVariant    DefectKind = "case_variant"     // Detail: "Method", "ID", …: looks like an envelope member but for case
	LoneSurrogate  DefectKind = "lone_surrogate"   // an escape such as \ud800 without its other half
	NUL            DefectKind = "nul"              // a NUL byte or \u0000 in an envelope member
	TooDeep        DefectKind = "too_deep"         // nested deeper than 10,000
	TooManyMembers DefectKind = "too_many_members" // of a batch; Detail: how many members beyond MaxMembers are not decoded
)

// Defect is one fact about a frame.
type Defect struct {
	Kind   DefectKind `json:"kind"`
	Offset int        `json:"offset"` // bytes from the start of the frame
	Path   string     `json:"path,omitempty"`
	Detail string     `json:"detail,omitempty"`
}

// Message is what one frame, or one member of a batch, holds. All slices point into the bytes given
// to [Decode] and are owned by its caller. Of a duplicated envelope member the last one counts, as
// in most parsers. For an invalid message whatever could be read (ID, Method, Params, Result, Err) is
// filled in all the same.
type Message struct {
	Kind    Kind
	ID      ID     // absent on notifications
	Method  string // unescaped
	Params  []byte // raw JSON, nil when absent
	Result  []byte // raw JSON, nil when absent
	Err     *ErrorObject
	Members []Message // of a batch
	Raw     []byte    // the value itself, without edge white space; of a line that is no JSON, the line

	Reason  Reason // why it is Invalid
	Offset  int    // where, in bytes from the start of the frame
	Defects []Defect
}

// ErrorObject is the error member of an answer.
type ErrorObject struct {
	Code    int64
	Message string // unescaped
	Data    []byte // raw JSON, nil when absent
	Raw     []byte
}
