package cli

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestManPage(t *testing.T) {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	root := rootCommand(a)
	page := string(manPage(root, Build{Version: "v1.2.3", Date: "2026-11-29T20:39:19Z"}))
	if want := `.TH "SHAKESCOPE" "1" "2026\-11\-29" "shakescope v1.2.3" "User commands"`; !strings.HasPrefix(page, want+"\n") {
		t.Errorf("the page begins with %.100q, want %q", page, want)
	}
	for _, verb := range root.Commands() {
		listed := strings.Contains(page, `.SS "`+escaped(verb.Use)+`"`)
		if listed != verb.IsAvailableCommand() {
			t.Errorf("verb %s: in the page %t, want %t", verb.Name(), listed, verb.IsAvailableCommand())
		}
		if !listed {
			continue
		}
		verb.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" && !strings.Contains(page, escaped("--"+f.Name)) {
				t.Errorf("%s --%s is not in the page", verb.Name(), f.Name)
			}
		})
	}
	request := regexp.MustCompile(`^\.(TH|SH|SS|PP|TP|B|br|nf|fi)( "[^"]*")*$`)
	for i, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, ".") && !request.MatchString(line) || strings.HasPrefix(line, "'") {
			t.Errorf("line %d is a request by accident: %q", i+1, line)
		}
		for _, r := range line {
			if r < ' ' || r > '~' {
				t.Errorf("line %d has the character %q", i+1, r)
			}
		}
	}
}

// What groff says of the page, where there is a groff.
func TestManPageIsGoodRoff(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("skipped: groff is not installed")
	}
	c := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	c.Stdin = strings.NewReader(string(manPage(rootCommand(&app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}), Build{})))
	out, err := c.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}
