package schemaguard

import (
	"crypto/sha256"
	"sync"
)

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
