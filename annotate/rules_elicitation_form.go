package annotate

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/internal/mcpshape"
	"github.com/shakescope/shakescope/internal/mcpspec"
	"github.com/shakescope/shakescope/internal/schemaguard"
)

// Rules about the forms that elicitation asks with.
var formSchemaRules = []Rule{
	{
		ID: "elicitation-schema-nested", Group: GroupElicitation, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: "server",
		Spec:  "2025-11-25/client/elicitation#requested-schema",
		Title: "A form's schema is not a flat object of simple fields.",
		Why:   "Clients draw forms from it and know texts, numbers, switches and choices only: they refuse the request or leave the field out.",
		Fix:   "Give each property one type and no $ref, anyOf or object. An optional field is one that required does not name; Pydantic's Optional writes anyOf with null, which has to go.",
		hooks: onAsk(schemaNested, elicitationMethod),
	},
	{
		ID: "elicitation-schema-format", Group: GroupElicitation, Levels: []Level{LevelError}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: "server",
		Spec:  "2025-11-25/client/elicitation#requested-schema",
		Title: "A field of a form has a format that forms do not have.",
		Why:   "Clients that validate refuse the form.",
		Fix:   "Use email, uri, date or date-time, or describe what is wanted in description.",
		hooks: onAsk(schemaFormat, elicitationMethod),
	},
	{
		ID: "elicitation-schema-too-new", Group: GroupElicitation, Levels: []Level{LevelWarning}, Revisions: mcpspec.Since(mcpspec.Rev20250618) & mcpspec.Through(mcpspec.Rev20250618), By: "server",
		Spec:  "2025-11-25/changelog",
		Title: "A form uses what came with 2025-11-25.",
		Why:   "Choices of several, titled choices and defaults other than of switches are unknown to a client of 2025-06-18.",
		Fix:   "Use enum with enumNames, and no default, on sessions before 2025-11-25.",
		hooks: onAsk(schemaTooNew, elicitationMethod),
	},
	{
		ID: "elicitation-enum-names", Group: GroupElicitation, Levels: []Level{LevelInfo}, Revisions: mcpspec.Since(mcpspec.Rev20251125), By: "server",
		Spec:  "2025-11-25/schema#legacytitledenumschema",
		Title: "A choice gives its titles by enumNames, the old way.",
		Why:   "It still works and may go.",
		Fix:   "Use oneOf with const and title.",
		hooks: onAsk(enumNames, elicitationMethod),
	},
	{
		ID: "elicitation-required-unknown", Group: GroupElicitation, Levels: []Level{LevelWarning}, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: "server",
		Spec:  "2025-11-25/client/elicitation#requested-schema",
		Title: "A form demands a field that it does not have, or has a default that it would not accept.",
		Why:   "No answer can satisfy it, or the user has to correct what the form itself suggests.",
		Fix:   "Name properties in required only that exist, and check defaults against their own schema.",
		hooks: onAsk(requiredUnknown, elicitationMethod),
	},
	{
		ID: "elicitation-sensitive-form", Group: GroupElicitation, Levels: []Level{LevelWarning}, Likely: true, Revisions: mcpspec.Since(mcpspec.Rev20250618), By: "server",
		Spec:  "2025-11-25/client/elicitation#form-mode-security",
		Title: "A form seems to ask for a secret.",
		Why:   "What is typed into a form goes through the client, its logs and perhaps the model; servers must not ask for credentials this way.",
		Fix:   "Send the user to a page of yours: mode url.",
		hooks: onAsk(sensitiveForm, elicitationMethod),
	},
}

// field is one property of a form.
type field struct {
	name   string
	schema []byte
	path   string
}

// maxFields bounds the fields of a form that are looked at.
const maxFields = 1000

// forms calls f for each form in the entry.
func (v *view) forms(f func(schema []byte, path string, fields []field)) {
	v.asks(func(a *ask) {
		schema := member(a.params, "requestedSchema")
		if schema == nil || text(member(a.params, "mode")) == "url" {
			return
		}
		path := a.path + "/requestedSchema"
		var fields []field
		members(member(schema, "properties"), func(key, value []byte) bool {
			fields = append(fields, field{string(key), value, pointer(path+"/properties", string(key))})
			return len(fields) < maxFields
		})
		f(schema, path, fields)
	}, elicitationMethod)
}

