package recordings

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"sort"
	"strings"
	"time"
)

// NewHeader returns a header that says what this process knows about itself and its machine, for a
// recording of command that starts now. Of the environment only the names go in.
func NewHeader(command []string) Header {
	h := Header{
		Format:   formatVersion,
		Start:    time.Now(),
		Command:  command,
		PID:      os.Getpid(),
		PIDStart: processStart(os.Getpid()),
		Parent:   processName(os.Getppid()),
		Host:     hostID(),
		Boot:     bootID(),
		OS:       runtime.GOOS,
	}
	h.Dir, _ = os.Getwd() // a working folder that was removed has no name
	for _, entry := range os.Environ() {
		// Windows has names that begin with "=".
		if entry == "" {
			continue
		}
		if i := strings.IndexByte(entry[1:], '='); i >= 0 {
			h.Env = append(h.Env, entry[:i+1])
		}
	}
	sort.Strings(h.Env)
	return h
}

// hostID is a hash of the machine's own id: it tells machines apart and does not tell which they are.
func hostID() string {
	id := machineID()
	if id == "" {
		id, _ = os.Hostname()
	}
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("shakescope host " + id))
	return hex.EncodeToString(sum[:8])
}

// WrittenHere reports whether h was written on this machine.
func (h *Header) WrittenHere() bool { return h.Host != "" && h.Host == hostID() }

// writerLives tells by the process in the header whether the writer still runs. It returns false as
// known where that cannot be told: on another machine, or where the process cannot be looked at.
func (h *Header) writerLives() (lives, known bool) {
	if !h.WrittenHere() || h.PID <= 0 {
		return false, false
	}
	if h.Boot != "" && h.Boot != bootID() {
		return false, true
	}
	start := processStart(h.PID)
	if start == 0 || h.PIDStart == 0 {
		return false, processStart(os.Getpid()) != 0 && h.PIDStart != 0
	}
	return start == h.PIDStart, true
}
