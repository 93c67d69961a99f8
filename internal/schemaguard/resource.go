package schemaguard

import (
	"net/url"
	"slices"
	"strings"
)

// resource is a schema with a URI of its own: the root, and every subschema with an $id.
type resource struct {
	root    *value
	path    []string // in the document
	base    *url.URL
	draft   Draft
	anchors map[string]*value

	dynamic map[string]*value // $dynamicAnchor, and $recursiveAnchor as ""
}

// document is a schema with what references in it can name.
type document struct {
	root      *value
	draft     Draft
	resources map[*value]*resource // by root
	ids       map[string]*resource
	dynamicIn map[string][]*resource // by names in their dynamic
	known     map[*value]bool        // subschemas that were looked through
	passed    map[*value]bool        // and found valid
}

// nowhere is where a schema without $id is believed to be: relative references need something
// hierarchical to resolve against, and nothing can be there.
const nowhere = "schema://schema.invalid/schema"

func newDocument(doc *value, draft Draft) document {
	return document{
		root: doc, draft: draft,
		resources: make(map[*value]*resource), ids: make(map[string]*resource), dynamicIn: make(map[string][]*resource),
		known: make(map[*value]bool), passed: make(map[*value]bool),
	}
}

// admit looks through a subschema for ids and anchors, and then whether it is valid in its dialect.
// in is the resource it stands in, nil for the root.
func (d *document) admit(v *value, in *resource, path []string) error {
	if err := d.collect(v, in, path); err != nil {
		return err
	}
	if own := d.resources[v]; own != nil {
		in = own
	}
	c := check{left: maxVisits, dialects: d.resources, passed: d.passed}
	for _, name := range path {
		c.path = append(c.path, named(name))
	}
	problems, refused := c.run(grammar(in.draft), v, measure{})
	switch {
	case refused != nil:
		return refused
	case problems != nil:
		return &Invalid{Problems: problems}
	}
	return nil
}

// collect registers the ids and anchors of a subschema and all below. path is only borrowed.
func (d *document) collect(v *value, in *resource, path []string) *NotChecked {
	if d.known[v] {
		return nil
	}
	d.known[v] = true
	if v != d.root && v.kind != objectKind {
		return nil
	}
	own, id, refused := d.identify(v, in)
	if refused != nil {
		return refused
	}
	if v == d.root || id != "" {
		if in, refused = d.register(v, in, own, id, path); refused != nil {
			return refused
		}
	}
	if refused := d.collectAnchors(v, in); refused != nil {
		return refused
	}
	known := keywordsOf(own)
	eachSubschema(v, func(sub *value, at ...string) {
		if refused == nil && known[at[0]] != nil {
			refused = d.collect(sub, in, append(path, at...))
		}
	})
	return refused
}

// identify returns dialect and $id of a subschema. Only a resource can name a dialect.
func (d *document) identify(v *value, in *resource) (draft Draft, id string, refused *NotChecked) {
	if v == d.root {
		return d.draft, idOf(v, d.draft), nil
	}
	if dialect, ok := v.str("$schema"); ok {
		if draft = DraftOf(dialect); draft == "" {
			return "", "", &NotChecked{RemoteRef, shorten(dialect)}
		}
		if id = idOf(v, draft); id != "" {
			return draft, id, nil
		}
	}
	return in.draft, idOf(v, in.draft), nil
}

// idOf returns $id without its fragment.
func idOf(v *value, draft Draft) string {
	if draft.number() < 2019 && v.member("$ref") != nil {
		return "" // nothing beside a reference counts
	}
	id, _ := v.str(draft.idKeyword())
	id, _, _ = strings.Cut(id, "#")
	return id
}

