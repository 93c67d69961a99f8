package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The test binary links the program, so that the go command takes no result from its cache when the
// program has changed.
var program = main

// built builds the program, and returns its path and what the linker says of what needs what.
func built(t *testing.T) (path string, edges []byte) {
	if program == nil {
		t.Fatal("no program")
	}
	path = filepath.Join(t.TempDir(), "shakescope.exe")
	edges, err := exec.Command("go", "build", "-ldflags=-dumpdep", "-o", path, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, edges)
	}
	return path, edges
}

// Whoever is wrapped starts the program each time: it must be small and do nothing before it is asked to.
func TestStartIsLight(t *testing.T) {
	path, edges := built(t)

	// The linker drops methods that nothing calls, unless something it links looks methods up by name
	// (text/template does): then it keeps every exported method of every type, 2.5 MB of them.
	t.Run("methods are pruned", func(t *testing.T) {
		if !bytes.Contains(edges, []byte("main.main -> ")) {
			t.Fatal("the linker printed no edges: -dumpdep no longer means what this test needs")
		}
		// Who links each caller of reflect.Value.MethodByName and its like.
		by := regexp.MustCompile(`(?m)^(.*) -> (.*) <[^>\n]*ReflectMethod[^>\n]*>.*$`)
		for _, m := range by.FindAllSubmatch(edges, 5) {
			t.Errorf("%s looks up methods by name; %s links it", m[2], m[1])
		}
	})

	// Tables that only some verbs need are made when they are needed. What a package allocates before
	// main is counted, since that, unlike the time it takes, is the same on every machine.
	t.Run("packages do little before main", func(t *testing.T) {
		cmd := exec.Command(path, "version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		seen := 0
		for _, m := range regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs`).FindAllSubmatch(out, -1) {
			seen++
			const most = 24 << 10
			if n, _ := strconv.Atoi(string(m[2])); n > most && bytes.HasPrefix(m[1], []byte(module)) {
				t.Errorf("%s allocates %d bytes before main, more than %d: sync.OnceValue?", m[1], n, most)
			}
		}
		if seen == 0 {
			t.Errorf("no trace of the packages:\n%s", out)
		}
	})

	// An expression takes as long to compile as a package of ours to start.
	t.Run("no expression is compiled before main", func(t *testing.T) {
		out, err := exec.Command("go", "list", "-deps", "-f", `{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`, ".").Output()
		if err != nil {
			t.Fatal(err)
		}
		files := token.NewFileSet()
		read := 0
		for path := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
			if path = strings.TrimSpace(path); path == "" {
				continue
			}
			f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			read++
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
					ast.Inspect(g, func(n ast.Node) bool {
						if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "MustCompile" {
							t.Errorf("%s: an expression is compiled before main: sync.OnceValue?", files.Position(n.Pos()))
						}
						_, isFunc := n.(*ast.FuncLit)
						return !isFunc
					})
				}
			}
		}
		if read < 100 {
			t.Errorf("only %d files were read", read)
		}
	})
}
