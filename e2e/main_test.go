// Package e2e puts shakescope, as it is built, between real clients and real servers, and before
// recorded sessions.
//
// The servers and the TypeScript clients come from npm (npm/package.json; `make e2e` installs them),
// the sessions from the folder that SHAKESCOPE_CORPUS names. A test that lacks its peers is skipped
// with a sentence; with SHAKESCOPE_E2E=1, as `make e2e` and .ci/run set it, missing npm peers are a
// failure.
package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// buildDir is where the program is built; TestMain removes it.
var buildDir string

// program builds shakescope once and returns its path.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(buildDir, "shakescope")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", path, "..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building shakescope: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	var err error
	if buildDir, err = os.MkdirTemp("", "shakescope-e2e-*"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// built is program for a test.
func built(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// shakescope runs the program and returns what it printed.
func shakescope(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(built(t), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("shakescope %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return out
}

// absent skips the test, or fails it where everything has to be there.
func absent(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("SHAKESCOPE_E2E") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf("skipped: "+format, args...)
}

// load reads a JSON file.
func load(t *testing.T, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
