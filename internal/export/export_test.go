package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/recordings"
)

var update = flag.Bool("update", false, "write the golden files anew")

// wireLine is a line of a wire log.
func wireLine(ms float64, dir, raw string) string {
	b, err := json.Marshal(map[string]any{"t_ms": ms, "dir": dir, "raw": raw})
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"pilot","version":"1"}}}`
const opened = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"harbour","version":"2"}}}`

// session is a small recording with all kinds of entries.
func session() string {
	return `{"meta":{"command":["harbour","--berths","3"],"started":"2026-11-29T20:39:19Z"}}` + "\n" +
		wireLine(0.5, "stderr", "harbour starts") +
		wireLine(1, "c2s", opening) + wireLine(2.5, "s2c", opened) +
		wireLine(3, "c2s", `{"jsonrpc":"2.0","method":"notifications/initialized"}`) +
		wireLine(4, "c2s", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"moor","arguments":{"ship":"Seute Deern"},"_meta":{"progressToken":7,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}`) +
		wireLine(5, "s2c", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2}}`) +
		wireLine(6, "s2c", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"low water"}}`) +
		wireLine(9, "s2c", `{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"moored"}],"isError":true}}`) +
		wireLine(10, "s2c", `ahoy, this is no JSON`) +
		wireLine(11, "c2s", `{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`) +
		wireLine(12, "s2c", `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}}`) +
		wireLine(13, "c2s", `[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":5,"method":"ping"}]`) +
		wireLine(14, "s2c", `{"jsonrpc":"2.0","id":4,"result":{}}`) +
		`{"t_ms":20,"event":"client_closed_stdin"}` + "\n" + `{"t_ms":21,"event":"server_exit","code":0}` + "\n"
}

func open(log string) annotate.Source {
	return func() (*recordings.Reader, error) { return recordings.NewReader(strings.NewReader(log), "log") }
}

// render writes a log in a format.
func render(t *testing.T, format, log string, r *redact.Redactor, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	x, err := New(format, &b, o)
	if err != nil {
		t.Fatal(err)
	}
	src, err := open(log)()
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Begin(Header(r, src.Header())); err != nil {
		t.Fatal(err)
	}
	rec, err := Collect(open(log), r, nil, x.Entry)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.End(rec); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var options = Options{Version: "v0.0.0-test", ID: "session"}

func TestGolden(t *testing.T) {
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			got := render(t, format, session(), redact.New(), options)
			if again := render(t, format, session(), redact.New(), options); !bytes.Equal(got, again) {
				t.Error("not the same on the second run")
			}
			if format == "html" { // the script and the style are files of their own
				got = bytes.ReplaceAll(bytes.ReplaceAll(got, []byte(pageScript), []byte("SCRIPT")), []byte(pageStyle), []byte("STYLE"))
				got = regexp.MustCompile(`sha256-[^']+`).ReplaceAll(got, []byte("sha256-DIGEST"))
			}
			path := filepath.Join("testdata", "session."+format)
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("%s (-want +got)\n%s", path, d)
			}
		})
	}
}

