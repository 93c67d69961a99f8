package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// Distance is what the tests of package cli_test see of the package.
var Distance = distance

// ShowOn is the annotated log of a recording on a terminal of this width.
func ShowOn(file string, width int, ascii bool) (string, error) {
	a := &app{stderr: os.Stderr}
	src, err := a.source(file)
	if err != nil {
		return "", err
	}
	defer src.close()
	var b strings.Builder
	p := newTextLog(bufio.NewWriter(&b), look{width: width, ascii: ascii})
	err = a.writeTextLog(src, p)
	p.w.Flush()
	return b.String(), err
}

// WriteRulesPage writes docs/rules.md.
func WriteRulesPage(w io.Writer) error {
	rules := allRules()
	var b strings.Builder
	fmt.Fprintf(&b, `# Rules

What shakescope finds, by family: %d rules. `+"`shakescope rules ID`"+` prints the same on a terminal. This page is
generated; `+"`go test ./internal/cli -run TestRulesPage -update`"+` writes it anew.

An **error** breaks a MUST or lost the session, a **warning** breaks a SHOULD or is a likely bug, **info** is worth
seeing. A rule with several levels takes the one that the bytes prove. *By* is the side at fault; sender and receiver
are those of the message.
`, len(rules))
	families := map[string]int{}
	var order []string
	for _, r := range rules {
		if families[r.Group]++; families[r.Group] == 1 {
			order = append(order, r.Group)
		}
	}
	for i, g := range order {
		order[i] = fmt.Sprintf("[%s](#%s) (%d)", g, strings.NewReplacer(" ", "-", ",", "").Replace(g), families[g])
	}
	fmt.Fprintf(&b, "\nFamilies: %s.\n", strings.Join(order, " · "))
	group := ""
	for i := range rules {
		r := &rules[i]
		if r.Group != group {
			group = r.Group
			fmt.Fprintf(&b, "\n## %s\n", strings.ToUpper(group[:1])+group[1:])
		}
		page := ""
		if r.Spec != "" {
			page = " · `" + r.Spec + "`"
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s · by %s · revisions: %s%s\n\n%s\n\n*Why it matters:* %s\n\n*What to do:* %s\n",
			r.ID, levelsInWords(r), r.By, revisionsInWords(r.Revisions), page, r.Title, r.Why, r.Fix)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
