package jsonrpc

import (
	"math"
	"strings"
	"testing"
)

func TestIDKey(t *testing.T) {
	// Ids in one row are equal, ids of different rows are not.
	classes := [][]string{
		{`1`, `1.0`, `1e0`, `10e-1`, `0.1E+1`, `1.000`, `100000000000000000000000000000000000000000e-41`},
		{`-1`, `-1.0`, `-10E-1`},
		{`0`, `-0`, `0.0`, `-0.0e5`, `0e999999999999999999999999`},
		{`"1"`, `"\u0031"`},
		{`"1.0"`},
		{`""`},
		{`"a\"b"`, `"\u0061\u0022b"`},
		{`"a/b"`, `"a\/b"`},
		{`"\n"`, `"\u000a"`, `"\u000A"`},
		{`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`},
		{`"\ud83d"`},
		{`"\ude00"`},
		{`"\ufffd"`, `"` + "\uFFFD" + `"`},
		{`"\\u0031"`},
		{`9007199254740993`, `9007199254740993.0`, `9.007199254740993e15`},
		{`9007199254740992`},
		{`100`, `1e2`, `1E+02`, `1.00e2`, `0.1e3`},
		{`1e32`, `100000000000000000000000000000000`},
		{`1e31`, `10000000000000000000000000000000`},
		{`1e999999999`, `10e999999998`, `0.1e1000000000`},
		{`-1e999999999`},
		{`1e-999999999`},
		{`1e99999999999999999999999999`, `10e99999999999999999999999998`},
		{`123456789012345678901234567890123456789`, `1.23456789012345678901234567890123456789e38`},
		{`123456789012345678901234567890123456788`},
		{`1.5`, `15e-1`, `1.50`},
		{`0.1`, `1e-1`},
		{`"true"`}, {`"null"`},
	}
	seen := map[string]int{}
	for i, class := range classes {
		for _, raw := range class {
			id := ParseID([]byte(raw))
			if id.Raw() != raw {
				t.Errorf("Raw() of %s = %s", raw, id.Raw())
			}
			if id.Key() == "" {
				t.Errorf("%s has no key", raw)
			}
			if first, ok := seen[id.Key()]; ok && first != i {
				t.Errorf("%s has the key %q of %s", raw, id.Key(), classes[first][0])
			}
			seen[id.Key()] = i
			if want := ParseID([]byte(class[0])).Key(); id.Key() != want {
				t.Errorf("key of %s is %q, want %q as of %s", raw, id.Key(), want, class[0])
			}
		}
	}
}

func TestIDWithoutKey(t *testing.T) {
	for raw, kind := range map[string]IDKind{``: IDAbsent, `null`: IDNull, `true`: IDOther, `false`: IDOther, `[1]`: IDOther, `{"a":1}`: IDOther} {
		id := ParseID([]byte(raw))
		if id.Kind() != kind || id.Key() != "" || id.Raw() != raw {
			t.Errorf("ParseID(%s) = kind %d, key %q, raw %q", raw, id.Kind(), id.Key(), id.Raw())
		}
	}
	if (ID{}) != ParseID(nil) {
		t.Error("the absent id is not the zero ID")
	}
}

func TestIDHugeNumbers(t *testing.T) {
	digits := strings.Repeat("9", 100_000)
	for _, raw := range []string{"1e" + digits, "1e-" + digits, digits, "0." + strings.Repeat("0", 100_000) + "1", "1e999999999"} {
		id := ParseID([]byte(raw))
		if id.Raw() != raw {
			t.Errorf("%.20s… lost its text", raw)
		}
		if len(id.Key()) > len(raw)+20 {
			t.Errorf("the key of %.20s… has %d bytes", raw, len(id.Key()))
		}
		if again := ParseID([]byte(raw)); again.Key() != id.Key() {
			t.Errorf("the key of %.20s… changes", raw)
		}
	}
}

func TestNewIDs(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 100, 9007199254740993, math.MaxInt64, math.MinInt64} {
		id := NumberID(n)
		if parsed := ParseID([]byte(id.Raw())); parsed != id {
			t.Errorf("NumberID(%d) = %+v, parsed %+v", n, id, parsed)
		}
	}
	for text, raw := range map[string]string{"": `""`, "a": `"a"`, `a"b\`: `"a\"b\\"`, "1": `"1"`, "\n\x01": `"\n\u0001"`, "\xFF": "\"\uFFFD\""} {
		id := StringID(text)
		if id.Raw() != raw || id.Kind() != IDString {
			t.Errorf("StringID(%q).Raw() = %s, want %s", text, id.Raw(), raw)
		}
	}
}

func TestIDInteger(t *testing.T) {
	for raw, want := range map[string]bool{`1`: true, `1.0`: true, `1e2`: true, `10e-1`: true, `-0`: true, `1e99`: true, `1.5`: false, `1e-1`: false, `1e-99`: false, `"1"`: false, `"e-"`: false, `null`: false} {
		if got := ParseID([]byte(raw)).Integer(); got != want {
			t.Errorf("Integer() of %s = %v", raw, got)
		}
	}
}

func TestParseIDAllocations(t *testing.T) {
	for raw, most := range map[string]float64{`1234567`: 1, `"abc-123"`: 1, `1e999999999`: 3} {
		data := []byte(raw)
		if n := testing.AllocsPerRun(100, func() { ParseID(data) }); n > most {
			t.Errorf("ParseID(%s) allocates %v times, want at most %v", raw, n, most)
		}
	}
}
