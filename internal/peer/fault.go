package peer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Flaw is a fault that a stand-in commits on purpose, on the requests that it selects.
type Flaw struct {
	Kind   string
	text   string // as it was written
	method string // "" is any
	target string // "" is any
	nth    int    // of those that method and target select; 0 is all

	Delay time.Duration // of delay
	Code  int64         // of error and exit
	Text  string        // of error and garbage
	Bytes int           // of cut; 0 is half of the line

	seen, used int
}

// FlawKinds are the kinds of flaws, each with the argument that it takes.
var FlawKinds = []struct{ Name, Argument, About string }{
	{"delay", "DURATION", "the answer comes so much later"},
	{"drop", "", "there is no answer"},
	{"error", "[CODE][:MESSAGE]", "the answer is an error instead"},
	{"garbage", "[TEXT]", "a line that is no message comes before the answer"},
	{"cut", "[BYTES]", "the process ends in the middle of the answer"},
	{"duplicate", "", "the answer comes twice"},
	{"exit", "[CODE]", "the process ends instead of answering"},
}

// ParseFlaw reads KIND@SELECTOR[=ARGUMENT]. A selector is a method, method:target, either with #N behind it for the
// Nth such request, #N for the Nth request of all, or * for each.
func ParseFlaw(text string) (*Flaw, error) {
	kind, rest, ok := strings.Cut(text, "@")
	f := &Flaw{Kind: kind, text: text}
	k := slices.IndexFunc(FlawKinds, func(k struct{ Name, Argument, About string }) bool { return k.Name == kind })
	switch {
	case k < 0:
		var names []string
		for _, k := range FlawKinds {
			names = append(names, k.Name)
		}
		return nil, fmt.Errorf("fault %q: the kind before @ must be one of %s", text, strings.Join(names, ", "))
	case !ok || rest == "":
		return nil, fmt.Errorf("fault %q: a selector is missing: %s@METHOD, %s@tools/call:NAME or %s@#3", text, kind, kind, kind)
	}
	selector, argument, given := rest, "", false
	// A target may hold "=": the argument is behind the last one.
	if i := strings.LastIndexByte(rest, '='); i >= 0 && (FlawKinds[k].Argument != "" || !strings.Contains(rest[:i], ":")) {
		selector, argument, given = rest[:i], rest[i+1:], true
	}
	if given && FlawKinds[k].Argument == "" {
		return nil, fmt.Errorf("fault %q: %s takes nothing behind =", text, kind)
	}
	if err := f.take(argument, given); err != nil {
		return nil, fmt.Errorf("fault %q: %w", text, err)
	}
	if err := f.choose(selector); err != nil {
		return nil, fmt.Errorf("fault %q: %w", text, err)
	}
	return f, nil
}

// take reads the argument.
func (f *Flaw) take(argument string, given bool) (err error) {
	switch f.Kind {
	case "delay":
		if f.Delay, err = time.ParseDuration(argument); err != nil || f.Delay < 0 {
			return fmt.Errorf("delay needs a time behind =, such as 2s or 150ms")
		}
	case "error":
		f.Code, f.Text = -32603, "a fault made on purpose by shakescope mock"
		code, message, ok := strings.Cut(argument, ":")
		if code != "" {
			if f.Code, err = strconv.ParseInt(code, 10, 32); err != nil {
				return fmt.Errorf("error takes a code and perhaps a message behind =, such as -32000:busy")
			}
		}
		if ok {
			f.Text = message
		}
	case "garbage":
		f.Text = "a line that is no message, made on purpose by shakescope mock"
		if given {
			f.Text = argument
		}
		if strings.ContainsAny(f.Text, "\n") {
			return fmt.Errorf("garbage is one line")
		}
	case "cut":
		if given {
			if f.Bytes, err = strconv.Atoi(argument); err != nil || f.Bytes < 1 {
				return fmt.Errorf("cut takes a number of bytes behind =, from 1")
			}
		}
	case "exit":
		f.Code = 1
		if given {
			if f.Code, err = strconv.ParseInt(argument, 10, 32); err != nil || f.Code < 0 || f.Code > 255 {
				return fmt.Errorf("exit takes a code behind =, from 0 to 255")
			}
		}
	}
	return nil
}

// choose reads the selector.
func (f *Flaw) choose(selector string) error {
	if i := strings.LastIndexByte(selector, '#'); i >= 0 {
		n, err := strconv.Atoi(selector[i+1:])
		switch {
		case err == nil && n > 0:
			f.nth, selector = n, selector[:i]
		case i == 0 || !strings.Contains(selector, ":"):
			return fmt.Errorf("behind # stands which request, from 1")
		}
	} else if selector == "*" {
		return nil
	} else if selector == "" {
		return fmt.Errorf("the selector before = is empty; * selects each request")
	}
	f.method, f.target, _ = strings.Cut(selector, ":")
	if f.method == "" && f.target != "" {
		return fmt.Errorf("a target needs its method before it, such as tools/call:%s", f.target)
	}
	if f.method == "*" {
		f.method = ""
	}
	return nil
}

// Method returns the method that the flaw selects, "" for any.
func (f *Flaw) Method() string { return f.method }

func (f *Flaw) String() string { return f.text }

// Used returns how often the flaw was committed.
func (f *Flaw) Used() int { return f.used }

// hits reports whether the flaw is to be committed on a request; it counts.
func (f *Flaw) hits(q *question) bool {
	if f.method != "" && f.method != q.method || f.target != "" && f.target != q.target {
		return false
	}
	f.seen++
	if f.nth != 0 && f.seen != f.nth {
		return false
	}
	f.used++
	return true
}
