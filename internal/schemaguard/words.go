package schemaguard

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// message puts a fault in words.
func (f *fault) message() string {
	if f.words == "" {
		switch {
		case f.name != "" && f.because != "":
			f.words = "must have member " + quoted(f.name) + ", as it has " + quoted(f.because)
		case f.name != "":
			f.words = "must have member " + quoted(f.name)
		default:
			f.words = f.prefix + f.sentence()
		}
	}
	return f.words
}

// sentence words what concerns one value and nothing below it.
func (f *fault) sentence() string {
	is := func(text string) string { return text + ", is " + describe(f.value) }
	switch f.rule {
	case "type":
		return is("must be " + alternatively(f.want.names()))
	case "anyOf", "oneOf":
		switch {
		case f.want != 0:
			return is("must be " + alternatively(slices.Sorted(slices.Values(f.want.names()))))
		case f.count > 0 && f.alien:
			return is("fits none of the " + strconv.Itoa(f.count) + " alternatives")
		case f.count > 0:
			return "fits none of the " + strconv.Itoa(f.count) + " alternatives"
		}
		return "must fit exactly one alternative, fits the " + ordinal(f.a) + " and the " + ordinal(f.b)
	case "false":
		return "must not be there"
	case "additionalProperties":
		return "is no member that the schema allows"
	case "const":
		return is("must be " + listed(f.values))
	case "enum":
		return is("must be one of " + listed(f.values))
	case "format":
		return is("must be of format " + f.text)
	case "pattern":
		return is("must match " + shorten(f.text))
	case "minLength":
		return f.bound("least", "character")
	case "maxLength":
		return f.bound("most", "character")
	case "minItems":
		return f.bound("least", "item")
	case "maxItems":
		return f.bound("most", "item")
	case "minProperties":
		return f.bound("least", "member")
	case "maxProperties":
		return f.bound("most", "member")
	case "additionalItems":
		return "has " + plural(f.a, "item") + " too many"
	case "uniqueItems":
		return "must not repeat items, the " + ordinal(f.a) + " and the " + ordinal(f.b) + " are equal"
	case "contains":
		return "must contain an item that the schema describes"
	case "minContains":
		return fmt.Sprintf("must contain at least %d of the items that the schema describes, contains %d", f.a, f.b)
	case "maxContains":
		return fmt.Sprintf("must contain at most %d of the items that the schema describes, contains %d", f.a, f.b)
	case "minimum":
		return is("must be at least " + rounded(f.text))
	case "maximum":
		return is("must be at most " + rounded(f.text))
	case "exclusiveMinimum":
		return is("must be greater than " + rounded(f.text))
	case "exclusiveMaximum":
		return is("must be less than " + rounded(f.text))
	case "multipleOf":
		return is("must be a multiple of " + rounded(f.text))
	case "not":
		return is("must not be what the schema excludes")
	}
	return "does not fit"
}

// bound says how many there are, and how many there may be.
func (f *fault) bound(which, what string) string {
	return "must have at " + which + " " + plural(f.a, what) + ", has " + strconv.Itoa(f.b)
}

// describe names type and value: `string "5"`, `null`, `object {"a":1}`.
func describe(v *value) string {
	if v.kind == nullKind {
		return "null"
	}
	return v.kind.names()[0] + " " + rawText(v)
}

// rawText is the value as JSON, cut for people. Of a large value only the start is looked at.
func rawText(v *value) string { return shorten(string(appendStart(nil, v))) }

func quoted(text string) string { return shorten(string(appendQuoted(nil, text))) }

// appendStart appends JSON text and stops soon after it is longer than is shown. Members are sorted by name.
func appendStart(b []byte, v *value) []byte {
	if len(b) > maxText {
		return b
	}
	switch v.kind {
	case objectKind:
		b = append(b, '{')
		for i, at := range v.sub.sorted() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendQuoted(b, v.sub.names[at]), ':')
			if b = appendStart(b, &v.sub.values[at]); len(b) > maxText {
				return b
			}
		}
		return append(b, '}')
	case arrayKind:
		b = append(b, '[')
		for i := range v.sub.values {
			if i > 0 {
				b = append(b, ',')
			}
			if b = appendStart(b, &v.sub.values[i]); len(b) > maxText {
				return b
			}
		}
		return append(b, ']')
	case stringKind:
		return appendQuoted(b, v.content())
	case numberKind:
		return append(b, v.text...)
	case booleanKind:
		return strconv.AppendBool(b, v.truth)
	}
	return append(b, "null"...)
}

func appendQuoted(b []byte, text string) []byte {
	cut := false
	if len(text) > 2*maxText {
		text, cut = strings.ToValidUTF8(text[:2*maxText], ""), true
	}
	b, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(text, "\uFFFD"))
	if cut {
		b = b[:len(b)-1]
	}
	return b
}

const maxText = 80

// shorten cuts text to 80 bytes, never inside a character.
func shorten(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// alternatively joins types: "integer, string or null".
func alternatively(words []string) string {
	if len(words) <= 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// listed shows the first values of an enum.
func listed(values []value) string {
	const most = 8
	var words []string
	for i := range values {
		if i == most {
			words = append(words, fmt.Sprintf("… (%d in all)", len(values)))
			break
		}
		words = append(words, rawText(&values[i]))
	}
	return strings.Join(words, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// ordinal counts from one.
func ordinal(index int) string {
	n := index + 1
	switch {
	case n%10 == 1 && n%100 != 11:
		return strconv.Itoa(n) + "st"
	case n%10 == 2 && n%100 != 12:
		return strconv.Itoa(n) + "nd"
	case n%10 == 3 && n%100 != 13:
		return strconv.Itoa(n) + "rd"
	}
	return strconv.Itoa(n) + "th"
}

// rounded is a limit as people write it, exact where that is short.
func rounded(number string) string {
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return shorten(number)
	}
	if r.IsInt() {
		return shorten(r.Num().String())
	}
	if text := r.FloatString(6); !strings.HasSuffix(text, "0") || len(text) > 40 {
		f, _ := r.Float64()
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strings.TrimRight(r.FloatString(6), "0")
}
