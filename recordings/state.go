package recordings

// LiveState says whether a recording is still being written and how it ended.
type LiveState string

// The states. Values are stable: they appear in machine-readable output.
const (
	Live    LiveState = "live"    // being written
	Ended   LiveState = "ended"   // the server is gone after its input was closed or it was signalled
	Crashed LiveState = "crashed" // the server was gone, or closed its output, on its own, or never started
	Cut     LiveState = "cut"     // no end record and no writer
	Unknown LiveState = "unknown" // no end record; whether there is a writer cannot be told
)
