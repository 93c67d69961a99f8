//go:build unix

package recordings

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const noFollow = unix.O_NOFOLLOW

// openSpecial opens a FIFO or a device for writing. It waits for somebody to read from a FIFO,
// unless told to give up.
func openSpecial(path string, giveUp func() bool) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
		if !errors.Is(err, unix.ENXIO) {
			return f, err
		}
		if giveUp() {
			return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("nobody reads from it")}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// catchFileSizeSignal makes a write beyond the limit on file sizes fail instead of ending the
// process. The signal is caught, not ignored: what is ignored stays so in the server.
var catchFileSizeSignal = sync.OnceFunc(func() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ)
})