func schemaNested(v *view) {
	v.forms(func(schema []byte, path string, fields []field) {
		if what, at := rootProblem(schema); what != "" {
			v.reportOn("root", Finding{Message: "requestedSchema " + what, Path: path + at})
			return
		}
		said := 0
		for _, f := range fields {
			what, at := f.problem(v.Entry.Revision)
			if what == "" {
				continue
			}
			if said++; said > 10 {
				return
			}
			v.reportOn(f.name, Finding{Message: "field " + shortID(f.name) + " " + what, Path: f.path + at})
		}
	})
}

// rootProblem says what keeps a schema from being an object with properties.
func rootProblem(schema []byte) (what, at string) {
	if !isObject(schema) {
		return "is " + excerpt(schema) + ", not an object", ""
	}
	typ := member(schema, "type")
	switch {
	case text(typ) == "object" && isObject(member(schema, "properties")):
		if required := member(schema, "required"); required != nil && !isArray(required) {
			return "has required " + excerpt(required) + ", not an array", "/required"
		}
		return "", ""
	case member(schema, "$ref") != nil:
		return "is a $ref", "/$ref"
	case typ == nil:
		return "has no type, which has to be object", ""
	case text(typ) != "object":
		return "has type " + excerpt(typ) + ", not object", "/type"
	}
	return "has no properties", ""
}

// problem says what keeps a field from being a simple one.
func (f *field) problem(revision string) (what, at string) {
	if !isObject(f.schema) {
		return "is " + excerpt(f.schema) + ", not a schema", ""
	}
	if ref := member(f.schema, "$ref"); ref != nil {
		return "is a $ref (" + excerpt(ref) + "): forms have no definitions", "/$ref"
	}
	typ := member(f.schema, "type")
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		switch list := member(f.schema, word); {
		case list == nil || word != "allOf" && allConst(list):
		case word == "anyOf" && nullable(list):
			return "has anyOf with null, as Pydantic writes Optional: give it one type and leave it out of required", "/anyOf"
		default:
			return "has " + word + ", which forms do not have", "/" + word
		}
	}
	switch t := text(typ); {
	case isArray(typ):
		if strings.Contains(string(typ), `"null"`) {
			return "has several types, null among them: give it one type and leave it out of required", "/type"
		}
		return "has several types: " + excerpt(typ), "/type"
	case t == "object" || typ == nil && member(f.schema, "properties") != nil:
		return "is an object: forms are flat", ""
	case t == "array":
		return f.listProblem(revision)
	case typ == nil:
		return "has no type", ""
	case t != "string" && t != "number" && t != "integer" && t != "boolean":
		return "has type " + excerpt(typ), "/type"
	}
	return f.shapeProblem(revision)
}

// listProblem is about fields that hold several values: choices from a list, since 2025-11-25.
func (f *field) listProblem(revision string) (what, at string) {
	items := member(f.schema, "items")
	switch {
	case text(member(items, "type")) == "object" || member(items, "properties") != nil || member(items, "$ref") != nil:
		return "is an array of objects: forms are flat", "/items"
	case member(items, "enum") != nil || allConst(member(items, "anyOf")) || allConst(member(items, "oneOf")):
		if revision >= mcpspec.Rev20251125 && member(items, "oneOf") == nil {
			return f.shapeProblem(revision)
		}
		return "", ""
	}
	return "is an array without a list of choices", ""
}

// shapeProblem is about what else is wrong with a simple field.
func (f *field) shapeProblem(revision string) (what, at string) {
	mcpshape.CheckType("PrimitiveSchemaDefinition", revision, f.schema, func(p mcpshape.Problem) {
		if what != "" || p.Path == "/default" || strings.HasPrefix(p.Path, "/default/") || p.Path == "/format" || p.Path == "/oneOf" || p.Since != "" {
			return
		}
		what, at = "is no simple field: "+describeProblem("", &p), p.Path
	})
	return what, at
}

// allConst reports whether a list of alternatives is one of titled choices.
func allConst(list []byte) bool {
	all := isArray(list)
	elements(list, func(one []byte) bool {
		all = member(one, "const") != nil
		return all
	})
	return all
}

// nullable reports whether null is one of the alternatives.
func nullable(list []byte) bool {
	null := false
	elements(list, func(one []byte) bool {
		null = null || text(member(one, "type")) == "null"
		return true
	})
	return null
}

func schemaFormat(v *view) {
	v.forms(func(_ []byte, _ string, fields []field) {
		for _, f := range fields {
			format := member(f.schema, "format")
			if format == nil || text(member(f.schema, "type")) != "string" {
				continue
			}
			switch text(format) {
			case "email", "uri", "date", "date-time":
			default:
				v.reportOn(string(format), Finding{Message: "field " + shortID(f.name) + " has format " + excerpt(format), Path: f.path + "/format"})
			}
		}
	})
}

