package cli_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What export --format raw writes is what travelled, byte for byte, from a foreign log and from the
// native recording made of it.
func TestExportRawIsExact(t *testing.T) {
	want := map[string]string{
		"stdin":  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\n \t\n\xff\xfe\x00\nhalf",
		"stdout": "noise\r\n{\"b\":1, \"a\":2}\nlone\rcr\nends in cr\r\r\n",
		"stderr": "\x1b[31mred\x1b[0m\n",
	}
	var wire bytes.Buffer
	wire.WriteString(`{"meta":{}}` + "\n")
	line := func(dir, raw, more string) {
		fmt.Fprintf(&wire, `{"t_ms":1,"dir":%q,"raw_b64":%q%s}`+"\n", dir, base64.StdEncoding.EncodeToString([]byte(raw)), more)
	}
	line("c2s", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `,"eol":"\r\n"`)
	line("s2c", "noise", `,"eol":"\r\n"`)
	line("c2s", "", "")
	line("c2s", " \t", "")
	line("stderr", "\x1b[31mred\x1b[0m", "")
	line("s2c", `{"b":1, "a":2}`, "")
	line("c2s", "\xff\xfe\x00", "")
	line("s2c", "lone\rcr", "")
	line("s2c", "ends in cr\r", `,"eol":"\r\n"`)
	line("c2s", "half", `,"eol":"","partial":true`)

	dir := t.TempDir()
	foreign, native := filepath.Join(dir, "wire.jsonl"), filepath.Join(dir, "native.jsonl")
	if err := os.WriteFile(foreign, wire.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("shakescope", "import", foreign, "-o", native).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, file := range []string{foreign, native} {
		for stream, bytes := range want {
			have, err := exec.Command("shakescope", "export", file, "--format", "raw", "--stream", stream).Output()
			if err != nil {
				t.Fatal(err)
			}
			if string(have) != bytes {
				t.Errorf("%s of %s: %q\nwant %q", stream, filepath.Base(file), have, bytes)
			}
		}
	}
}
