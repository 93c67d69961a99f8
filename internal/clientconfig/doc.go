// Package clientconfig puts shakescope in front of servers in the configuration files of MCP clients,
// and takes it out again.
//
// [Clients] is the table of the clients that are known, [Client.Locations] the files one of them reads
// on this machine, [Load] reads a file. A [File] lists its [Server] entries; [File.Wrap] and [File.Unwrap]
// change it in memory, [File.Diff] shows the change, [File.Save] writes it;
// [File.Restore] writes one that undoes earlier ones, and cleans up behind them.
//
// # What a change is
//
// A change replaces a few spans of bytes, and everything else stays: comments, order, spacing,
// indentation, the byte order mark and line ends. The command becomes an argument in its own spelling:
//
//	"command": "npx", "args": ["-y", "srv"]
//	"command": "/usr/local/bin/shakescope", "args": ["run", "--label", "NAME", "--", "npx", "-y", "srv"]
//
// No side file is kept: what stands behind "--" is the original. An entry without arguments is told
// from one with an empty list by the spelling of our own flags: "--label=NAME" when there was no list,
// with "--no-record=false" added when it was null. So Unwrap gives back the very bytes, if nothing else
// has changed the file, and the same meaning if its client has rewritten it.
//
// Every change is proved before it is handed out: the new text is parsed, the entry must have the
// arguments meant, all else must be unchanged, and undoing it must give the old bytes. What cannot be
// proved (YAML anchors in the way, a key given twice) is an error, and the file is left alone.
package clientconfig
