package schemaguard

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a schema that instances can be checked against. It may be used by several goroutines.
type Schema struct {
	Draft   Draft // in force
	Named   bool  // the schema names its dialect
	root    *jsonschema.Schema
	weights weights
	plain   *plain // nil when nothing can be said without the library
}

// Compile makes a schema ready. fallback is the dialect of a schema that names none, see
// [DefaultDraft]. The error is an [*Invalid] or a [*NotChecked]. schema is only borrowed.
func Compile(schema []byte, fallback Draft) (*Schema, error) {
	doc, m, refused := decode(schema, MaxSchema)
	switch {
	case refused != nil:
		return nil, refused
	case m.objects > MaxSubschemas:
		return nil, &NotChecked{TooComplex, counted(m.objects, "subschemas")}
	case m.pointers > maxPointers:
		return nil, &NotChecked{TooComplex, "member names are too long"}
	}
	s := &Schema{Draft: fallback}
	switch root := doc.(type) {
	case bool:
	case map[string]any:
		if named, ok := root["$schema"].(string); ok {
			s.Named = true
			if s.Draft = DraftOf(named); s.Draft == "" {
				return nil, &NotChecked{Dialect, shorten(named)}
			}
			delete(root, "$schema") // its spelling is settled; the library knows but one
		}
	default:
		return nil, &NotChecked{NotJSON, "a schema is an object or a boolean"}
	}
	if err := s.build(doc); err != nil {
		return nil, err
	}
	var err *NotChecked
	if s.weights, err = weigh(s.root); err != nil {
		return nil, err
	}
	asserts := s.Named && (s.Draft == Draft04 || s.Draft == Draft06 || s.Draft == Draft07)
	if p := plainOf(doc, asserts); !p.unsure {
		s.plain = p
	}
	return s, nil
}

// address is where the library believes a schema to be. Relative references resolve against it, so it
// must be hierarchical, and nothing can be there.
const address = "schema://schema.invalid/schema"

func (s *Schema) build(doc any, setup ...func(*jsonschema.Compiler)) (err error) {
	patterns := &engine{compiling: true, known: make(map[string]*pattern)}
	defer func() {
		patterns.compiling = false
		if r := recover(); r != nil {
			err = &NotChecked{Internal, shorten(fmt.Sprint(r))}
		}
	}()
	c := jsonschema.NewCompiler()
	c.UseLoader(denyAll{})
	c.UseRegexpEngine(patterns.compile)
	c.DefaultDraft(drafts[s.Draft])
	if !s.Named {
		for _, name := range assertedFormats {
			c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
		}
	}
	for _, f := range setup {
		f(c)
	}
	if err := c.AddResource(address, doc); err != nil {
		return &NotChecked{Internal, shorten(err.Error())}
	}
	if s.root, err = c.Compile(address); err != nil {
		return compileError(err, doc)
	}
	if patterns.refused != nil {
		return &NotChecked{BadPattern, shorten(*patterns.refused)}
	}
	return nil
}

// assertedFormats are those the library asserts up to draft-07.
var assertedFormats = []string{"date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri",
	"iri-reference", "json-pointer", "period", "relative-json-pointer", "semver", "time", "uri", "uri-reference", "uri-template",
	"urn", "uuid"}

func compileError(err error, doc any) error {
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		var v *jsonschema.ValidationError
		if errors.As(invalid.Err, &v) {
			return &Invalid{Problems: problemsOf(v, doc)}
		}
	}
	var load *jsonschema.LoadURLError
	if errors.As(err, &load) {
		return &NotChecked{RemoteRef, shorten(strings.TrimPrefix(load.URL, address))}
	}
	// What is left are references, ids and anchors. The library's sentence names our address.
	return &NotChecked{BadRef, shorten(strings.ReplaceAll(err.Error(), address, ""))}
}

// denyAll is a loader that opens nothing.
type denyAll struct{}

// Load refuses.
func (denyAll) Load(string) (any, error) { return nil, fs.ErrPermission }

// Cache remembers compiled schemas, and refusals, by content. The zero value is ready. It is bounded: the
// least recently used ones go first. It may be used by several goroutines.
type Cache struct {
	mu      sync.Mutex
	entries map[key]*entry
	newest  *entry // of a ring
	size    int
}

// Bounds of a [Cache].
const (
	maxCached      = 1024
	maxCachedBytes = 16 << 20 // of schema text; what is compiled is about ten times as large
)

type key struct {
	sum      [sha256.Size]byte
	fallback Draft
}

type entry struct {
	key        key
	schema     *Schema
	err        error
	size       int
	prev, next *entry
}

// Compile is like the function, but compiles equal text only once.
func (c *Cache) Compile(schema []byte, fallback Draft) (*Schema, error) {
	if len(schema) > MaxSchema {
		return Compile(schema, fallback)
	}
	k := key{sha256.Sum256(schema), fallback}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[k]
	if e == nil {
		e = &entry{key: k, size: len(schema)}
		e.schema, e.err = Compile(schema, fallback)
		if c.entries == nil {
			c.entries = make(map[key]*entry)
		}
		c.entries[k] = e
		c.size += e.size
	} else {
		c.unlink(e)
	}
	c.link(e)
	for len(c.entries) > maxCached || c.size > maxCachedBytes {
		oldest := c.newest.next
		c.unlink(oldest)
		delete(c.entries, oldest.key)
		c.size -= oldest.size
	}
	return e.schema, e.err
}

func (c *Cache) link(e *entry) {
	if c.newest == nil {
		e.prev, e.next = e, e
	} else {
		e.prev, e.next = c.newest, c.newest.next
		e.prev.next, e.next.prev = e, e
	}
	c.newest = e
}

func (c *Cache) unlink(e *entry) {
	if e.next == e {
		c.newest = nil
		return
	}
	e.prev.next, e.next.prev = e.next, e.prev
	if c.newest == e {
		c.newest = e.prev
	}
}