func (d *document) register(v *value, in *resource, draft Draft, id string, path []string) (*resource, *NotChecked) {
	r := &resource{root: v, path: slices.Clone(path), draft: draft, anchors: make(map[string]*value), dynamic: make(map[string]*value)}
	if in == nil {
		r.base, _ = url.Parse(nowhere)
		d.ids[nowhere] = r
	} else {
		r.base = in.base
	}
	if id != "" {
		var err error
		if r.base, err = join(r.base, id); err != nil {
			return nil, &NotChecked{BadRef, shorten(id)}
		}
		name := r.base.String()
		if d.ids[name] != nil {
			return nil, &NotChecked{BadRef, shorten(id)} // two of one name
		}
		d.ids[name] = r
	}
	d.resources[v] = r
	return r, nil
}

func join(base *url.URL, relative string) (*url.URL, error) {
	u, err := url.Parse(relative)
	if err != nil {
		return nil, err
	}
	joined := base.ResolveReference(u)
	if !u.IsAbs() && base.Opaque != "" {
		joined.Opaque = base.Opaque // go.dev/issue/66084
	}
	return joined, nil
}

func (d *document) collectAnchors(v *value, r *resource) *NotChecked {
	var names []string
	if r.draft.number() < 2019 {
		id, _ := v.str(r.draft.idKeyword()) // the fragment is the anchor
		_, fragment, _ := strings.Cut(id, "#")
		fragment, err := url.PathUnescape(fragment)
		switch {
		case v.member("$ref") != nil:
			return nil
		case err != nil:
			return &NotChecked{BadRef, shorten(id)}
		case fragment != "" && fragment[0] != '/':
			names = append(names, fragment)
		}
	} else {
		if name, ok := v.str("$anchor"); ok {
			names = append(names, name)
		}
		if name, ok := v.str("$dynamicAnchor"); ok && r.draft.number() >= 2020 {
			names = append(names, name)
			d.addDynamic(name, v, r)
		}
		if m := v.member("$recursiveAnchor"); m != nil && m.truth && v == r.root {
			d.addDynamic("", v, r)
		}
	}
	for _, name := range names {
		if other := r.anchors[name]; other != nil && other != v {
			return &NotChecked{BadRef, shorten("#" + name)} // two of one name
		}
		r.anchors[name] = v
	}
	return nil
}

func (d *document) addDynamic(name string, v *value, r *resource) {
	if r.dynamic[name] == nil {
		r.dynamic[name] = v
		d.dynamicIn[name] = append(d.dynamicIn[name], r)
	}
}

// target is where a reference leads: to a subschema and the resource it stands in, or to a dialect.
type target struct {
	v     *value
	in    *resource
	draft Draft
}

// find follows a reference from a resource. One that leads out of the document is refused, but for
// those to dialects.
func (d *document) find(ref string, from *resource) (target, error) {
	broken := &NotChecked{BadRef, shorten(ref)}
	name, fragment, _ := strings.Cut(ref, "#")
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return target{}, broken
	}
	in := from
	if name != "" {
		u, err := join(from.base, name)
		if err != nil {
			return target{}, broken
		}
		if in = d.ids[u.String()]; in == nil {
			if draft := DraftOf(u.String()); draft != "" && fragment == "" {
				return target{draft: draft}, nil
			}
			return target{}, &NotChecked{RemoteRef, shorten(ref)}
		}
	}
	if fragment != "" && fragment[0] != '/' {
		if v := in.anchors[fragment]; v != nil {
			return target{v: v, in: in}, nil
		}
		return target{}, broken
	}
	v, path := in.root, in.path
	if fragment != "" {
		for token := range strings.SplitSeq(fragment[1:], "/") {
			token, ok := unescapeToken(token)
			if v = v.at(token); v == nil || !ok {
				return target{}, broken
			}
			if inner := d.resources[v]; inner != nil {
				in = inner
			}
			path = append(slices.Clip(path), token)
		}
	}
	if !d.known[v] { // where no keyword has subschemas
		if err := d.admit(v, in, path); err != nil {
			return target{}, err
		}
	}
	return target{v: v, in: in}, nil
}

// unescapeToken reads a token of a JSON pointer.
func unescapeToken(token string) (string, bool) {
	for i := range len(token) {
		if token[i] == '~' && (i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1') {
			return "", false
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), true
}
