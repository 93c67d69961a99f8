package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A full disk costs the recording and nothing else.
func TestDiskFull(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting a small disk takes root")
	}
	disk, kept := t.TempDir(), filepath.Join(t.TempDir(), "run.jsonl")
	if out, err := exec.Command("unshare", "-m", "mount", "-t", "tmpfs", "none", disk).CombinedOutput(); err != nil {
		t.Skipf("no disk of our own: %v: %s", err, out)
	}
	w := wrap(t, []string{"unshare", "-m", "sh", "-c",
		`mount -t tmpfs -o size=64k none "$0" && "$@"; code=$?; cp "$0/run.jsonl" "` + kept + `"; exit $code`, disk},
		"-o", filepath.Join(disk, "run.jsonl"))
	w.talk(300)
	w.talk(2000)
	w.end()
	if !strings.Contains(w.err.String(), "no space left on device") {
		t.Errorf("it said %q", &w.err)
	}
	if code, v := verdict(t, kept); code != 1 || v.Records < 50 {
		t.Errorf("verify ended with %d: %s", code, v.Sentence)
	}
}

// What waits for a sink that takes nothing is bounded in bytes, however much passes.
func TestMemoryIsBounded(t *testing.T) {
	if raceDetector {
		t.Skip("its memory is not ours")
	}
	w := wrap(t, nil, "-o", fifo(t.TempDir()))
	block := strings.Repeat("x", 1<<20-1) + "\n"
	for range 100 {
		sent := make(chan error, 1)
		go func() {
			_, err := io.WriteString(w.in, block)
			sent <- err
		}()
		if _, err := io.CopyN(io.Discard, w.out, int64(len(block))); err != nil {
			t.Fatal(err)
		}
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kB int
	if _, err := fmt.Sscan(string(rest), &kB); err != nil {
		t.Skip(err)
	}
	if kB > 64<<10 {
		t.Errorf("it took %d kB while 100 MiB passed", kB)
	}
	w.end()
}
