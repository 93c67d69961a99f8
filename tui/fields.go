package tui

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/shakescope/shakescope/annotate"
)

const (
	fieldsMax   = 600  // lines of the decoded view; the raw tree has no such bound
	fieldDepth  = 7    // containers deeper than this are only named
	previewMax  = 4096 // bytes of a string that are looked at
	previewRows = 24   // lines of a string with line ends
)

// field is one line of the decoded view, made in the background: its width is not known there.
type field struct {
	indent int
	key    string
	value  string
	r      role
	ptr    string
	open   bool // a container
	cont   bool // continues the string of the line above
}

// fieldsOf decodes what a message carries: its params, result or error.
func fieldsOf(e *annotate.Entry) []field {
	m := e.Message
	if m == nil {
		return nil
	}
	w := fieldWriter{}
	for _, part := range []struct {
		name string
		raw  []byte
	}{{"params", m.Params}, {"result", m.Result}} {
		if part.raw != nil {
			w.value(part.name, part.raw)
		}
	}
	if m.Err != nil {
		w.value("error", m.Err.Raw)
	}
	return w.out
}

type fieldWriter struct {
	out  []field
	full bool
}

// value writes a JSON value: the members of an object at the left edge, anything else under its name.
func (w *fieldWriter) value(name string, raw []byte) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	w.read(dec, 0, name, "/"+name)
}

// read writes the next value of dec. It reports whether to go on.
func (w *fieldWriter) read(dec *jsontext.Decoder, indent int, key, ptr string) bool {
	if len(w.out) >= fieldsMax {
		if !w.full {
			w.full = true
			w.out = append(w.out, field{value: "there is more: see the raw tab", r: roleMuted})
		}
		return false
	}
	at := len(w.out)
	switch k := dec.PeekKind(); k {
	case '{', '[':
		if indent >= fieldDepth {
			if dec.SkipValue() != nil {
				return false
			}
			text := "{…}"
			if k == '[' {
				text = "[…]"
			}
			w.out = append(w.out, field{indent: indent, key: key, value: text, r: roleMuted, ptr: ptr})
			return true
		}
		if _, err := dec.ReadToken(); err != nil {
			return false
		}
		w.out = append(w.out, field{indent: indent, key: key, r: roleMuted, ptr: ptr, open: true})
		n := 0
		for {
			next := dec.PeekKind()
			if next == '}' || next == ']' {
				if _, err := dec.ReadToken(); err != nil {
					return false
				}
				break
			}
			name, path := "["+itoa(n)+"]", ptr+"/"+itoa(n)
			if k == '{' {
				tok, err := dec.ReadToken()
				if err != nil {
					return false
				}
				name = clip(tok.String(), 256)
				path = ptr + "/" + pointerToken(tok.String())
			}
			n++
			if !w.read(dec, indent+1, name, path) {
				w.out[at].value = "(" + itoa(n) + " and more)"
				return false
			}
		}
		w.out[at].value = "(" + itoa(n) + ")"
		if n == 0 {
			w.out[at].open = false
			w.out[at].value = map[jsontext.Kind]string{'{': "{}", '[': "[]"}[k]
		}
		return true
	case '"':
		tok, err := dec.ReadToken()
		if err != nil {
			return false
		}
		w.text(indent, key, ptr, tok.String())
		return true
	case '0':
		v, err := dec.ReadValue()
		if err != nil {
			return false
		}
		w.out = append(w.out, field{indent: indent, key: key, value: clip(string(v), 256), r: roleNumber, ptr: ptr})
		return true
	default:
		tok, err := dec.ReadToken()
		if err != nil {
			return false
		}
		w.out = append(w.out, field{indent: indent, key: key, value: tok.String(), r: roleLiteral, ptr: ptr})
		return true
	}
}

// text writes a string; one with line ends takes several lines.
func (w *fieldWriter) text(indent int, key, ptr, s string) {
	size := len(s)
	if size > 256 && base64Like(s[:256]) {
		w.out = append(w.out, field{indent: indent, key: key, value: "base64, decodes to about " + bytesText(int64(size)*3/4), r: roleMuted, ptr: ptr})
		return
	}
	s = clip(s, previewMax)
	rows := strings.Split(strings.TrimRight(s, "\n"), "\n")
	more := len(rows) - previewRows
	if more > 0 {
		rows = rows[:previewRows]
	}
	for i, row := range rows {
		f := field{indent: indent, value: strings.TrimSuffix(row, "\r"), r: roleString, ptr: ptr, cont: i > 0}
		if i == 0 {
			f.key = key
		}
		w.out = append(w.out, f)
	}
	if more > 0 || size > len(s) {
		w.out = append(w.out, field{indent: indent, value: "… " + bytesText(int64(size)) + " in all: see the raw tab", r: roleMuted, ptr: ptr, cont: true})
	}
}

// base64Like reports whether the start of a long string looks like base64.
func base64Like(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '+' && c != '/' && c != '-' && c != '_' && c != '=' {
			return false
		}
	}
	return true
}

func pointerToken(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}
