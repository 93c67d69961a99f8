package export

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shakescope/shakescope/annotate"
)

// Whatever files and findings are called, an XML reader gets the same words back, but for what XML cannot hold.
func TestJUnitIsRead(t *testing.T) {
	type failure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *failure `xml:"failure"`
		Out     string   `xml:"system-out"`
	}
	type suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	type suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Suites   []suite  `xml:"testsuite"`
	}
	const odd = "a<b> & \"c\" 'd'\ttab\nline\r\x00\x1b[31m\xff\ufffe\U0001f600 ]]> <!-- &amp; é"
	const same = "a<b> & \"c\" 'd'\ttab\nline\ufffd\ufffd\ufffd[31m\ufffd\ufffd\U0001f600 ]]> <!-- &amp; é"
	failing := func(l annotate.Level) bool { return l == annotate.LevelError }
	all := suites{XMLName: xml.Name{Local: "testsuites"}, Name: "shakescope check"}
	var verdicts []Verdict
	add := func(v Verdict, s suite) {
		s.Tests = len(s.Cases)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Suites = append(all.Suites, s)
		v.Failing = failing
		verdicts = append(verdicts, v)
		var out bytes.Buffer
		if err := WriteJUnit(&out, verdicts); err != nil {
			t.Fatal(err)
		}
		var got suites
		if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
		for _, s := range got.Suites {
			for i := range s.Cases {
				s.Cases[i].Out = strings.TrimSpace(s.Cases[i].Out)
			}
		}
		if d := cmp.Diff(all, got); d != "" {
			t.Errorf("what was written is not what is read (-want +got):\n%s", d)
		}
	}
	add(Verdict{File: odd}, suite{Name: same, Cases: []testcase{{Class: "shakescope", Name: "no findings"}}})
	add(Verdict{File: "b", Findings: []annotate.Finding{
		{Rule: "z<", Level: annotate.LevelError, By: "server", Message: odd, Count: 3, At: annotate.Ref{Seq: 4, Sub: annotate.NoSub}},
		{Rule: odd, Level: annotate.LevelWarning, By: "client", Message: "mild"},
		{Rule: "z<", Level: annotate.LevelWarning, By: "server", Message: "later"},
	}}, suite{Name: "b", Failures: 1, Cases: []testcase{
		{Class: "shakescope", Name: same, Out: "recording: warning (by client): mild"},
		{Class: "shakescope", Name: "z<", Failure: &failure{"error", same, "entry 4: error (by server): " + same + " (3 times)\nrecording: warning (by server): later\n"}},
	}})
}
