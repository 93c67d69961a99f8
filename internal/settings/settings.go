// Package settings reads the settings file of shakescope. docs/settings.md is its manual.
//
// The file is TOML. [Load] checks its form and its filters; names of themes, columns and actions are
// known to the terminal UI only, which reports those that it does not know by [Settings.Fault]. Every
// error says the file and the line.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/shakescope/shakescope/internal/filter"
	"github.com/shakescope/shakescope/internal/redact"
)

// Settings are what the file says. The zero Settings are those of no file.
type Settings struct {
	Theme    string   `toml:"theme"`
	ASCII    bool     `toml:"ascii"`
	NoMotion bool     `toml:"no-motion"`
	NoMouse  bool     `toml:"no-mouse"`
	Times    string   `toml:"times"`   // relative, day or delta
	Columns  []string `toml:"columns"` // of the stream; nil: all

	// Keys binds actions to keys, in the place of the keys they have by default.
	Keys map[string][]string `toml:"-"`

	QuickFilters []QuickFilter `toml:"quick"`

	// Redact are the user's rules on what is secret, nil where there are none.
	Redact *redact.Own `toml:"-"`

	path  string
	lines map[string]int
}

// QuickFilter is a filter that is switched on and off by its name.
type QuickFilter struct {
	Name   string `toml:"name"`
	Filter string `toml:"filter"`
}

// file is the form of the file. The keys of an action are a string or a list of strings.
type file struct {
	Settings
	Keys   map[string]any `toml:"keys"`
	Redact struct {
		Keys     []string `toml:"keys"`
		Patterns []string `toml:"patterns"`
		Paths    []string `toml:"paths"`
	} `toml:"redact"`
}

// bind takes over the keys.
func (s *Settings) bind(keys map[string]any) error {
	for action, v := range keys {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		bound := []string{}
		for _, k := range list {
			key, ok := k.(string)
			if !ok || key == "" || strings.ContainsAny(key, "\t\n") {
				return s.Fault("keys."+action, "%q is no key", fmt.Sprint(k))
			}
			bound = append(bound, key)
		}
		if s.Keys == nil {
			s.Keys = map[string][]string{}
		}
		s.Keys[action] = bound
	}
	return nil
}

// DefaultPath is where the file is looked for: $SHAKESCOPE_SETTINGS, else settings.toml in the folder
// shakescope of the user's configuration folder.
func DefaultPath() (string, error) {
	if p := os.Getenv("SHAKESCOPE_SETTINGS"); p != "" {
		return p, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the settings: %w", err)
	}
	return filepath.Join(dir, "shakescope", "settings.toml"), nil
}

// sizeMax bounds the file.
const sizeMax = 1 << 20

// Load reads the file. One that is not there gives the zero Settings.
func Load(path string) (*Settings, error) {
	s := &Settings{path: path}
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	if st.Size() > sizeMax {
		return nil, fmt.Errorf("settings in %s: the file is too large (%d bytes)", path, st.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	if err := s.parse(data); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Settings) parse(data []byte) error {
	dec := toml.NewDecoder(strings.NewReader(string(data))).DisallowUnknownFields()
	var f file
	if err := dec.Decode(&f); err != nil {
		return s.located(err)
	}
	f.Settings.path = s.path
	*s = f.Settings
	s.locate(data)
	if s.Times != "" && s.Times != "relative" && s.Times != "day" && s.Times != "delta" {
		return s.Fault("times", "%q is none of relative, day, delta", s.Times)
	}
	names := map[string]bool{}
	for i, q := range s.QuickFilters {
		at := fmt.Sprintf("quick.%d", i)
		switch {
		case q.Name == "":
			return s.Fault(at, "a quick filter needs a name")
		case names[q.Name]:
			return s.Fault(at+".name", "there are two quick filters %q", q.Name)
		}
		names[q.Name] = true
		x, err := filter.Parse(q.Filter)
		if err != nil {
			return s.Fault(at+".filter", "%v", err)
		}
		if x.Empty() {
			return s.Fault(at, "the quick filter %q has no filter", q.Name)
		}
	}
	own, err := redact.Compile(redact.Rules(f.Redact))
	var wrong *redact.RuleError
	switch {
	case errors.As(err, &wrong):
		return s.Fault(fmt.Sprintf("redact.%s.%d", wrong.List, wrong.Index), "%v", wrong.Err)
	case len(f.Redact.Keys)+len(f.Redact.Patterns)+len(f.Redact.Paths) > 0:
		s.Redact = own
	}
	return s.bind(f.Keys)
}

// What the library says of a value of the wrong type has Go's words in it.
var (
	wrongType = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`cannot decode TOML (.+) into struct field .* of type (\S+)$`)
	})
	typeWords = map[string]string{"string": "a text", "bool": "true or false", "[]string": "a list of texts", "[]settings.QuickFilter": "a list of tables"}
)

// located says file and line of an error of the TOML reader.
func (s *Settings) located(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		line, _ := strict.Errors[0].Position()
		return s.at(line, "unknown setting %q", strings.Join(strict.Errors[0].Key(), "."))
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, column := wrong.Position()
		if m := wrongType().FindStringSubmatch(wrong.Error()); m != nil && typeWords[m[2]] != "" {
			return s.at(line, "%s must be %s, is of type %s", strings.Join(wrong.Key(), "."), typeWords[m[2]], m[1])
		}
		return s.at(line, "column %d: %s", column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return fmt.Errorf("settings in %s: %w", s.path, err)
}

func (s *Settings) at(line int, format string, args ...any) error {
	return fmt.Errorf("settings in %s, line %d: %s", s.path, line, fmt.Sprintf(format, args...))
}

// Fault is an error about the value of a key, such as "theme", "keys.follow" or "quick.0.filter".
func (s *Settings) Fault(key, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	for k := key; ; {
		if line := s.lines[k]; line > 0 {
			return s.at(line, "%s: %s", key, text)
		}
		dot := strings.LastIndexByte(k, '.')
		if dot < 0 {
			return fmt.Errorf("settings in %s: %s: %s", s.path, key, text)
		}
		k = k[:dot]
	}
}

// Path is the file the settings were read from, or would be.
func (s *Settings) Path() string { return s.path }

// locate notes the line of each key.
func (s *Settings) locate(data []byte) {
	s.lines = map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	table, tables := "", 0
	for p.NextExpression() {
		n := p.Expression()
		var words []string
		line := 0
		for it := n.Key(); it.Next(); {
			words = append(words, string(it.Node().Data))
			if line == 0 {
				line = p.Shape(it.Node().Raw).Start.Line
			}
		}
		name := strings.Join(words, ".")
		switch n.Kind {
		case unstable.Table:
			table = name + "."
		case unstable.ArrayTable:
			table = fmt.Sprintf("%s.%d.", name, tables)
			tables++
			name = strings.TrimSuffix(table, ".")
		default:
			name = table + name
		}
		s.lines[name] = line
		if n.Kind == unstable.KeyValue && n.Value().Kind == unstable.Array {
			i := 0
			for it := n.Value().Children(); it.Next(); i++ {
				if raw := it.Node().Raw; raw.Length > 0 {
					s.lines[name+"."+strconv.Itoa(i)] = p.Shape(raw).Start.Line
				}
			}
		}
	}
}
