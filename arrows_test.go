package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
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

// rooms reads the table of docs/architecture.md: which rooms of the house a room enters; nil for any.
func rooms(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n| folder | what | imports |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	enters := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 3 {
			t.Fatalf("a row of the table of rooms has %d cells: %s", len(cells), line)
		}
		room := strings.TrimSuffix(strings.Trim(cells[0], "`"), "/")
		switch cells[2] {
		case "all":
			enters[room] = nil
		case "–":
			enters[room] = []string{}
		default:
			enters[room] = strings.Split(cells[2], ", ")
		}
	}
	if len(enters) == 0 {
		t.Fatal("docs/architecture.md has no table of rooms")
	}
	return enters
}

// The table of docs/architecture.md lists all rooms, and for each exactly those that it enters.
func TestArrows(t *testing.T) {
	packages := goList(t)
	enters := rooms(t)
	for name, p := range packages {
		room, ours := strings.CutPrefix(name, module+"/")
		switch {
		case name == module:
			room = "main.go"
		case !ours:
			continue
		}
		allowed, listed := enters[room]
		if !listed {
			t.Errorf("the table of docs/architecture.md does not have the room %s", room)
			continue
		}
		delete(enters, room)
		if allowed == nil {
			continue
		}
		var entered []string
		for _, dep := range p.Imports {
			if rest, ours := strings.CutPrefix(dep, module+"/"); ours {
				entered = append(entered, rest)
			}
		}
		slices.Sort(allowed)
		slices.Sort(entered)
		if !slices.Equal(allowed, entered) {
			t.Errorf("%s enters %v; docs/architecture.md says %v", room, entered, allowed)
		}
	}
	for room := range enters {
		if _, err := os.Stat(room); err != nil {
			t.Errorf("the room %s of docs/architecture.md is gone", room)
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
