package cli_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goFiles are all Go files of the repository, by their path from its root.
func goFiles(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// What the pages name of the source is there: files, and the tests that hold a promise, in the package that is said.
func TestPagesNameSource(t *testing.T) {
	files := goFiles(t)
	tests := map[string]bool{}
	for name, text := range files {
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(text, -1) {
			tests[m[1]] = true
			tests[filepath.Base(filepath.Dir(name))+": "+m[1]] = true
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w+)`")
	source := regexp.MustCompile("`([a-z]+(?:/[a-z_]+)+\\.(?:go|c|mjs|sql|traceql|yaml|json|txt))`")
	found := 0
	for page, text := range pages(t) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			found++
			if !tests[m[1]] {
				t.Errorf("%s names the test %s, which is not there", page, m[1])
			}
		}
		for _, m := range source.FindAllStringSubmatch(text, -1) {
			found++
			at := []string{m[1], "internal/cli/testdata/" + m[1], "contrib/otel/" + m[1]}
			there := false
			for _, name := range at {
				_, err := os.Stat(filepath.Join("..", "..", name))
				there = there || err == nil
			}
			if !there {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
	// "cli: `TestA`, `TestB`; proxy: `TestC`"
	for line := range strings.Lines(pages(t)["docs/reliability.md"]) {
		row := strings.Split(strings.TrimSpace(line), " | ")
		if len(row) != 2 {
			continue
		}
		for held := range strings.SplitSeq(row[1], ";") {
			in, list, ok := strings.Cut(strings.TrimSpace(held), ": ")
			if !ok {
				continue
			}
			for _, m := range named.FindAllStringSubmatch(list, -1) {
				found++
				if !tests[in+": "+m[1]] {
					t.Errorf("docs/reliability.md: the package %s has no %s", in, m[1])
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d names", found)
	}
}

// The variables of the environment that the program looks at stand in docs/settings.md and in the manual page, and no others.
func TestPagesNameEnvironment(t *testing.T) {
	name := regexp.MustCompile(`SHAKESCOPE_[A-Z_]+`)
	read := map[string]bool{}
	for file, text := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "bench/") || strings.HasPrefix(file, "e2e/") || file == "internal/cli/man.go" {
			continue
		}
		for _, m := range regexp.MustCompile(`"(SHAKESCOPE_[A-Z_]+|NO_COLOR|CLICOLOR_FORCE)"`).FindAllStringSubmatch(text, -1) {
			read[m[1]] = true
		}
	}
	if len(read) < 6 {
		t.Fatalf("the program reads only %v", read)
	}
	all := pages(t)
	manual, err := os.ReadFile("man.go")
	if err != nil {
		t.Fatal(err)
	}
	for v := range read {
		if !strings.Contains(all["docs/settings.md"], "`"+v+"`") {
			t.Errorf("docs/settings.md does not name %s", v)
		}
		if !strings.Contains(string(manual), `{"`+v+`",`) {
			t.Errorf("the manual page does not name %s", v)
		}
	}
	for page, text := range all {
		if page == "CONTRIBUTING.md" || page == "docs/performance.md" {
			continue // variables of tests and bars
		}
		for _, v := range name.FindAllString(text, -1) {
			if !read[v] {
				t.Errorf("%s names %s, which the program does not read", page, v)
			}
		}
	}
}

// docs/json.md names every member of what --json prints, beside those of payloads.
func TestJSONPage(t *testing.T) {
	page := pages(t)["docs/json.md"]
	d := newDesk(t)
	var files []string
	for _, pattern := range []string{"../../recordings/samples/*.jsonl", "testdata/recordings/*.jsonl"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range found {
			f, err := filepath.Abs(f)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	var runs [][]string
	for _, f := range files {
		runs = append(runs, []string{"show", f, "--json"}, []string{"stats", f, "--json"}, []string{"verify", f, "--json"}, []string{"check", f, "--format", "json"})
	}
	runs = append(runs, []string{"list", "--json"}, []string{"rules", "--json"}, []string{"prune", "--json", "--dry-run", "--older-than", "0s"})
	// What is below these is not ours to name: payloads, and objects whose names are methods, revisions or rules.
	foreign := map[string]bool{"raw": true, "capabilities": true, "latency_by_method": true, "per_request": true, "methods": true}
	missing := map[string]string{}
	members := 0
	var look func(run string, v any)
	look = func(run string, v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				look(run, x)
			}
		case map[string]any:
			for name, x := range v {
				members++
				if !strings.Contains(page, "`"+name+"`") {
					missing[name] = run
				}
				if !foreign[name] {
					look(run, x)
				}
			}
		}
	}
	for _, words := range runs {
		out, code := d.run(nil, words)
		if code > 1 {
			t.Fatalf("%v ended with %d: %s", words, code, out)
		}
		for dec := json.NewDecoder(strings.NewReader(out)); ; {
			var v any
			if err := dec.Decode(&v); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v: %v", words, err)
			}
			look(strings.Join(words, " "), v)
		}
	}
	for name, run := range missing {
		t.Errorf("the page does not name %s, which %s prints", name, run)
	}
	if members < 1000 {
		t.Errorf("only %d members were looked at", members)
	}
}
