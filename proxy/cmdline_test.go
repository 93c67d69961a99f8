package proxy

import (
	"slices"
	"strings"
	"testing"
)

// splitCRT splits a command line by the documented rules of the C runtime, program name left out.
func splitCRT(line string) []string {
	var args []string
	var arg strings.Builder
	inside, started := false, false
	for i := 0; i < len(line); {
		slashes := 0
		for i < len(line) && line[i] == '\\' {
			slashes++
			i++
		}
		if i < len(line) && line[i] == '"' {
			arg.WriteString(strings.Repeat(`\`, slashes/2))
			started = true
			switch {
			case slashes%2 == 1:
				arg.WriteByte('"')
			case inside && i+1 < len(line) && line[i+1] == '"':
				arg.WriteByte('"') // two within quotes are one
				i++
			default:
				inside = !inside
			}
			i++
			continue
		}
		arg.WriteString(strings.Repeat(`\`, slashes))
		started = started || slashes > 0
		if i == len(line) {
			break
		}
		if c := line[i]; !inside && (c == ' ' || c == '\t') {
			if started {
				args = append(args, arg.String())
				arg.Reset()
				started = false
			}
		} else {
			arg.WriteByte(c)
			started = true
		}
		i++
	}
	if started {
		args = append(args, arg.String())
	}
	return args
}

var oddArguments = []string{"plain", "", " ", "a b", "tab\there", `"`, `"quoted"`, `a"b`, `\`, `\\`, `a\`, `a b\`, `a\"b`, `a\\"b\\`, `C:\Program Files\x`, "it's", "&|<>^", "%PATH%", "!x!", "(a)", "a,b;c=d", "ü 日本 \U0001f469", "*?", "-o", "--x=y z", "`~@{}[]"}

func TestCommandLineSurvivesSplitting(t *testing.T) {
	want := append([]string{`C:\some dir\server.exe`}, oddArguments...)
	if got := splitCRT(commandLine(want)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// cmdParse does what cmd.exe does with the command behind /c: it takes off the outer quotes, expands
// %variables%, and fails the test when a character that it obeys stands outside quotes.
func cmdParse(t *testing.T, line string) string {
	t.Helper()
	const head = `cmd.exe /e:ON /v:OFF /d /c "`
	if !strings.HasPrefix(line, head) || !strings.HasSuffix(line, `"`) {
		t.Fatalf("not of the form %s…\": %s", head, line)
	}
	line = line[len(head) : len(line)-1]
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] != '%' {
			b.WriteByte(line[i])
			i++
			continue
		}
		// %NAME% or %NAME:~from,to% is replaced; a lone one on a command line stays.
		end := strings.IndexByte(line[i+1:], '%')
		name := ""
		if end > 0 {
			name = line[i+1 : i+1+end]
		}
		switch {
		case end == 0: // "%%": on a command line the first one stays, the second may begin a name
			b.WriteByte('%')
			i++
		case name == "cd:~,":
			i += end + 2 // nothing
		case end > 0 && !strings.ContainsAny(name, " \""):
			b.WriteString("<EXPANDED " + name + ">")
			i += end + 2
		default:
			b.WriteByte('%')
			i++
		}
	}
	inside := false
	for _, c := range b.String() {
		if c == '"' {
			inside = !inside
		} else if !inside && strings.ContainsRune("&|<>^()", c) {
			t.Errorf("cmd.exe would obey %q in %s", c, line)
		}
	}
	if inside {
		t.Errorf("quotes do not match in %s", line)
	}
	return b.String()
}

func TestBatchArgumentsAreLiteral(t *testing.T) {
	const script = `C:\some dir\npx.cmd`
	for _, a := range append(slices.Clone(oddArguments), `"&calc.exe`, `%COMSPEC%`, `%CMDCMDLINE:~-1%&calc.exe`, `x" & calc & "`, "100%", "%%", `\"&calc`) {
		line, err := batchCommandLine(script, []string{a, "end"})
		if err != nil {
			t.Errorf("%q: %v", a, err)
			continue
		}
		if got, want := splitCRT(cmdParse(t, line)), []string{script, a, "end"}; !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", line, got, want)
		}
	}
	for _, bad := range []string{"a\nb", "a\rb", "a\x00b"} {
		if line, err := batchCommandLine(script, []string{bad}); err == nil {
			t.Errorf("%q became %s", bad, line)
		}
	}
	for _, bad := range []string{`C:\a%b\x.cmd`, "C:\\a\"b\\x.bat", "C:\\a\nb.cmd"} {
		if line, err := batchCommandLine(bad, nil); err == nil {
			t.Errorf("script %q became %s", bad, line)
		}
	}
}

func TestBatchFilesAreKnown(t *testing.T) {
	for path, want := range map[string]bool{
		`C:\x\npx.cmd`: true, `npx.CMD`: true, `a.bat`: true, `a.bat. .`: true, `a.cmd `: true,
		`a.exe`: false, `a.cmd.exe`: false, `cmd`: false, ``: false, `a.bats`: false,
	} {
		if got := isBatch(path); got != want {
			t.Errorf("isBatch(%q) = %v", path, got)
		}
	}
}

func TestExtensionsAreTriedInOrder(t *testing.T) {
	for _, test := range []struct {
		word, pathext string
		want          []string
	}{
		{"npx", ".COM;.EXE;.CMD", []string{"npx.com", "npx.exe", "npx.cmd"}},
		{"npx.cmd", ".EXE;.CMD", []string{"npx.cmd", "npx.cmd.exe", "npx.cmd.cmd"}},
		{`C:\a.b\npx`, ".EXE", []string{`C:\a.b\npx.exe`}},
		{"a.b", "exe; .cmd ;;", []string{"a.b.exe", "a.b.cmd"}},
		{"x", "", []string{"x.com", "x.exe", "x.bat", "x.cmd"}},
	} {
		if got := withExtensions(test.word, test.pathext); !slices.Equal(got, test.want) {
			t.Errorf("%q with %q: %q, want %q", test.word, test.pathext, got, test.want)
		}
	}
}
