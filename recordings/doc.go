// Package recordings keeps what travelled between an MCP client and a server, and gives it back.
//
// The native format is JSON Lines (docs/recording-format.md): a header, then frames, events and gaps in
// causal order, then an end record. Malformed traffic is data; a damaged file is read as far as it
// goes, and what was wrong is reported as [Damage].
//
// # Writing
//
// A [Recorder] takes chunks of three streams as they are forwarded, cuts them into frames and writes
// those. It never costs traffic: its buffer is bounded, callers wait for room only while the file
// takes bytes, and what could not be written is counted as a [Gap].
//
//	r, err := recordings.Create(dir, recordings.NewHeader(command), recordings.RecorderOptions{})
//	r.Chunk(recordings.Stdin, b) // before b is forwarded
//	r.Event(recordings.Event{Name: "client_closed_stdin"})
//	err = r.Close()
//
// # Reading
//
// A [Reader] gives the [Record]s of a recording, or of any log that can be imported, plain or packed:
//
//	r, err := recordings.Open(path)
//	for {
//		rec, err := r.Next() // valid until the next call
//		if err == io.EOF {
//			break
//		}
//		…
//	}
//
// [Tail] does the same with a file that grows. [File] reads single records again, by the place in
// the file that each record has. [Verify] checks a recording against itself. [Import] and
// [WriteWire] convert.
//
// # Finding
//
// A [Folder] lists recordings and finds the one that a user means. What a list shows of a recording
// that has ended stands in its end record, so long recordings cost no more than short ones. [State]
// tells live, ended and cut recordings apart.
package recordings
