package peer

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Repro returns a POSIX shell script that makes the request to a fresh server by itself, and prints what the server
// writes up to the answer. Command is the server started where the script gets no arguments; an empty one demands
// arguments. About says in a line what the script is. The ids of the requests are its own: it looks for them in the
// answers. Nothing in the messages or the command can break out of its quotes.
func Repro(about string, handshake [][]byte, line []byte, command []string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# %s\n", comment(about))
	b.WriteString("# usage: sh SCRIPT [COMMAND ARGS...]    prints what the server writes; 0 when the answer came\n")
	b.WriteString("set -u\n")
	if len(command) == 0 {
		b.WriteString("if [ $# -eq 0 ]; then echo 'give the command of the server as arguments' >&2; exit 2; fi\n")
	} else {
		words := make([]string, len(command))
		for i, w := range command {
			words[i] = shellQuote(w)
		}
		fmt.Fprintf(&b, "if [ $# -eq 0 ]; then set -- %s; fi\n", strings.Join(words, " "))
	}
	b.WriteString(reproHead)
	for i, message := range append(append([][]byte{}, handshake...), line) {
		m := jsonrpc.Decode(message)
		if m.Kind != jsonrpc.Request {
			fmt.Fprintf(&b, "say %s\n", shellQuote(string(message)))
			continue
		}
		id := fmt.Sprintf("shakescope-resend-%d", i+1)
		message, err := Edit(message, "/id", []byte(quote(id)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "say %s\nawait %s\n", shellQuote(string(message)), id)
	}
	return b.String(), nil
}

// reproHead keeps the server's input open until the script ends: many servers drop what they have not answered when
// it closes.
const reproHead = `dir=$(mktemp -d) || exit 2
mkfifo "$dir/in" "$dir/out" || exit 2
"$@" <"$dir/in" >"$dir/out" &
server=$!
exec 3>"$dir/in" 4<"$dir/out"
rm -r "$dir"
(sleep 30; kill "$server") >/dev/null 2>&1 3>&- 4<&- &
watch=$!
finish() {
	code=$?
	kill "$watch" 2>/dev/null
	exec 3>&- 4<&-
	(sleep 2; kill "$server") >/dev/null 2>&1 &
	hurry=$!
	wait "$server" 2>/dev/null
	kill "$hurry" 2>/dev/null
	exit "$code"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
trap '' PIPE
say() { printf '%s\n' "$1" 2>/dev/null >&3; }
await() {
	while IFS= read -r line <&4; do
		printf '%s\n' "$line"
		case $line in *"\"$1\""*) return 0 ;; esac
	done
	echo "no answer" >&2
	exit 1
}
`

// shellQuote writes a word so that a POSIX shell takes it as it is.
func shellQuote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// comment keeps a text to one line.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}
