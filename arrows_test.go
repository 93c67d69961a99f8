package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/shakescope/shakescope"

type listed struct {
	ImportPath string
	Imports    []string // direct, without tests
	Deps       []string // all the way down
	Standard   bool
}

// goList lists the packages of this module, and everything they are built from.
func goList(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Deps,Standard", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	packages := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
	return packages
}

// Arrows only point downwards (docs/architecture.md): which rooms of the house a room may enter.
func TestArrows(t *testing.T) {
	packages := goList(t)

	mayEnter := map[string][]string{
		"jsonrpc":               {},
		"proxy":                 {},
		"internal/mcpspec":      {},
		"internal/clientconfig": {},
		"internal/termtext":     {},
		"internal/jsontree":     {},
		"internal/mcpshape":     {},
		"internal/schemaguard":  {"internal/mcpshape"},
		"internal/redact":       {"jsonrpc"},
		"recordings":            {"jsonrpc", "internal/mcpspec"},
		"annotate":              {"jsonrpc", "recordings", "internal/mcpspec", "internal/mcpshape", "internal/provider", "internal/schemaguard"},
		"internal/provider":     {"jsonrpc"},
		"internal/filter":       {"annotate", "jsonrpc", "recordings", "internal/termtext"},
		"internal/tap":          {"proxy", "recordings"},
		"internal/peer":         {"annotate", "jsonrpc", "proxy", "recordings", "internal/tap", "internal/mcpspec", "internal/jsontree", "internal/redact"},
		"internal/demo":         {"jsonrpc", "internal/mcpspec"},
	}
	for room, allowed := range mayEnter {
		p, ok := packages[module+"/"+room]
		if !ok {
			t.Errorf("the room %s is gone; change this test with the plan of the house", room)
			continue
		}
		for _, dep := range p.Imports {
			rest, ours := strings.CutPrefix(dep, module+"/")
			if ours && !slices.Contains(allowed, rest) {
				t.Errorf("%s imports %s", room, rest)
			}
		}
	}

	// What records must not know that there is anybody to look at it.
	for _, room := range []string{"jsonrpc", "recordings", "proxy", "annotate"} {
		for _, dep := range packages[module+"/"+room].Deps {
			for _, ui := range []string{module + "/tui", module + "/internal/cli", "charm.land/", "github.com/charmbracelet/", "github.com/spf13/"} {
				if strings.HasPrefix(dep, ui) {
					t.Errorf("%s depends on %s", room, dep)
				}
			}
		}
	}

	for name, p := range packages {
		if !strings.HasPrefix(name, module) {
			continue
		}
		for _, dep := range p.Imports {
			switch {
			case dep == module+"/internal/cli" && name != module:
				t.Errorf("%s imports the command line", name)
			case dep == module+"/tui" && name != module+"/internal/cli":
				t.Errorf("%s imports the terminal UI", name)
			case dep == "github.com/tidwall/pretty" && name != module+"/internal/jsontree":
				t.Errorf("%s imports tidwall/pretty, which only internal/jsontree guards", name)
			}
		}
	}
}

// What the program is linked from: nothing that only tests need, and nothing that asks the terminal
// questions when it is imported.
func TestProgramDependencies(t *testing.T) {
	program := goList(t)[module]
	if len(program.Deps) == 0 {
		t.Fatal("go list knows no dependencies of the program")
	}
	for _, dep := range program.Deps {
		for _, banned := range []string{
			"charm.land/lipgloss/v2/compat",
			"github.com/charmbracelet/bubbletea",
			"github.com/charmbracelet/lipgloss",
			"github.com/muesli/termenv",
			"github.com/modelcontextprotocol/go-sdk",
			"github.com/mark3labs/mcp-go",
			"github.com/rogpeppe/go-internal/testscript", // its diff is what `install --dry-run` prints with
			"github.com/santhosh-tekuri/jsonschema",      // compiles metaschemas when it is imported
			"github.com/google/go-cmp",
			"github.com/charmbracelet/x/vt",
			"go.uber.org/goleak",
			"testing",
		} {
			if dep == banned || strings.HasPrefix(dep, banned+"/") {
				t.Errorf("the program depends on %s", dep)
			}
		}
	}
}