// Secrets from every place where they come from, in every format and report: none comes out.
func TestNoSecretLeaves(t *testing.T) {
	seeds := map[string]string{
		"argument":        "Xk9-arg-7731",
		"argument number": "48151623",
		"nested":          "Xk9-nest-7731",
		"header":          "Xk9hdr7731abcdEFGH",
		"result text":     "ghp" + "_Z1y2X3w4V5u6T7s8R9q0P1o2N3m4L5k6J7i8",
		"JSON in result":  "Xk9-json-7731",
		"structured":      "Xk9-struct-7731",
		"stderr":          "Xk9-stderr-7731",
		"early echo":      "Xk9-arg-7731",
		"meta":            "Xk9-meta-7731",
		"userinfo":        "Xk9ui7731",
		"query":           "Xk9-query-7731",
		"command":         "Xk9-cmd-7731",
		"command joined":  "Xk9-join-7731",
		"environment":     "Xk9-env-7731",
		"error message":   "Xk9-arg-7731",
		"log":             "Xk9-log-7731",
		"invalid line":    "Xk9-inv-7731",
		"capability":      "Xk9-cap-7731",
		"user":            "annegret",
	}
	log := `{"meta":{"command":["srv","--api-key","` + seeds["command"] + `","--token=` + seeds["command joined"] + `","/home/` + seeds["user"] + `/x"]}}` + "\n" +
		wireLine(0.5, "stderr", "trying "+seeds["argument"]+" first") +
		wireLine(0.6, "stderr", "PASSWORD="+seeds["stderr"]+" in /home/"+seeds["user"]+"/.env") +
		wireLine(1, "c2s", strings.Replace(opening, `"roots":{}`, `"experimental":{"x":{"secret":"`+seeds["capability"]+`"}}`, 1)) + wireLine(2, "s2c", opened) +
		wireLine(3, "c2s", `{"jsonrpc":"2.0","method":"notifications/initialized"}`) +
		wireLine(4, "c2s", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"login","arguments":{"password":"`+seeds["argument"]+`","passcode":`+seeds["argument number"]+
			`,"config":{"auth":{"db_password":"`+seeds["nested"]+`"},"headers":{"Authorization":"Bearer `+seeds["header"]+`"}}},"_meta":{"vendor":{"access_token":"`+seeds["meta"]+`"}}}}`) +
		wireLine(5, "s2c", `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"refused `+seeds["argument"]+`","data":{"passcode":`+seeds["argument number"]+`}}}`) +
		wireLine(6, "c2s", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"env","arguments":{}}}`) +
		wireLine(7, "s2c", `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"key `+seeds["result text"]+`"},{"type":"text","text":"{\n\"AWS_SECRET_ACCESS_KEY\": \"`+seeds["environment"]+`\",\"api\":{\"apiKey\":\"`+seeds["JSON in result"]+`\"}}"}],"structuredContent":{"client_secret":"`+seeds["structured"]+`"}}}`) +
		wireLine(8, "c2s", `{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"https://bob:`+seeds["userinfo"]+`@example.org/x?token=`+seeds["query"]+`"}}`) +
		wireLine(9, "s2c", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"session":{"token":"`+seeds["log"]+`"}}}}`) +
		wireLine(10, "s2c", `oops {"password":"`+seeds["invalid line"]+`"`) +
		wireLine(11, "s2c", `{"jsonrpc":"2.0","id":99,"result":{"password":"`+seeds["argument"]+`"}}`)
	outputs := map[string][]byte{}
	for _, format := range Formats() {
		outputs[format] = render(t, format, log, redact.New(), options)
	}
	var jsonl bytes.Buffer
	rec, err := Collect(open(log), redact.New(), nil, func(e *annotate.Entry) error {
		jsonl.Write(annotate.AppendJSON(nil, e, nil))
		fmt.Fprintln(&jsonl, e.Summary())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := rec.Stats.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	verdicts := []Verdict{{File: "x", Findings: rec.Findings, Failing: func(annotate.Level) bool { return true }}}
	var sarif, junit bytes.Buffer
	if err := WriteSARIF(&sarif, "v0", verdicts); err != nil {
		t.Fatal(err)
	}
	if err := WriteJUnit(&junit, verdicts); err != nil {
		t.Fatal(err)
	}
	outputs["jsonl"], outputs["stats"], outputs["sarif"], outputs["junit"] = jsonl.Bytes(), stats, sarif.Bytes(), junit.Bytes()
	open := render(t, "html", log, nil, options)
	for where, seed := range seeds {
		for format, out := range outputs {
			if i := bytes.Index(out, []byte(seed)); i >= 0 {
				t.Errorf("%s: the secret from %s is there: …%q…", format, where, out[max(0, i-60):min(len(out), i+60)])
			}
		}
		if !bytes.Contains(open, []byte(seed)) {
			t.Errorf("the secret from %s does not come out without redaction either", where)
		}
	}
	if err := Scan(func(yield func(*annotate.Entry) error) (*annotate.Recording, error) {
		return Collect(openLog(log), redact.New(), nil, yield)
	}); err != nil {
		t.Errorf("a masked export is refused: %v", err)
	}
}

func openLog(log string) annotate.Source { return open(log) }

// A server that attacks the reader of an export.
const attack = `</script><script>alert(1)</script><img src=x onerror=alert(1)> ![x](http://evil.example/p.png) [y](http://evil.example) @everyone #1 ` + "```\n# heading\n</details>" + ` | cell | ; end %%{init}%% <!--`

func hostile() string {
	j, _ := json.Marshal(attack)
	a := string(j)
	// json.Marshal escapes < and >; a server need not.
	a = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(a)
	return `{"meta":{"command":["srv",` + a + `]}}` + "\n" + wireLine(1, "c2s", strings.Replace(opening, `"pilot"`, a, 1)) + wireLine(2, "s2c", strings.Replace(opened, `"harbour"`, a, 1)) +
		wireLine(3, "stderr", attack) + wireLine(4, "s2c", "no JSON "+strings.ReplaceAll(attack, "\n", " ")) +
		wireLine(5, "c2s", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":`+a+`,"arguments":{}}}`) +
		wireLine(6, "s2c", `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":`+a+`}}`) +
		wireLine(7, "s2c", `{"jsonrpc":"2.0","id":9,"method":`+a+`}`)
}

func TestHostileHTML(t *testing.T) {
	out := string(render(t, "html", hostile(), redact.New(), options))
	if n := strings.Count(strings.ToLower(out), "<script"); n != 2 {
		t.Errorf("%d scripts instead of 2", n)
	}
	if n := strings.Count(strings.ToLower(out), "</script"); n != 2 {
		t.Errorf("%d ends of scripts instead of 2", n)
	}
	if strings.Contains(out, "<!--") {
		t.Error("a comment begins")
	}
	data := out[strings.Index(out, `class="data">`):]
	head := out[:strings.Index(out, `class="data">`)]
	if strings.Contains(head, "<img") || !strings.Contains(data, "onerror") {
		t.Error("markup in the head, or the attack is not there at all")
	}
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch(", "XMLHttpRequest"} {
		if strings.Contains(pageScript, bad) {
			t.Errorf("the script uses %s", bad)
		}
	}
	if !strings.Contains(head, "default-src 'none'") || !strings.Contains(head, digest(pageScript)) || !strings.Contains(out, "<script>"+pageScript+"</script>") {
		t.Error("the policy does not fit the script")
	}
}

// Whatever the blocks are, one after the other they hold an entry a line.
func TestHTMLBlocks(t *testing.T) {
	const calls = 400
	var log strings.Builder
	log.WriteString(wireLine(1, "c2s", opening) + wireLine(2, "s2c", opened))
	for i := range calls {
		log.WriteString(wireLine(float64(3+i), "c2s", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"moor","arguments":{"note":%q}}}`, i+2, strings.Repeat("knot ", 500))))
	}
	out := string(render(t, "html", log.String(), nil, options))
	blocks, entries := 0, 0
	for _, block := range strings.Split(out, blockStart)[1:] {
		blocks++
		data, _, closed := strings.Cut(block, blockEnd)
		if !closed || len(data) > blockBytes+10_000 || !strings.HasSuffix(data, "\n") {
			t.Errorf("block %d: closed %v, %d bytes", blocks, closed, len(data))
		}
		for line := range strings.Lines(data) {
			if line[0] == '[' {
				entries++
			}
		}
	}
	if blocks < 3 || entries != calls+2 {
		t.Errorf("%d blocks, %d entries", blocks, entries)
	}
}

func TestHostileMarkdown(t *testing.T) {
	out := string(render(t, "markdown", hostile(), redact.New(), options))
	for _, live := range outsideCode(out) {
		for _, bad := range []string{"evil.example", "@everyone", "<img", "<script", "![", "](", "# heading"} {
			if strings.Contains(live, bad) {
				t.Errorf("%q is live in %q", bad, live)
			}
		}
	}
	if !strings.Contains(out, "evil.example") {
		t.Error("the attack is not there at all")
	}
	if strings.Count(out, "<details>") != strings.Count(out, "\n</details>\n\n") {
		t.Error("a fold is closed from inside")
	}
}

// outsideCode returns the lines of a Markdown text without its fences and spans.
func outsideCode(text string) []string {
	var out []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		if fence != "" {
			if strings.TrimRight(line, " ") == fence {
				fence = ""
			}
			continue
		}
		if n := len(line) - len(strings.TrimLeft(line, "`")); n >= 3 && !strings.Contains(line[n:], "`") {
			fence = line[:n]
			continue
		}
		var live strings.Builder
		for i := 0; i < len(line); {
			if line[i] != '`' {
				live.WriteByte(line[i])
				i++
				continue
			}
			n := 0
			for i+n < len(line) && line[i+n] == '`' {
				n++
			}
			ticks, rest := line[i:i+n], line[i+n:]
			end := -1
			for k := 0; k < len(rest); {
				if rest[k] != '`' {
					k++
					continue
				}
				m := 0
				for k+m < len(rest) && rest[k+m] == '`' {
					m++
				}
				if m == len(ticks) {
					end = k + m
					break
				}
				k += m
			}
			if end < 0 {
				live.WriteString(line[i:])
				break
			}
			i += n + end
		}
		out = append(out, live.String())
	}
	return out
}

func TestHostileMermaid(t *testing.T) {
	out := string(render(t, "mermaid", hostile(), redact.New(), options))
	arrow := regexp.MustCompile(`^    (participant [CS] as [^:;<>"]*|Note over (C,S|S): .*|[CS](->>|-\)|-->>|--x|-x)[CS]: .*)$`)
	entity := regexp.MustCompile(`#\d+;`)
	for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if i == 0 {
			continue
		}
		_, text, _ := strings.Cut(line, ": ")
		if rest := entity.ReplaceAllString(text, ""); !arrow.MatchString(line) || strings.ContainsAny(rest, "<>;#%{}\"") {
			t.Errorf("line %d: %s", i+1, line)
		}
	}
}

