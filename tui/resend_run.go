package tui

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/shakescope/shakescope/annotate"
	mcp "github.com/shakescope/shakescope/internal/peer"
	"github.com/shakescope/shakescope/recordings"
)

// resends makes recorded requests again; tests have another one.
type resends interface {
	// find looks for a request of the client. It reads the recording, which may take long.
	find(path string, ref annotate.Ref) (*mcp.Recorded, error)
	// mayRun is [mcp.MayRun].
	mayRun(path string, h *recordings.Header) (reason string, ok bool)
	// send starts the server, records it, makes the request and ends the server. It blocks until nothing of the
	// server is left.
	send(ctx context.Context, r mcp.Request) (*mcp.Resent, error)
}

// freshServers starts servers, and records them in a folder.
type freshServers struct{ dir, version string }

func (f freshServers) find(path string, ref annotate.Ref) (*mcp.Recorded, error) {
	return mcp.Find(func() (*recordings.Reader, error) { return recordings.Open(path) }, ref)
}

func (f freshServers) mayRun(path string, h *recordings.Header) (string, bool) {
	return mcp.MayRun(path, h)
}

func (f freshServers) send(ctx context.Context, r mcp.Request) (*mcp.Resent, error) {
	if f.dir == "" {
		return nil, errors.New("there is no folder for the recording of the run")
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for the recording of the run: %w", err)
	}
	r.Record = func() (*recordings.Recorder, error) {
		h := recordings.NewHeader(r.Words)
		h.Version, h.Probe = f.version, true
		return recordings.Create(f.dir, h, recordings.RecorderOptions{})
	}
	return mcp.Resend(ctx, r)
}
