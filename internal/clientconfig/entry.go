package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// syntax is a file format.
type syntax interface {
	// parse returns the tree of src, which has no byte order mark.
	parse(src []byte) (*value, error)
	quote(s string) string
	// key is a member's name with what stands before its value in flow style.
	key(name string) string
}

// fields are the names a client gives to the command and its arguments.
type fields struct{ command, args string }

// entry is one server in a parsed file.
type entry struct {
	syntax syntax
	src    []byte
	root   *value
	table  *value
	fields fields
}

// errRemote marks entries without a command.
var errRemote = errors.New("no command")

// argv returns the command with its arguments and their values. The list is the value of the
// arguments, or of the command if it holds both; it is nil when there are none.
func (e *entry) argv() (argv []string, values []*value, command, args *member, err error) {
	if e.table.kind != table {
		return nil, nil, nil, nil, errors.New("the entry is no object")
	}
	command, n := e.table.get(e.fields.command)
	switch {
	case n == 0:
		return nil, nil, nil, nil, errRemote
	case n > 1:
		return nil, nil, nil, nil, fmt.Errorf("%q is given twice", e.fields.command)
	}
	if command.value.kind == list {
		values = command.value.items
		if len(values) == 0 {
			return nil, nil, nil, nil, fmt.Errorf("%q is empty", e.fields.command)
		}
		args = nil
	} else {
		values = []*value{command.value}
		args, n = e.table.get(e.fields.args)
		switch {
		case n > 1:
			return nil, nil, nil, nil, fmt.Errorf("%q is given twice", e.fields.args)
		case n == 1 && args.value.kind == list:
			values = append(values, args.value.items...)
		case n == 1 && args.value.kind != null:
			return nil, nil, nil, nil, fmt.Errorf("%q is no list", e.fields.args)
		}
	}
	for _, v := range values {
		if v.kind != text {
			return nil, nil, nil, nil, fmt.Errorf("the command or an argument is no plain string")
		}
		argv = append(argv, v.text)
	}
	if argv[0] == "" {
		return nil, nil, nil, nil, fmt.Errorf("%q is empty", e.fields.command)
	}
	return argv, values, command, args, nil
}

func (e *entry) raw(v *value) string { return string(e.src[v.start:v.end]) }

// wrap returns the splices that put w in front, and the argv they must lead to.
func (e *entry) wrap(w *Wrapper, label string) ([]splice, []string, error) {
	argv, values, command, args, err := e.argv()
	if err != nil {
		return nil, nil, err
	}
	if values[0].fixed {
		return nil, nil, fmt.Errorf("the command %q is spelled in a way that cannot be moved", argv[0])
	}
	a := emptyList
	switch {
	case command.value.kind == list:
	case args == nil:
		a = noList
	case args.value.kind == null:
		a = nullList
	}
	raw := e.raw(command.value)
	if a == emptyList && e.table.style == block && args != nil && args.value.style == flow &&
		!strings.ContainsAny(raw[:1], `'"`) && strings.ContainsAny(raw, ",[]{}") {
		return nil, nil, fmt.Errorf("its command %s has to be quoted before it can go between the brackets of %s", raw, e.fields.args)
	}
	words := w.words(label, a)
	want := append(append([]string{w.Path}, words...), argv...)
	var spelled []string
	for _, word := range words {
		spelled = append(spelled, e.syntax.quote(word))
	}
	path := e.syntax.quote(w.Path)
	if command.value.kind == list {
		return []splice{e.insert(command.value, append([]string{path}, spelled...))}, want, nil
	}
	spelled = append(spelled, e.raw(command.value))
	out := []splice{{command.value.start, command.value.end, path}}
	switch a {
	case noList:
		return append(out, e.addArgs(command, spelled)), want, nil
	case nullList:
		if e.table.style == block {
			return nil, nil, fmt.Errorf("%q is null", e.fields.args)
		}
		return append(out, splice{args.value.start, args.value.end, "[" + strings.Join(spelled, ", ") + "]"}), want, nil
	}
	return append(out, e.insert(args.value, spelled)), want, nil
}

// insert puts items, in their spelling, in front of the others of l.
func (e *entry) insert(l *value, items []string) splice {
	if len(l.items) == 0 {
		return splice{l.start + 1, l.start + 1, strings.Join(items, ", ")}
	}
	at := l.items[0].at
	if l.style == block {
		eol := eolAt(e.src, at)
		indent := strings.Repeat(" ", at-lineStart(e.src, at))
		var b strings.Builder
		for _, i := range items {
			b.WriteString("- " + i + eol + indent)
		}
		return splice{at, at, b.String()}
	}
	gap := lineBreak(e.src, at)
	if gap == "" {
		gap = " "
	}
	return splice{at, at, strings.Join(items, ", ") + "," + gap}
}

