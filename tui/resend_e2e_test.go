package tui

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/shakescope/shakescope/jsonrpc"
	"github.com/shakescope/shakescope/recordings"
)

// serveEcho answers each call of a tool with its arguments.
func serveEcho(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		m := jsonrpc.Decode(lines.Bytes())
		switch {
		case m.Kind != jsonrpc.Request:
		case m.Method == "initialize":
			fmt.Fprint(out, answer)
		default:
			arguments, _ := jsonrpc.Lookup(m.Params, "arguments")
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":%s}}`+"\n", m.ID.Raw(), arguments)
		}
	}
}

// A recorded call is made again on a terminal, to a server that is really started, with one argument changed.
func TestResendOnATerminal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SHAKESCOPE_DIR", dir)
	t.Setenv(playsEcho, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recordings.Create(dir, recordings.NewHeader([]string{self}), recordings.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Chunk(recordings.Stdin, []byte(hello))
	rec.Chunk(recordings.Stdout, []byte(answer))
	rec.Chunk(recordings.Stdin, []byte(ready+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"word":"ahoy","n":3}}}`+"\n"))
	rec.Chunk(recordings.Stdout, []byte(`{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"word":"ahoy","n":3}}}`+"\n"))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	tm := boot(t, Options{Dir: dir, File: rec.Path()}, nil, 120, 40)
	tm.wait("ended", "echo")
	tm.typed("Gr")
	tm.wait("the recorded command", "ahoy", "start the server")
	tm.typed("s\x15params.arguments.word=hello\r")
	tm.wait("changed: params.arguments.word")
	if list, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")); len(list) != 1 {
		t.Fatalf("%d recordings before the server was to be started", len(list))
	}
	tm.typed("y")
	tm.wait("1 difference", "/result/structuredContent/word", `"hello"`, "recorded as")
	tm.typed("o")
	tm.wait("ended", "hello", "srv 3")
	tm.typed("q")
	tm.wait("recorded as")
	tm.typed("D")
	tm.wait("diff", "the params differ")
	tm.typed("\x03")
	if err := tm.left(); err != nil {
		t.Fatal(err)
	}
	list, err := recordings.Folder{Dir: dir}.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("%d recordings, %v", len(list), err)
	}
	for i := range list {
		if list[i].Path != rec.Path() && !list[i].Probe {
			t.Error("the new run is not marked as one of our own")
		}
	}
}
