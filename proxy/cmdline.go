package proxy

import (
	"errors"
	"strings"
)

// Windows passes one string to a program, which splits it itself. Programs do it by the rules of the
// C runtime; cmd.exe, which runs .bat and .cmd files, by others. These functions are pure text, so
// that they are tested everywhere.

// commandLine joins args by the rules of the C runtime.
func commandLine(args []string) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if a != "" && !strings.ContainsAny(a, " \t\n\v\"") {
			b.WriteString(a)
			continue
		}
		b.WriteByte('"')
		appendQuoted(&b, a, `\"`)
		b.WriteByte('"')
	}
	return b.String()
}

// appendQuoted writes a for the inside of double quotes: backslashes count only before a quote, and
// are doubled there. quote is what stands for a quote itself.
func appendQuoted(b *strings.Builder, a, quote string) {
	slashes := 0
	for i := 0; i < len(a); i++ {
		switch a[i] {
		case '\\':
			slashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes))
			b.WriteString(quote)
			slashes = 0
			continue
		default:
			slashes = 0
		}
		b.WriteByte(a[i])
	}
	b.WriteString(strings.Repeat(`\`, slashes))
}

// errBatchArgument says that an argument cannot be handed to a batch file.
var errBatchArgument = errors.New("an argument for a .bat or .cmd file may hold no line break and no NUL: cmd.exe would end its command there")

// batchCommandLine is the command line that makes cmd.exe run the batch file script with args, each
// arriving as one literal argument. Within quotes cmd.exe still expands %VARIABLES%; a percent sign is
// therefore followed by the expansion of a variable that is always set and cut to nothing. Delayed
// expansion ("!") is off, and "" stands for a quote, since a backslash does not escape one for cmd.exe.
func batchCommandLine(script string, args []string) (string, error) {
	if strings.ContainsAny(script, "\"%\r\n\x00") {
		return "", errors.New("the path of a .bat or .cmd file may hold no quote, percent sign or line break")
	}
	var b strings.Builder
	// The outer quotes are what /c takes off again.
	b.WriteString(`cmd.exe /e:ON /v:OFF /d /c ""` + script + `"`)
	for _, a := range args {
		if strings.ContainsAny(a, "\r\n\x00") {
			return "", errBatchArgument
		}
		b.WriteByte(' ')
		if plainForBatch(a) {
			b.WriteString(a)
			continue
		}
		b.WriteByte('"')
		var in strings.Builder
		appendQuoted(&in, a, `""`)
		b.WriteString(strings.ReplaceAll(in.String(), "%", "%%cd:~,%"))
		b.WriteByte('"')
	}
	b.WriteByte('"')
	return b.String(), nil
}

// plainForBatch reports whether a needs no quotes for cmd.exe. Only what is known to be harmless is
// let through; a trailing backslash is not, it would escape the quote of a program further down.
func plainForBatch(a string) bool {
	if a == "" || strings.HasSuffix(a, `\`) {
		return false
	}
	for i := 0; i < len(a); i++ {
		switch c := a[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(`#$*+-./:?@\_`, c) >= 0:
		default:
			return false
		}
	}
	return true
}

// isBatch reports whether path is run by cmd.exe. Windows ignores trailing dots and spaces.
func isBatch(path string) bool {
	p := strings.ToLower(strings.TrimRight(path, ". "))
	return strings.HasSuffix(p, ".bat") || strings.HasSuffix(p, ".cmd")
}

// withExtensions lists the files that a command word may mean on Windows, in the order in which they
// are tried: with a known extension itself first, then with each of PATHEXT.
func withExtensions(word, pathext string) []string {
	if pathext == "" {
		pathext = ".com;.exe;.bat;.cmd"
	}
	var exts []string
	for _, e := range strings.Split(strings.ToLower(pathext), ";") {
		if e = strings.TrimSpace(e); e != "" {
			if e[0] != '.' {
				e = "." + e
			}
			exts = append(exts, e)
		}
	}
	var names []string
	base := strings.ToLower(word[strings.LastIndexAny(word, `\/:`)+1:])
	for _, e := range exts {
		if strings.HasSuffix(base, e) {
			names = append(names, word)
			break
		}
	}
	for _, e := range exts {
		names = append(names, word+e)
	}
	return names
}
