package filter

import (
	goflag "flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = goflag.Bool("update", false, "write the table of fields in docs/filter.md anew")

const page = "../../docs/filter.md"

// fieldTable is the table of fields of the page for users.
func fieldTable() string {
	var b strings.Builder
	b.WriteString("| field | what it is | values |\n|---|---|---|\n")
	kinds := map[class]string{words: "text", several: "text", payload: "text", identity: "`3`, `\"text\"`", count: "whole number", bytesize: "`500`, `4kB`, `1MiB`", span: "`250ms`, `2s`, `1m30s`",
		millis: "`12.5`", clock: "`14:02`, `2026-11-29T14:02:11Z`, `+90s`", ref: "`8`, `7.1`", flag: "yes or no"}
	for _, f := range Fields() {
		values := kinds[f.class]
		if f.Values != nil {
			values = "`" + strings.Join(f.Values, "` `") + "`"
			if f.class == words {
				values += " …"
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, f.About, values)
	}
	return b.String()
}

// The page lists all fields, and every filter on it can be read.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		text = regexp.MustCompile(`(?s)FIELDS\n|\| field \| what it is.*?\n\n`).ReplaceAllLiteral(text, []byte(fieldTable()+"\n"))
		if err := os.WriteFile(page, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(string(text), fieldTable()) {
		t.Error("docs/filter.md does not list the fields as they are; run this test with -update")
	}
	found := 0
	for _, block := range regexp.MustCompile("(?s)```filter\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			src, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			if _, err := Parse(src); err != nil {
				t.Errorf("%s: %v", src, err)
			}
			found++
		}
	}
	if found < 30 {
		t.Errorf("only %d filters on the page", found)
	}
}
