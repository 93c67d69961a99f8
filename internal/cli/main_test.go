package cli_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/shakescope/shakescope/internal/cli"
)

var update = flag.Bool("update", false, "write the goldens in testdata/script anew")

// raceOptions keep the race detector from sleeping for a second at the end of each process.
const raceOptions = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	os.Setenv("GORACE", raceOptions)
	testscript.Main(m, map[string]func(){
		"shakescope": func() { os.Exit(cli.Main(os.Args[1:], cli.Build{Version: "v0.0.0-test"})) },
		"fakeserver": fakeServer,
		"mcpserver":  mcpServer,
	})
}

// Every verb has its script; testdata/script/*.txt say what it must print and how it must end. The
// recordings of testdata/recordings lie in each script's folder.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SHAKESCOPE_DIR", filepath.Join(e.WorkDir, "recordings"))
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", raceOptions)
			if err := os.Mkdir(filepath.Join(e.WorkDir, "recordings"), 0o700); err != nil {
				return err
			}
			return os.CopyFS(e.WorkDir, os.DirFS("testdata/recordings"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitCode,
			"replace":  replace,
			"longline": longLine,
		},
	})
}

// fakeServer prints its arguments, one a line, and what the file of -err holds on standard error, waits for the end of
// its input (unless -now), which it repeats with -echo, and ends with the code of -exit.
func fakeServer() {
	code := flag.Int("exit", 0, "")
	now := flag.Bool("now", false, "")
	echo := flag.Bool("echo", false, "")
	said := flag.String("err", "", "")
	flag.Parse()
	if text, err := os.ReadFile(*said); err == nil {
		os.Stderr.Write(text)
	}
	for _, line := range flag.Args() {
		fmt.Println(line)
	}
	switch {
	case *echo:
		io.Copy(os.Stdout, os.Stdin)
	case !*now:
		io.Copy(io.Discard, os.Stdin)
	}
	os.Exit(*code)
}

// replace is "replace FROM TO OLD NEW": TO is FROM with all OLD made NEW.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: replace FROM TO OLD NEW")
	}
	old := ts.ReadFile(args[0])
	changed := strings.ReplaceAll(old, args[2], args[3])
	if changed == old {
		ts.Fatalf("%s has no %q", args[0], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(changed), 0o600))
}

// longLine is "longline FROM TO": TO is FROM with LONG made a message of 5 MB with a secret in it.
func longLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: longline FROM TO")
	}
	long := `{"jsonrpc":"2.0","method":"x/y","params":{"password":"ag3in-and-ag3in","x":"` + strings.Repeat("x", 5_000_000) + `"}}`
	changed := strings.Replace(ts.ReadFile(args[0]), "LONG", long, 1)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(changed), 0o600))
}

// exitCode is "exitcode N ARGS…": shakescope with these arguments must end with N.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exitcode N ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	// By its path: a script may have changed PATH.
	program, err := exec.LookPath("shakescope")
	ts.Check(err)
	code := 0
	if err := ts.Exec(program, args[1:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("shakescope: %v", err)
		}
		code = ended.ExitCode()
	}
	if code != want {
		ts.Fatalf("shakescope ended with %d, want %d", code, want)
	}
}
