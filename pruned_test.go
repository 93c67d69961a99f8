package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// The test binary links the program, so that the go command takes no result from its cache when the
// program has changed.
var program = main

// The linker drops methods that nothing calls, unless something it links looks methods up by name
// (text/template does): then it keeps every exported method of every type, 2.5 MB of them.
func TestMethodsArePruned(t *testing.T) {
	if program == nil {
		t.Fatal("no program")
	}
	cmd := exec.Command("go", "build", "-ldflags=-dumpdep", "-o", os.DevNull, ".")
	edges, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, edges)
	}
	if !bytes.Contains(edges, []byte("main.main -> ")) {
		t.Fatal("the linker printed no edges: -dumpdep no longer means what this test needs")
	}
	// The way down to each caller of reflect.Value.MethodByName and its like.
	by := regexp.MustCompile(`(?m)^(.*) -> (.*) <[^>\n]*ReflectMethod[^>\n]*>.*$`)
	for _, m := range by.FindAllSubmatch(edges, 5) {
		t.Errorf("%s looks up methods by name; %s links it", m[2], m[1])
	}
}
