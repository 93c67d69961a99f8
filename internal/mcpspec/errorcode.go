package mcpspec

// Error codes of JSON-RPC and MCP.
const (
	ParseError             = -32700
	InvalidRequest         = -32600
	MethodNotFound         = -32601
	InvalidParams          = -32602
	InternalError          = -32603
	ResourceNotFound       = -32002 // legacy
	URLElicitationRequired = -32042 // 2025-11-25 only
	HeaderMismatch         = -32020 // HTTP only
	MissingCapability      = -32021 // modern
	UnsupportedVersion     = -32022 // modern
	UserRejected           = -1     // of sampling, legacy
)

// ErrorCode is an error code the specification names.
type ErrorCode struct {
	Code      int64
	Name      string
	Revisions Set    // that give the code this meaning
	Words     string // what it says, for people
}

var errorCodes = []ErrorCode{
	{ParseError, "ParseError", allRevisions, "the line was not JSON"},
	{InvalidRequest, "InvalidRequest", allRevisions, "not a proper request"},
	{MethodNotFound, "MethodNotFound", allRevisions, "method not known or not offered"},
	{InvalidParams, "InvalidParams", allRevisions, "bad parameters"},
	{InternalError, "InternalError", allRevisions, "the receiver failed inside"},
	{ResourceNotFound, "ResourceNotFound", legacyRevisions, "no such resource"},
	{URLElicitationRequired, "URLElicitationRequired", r2511, "the user has to visit an address first"},
	{HeaderMismatch, "HeaderMismatch", r2607, "HTTP headers disagree with the body"},
	{MissingCapability, "MissingRequiredClientCapability", r2607, "the request lacks a client capability"},
	{UnsupportedVersion, "UnsupportedProtocolVersion", r2607, "the server does not speak that version"},
	{UserRejected, "UserRejectedSampling", legacyRevisions, "the user said no"},
}

// ErrorCodes returns the codes the specification names. The slice is the caller's.
func ErrorCodes() []ErrorCode { return append([]ErrorCode(nil), errorCodes...) }

// LookupError returns what the specification says of a code, nil when it names it nowhere.
func LookupError(code int64) *ErrorCode {
	for i := range errorCodes {
		if errorCodes[i].Code == code {
			return &errorCodes[i]
		}
	}
	return nil
}

// Ranges of error codes, ends included. From 2026-07-28 on an implementation may send codes of the
// specification's range only as the specification lists them, and allocates nothing new in the
// implementations' range.
const (
	ReservedLow, ReservedHigh             = -32768, -32100
	SpecificationLow, SpecificationHigh   = -32099, -32020
	ImplementationLow, ImplementationHigh = -32019, -32000
)
