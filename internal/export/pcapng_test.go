package export

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/internal/redact"
)

// blocks checks the frame of a pcapng file and returns its blocks.
func blocks(t *testing.T, b []byte) (out [][]byte) {
	t.Helper()
	for len(b) > 0 {
		if len(b) < 12 {
			t.Fatalf("%d bytes are left", len(b))
		}
		n := binary.LittleEndian.Uint32(b[4:])
		if n%4 != 0 || int(n) > len(b) || binary.LittleEndian.Uint32(b[n-4:]) != n {
			t.Fatalf("block of length %d, %d bytes are left", n, len(b))
		}
		out = append(out, b[:n])
		b = b[n:]
	}
	return out
}

// big has a message that no packet can hold, and a comment that no option can.
func big() string {
	return session() + wireLine(30, "s2c", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`+strings.Repeat("x", 300_000)+`"}}`) + wireLine(31, "s2c", strings.Repeat("y", 500_000))
}

func TestPcapng(t *testing.T) {
	out := render(t, "pcapng", big(), redact.New(), options)
	packets := 0
	for i, b := range blocks(t, out) {
		switch kind := binary.LittleEndian.Uint32(b); {
		case i == 0 && kind != blockSection, i > 0 && i < 5 && kind != blockInterface:
			t.Fatalf("block %d is of kind %x", i, kind)
		case i >= 5:
			packets++
			captured, original := binary.LittleEndian.Uint32(b[20:]), binary.LittleEndian.Uint32(b[24:])
			if captured > longestPacket || original < captured {
				t.Errorf("packet %d: %d of %d bytes", packets, captured, original)
			}
		}
	}
	if packets < 15 || !bytes.Contains(out, []byte("truncated: ")) {
		t.Errorf("%d packets", packets)
	}
}

func TestTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("skipped: tshark is not installed")
	}
	path := filepath.Join(t.TempDir(), "session.pcapng")
	if err := os.WriteFile(path, render(t, "pcapng", big(), redact.New(), options), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(tshark, "-r", path, "-T", "fields", "-E", "separator=|", "-E", "aggregator=~", "-e", "frame.packet_id", "-e", "frame.interface_name", "-e", "frame.time_epoch",
		"-e", "frame.p2p_dir", "-e", "frame.protocols", "-e", "json.member", "-e", "frame.comment", "-e", "frame.cap_len", "-e", "frame.len")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	for line := range strings.Lines(errs.String()) {
		if !strings.HasPrefix(line, "Running as user") {
			t.Errorf("tshark warns: %s", line)
		}
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "|")
		rows[f[0]] = f
	}
	call := rows["6"]
	if len(call) < 9 || call[1] != "stdin" || call[2] != "1795984759.004000000" || call[3] != "0" || call[4] != "exported_pdu:json" || !strings.Contains(call[5], "method") {
		t.Fatalf("the call is %v", call)
	}
	for _, want := range []string{"phase=operation", "primitive=tools", "capability=server:tools(declared)"} {
		if !strings.Contains(call[6], want) {
			t.Errorf("%s is missing in %q", want, call[6])
		}
	}
	if r := rows["10"]; r[1] != "stdout" || r[3] != "1" || !strings.Contains(r[4], "data-text-lines") || !strings.Contains(r[6], "stdout-not-json") {
		t.Errorf("a line that is no JSON is %v", r)
	}
	if r := rows["13"]; !strings.Contains(r[6], "[0] kind=request") || !strings.Contains(r[6], "[1] kind=request") {
		t.Errorf("a batch is %v", r)
	}
	if r := rows["17"]; r[7] != "262144" || !strings.Contains(r[6], "truncated") || !strings.Contains(r[4], "json") {
		t.Errorf("a large message is %v", r)
	}
}
