package tui

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// The test binary plays parts in what is measured, each in a process of its own, as in real use.
const (
	playsServer = "SHAKESCOPE_BARS_SERVER"
	playsEcho   = "SHAKESCOPE_ECHO_SERVER"
	playsUI     = "SHAKESCOPE_BARS_UI" // the path of the recording
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(playsServer) != "":
		serve(os.Stdin, os.Stdout)
		return
	case os.Getenv(playsEcho) != "":
		serveEcho(os.Stdin, os.Stdout)
		return
	case os.Getenv(playsUI) != "":
		showUntilTold(os.Getenv(playsUI))
		return
	}
	os.Exit(m.Run())
}

// serve answers each request with an empty result.
func serve(in io.Reader, out io.Writer) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		_, rest, ok := bytes.Cut(line, []byte(`"id":`))
		if !ok {
			continue
		}
		id := rest[:bytes.IndexByte(rest, ',')]
		if bytes.Contains(line, []byte(`"initialize"`)) {
			fmt.Fprint(out, answer)
			continue
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", id)
	}
}

// showUntilTold shows a recording until standard input ends.
func showUntilTold(path string) {
	in, keys := io.Pipe()
	defer keys.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m := newModel(ctx, Options{File: path, Input: in, Output: io.Discard})
	p := program(ctx, m, []string{"TERM=xterm-256color", "LANG=C.UTF-8"}, tea.WithWindowSize(120, 40), tea.WithoutSignals())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		p.Quit()
	}()
	p.Run()
	m.close()
}

// barsRoundTrip measures the time from a request to its answer through the proxy, with and without a
// program that shows the recording, by turns.
func barsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "shakescope")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", bin, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path := filepath.Join(dir, "trip.jsonl")
	proxy := exec.Command(bin, "run", "-o", path, "--", os.Args[0])
	proxy.Env = append(os.Environ(), playsServer+"=1")
	proxy.Stderr = os.Stderr
	to, err := proxy.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := proxy.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(from)
	id := 1
	trip := func(request string) time.Duration {
		begin := time.Now()
		if _, err := io.WriteString(to, request); err != nil {
			t.Fatal(err)
		}
		if _, err := answers.ReadSlice('\n'); err != nil {
			t.Fatal(err)
		}
		return time.Since(begin)
	}
	trip(hello)
	if _, err := io.WriteString(to, ready); err != nil {
		t.Fatal(err)
	}
	ping := func() time.Duration {
		id++
		return trip(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id))
	}
	var took [2][]time.Duration
	for turn := range 10 {
		with := turn % 2
		stop := func() {}
		if with == 1 {
			ui := exec.Command(os.Args[0])
			ui.Env = append(os.Environ(), playsUI+"="+path)
			end, err := ui.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := ui.Start(); err != nil {
				t.Fatal(err)
			}
			stop = func() {
				end.Close()
				ui.Wait()
			}
			time.Sleep(time.Second) // until it has caught up
		}
		for n := range 3000 {
			d := ping()
			if n >= 200 {
				took[with] = append(took[with], d)
			}
		}
		stop()
	}
	to.Close()
	if err := proxy.Wait(); err != nil {
		t.Fatal(err)
	}
	at := func(with, percent int) string {
		slices.Sort(took[with])
		return took[with][len(took[with])*percent/100].Round(100 * time.Nanosecond).String()
	}
	figure("round trip through the proxy, nobody watching", "p50 "+at(0, 50)+", p95 "+at(0, 95))
	figure("the same with the UI following the recording", "p50 "+at(1, 50)+", p95 "+at(1, 95))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(data), `"ping"`); got < id-1 {
		t.Errorf("%d of %d requests are in the recording", got, id-1)
	}
}
