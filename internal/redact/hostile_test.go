package redact

import (
	"strings"
	"testing"
)

// Text that is made to be slow. What takes more than a step for each byte would not end here in time.
func TestHostile(t *testing.T) {
	const n = 256 << 10
	fill := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	in := func(s string) string { return `{"params":{"arguments":{"x":"` + s + `"}}}` }
	nest := func(a, b string, d int) string { return strings.Repeat(a, d) + "1" + strings.Repeat(b, d) }
	own, err := Compile(Rules{Patterns: []string{"a+b", "acme-[0-9]+"}, Paths: []string{"*.*.*.x"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		fill("sk-"), fill("token=$Atoken"), fill("http://h?u="), fill("-----BEGIN PRIVATE KEY"), fill("/eyJ"), fill("eyJ."), fill(";base64,eyJhIjoi"),
		fill("PWD=/"), fill(`--token '--token "`), fill("%25"), fill("%2525252525"), in(fill(`\\n`)), fill("token:"), fill("="), fill("bearer "), fill("/home/"),
		fill(`{"token":"abcd-1"},`), in(fill("token=abcd1")), fill("[redacted:"), fill("[redacted:a:len~8:1]"), fill("cookie: bearer "), fill("://a?&amp;a=b&"),
		fill("://a@"), fill(`\`), in(fill("[")), in(fill(`{\"a\":`)), fill("eyJhbGci.eyJhbGci "), fill("ZXlKaElqb2k"),
		`{"params":{"arguments":{"password":"aaaaaaaaaaaa1-","y":"` + fill("a") + `"}}}`,
		`{"params":{"arguments":` + nest(`{"token":`, "}", 9000) + `}}`,
		`{"params":{"arguments":` + nest(`{"token":{"x":"`+strings.Repeat("y", 50)+`","z":`, "}}", 4000) + `}}`,
	} {
		New().Line([]byte(text))
		NewWith(own).Line([]byte(text))
	}
}

// A peer that names secrets without end does not make a Redactor grow without end.
func TestBounded(t *testing.T) {
	r := New()
	long := strings.Repeat("x1-", 1000)
	for i := range 20_000 {
		r.note(long+string(rune('a'+i%26))+strings.Repeat("y", i%90), "token", true)
	}
	if r.room < 0 || r.room > maxRemembered {
		t.Errorf("%d bytes of room are left", r.room)
	}
	for start, lengths := range r.echoes.byStart {
		if len(lengths) > maxLengths {
			t.Errorf("%q: %d lengths", start, len(lengths))
		}
	}
}
