package schemaguard

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// message puts a fault in words.
func (f *fault) message() string {
	is := ", is " + describe(f.value)
	switch {
	case f.name != "" && f.because != "":
		return "must have member " + rawText(f.name) + ", as it has " + rawText(f.because)
	case f.name != "":
		return "must have member " + rawText(f.name)
	case f.want != nil:
		return f.prefix + "must be " + either(f.want) + is
	case f.count > 0 && f.alien:
		return f.prefix + "fits none of the " + strconv.Itoa(f.count) + " alternatives" + is
	case f.count > 0:
		return f.prefix + "fits none of the " + strconv.Itoa(f.count) + " alternatives"
	}
	return f.prefix + sentence(f.kind, is)
}

// sentence words what concerns one value and nothing below it; is ends it where the value matters.
func sentence(k jsonschema.ErrorKind, is string) string {
	switch k := k.(type) {
	case *kind.OneOf:
		return "must fit exactly one alternative, fits the " + ordinal(k.Subschemas[0]) + " and the " + ordinal(k.Subschemas[1])
	case *kind.FalseSchema:
		return "must not be there"
	case *kind.AdditionalProperties:
		return "is no member that the schema allows"
	case *kind.PropertyNames:
		return "has a name that the schema does not allow"
	case *kind.Const:
		return "must be " + rawText(k.Want) + is
	case *kind.Enum:
		return "must be one of " + listed(k.Want) + is
	case *kind.Format:
		return "must be of format " + k.Want + is
	case *kind.Pattern:
		return "must match " + shorten(k.Want) + is
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s, has %d", plural(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s, has %d", plural(k.Want, "character"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, has %d", plural(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, has %d", plural(k.Want, "item"), k.Got)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %s too many", plural(k.Count, "item"))
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, has %d", plural(k.Want, "member"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, has %d", plural(k.Want, "member"), k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("must not repeat items, the %s and the %s are equal", ordinal(k.Duplicates[0]), ordinal(k.Duplicates[1]))
	case *kind.Contains:
		return "must contain an item that the schema describes"
	case *kind.MinContains:
		return fmt.Sprintf("must contain at least %d of the items that the schema describes, contains %d", k.Want, len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("must contain at most %d of the items that the schema describes, contains %d", k.Want, len(k.Got))
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want) + is
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want) + is
	case *kind.ExclusiveMinimum:
		return "must be greater than " + decimal(k.Want) + is
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want) + is
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want) + is
	case *kind.Not:
		return "must not be what the schema excludes" + is
	case *kind.RefCycle:
		return "is described by a schema that refers to itself"
	}
	return "does not fit"
}

// describe names type and value: `string "5"`, `null`, `object {"a":1}`.
func describe(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "object " + rawText(v)
	case []any:
		return "array " + rawText(v)
	case string:
		return "string " + rawText(v)
	case bool:
		return "boolean " + rawText(v)
	}
	return "number " + rawText(v)
}

// rawText is the value as JSON, cut for people. Of a large value only the start is looked at.
func rawText(v any) string {
	b := appendStart(nil, v)
	return shorten(string(b))
}

// appendStart appends JSON text and stops soon after it is longer than is shown. Members are sorted by name.
func appendStart(b []byte, v any) []byte {
	if len(b) > maxText {
		return b
	}
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendStart(b, name), ':')
			if b = appendStart(b, v[name]); len(b) > maxText {
				return b
			}
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b = appendStart(b, item); len(b) > maxText {
				return b
			}
		}
		return append(b, ']')
	case string:
		cut := false
		if len(v) > 2*maxText {
			v, cut = strings.ToValidUTF8(v[:2*maxText], ""), true
		}
		text, _ := jsontext.AppendQuote(b, strings.ToValidUTF8(v, "\uFFFD"))
		if cut {
			text = text[:len(text)-1]
		}
		return text
	case json.Number:
		return append(b, v...)
	case bool:
		return strconv.AppendBool(b, v)
	case nil:
		return append(b, "null"...)
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

// either joins types: "integer, string or null".
func either(words []string) string {
	if len(words) <= 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// listed shows the first values of an enum.
func listed(values []any) string {
	const most = 8
	var words []string
	for i, v := range values {
		if i == most {
			words = append(words, fmt.Sprintf("… (%d in all)", len(values)))
			break
		}
		words = append(words, rawText(v))
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

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return shorten(r.Num().String())
	}
	if text := r.FloatString(6); !strings.HasSuffix(text, "0") || len(text) > 40 {
		f, _ := r.Float64()
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strings.TrimRight(r.FloatString(6), "0")
}
