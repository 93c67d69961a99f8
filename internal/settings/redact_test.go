package settings

import (
	"strings"
	"testing"

	"github.com/shakescope/shakescope/internal/redact"
)

func TestRedact(t *testing.T) {
	s, err := Load(write(t, "[redact]\nkeys = [\"iban\"]\npatterns = ['acme-[0-9]+']\npaths = [\"/params/arguments/customer\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := redact.NewWith(s.Redact)
	got := string(r.Line([]byte(`{"params":{"arguments":{"customer":"Ann","IBAN":"DE02","x":"acme-77 and more"}}}`)))
	want := `{"params":{"arguments":{"customer":"[redacted:custom:len~8:1]","IBAN":"[redacted:custom:len~8:2]","x":"[redacted:custom:len~8:3] and more"}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s, err := Load(write(t, "[redact]\n")); err != nil || s.Redact != nil {
		t.Errorf("no rules: %+v, %v", s, err)
	}
	for _, c := range []struct{ text, want string }{
		{"\n[redact]\npatterns = ['a', '(']\n", "line 3: redact.patterns.1: missing closing ): `(` (the syntax is that of RE2"},
		{"[redact]\npatterns = [\n  'a',\n  # one more\n  'x*',\n]\n", `line 5: redact.patterns.1: "x*" matches the empty text`},
		{"[redact]\npatterns = ['(?<=a)b']\n", "line 2: redact.patterns.0: invalid"},
		{"[redact]\npaths = [\"params..x\"]\n", `line 2: redact.paths.0: "params..x": a name is missing`},
		{"[redact]\npaths = [\"/\"]\n", `line 2: redact.paths.0: "/" is the whole message`},
		{"[redact]\npaths = [\"/a~2b\"]\n", "line 2: redact.paths.0: \"/a~2b\": in a JSON pointer ~ is written ~0"},
		{"[redact]\nkeys = [\"iban\", \"_\"]\n", `line 2: redact.keys.1: "_" is no name`},
		{"[redact]\nkeys = [\"progressToken\"]\n", `line 2: redact.keys.0: "progressToken" is a member of the protocol`},
		{"[redact]\nkeys = [\"\"]\n", "line 2: redact.keys.0: it is empty"},
		{"[redact]\nkeys = 3\n", "line 2"},
		{"[redact]\nnames = []\n", `line 2: unknown setting "redact.names"`},
	} {
		if _, err := Load(write(t, c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %s", c.text, err, c.want)
		}
	}
}
