package proxy

// Stream names one of the three streams.
type Stream uint8

// Stdin runs from the client to the server, Stdout and Stderr from the server to the client.
const (
	Stdin Stream = iota + 1
	Stdout
	Stderr
)

// A Tap gets a copy of everything. Its methods are called from several goroutines at once.
type Tap interface {
	// Chunk is called before b is forwarded. It must number, time and copy b in one atomic step,
	// must not keep b, and may block only for bounded back-pressure.
	Chunk(s Stream, b []byte)
	// Event is called when something happened to the process or its pipes.
	Event(e Event)
}

// Event is something that happened to the process or its pipes. Name is one of the names that
// recordings.Event lists.
type Event struct {
	Name   string
	Code   *int
	Signal string
	Reason string
	Bytes  int64
	PID    int
}
