package clientconfig

import "strings"

// Wrapper is the shakescope that is put in front of servers.
type Wrapper struct {
	// Path is its absolute path; see [CheckBinary].
	Path string
	// Verb says whether a first argument is a verb of shakescope, other than run: such an entry is no
	// wrapped server.
	Verb func(word string) bool
	// Flag says whether run has a flag of this name, given without dashes, and whether a word follows it.
	Flag func(name string) (known, takesValue bool)
}

// Inner returns the server's own command in argv, and nil when argv is no wrapped server.
func (w *Wrapper) Inner(argv []string) []string {
	if i := w.split(argv); i > 0 && i < len(argv) {
		return argv[i:]
	}
	return nil
}

// ours says whether a command starts some shakescope, be it at another path.
func (w *Wrapper) ours(command string) bool {
	if command == w.Path {
		return true
	}
	base := strings.ToLower(command[strings.LastIndexAny(command, `/\`)+1:])
	base = strings.TrimSuffix(base, ".exe")
	return base == "shakescope" || strings.HasPrefix(base, "shakescope-") || strings.HasPrefix(base, "shakescope_")
}

// split returns where the server's own command begins in argv; 0 when argv is no wrapped server.
func (w *Wrapper) split(argv []string) int {
	if len(argv) < 2 || !w.ours(argv[0]) {
		return 0
	}
	i := 1
	if argv[i] == "run" {
		i++
	} else if !strings.HasPrefix(argv[i], "-") && w.Verb(argv[i]) {
		return 0
	}
flags:
	for i < len(argv) && len(argv[i]) > 1 && argv[i][0] == '-' {
		name := strings.TrimLeft(argv[i], "-")
		i++
		if name == "" {
			break
		}
		if strings.Contains(name, "=") {
			continue
		}
		known, takesValue := w.Flag(name)
		switch {
		case known && takesValue:
			i++
		case !known: // of another version: only -- tells where it ends
			for ; i < len(argv); i++ {
				if argv[i] == "--" {
					i++
					break flags
				}
			}
			return 0
		}
	}
	if i >= len(argv) {
		return 0
	}
	return i
}

// absence is what an entry had in place of arguments.
type absence byte

const (
	emptyList absence = iota
	noList
	nullList
)

// words are the arguments that go before the server's command.
func (w *Wrapper) words(label string, a absence) []string {
	switch a {
	case noList:
		return []string{"run", "--label=" + label, "--"}
	case nullList:
		return []string{"run", "--label=" + label, "--no-record=false", "--"}
	}
	return []string{"run", "--label", label, "--"}
}

// absenceOf reads what words wrote; ours are the arguments up to "--".
func absenceOf(ours []string) absence {
	if len(ours) < 3 || ours[0] != "run" || !strings.HasPrefix(ours[1], "--label=") {
		return emptyList
	}
	switch {
	case len(ours) == 3 && ours[2] == "--":
		return noList
	case len(ours) == 4 && ours[2] == "--no-record=false":
		return nullList
	}
	return emptyList
}
