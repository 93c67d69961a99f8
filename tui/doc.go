// Package tui is shakescope's terminal program: the list of recordings, and one recording, live,
// saved or replayed, with the phase, the primitive and the capability of each message in sight.
//
// [Run] is all that callers need. The program only reads: it follows recording files from another
// process and never touches the session on screen, so it can crash without traffic noticing. A server
// is started only to make a request again, and only after the user said so in the dialog about it.
//
// # How it is built
//
// There is one tea.Model, model. It owns home (the list of recordings), or a session (one recording
// on screen), a comparison of two recordings or a resending, with what lies below them (layers.go);
// these are plain structs with methods, not models of their own. Update does no I/O:
// files are read by commands, and by the loader, a goroutine that folds records through
// annotate.Session and hands over at most one batch each 33 ms.
//
//   - loader.go, loader_rules.go: a recording that has ended is read twice, first for the rows, then
//     for the findings.
//   - rows.go: what is kept of an entry, 64 bytes each; everything else is read again from the file
//     when it is looked at (payload.go).
//   - screens.go: the registry. A screen of a recording is one file that implements screen and one
//     line there.
//   - diff*.go, resend*.go: how two recordings differ (internal/compare), and a request that is made
//     again (internal/peer).
//   - keys.go: the key table; dispatch, hints, help and docs/keys.md are made from it.
//   - pen.go: the only way to the terminal. It cuts and fills each line to its width and passes what
//     it draws through internal/termtext, so nothing from the wire reaches the terminal raw.
//   - theme.go, glyphs.go: colours and symbols by role, with mono and ASCII forms.
//
// A frame costs what its height costs, whatever the number of entries; it is drawn only when
// something changed. Nothing ticks unless something on screen ages.
package tui
