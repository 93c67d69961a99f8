package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// browser is a headless Chromium that is driven through its pipe (Chrome DevTools protocol).
type browser struct {
	t       *testing.T
	in      *os.File
	session string

	mu      sync.Mutex
	next    int
	waiting map[int]chan reply
	seen    []reply // events
	gone    chan struct{}
}

// reply is an answer or an event.
type reply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct{ Message string }
}

// chromium starts one. Without a Chromium the test is skipped, or fails where everything has to be there.
func chromium(t *testing.T) *browser {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the pipe of Chromium is made of inherited descriptors")
	}
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		absent(t, "no chromium")
	}
	toRead, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, toWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// Under root there is no sandbox; the pages are our own.
	cmd := exec.Command(path, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-extensions", "--user-data-dir="+t.TempDir(), "--window-size=1400,900", "about:blank")
	cmd.ExtraFiles = []*os.File{toRead, toWrite} // 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toRead.Close()
	toWrite.Close()
	b := &browser{t: t, in: in, waiting: map[int]chan reply{}, gone: make(chan struct{})}
	go b.read(out)
	t.Cleanup(func() {
		b.send("", "Browser.close", nil)
		in.Close()
		done := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		done.Stop()
		<-b.gone
		out.Close()
	})
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Security"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

func (b *browser) read(out *os.File) {
	defer close(b.gone)
	var buf []byte
	chunk := make([]byte, 256<<10)
	for {
		n, err := out.Read(chunk)
		buf = append(buf, chunk[:n]...)
		for {
			i := bytes.IndexByte(buf, 0)
			if i < 0 {
				break
			}
			var r reply
			json.Unmarshal(buf[:i], &r)
			buf = buf[i+1:]
			b.mu.Lock()
			if c := b.waiting[r.ID]; c != nil {
				delete(b.waiting, r.ID)
				c <- r
			} else {
				b.seen = append(b.seen, r)
			}
			b.mu.Unlock()
			if r.Method == "Page.javascriptDialogOpening" {
				go b.send(b.session, "Page.handleJavaScriptDialog", map[string]any{"accept": false}) // else everything waits
			}
		}
		if err != nil {
			return
		}
	}
}

// send sends a command and returns where its answer comes.
func (b *browser) send(session, method string, params any) chan reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	c := make(chan reply, 1)
	b.waiting[b.next] = c
	m := map[string]any{"id": b.next, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	text, _ := json.Marshal(m)
	b.in.Write(append(text, 0))
	return c
}

// call sends a command and puts its result into result, which may be nil.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	select {
	case r := <-b.send(b.session, method, params):
		if r.Error != nil {
			b.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(r.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-b.gone:
		b.t.Fatalf("%s: the browser is gone", method)
	case <-time.After(2 * time.Minute): // not a measure, only an end
		b.t.Fatalf("%s: no answer", method)
	}
}

// open loads a file and waits until its scripts have run.
func (b *browser) open(path string) {
	b.t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.call("Page.navigate", map[string]any{"url": (&url.URL{Scheme: "file", Path: path}).String()}, nil)
	b.until(`document.readyState === "complete" && location.protocol === "file:"`)
}

// eval evaluates JavaScript and puts its value into v, which may be nil.
func (b *browser) eval(expression string, v any) {
	b.t.Helper()
	if err := b.tryEval(expression, v); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) tryEval(expression string, v any) error {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "allowUnsafeEvalBlockedByCSP": false}, &r)
	if r.ExceptionDetails != nil {
		return fmt.Errorf("%s: %s", expression, r.ExceptionDetails.Exception.Description)
	}
	if v == nil {
		return nil
	}
	if r.Result.Value == nil {
		return errors.New(expression + " has no value")
	}
	return json.Unmarshal(r.Result.Value, v)
}

// until waits until an expression is true.
func (b *browser) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var is bool
		if b.tryEval(expression, &is); is {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("never: %s", expression)
		}
	}
}

// troubles are the things that a page of traffic must never bring about: dialogs, requests, errors, breaches of its
// policy, and other pages.
func (b *browser) troubles(own string) (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.seen {
		text := string(r.Params)
		switch r.Method {
		case "Page.javascriptDialogOpening", "Runtime.exceptionThrown", "Page.windowOpen", "Page.downloadWillBegin", "Network.webSocketCreated":
			out = append(out, r.Method+" "+text)
		case "Runtime.consoleAPICalled", "Log.entryAdded":
			out = append(out, r.Method+" "+text)
		case "Network.requestWillBeSent":
			var p struct{ Request struct{ URL string } }
			json.Unmarshal(r.Params, &p)
			if !strings.HasSuffix(p.Request.URL, "/"+own) {
				out = append(out, "a request for "+p.Request.URL)
			}
		case "Page.frameNavigated":
			var p struct {
				Frame struct{ URL, ParentID string }
			}
			json.Unmarshal(r.Params, &p)
			if p.Frame.ParentID != "" || p.Frame.URL != "about:blank" && !strings.HasSuffix(p.Frame.URL, "/"+own) {
				out = append(out, "a page "+p.Frame.URL)
			}
		}
	}
	return out
}
