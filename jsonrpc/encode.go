package jsonrpc

import (
	"bytes"
	"strconv"
)

const opening = `{"jsonrpc":"2.0",`

// AppendRequest appends a request as one line without its end. The id is written as it is spelled
// (null when absent), params as they are, except that line breaks in their white space become
// spaces; nil params are left out.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = appendID(append(dst, opening...), id)
	return appendCall(append(dst, ','), method, params)
}

// AppendNotification appends a notification as one line without its end; for params see [AppendRequest].
func AppendNotification(dst []byte, method string, params []byte) []byte {
	return appendCall(append(dst, opening...), method, params)
}

// AppendResult appends an answer with a result (raw JSON; null when nil) as one line without its end.
func AppendResult(dst []byte, id ID, result []byte) []byte {
	dst = appendID(append(dst, opening...), id)
	dst = append(dst, `,"result":`...)
	if result == nil {
		dst = append(dst, "null"...)
	}
	return append(appendValue(dst, result), '}')
}

// AppendError appends an answer with an error as one line without its end. Nil data is left out.
func AppendError(dst []byte, id ID, code int64, message string, data []byte) []byte {
	dst = appendID(append(dst, opening...), id)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, code, 10)
	dst = appendQuoted(append(dst, `,"message":`...), message)
	if data != nil {
		dst = appendValue(append(dst, `,"data":`...), data)
	}
	return append(dst, "}}"...)
}

func appendID(dst []byte, id ID) []byte {
	dst = append(dst, `"id":`...)
	if id.kind == IDAbsent {
		return append(dst, "null"...)
	}
	return appendValue(dst, []byte(id.raw))
}

func appendCall(dst []byte, method string, params []byte) []byte {
	dst = appendQuoted(append(dst, `"method":`...), method)
	if params != nil {
		dst = appendValue(append(dst, `,"params":`...), params)
	}
	return append(dst, '}')
}

// appendValue appends raw JSON. Line breaks can only stand between its tokens; there a space says the
// same and does not end the frame.
func appendValue(dst, raw []byte) []byte {
	start := len(dst)
	dst = append(dst, raw...)
	if bytes.ContainsAny(raw, "\r\n") {
		for i, c := range dst[start:] {
			if c == '\n' || c == '\r' {
				dst[start+i] = ' '
			}
		}
	}
	return dst
}