func TestFormulas(t *testing.T) {
	log := wireLine(1, "c2s", opening) + wireLine(2, "s2c", opened)
	for i, name := range []string{"=1+1", "+A1", "-2+3", "@SUM(A1)", "\t=1", " =1", "\r=1", "＝1"} {
		j, _ := json.Marshal(name)
		log += wireLine(float64(3+i), "c2s", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`, -i-2, j))
	}
	rows, err := csv.NewReader(bytes.NewReader(render(t, "csv", log, nil, options))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, row := range rows[1:] {
		if row[9] == "tools/call" {
			checked++
			if !strings.HasPrefix(row[10], "'") {
				t.Errorf("%q is a formula", row[10])
			}
			if !strings.HasPrefix(row[8], "-") {
				t.Errorf("the id %q is no number any more", row[8])
			}
		}
	}
	if checked != 8 {
		t.Errorf("%d calls", checked)
	}
}

// The page costs little beside the messages.
func TestPageSize(t *testing.T) {
	var log strings.Builder
	log.WriteString(wireLine(1, "c2s", opening) + wireLine(2, "s2c", opened))
	raw := len(opening) + len(opened)
	for i := range 5_000 {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"moor","arguments":{"ship":"number %d of a fleet that sails on the morning tide","berth":%d}}}`, i+2, i, i%7)
		raw += len(line)
		log.WriteString(wireLine(float64(i), "c2s", line))
	}
	if out := render(t, "html", log.String(), redact.New(), options); len(out) > raw*13/10+300_000 {
		t.Errorf("%d bytes for messages of %d", len(out), raw)
	}
}