func schemaTooNew(v *view) {
	v.forms(func(_ []byte, _ string, fields []field) {
		for _, f := range fields {
			if wrong, _ := f.problem(v.Entry.Revision); wrong != "" {
				continue // what is no field in any revision is not new either
			}
			what, at := "", ""
			typ, items := text(member(f.schema, "type")), member(f.schema, "items")
			switch {
			case typ == "array" && text(member(items, "type")) != "object" && member(items, "properties") == nil && (member(items, "enum") != nil || allConst(member(items, "anyOf"))):
				what = "is a choice of several"
			case allConst(member(f.schema, "oneOf")):
				what, at = "is a choice with titles (oneOf)", "/oneOf"
			case member(f.schema, "default") != nil && typ != "boolean":
				what, at = "has a default", "/default"
			default:
				continue
			}
			v.reportOn(f.name, Finding{Message: "field " + shortID(f.name) + " " + what + ", which came with " + mcpspec.Rev20251125, Path: f.path + at})
		}
	})
}

func enumNames(v *view) {
	v.forms(func(_ []byte, _ string, fields []field) {
		for _, f := range fields {
			if member(f.schema, "enumNames") != nil {
				v.reportOn(f.name, Finding{Message: "field " + shortID(f.name) + " has enumNames", Path: f.path + "/enumNames"})
			}
		}
	})
}

func requiredUnknown(v *view) {
	v.forms(func(schema []byte, path string, fields []field) {
		known := make(map[string]bool, len(fields))
		for _, f := range fields {
			known[f.name] = true
		}
		if len(fields) < maxFields {
			elements(member(schema, "required"), func(name []byte) bool {
				if n := text(name); isString(name) && !known[n] {
					v.reportOn(n, Finding{Message: "required names " + shortID(n) + ", which is no property", Path: path + "/required"})
				}
				return true
			})
		}
		for _, f := range fields {
			value := member(f.schema, "default")
			if value == nil {
				continue
			}
			if what := v.unfit(f.schema, value); what != "" {
				v.reportOn(f.name+" default", Finding{Message: "the default of field " + shortID(f.name) + " " + what, Path: f.path + "/default"})
			}
		}
	})
}

// unfit says what keeps a value from satisfying a schema, "" when nothing does or nobody can tell.
func (v *view) unfit(schema, value []byte) string {
	problems := v.unfits(schema, value)
	if len(problems) == 0 {
		return ""
	}
	return clean(problems[0].Message)
}

func (v *view) unfits(schema, value []byte) []schemaguard.Problem {
	c := v.schemas()
	if c.work > maxSchemaWork {
		return nil
	}
	compiled, err := c.Compile(schema, schemaguard.DefaultDraft(v.Entry.Revision))
	if err != nil {
		return nil // what is wrong with the schema is said where it was sent
	}
	verdict := compiled.Check(value)
	c.work += verdict.Work
	return verdict.Problems
}

// secretWords are words, and runs of words, that name what nobody should ask for in a form.
var secretWords = []string{
	"password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "api key", "apikey", "access key", "private key", "secret key", "credential", "credentials",
	"credit card", "card number", "cardnumber", "cvv", "cvc", "bearer", "auth key", "client secret",
}

// spelledOut writes a name in lower case with one space between its words: apiKey, API-Key and api_key are equal.
func spelledOut(name string) string {
	var b strings.Builder
	var last byte
	for i := range len(name) {
		c := name[i]
		switch {
		case !isAlphanumeric(c) && c < 0x80:
			c = ' '
		case 'A' <= c && c <= 'Z':
			acronym := 'A' <= last && last <= 'Z' && i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z'
			if 'a' <= last && last <= 'z' || acronym {
				b.WriteByte(' ')
			}
		}
		last = c
		b.WriteByte(c)
	}
	return " " + strings.Join(strings.Fields(lower(b.String())), " ") + " "
}

func sensitiveForm(v *view) {
	v.forms(func(_ []byte, _ string, fields []field) {
		for _, f := range fields {
			if typ := text(member(f.schema, "type")); typ == "boolean" || typ == "array" {
				continue
			}
			name, title := spelledOut(f.name), spelledOut(text(member(f.schema, "title")))
			for _, secret := range secretWords {
				if w := " " + secret + " "; strings.Contains(name, w) || strings.Contains(title, w) {
					v.reportOn(f.name, Finding{Message: fmt.Sprintf("field %s asks for a secret, it seems (%s)", shortID(f.name), secret), Path: f.path})
					break
				}
			}
		}
	})
}
