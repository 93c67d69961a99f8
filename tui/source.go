package tui

import (
	"errors"
	"time"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

// library is the folder of recordings, as far as the program needs it.
type library interface {
	// list reads heads and ends only, newest first. It may do I/O.
	list() ([]listing, error)
	// open opens a recording for reading from its start. It may take long for foreign formats.
	open(path string) (*source, error)
	// copies are the files that hold a recording once more, packed. They stand behind it: it hides them
	// from the list. It does I/O.
	copies(path string) []string
	// remove deletes a recording with all its segments and notes, and its packed copies if they are to
	// go too, unless it is being written.
	remove(path string, copies bool) error
	// resolve returns the path of the recording that a user means by a name. It does I/O.
	resolve(name string) (string, error)
	// name is the folder, for people.
	name() string
}

// listing is one recording in the list.
type listing struct {
	id, path, label string
	command         string // as a person would type it
	state           string // live, ended, crashed, cut, unknown
	server, client  peer
	revision, era   string
	started         time.Time
	duration        time.Duration
	sent, received  int64 // messages of the client, of the server
	bytes           int64
	gaps            int64
	exitCode        *int
	exitSignal      string
	segments        int
	demo, probe     bool
	thrown          bool // a client threw it away for the run that followed
}

type peer struct{ name, version string }

func (p peer) String() string {
	if p.version == "" {
		return p.name
	}
	return p.name + " " + p.version
}

// source is an opened recording. next and done belong to the loader's goroutine, read may be called
// from any.
type source struct {
	header *recordings.Header
	live   bool  // when it was opened
	size   int64 // of the file in which entries have their places, 0 if not known

	// next returns the next record; errWait where there is none yet, io.EOF at the end.
	next func() (*recordings.Record, error)
	// read returns the data of a frame again.
	read func(pos, length int64) ([]byte, error)
	// state says how the recording ended, and damage what could not be read.
	state func() string
	// unfinished returns what is there of a line that has not ended, valid until the next call of next;
	// it belongs to the loader. nil: not known.
	unfinished func(recordings.Stream) []byte
	damage     func() []recordings.Damage
	// again opens the recording once more, for exports that read it as a whole; nil: it cannot be. It may
	// be called from any goroutine.
	again annotate.Source
	close func()
}

// errWait says that a live recording has nothing new.
var errWait = errors.New("nothing new yet")
