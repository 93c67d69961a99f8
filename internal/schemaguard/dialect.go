package schemaguard

import "strings"

// A Draft is a dialect of JSON Schema.
type Draft string

// The dialects that are known.
const (
	Draft202012 Draft = "2020-12"
	Draft201909 Draft = "2019-09"
	Draft07     Draft = "draft-07"
	Draft06     Draft = "draft-06"
	Draft04     Draft = "draft-04"
)

// number orders dialects by age.
func (d Draft) number() int {
	switch d {
	case Draft04:
		return 4
	case Draft06:
		return 6
	case Draft07:
		return 7
	case Draft201909:
		return 2019
	}
	return 2020
}

func (d Draft) idKeyword() string {
	if d == Draft04 {
		return "id"
	}
	return "$id"
}

// DefaultDraft is the dialect of a schema without $schema under a revision of MCP: 2020-12 since
// 2025-11-25 (basic/index, schema dialect). Earlier revisions say nothing; draft-07 is what their
// own schemas and most of their implementations use. An unknown revision counts as a new one.
func DefaultDraft(revision string) Draft {
	switch revision {
	case "2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18":
		return Draft07
	}
	return Draft202012
}

// DraftOf reads the value of $schema. It takes either scheme and a missing or present "#", as schemas
// in the field have them. The result is "" for a dialect that is not known.
func DraftOf(schema string) Draft {
	text := strings.TrimSuffix(schema, "#")
	text = strings.TrimSuffix(text, "/")
	text, ok := strings.CutPrefix(text, "http")
	if !ok {
		return ""
	}
	text = strings.TrimPrefix(text, "s")
	switch text {
	case "://json-schema.org/draft/2020-12/schema":
		return Draft202012
	case "://json-schema.org/draft/2019-09/schema":
		return Draft201909
	case "://json-schema.org/draft-07/schema":
		return Draft07
	case "://json-schema.org/draft-06/schema":
		return Draft06
	case "://json-schema.org/draft-04/schema":
		return Draft04
	}
	return ""
}