func TestMermaidStaysSmall(t *testing.T) {
	var log strings.Builder
	log.WriteString(wireLine(1, "c2s", opening) + wireLine(2, "s2c", opened))
	for i := range 3000 {
		log.WriteString(wireLine(float64(i), "c2s", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d"}}`, i+2, i/5)))
	}
	out := string(render(t, "mermaid", log.String(), nil, options))
	if len(out) > 50_000 || strings.Count(out, "->>") > 500 || !strings.Contains(out, "more like that") || !strings.Contains(out, "more entries are not drawn") {
		t.Errorf("%d characters, %d arrows", len(out), strings.Count(out, "->>"))
	}
}

func TestVerdicts(t *testing.T) {
	rec, err := Collect(open(session()), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	rec.Findings[0].Message += " \x00 <&>\xff"
	v := []Verdict{{File: "dir/a file.jsonl", Lines: rec.Lines, Findings: rec.Findings, Failing: func(l annotate.Level) bool { return l == annotate.LevelError }}, {File: "clean", Failing: func(annotate.Level) bool { return true }}}
	var b bytes.Buffer
	if err := WriteSARIF(&b, "v1", v); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != len(rec.Findings) {
		t.Fatalf("%s", b.Bytes())
	}
	for _, r := range log.Runs[0].Results {
		if r.RuleID != log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID || r.Message.Text == "" || len(r.Locations) != 1 || r.Locations[0].PhysicalLocation.ArtifactLocation.URI != "dir/a%20file.jsonl" ||
			r.Locations[0].PhysicalLocation.Region.StartLine < 1 || r.Level != "error" && r.Level != "warning" && r.Level != "note" {
			t.Errorf("%+v", r)
		}
	}
	// The line is the record's; without lines there is no region, rather than a wrong one.
	for i, r := range log.Runs[0].Results {
		want := 1
		if at := rec.Findings[i].At; !at.IsZero() {
			_, line := rec.Lines.Of(at.Seq)
			want = int(line)
		}
		if got := r.Locations[0].PhysicalLocation.Region.StartLine; got != want {
			t.Errorf("%s is on line %d, want %d", r.RuleID, got, want)
		}
	}
	var nowhere bytes.Buffer
	if err := WriteSARIF(&nowhere, "v1", []Verdict{{File: "packed.jsonl.zst", Findings: rec.Findings}}); err != nil {
		t.Fatal(err)
	}
	if text := nowhere.String(); strings.Contains(text, "region") || !strings.Contains(text, `"uri": "packed.jsonl.zst"`) {
		t.Errorf("%s", text)
	}

	// A segment is a file of its own.
	var lines recordings.RecordLines
	lines.Add(&recordings.Record{Seq: 1, Line: 2, File: "run.jsonl"})
	lines.Add(&recordings.Record{Seq: 2, Line: 3, File: "run.2.jsonl"})
	segments := Verdict{File: filepath.Join("dir", "run.2.jsonl"), Lines: lines}
	for at, want := range map[int64]string{0: "run.jsonl:1", 1: "run.jsonl:2", 2: "run.2.jsonl:3"} {
		file, line := segments.place(&annotate.Finding{At: annotate.Ref{Seq: at, Sub: annotate.NoSub}})
		if got := fmt.Sprintf("%s:%d", file, line); got != filepath.Join("dir", want) {
			t.Errorf("entry %d is in %s, want %s", at, got, want)
		}
	}

	b.Reset()
	if err := WriteJUnit(&b, v); err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Failure *struct{} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &suites); err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	failures, cases := 0, 0
	for _, s := range suites.Suites {
		for _, c := range s.Cases {
			cases++
			if c.Failure != nil {
				failures++
			}
		}
	}
	if len(suites.Suites) != 2 || suites.Tests != cases || suites.Failures != failures || failures == 0 {
		t.Errorf("%s", b.Bytes())
	}
}