// addArgs makes the member that holds the arguments.
func (e *entry) addArgs(command *member, items []string) splice {
	flowList := "[" + strings.Join(items, ", ") + "]"
	switch eol := eolAt(e.src, command.start); e.table.style {
	case lines:
		from := lineStart(e.src, command.start)
		return splice{command.start, command.start,
			command.prefix + e.syntax.key(e.fields.args) + flowList + eol + string(e.src[from:command.start])}
	case block:
		indent := strings.Repeat(" ", command.start-lineStart(e.src, command.start))
		text := e.fields.args + ":"
		for _, i := range items {
			text += eol + indent + "  - " + i
		}
		return splice{command.start, command.start, text + eol + indent}
	}
	gap := lineBreak(e.src, command.start)
	if gap == "" {
		gap = " "
	}
	return splice{command.value.end, command.value.end, "," + gap + command.prefix + e.syntax.key(e.fields.args) + flowList}
}

// unwrap returns the splices that take shakescope out, and the argv they must lead to.
func (e *entry) unwrap(w *Wrapper) ([]splice, []string, error) {
	argv, values, command, args, err := e.argv()
	if err != nil {
		return nil, nil, err
	}
	n := w.split(argv)
	if n == 0 {
		return nil, nil, errors.New("not wrapped")
	}
	want := argv[n:]
	if command.value.kind == list {
		return []splice{{values[0].at, values[n].at, ""}}, want, nil
	}
	if values[n].fixed {
		return nil, nil, fmt.Errorf("the command %q is spelled in a way that cannot be moved", argv[n])
	}
	out := []splice{{command.value.start, command.value.end, e.raw(values[n])}}
	last := values[len(values)-1]
	switch {
	case len(want) > 1:
		return append(out, splice{values[1].at, values[n+1].at, ""}), want, nil
	case absenceOf(argv[1:n]) == noList:
		return append(out, e.dropArgs(command, args)), want, nil
	case absenceOf(argv[1:n]) == nullList:
		return append(out, splice{args.value.start, args.value.end, "null"}), want, nil
	case args.value.style == block:
		return append(out, splice{values[1].at, last.end, "[]"}), want, nil
	}
	end := last.end
	for i := end; i < len(e.src); i++ { // a comma the client put behind the last item
		if e.src[i] == ',' {
			end = i + 1
		}
		if !blank(e.src[i : i+1]) {
			break
		}
	}
	return append(out, splice{values[1].start, end, ""}), want, nil
}

// dropArgs removes what addArgs made, or what its client has made of it.
func (e *entry) dropArgs(command, args *member) splice {
	i := slices.Index(e.table.members, args)
	if e.table.style == flow {
		if i == 0 {
			return splice{args.start, e.table.members[1].start, ""}
		}
		return splice{e.table.members[i-1].value.end, args.value.end, ""}
	}
	from := lineStart(e.src, args.start)
	switch {
	case args.value.end <= command.start && blank(e.src[args.value.end:command.start]):
		return splice{args.start, command.start, ""}
	case !blank(e.src[from:args.start]) && i+1 < len(e.table.members):
		return splice{args.start, e.table.members[i+1].start, ""}
	}
	return splice{from, nextLine(e.src, args.value.end), ""}
}

// edited returns src after the splices, once it is proved that the entry has the argv want and that
// nothing else has another meaning.
func (e *entry) edited(splices []splice, want []string, find func(root *value) (*value, error)) ([]byte, error) {
	out := apply(e.src, splices)
	root, err := e.syntax.parse(out)
	if err != nil {
		return nil, fmt.Errorf("the change would break the file: %w", err)
	}
	t, err := find(root)
	if err != nil {
		return nil, fmt.Errorf("the change would break the file: %w", err)
	}
	now := &entry{syntax: e.syntax, src: out, root: root, table: t, fields: e.fields}
	argv, _, _, _, err := now.argv()
	if err != nil || !slices.Equal(argv, want) {
		return nil, errors.New("the change would not lead to the command that is meant")
	}
	if e.rest() != now.rest() {
		return nil, errors.New("the change would touch something else")
	}
	return out, nil
}

// rest is all of the file but the entry's command and arguments.
func (e *entry) rest() string {
	var b strings.Builder
	e.root.digest(&b, e.table)
	for _, m := range e.table.members {
		if m.name != e.fields.command && m.name != e.fields.args {
			b.WriteString(m.name)
			m.value.digest(&b, nil)
		}
	}
	return b.String()
}

var bom = []byte("\xef\xbb\xbf")

func cutBOM(src []byte) (mark, rest []byte) {
	if bytes.HasPrefix(src, bom) {
		return src[:3], src[3:]
	}
	return nil, src
}
