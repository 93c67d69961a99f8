package peer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shakescope/shakescope/internal/jsontree"
	"github.com/shakescope/shakescope/jsonrpc"
)

// Edit returns raw with one value set; every other byte stays as it is. Path is a JSON pointer
// (/params/arguments/q) or names joined by dots, with indexes in brackets (params.arguments.list[0]). What is
// missing on the way is made: members of objects, and in arrays the element after the last. Value is raw JSON.
func Edit(raw []byte, path string, value []byte) ([]byte, error) {
	steps, err := pathSteps(path)
	if err != nil {
		return nil, err
	}
	if !jsonrpc.Valid(value) {
		return nil, fmt.Errorf("setting %s: the value is no JSON", path)
	}
	tree, err := jsontree.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("setting %s: %w", path, err)
	}
	n, found := tree.Find(pointer(steps))
	start, end := tree.Span(n)
	if found {
		return splice(raw, start, end, string(value)), nil
	}
	steps = steps[tree.Depth(n)-tree.Depth(tree.Root()):]
	made := string(value)
	for _, name := range backwards(steps[1:]) {
		made = "{" + quote(name) + ":" + made + "}"
	}
	switch count := tree.Children(n); tree.Kind(n) {
	case jsontree.Object:
		made = quote(steps[0]) + ":" + made
	case jsontree.Array:
		if steps[0] != strconv.Itoa(count) && steps[0] != "-" {
			return nil, fmt.Errorf("setting %s: %s has %d elements", path, whatIs(tree, n), count)
		}
	default:
		return nil, fmt.Errorf("setting %s: %s is a %s", path, whatIs(tree, n), tree.Kind(n))
	}
	if tree.Children(n) > 0 {
		made = "," + made
	}
	return splice(raw, end-1, end-1, made), nil
}

func whatIs(tree *jsontree.Tree, n jsontree.Node) string {
	if p := tree.Pointer(n); p != "" {
		return p
	}
	return "the message"
}

func splice(raw []byte, start, end int, text string) []byte {
	out := make([]byte, 0, len(raw)+len(text))
	out = append(out, raw[:start]...)
	out = append(out, text...)
	return append(out, raw[end:]...)
}

func backwards(list []string) []string {
	out := make([]string, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i])
	}
	return out
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

func pointer(steps []string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteByte('/')
		b.WriteString(escapePointer.Replace(s))
	}
	return b.String()
}

// pathSteps takes a path apart.
func pathSteps(path string) ([]string, error) {
	if strings.HasPrefix(path, "/") {
		var steps []string
		for _, s := range strings.Split(path[1:], "/") {
			steps = append(steps, unescapePointer.Replace(s))
		}
		return steps, nil
	}
	var steps []string
	for _, name := range strings.Split(path, ".") {
		name, indexes, bracket := strings.Cut(name, "[")
		if name == "" && (!bracket || len(steps) == 0) {
			return nil, fmt.Errorf("%q is no path: write params.arguments.name or /params/arguments/name", path)
		}
		if name != "" {
			steps = append(steps, name)
		}
		for bracket {
			var index string
			index, indexes, bracket = strings.Cut(indexes, "]")
			if _, err := strconv.ParseUint(index, 10, 32); err != nil || !bracket {
				return nil, fmt.Errorf("%q is no path: an index is a number in brackets", path)
			}
			steps = append(steps, index)
			if indexes == "" {
				break
			}
			var before string
			before, indexes, bracket = strings.Cut(indexes, "[")
			if before != "" {
				return nil, fmt.Errorf("%q is no path: a dot is missing behind the bracket", path)
			}
		}
	}
	return steps, nil
}

// Assign makes an edit that is written as PATH=VALUE: the value is JSON, or else a text. It returns the message as
// [Edit] does, and the path.
func Assign(raw []byte, assignment string) (out []byte, path string, err error) {
	path, value, ok := strings.Cut(assignment, "=")
	if !ok {
		return nil, "", fmt.Errorf("write PATH=VALUE, not %q", assignment)
	}
	set := []byte(value)
	if !jsonrpc.Valid(set) {
		set = []byte(quote(value))
	}
	out, err = Edit(raw, path, set)
	return out, path, err
}
