package jsonrpc

import (
	"math/big"
	"strconv"
	"strings"
)

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
//
// A number whose exponent has more than 1,000 digits is compared by its spelling.
func (id ID) Key() string { return id.key }

// Integer reports whether the id is a number with an integer value, however it is spelled (1, 1.0, 10e-1).
func (id ID) Integer() bool {
	return id.kind == IDNumber && !strings.Contains(id.key, "e-")
}

// NumberID returns the id n.
func NumberID(n int64) ID {
	s := strconv.FormatInt(n, 10)
	return ID{raw: s, kind: IDNumber, key: s}
}

// StringID returns the id s. Bytes of s that are not UTF-8 become U+FFFD, as JSON has no form for them.
func StringID(s string) ID { return ParseID(appendQuoted(nil, s)) }

// ParseID returns the id whose JSON text is raw, without white space around it. The text must be
// one JSON value (other text gives an ID of some kind that keeps it); nil or empty text is the
// absent id. It copies raw.
func ParseID(raw []byte) ID {
	if len(raw) == 0 {
		return ID{}
	}
	id := ID{raw: string(raw)}
	switch c := raw[0]; {
	case c == 'n':
		id.kind = IDNull
	case c == '"':
		id.kind = IDString
		// The quotes keep the keys of strings apart from those of numbers.
		id.key = id.raw
		if strings.IndexByte(id.raw, '\\') >= 0 {
			id.key = string(appendUnescaped(make([]byte, 0, len(raw)), raw))
		}
	case c == '-' || '0' <= c && c <= '9':
		id.kind = IDNumber
		id.key = numberKey(id.raw)
	default:
		id.kind = IDOther
	}
	return id
}

// plainDigits is the length up to which an integer is its own key.
const plainDigits = 32

// numberKey returns a canonical form of a JSON number: a plain integer of up to plainDigits digits,
// or the digits without zeros at either end, "e" and the exponent. It never expands an exponent.
func numberKey(raw string) string {
	if len(raw) <= plainDigits && raw[0] != '-' && raw[0] != '0' {
		i := 0
		for i < len(raw) && '0' <= raw[i] && raw[i] <= '9' {
			i++
		}
		if i == len(raw) {
			return raw
		}
	}
	sign, rest := "", raw
	if rest[0] == '-' {
		sign, rest = "-", rest[1:]
	}
	mantissa, exponent := rest, ""
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa, exponent = rest[:i], rest[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	shift := -int64(len(fraction))
	trimmed := strings.TrimRight(digits, "0")
	shift += int64(len(digits) - len(trimmed))
	trimmed = strings.TrimLeft(trimmed, "0")
	if trimmed == "" {
		return "0"
	}

	negative := strings.HasPrefix(exponent, "-")
	exponent = strings.TrimLeft(strings.TrimLeft(exponent, "+-"), "0")
	switch {
	case len(exponent) <= 18:
		n, _ := strconv.ParseInt("0"+exponent, 10, 64)
		if negative {
			n = -n
		}
		n += shift
		if 0 <= n && n <= plainDigits && int64(len(trimmed))+n <= plainDigits {
			return sign + trimmed + strings.Repeat("0", int(n))
		}
		return sign + trimmed + "e" + strconv.FormatInt(n, 10)
	case len(exponent) <= 1000:
		n, ok := new(big.Int).SetString(exponent, 10)
		if !ok {
			return raw // no JSON number after all
		}
		if negative {
			n.Neg(n)
		}
		return sign + trimmed + "e" + n.Add(n, big.NewInt(shift)).String()
	default:
		return strings.ToLower(raw)
	}
}
