package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tools are the programs that are measured or measure, and folders; all as paths.
type tools struct {
	root, dir             string // of the module, and to work in
	shakescope, hello     string
	client, server, relay string
	node, script, grep    string
}

// build makes the programs in dir. The module's own folder is found from the working folder.
func (t *tools) build(dir string) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("this needs Linux, not %s", runtime.GOOS)
	}
	var err error
	if t.root, err = moduleRoot(); err != nil {
		return err
	}
	if t.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	t.shakescope, t.hello = filepath.Join(t.dir, "shakescope"), filepath.Join(t.dir, "hello")
	for path, what := range map[string]string{t.shakescope: ".", t.hello: "./bench/hello"} {
		if err := t.compile(path, what); err != nil {
			return err
		}
	}
	yardsticks := filepath.Join(t.root, "bench", "yardsticks")
	for path, name := range map[*string]string{&t.client: "client", &t.server: "server", &t.relay: "relay"} {
		*path = filepath.Join(t.dir, name)
		if err := quiet(exec.Command("gcc", "-O2", "-pthread", "-o", *path, filepath.Join(yardsticks, name+".c"))); err != nil {
			return err
		}
	}
	t.script = filepath.Join(yardsticks, "proxy.mjs")
	for path, name := range map[*string]string{&t.node: "node", &t.grep: "grep"} {
		if *path, err = exec.LookPath(name); err != nil {
			return err
		}
	}
	return nil
}

// compile builds a package of the module, without cgo as releases are.
func (t *tools) compile(path, what string, flags ...string) error {
	c := exec.Command("go", append(append([]string{"build", "-trimpath", "-o", path}, flags...), what)...)
	c.Dir, c.Env = t.root, append(os.Environ(), "CGO_ENABLED=0")
	return quiet(c)
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", errors.New("not inside the module")
	}
	return filepath.Dir(mod), nil
}

// quiet runs a command whose output matters only if it fails.
func quiet(c *exec.Cmd) error {
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", c, err, bytes.TrimSpace(out))
	}
	return nil
}

// path is a file of this run.
func (t *tools) path(name string) string { return filepath.Join(t.dir, name) }

// figures are what the client measured, by name: times in ns, memory in bytes.
type figures map[string]float64

// measure runs the client and returns its figures.
func (t *tools) measure(args ...string) (figures, error) {
	c := exec.Command(t.client, args...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	// Whatever the commands under test leave behind stays in the folder of this run.
	c.Env = append(os.Environ(), "SHAKESCOPE_DIR="+t.path("recordings"))
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("client %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	f, err := parseFigures(out.String())
	if err != nil {
		return nil, fmt.Errorf("client %s: %w", strings.Join(args, " "), err)
	}
	return f, nil
}

func parseFigures(text string) (figures, error) {
	f := make(figures)
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("not a figure: %q", line)
		}
		f[name] = n
	}
	return f, nil
}

// least keeps the lesser of each figure.
func (f figures) least(g figures) {
	for name, value := range g {
		if old, ok := f[name]; !ok || value < old {
			f[name] = value
		}
	}
}

// cpu runs a command and returns the CPU time it used. Its exit code may be one of ok.
func cpu(ok []int, command string, args ...string) (time.Duration, error) {
	c := exec.Command(command, args...)
	c.Env = append(os.Environ(), "LC_ALL=C")
	// A pipe, not the null device: into that one, grep stops at its first match.
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if err != nil {
		for _, code := range ok {
			if c.ProcessState != nil && c.ProcessState.ExitCode() == code {
				err = nil
			}
		}
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", c, err, bytes.TrimSpace(errs.Bytes()))
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}

// machine says where this ran, as far as it matters to a ratio.
func machine() string {
	where := fmt.Sprintf("%s/%s, %d CPUs, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		if one, _, ok := strings.Cut(string(load), " "); ok {
			where += ", load " + one
		}
	}
	return where
}
