package redact

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Rules are what a user wants masked beside what the tables of this package know.
type Rules struct {
	// Keys are names whose values are secrets wherever they stand. Case, -, _ and . do not count.
	Keys []string
	// Patterns are regular expressions (RE2). What one matches in a text is secret; where it has a group, what
	// the first group matches.
	Patterns []string
	// Paths lead to values in a message: /params/arguments/customer (a JSON pointer), or
	// params.arguments.*.iban. A * is any member or element.
	Paths []string
}

// Own are compiled [Rules]. They are not changed any more and may be shared.
type Own struct {
	keys     map[string]bool
	patterns []*regexp.Regexp
	paths    [][]string
}

// A RuleError says which of the Rules cannot be used.
type RuleError struct {
	List  string // keys, patterns or paths
	Index int    // in that list, from 0
	Err   error
}

func (e *RuleError) Error() string { return fmt.Sprintf("%s[%d]: %v", e.List, e.Index, e.Err) }
func (e *RuleError) Unwrap() error { return e.Err }

const (
	maxRules      = 200  // in a list
	maxRuleLength = 1000 // bytes
)

// Compile checks rules. The error is a [*RuleError].
func Compile(rules Rules) (*Own, error) {
	o := &Own{keys: make(map[string]bool)}
	for _, list := range []struct {
		name string
		of   []string
		add  func(string) error
	}{{"keys", rules.Keys, o.addKey}, {"patterns", rules.Patterns, o.addPattern}, {"paths", rules.Paths, o.addPath}} {
		for i, text := range list.of {
			err := error(nil)
			switch {
			case i >= maxRules:
				err = fmt.Errorf("more than %d %s", maxRules, list.name)
			case text == "":
				err = errors.New("it is empty")
			case len(text) > maxRuleLength:
				err = fmt.Errorf("longer than %d bytes", maxRuleLength)
			default:
				err = list.add(text)
			}
			if err != nil {
				return nil, &RuleError{list.name, i, err}
			}
		}
	}
	return o, nil
}

func (o *Own) addKey(name string) error {
	var buf [longestName]byte
	f := folded(&buf, []byte(name))
	switch {
	case len(f) == 0:
		return fmt.Errorf("%q is no name of a member (1 to %d characters beside - _ . and spaces)", name, longestName)
	case protocolNames()[string(f)]:
		return fmt.Errorf("%q is a member of the protocol, which is never masked", name)
	}
	o.keys[string(f)] = true
	return nil
}

func (o *Own) addPattern(text string) error {
	re, err := regexp.Compile(text)
	if err != nil {
		return fmt.Errorf("%s (the syntax is that of RE2: no look-around, no back-references)", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if re.MatchString("") {
		return fmt.Errorf("%q matches the empty text, so it would match everywhere", text)
	}
	o.patterns = append(o.patterns, re)
	return nil
}

func (o *Own) addPath(text string) error {
	path, err := parsePath(text)
	if err != nil {
		return err
	}
	o.paths = append(o.paths, path)
	return nil
}

// parsePath reads a JSON pointer, or names with dots between them.
func parsePath(text string) ([]string, error) {
	if rest, ok := strings.CutPrefix(text, "/"); ok {
		path := strings.Split(rest, "/")
		for i, s := range path {
			if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(s), "~") {
				return nil, fmt.Errorf("%q: in a JSON pointer ~ is written ~0, and / is written ~1", text)
			}
			path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
		}
		if rest == "" {
			return nil, fmt.Errorf("%q is the whole message", text)
		}
		return path, nil
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(text, "$"), ".")
	rest = strings.NewReplacer("[", ".", "]", "").Replace(rest)
	path := strings.Split(strings.TrimPrefix(rest, "."), ".")
	for _, s := range path {
		if s == "" {
			return nil, fmt.Errorf("%q: a name is missing; write /params/arguments/customer or params.arguments.*.iban", text)
		}
	}
	return path, nil
}

// matches appends what the user's patterns find.
func (r *Redactor) matches(dst []span, text []byte) []span {
	for _, re := range r.own.patterns {
		for _, at := range re.FindAllSubmatchIndex(text, -1) {
			from, to, group := at[0], at[1], false
			if len(at) >= 4 && at[2] >= 0 {
				from, to, group = at[2], at[3], true
			}
			if from == to || touchesMask(text, from, to) {
				continue
			}
			value := string(text[from:to])
			r.note(value, "custom", group)
			s := span{from: from, to: to, kind: "custom", text: value}
			if insideURL(text, from) {
				s.form = inURL
			}
			dst = append(dst, s)
		}
	}
	return dst
}

// insideURL reports whether a place in a text is in a URL.
func insideURL(text []byte, at int) bool {
	const most = 512
	for i := at - 1; i >= max(0, at-most) && !isURLEnd(text[i]); i-- {
		if text[i] == '/' && bytes.HasPrefix(text[i:], []byte("//")) && i > 0 && text[i-1] == ':' {
			return true
		}
	}
	return false
}

// trails follows the user's paths down into a message: of each that still may lead to a value, which one and how far.
type trails []trail

type trail struct{ path, at int32 }

// start are the trails at the root of a message.
func (o *Own) start() trails {
	if o == nil || len(o.paths) == 0 {
		return nil
	}
	t := make(trails, len(o.paths))
	for i := range t {
		t[i].path = int32(i)
	}
	return t
}

// step goes down to a member or element. It reports whether one of the paths ends there.
func (o *Own) step(t trails, name []byte) (next trails, there bool) {
	for _, x := range t {
		path := o.paths[x.path]
		if want := path[x.at]; want != "*" && want != string(name) {
			continue
		}
		if int(x.at)+1 == len(path) {
			return nil, true
		}
		next = append(next, trail{x.path, x.at + 1})
	}
	return next, false
}

// stepIndex is step to an element of a list.
func (o *Own) stepIndex(t trails, i int) (next trails, there bool) {
	if len(t) == 0 {
		return nil, false
	}
	var buf [20]byte
	return o.step(t, strconv.AppendInt(buf[:0], int64(i), 10))
}
