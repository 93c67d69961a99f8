package schemaguard

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDecimalAgainstRat(t *testing.T) {
	numbers := []string{"0", "-0", "0.0", "0e5", "1", "-1", "1.0", "10e-1", "0.1", "0.10", "1e-1", "120", "12e1", "123", "1.23e2", "-0.001", "1e18", "999999999999999999", "9223372036854775807",
		"9223372036854775808", "1e19", "1e400", "1e-400", "100e-2", "0.30000000000000004", "0.3", "3e-1", "7", "14", "2.5", "1E+2", "1E-2"}
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		text := strings.TrimLeft(digits(r, 6), "0") + digits(r, 1)
		if text = strings.TrimLeft(text, "0"); text == "" {
			text = "0"
		}
		if r.IntN(2) == 0 {
			text += "." + digits(r, 4)
		}
		if r.IntN(3) == 0 {
			text += "e" + []string{"-", "", "+"}[r.IntN(3)] + digits(r, 2)
		}
		numbers = append(numbers, text, "-"+text)
	}
	for _, a := range numbers {
		x, y := parseDecimal(a), new(big.Rat)
		y.SetString(a)
		if integral(a) != y.IsInt() {
			t.Errorf("integral(%s) is %v", a, !y.IsInt())
		}
		for _, b := range numbers {
			e, f := parseDecimal(b), new(big.Rat)
			f.SetString(b)
			if got, want := x.compare(e), y.Cmp(f); got != want {
				t.Errorf("%s to %s: %d, want %d", a, b, got, want)
			}
			if same := string(x.appendTo(nil)) == string(e.appendTo(nil)); same != (y.Cmp(f) == 0) {
				t.Errorf("%s and %s share a key: %v", a, b, same)
			}
			if f.Sign() != 0 {
				if got, want := x.multipleOf(e), new(big.Rat).Quo(y, f).IsInt(); got != want {
					t.Errorf("%s is a multiple of %s: %v", a, b, got)
				}
			}
		}
	}
}

func digits(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '0' + byte(r.IntN(10))
	}
	return string(b)
}

func TestCount(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "2": 2, "2.0": 2, "3e2": 300, "1200e-2": 12, "123456789": 123456789, "1e300": 1<<31 - 1, "99999999999999999999": 1<<31 - 1} {
		if got := count(&value{kind: numberKind, text: text}); got != want {
			t.Errorf("%s is %d", text, got)
		}
	}
}

// What a decoded value is, however it was spelt.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"b":1,"a":[true,null,"x"],"b":2}`, `{"a":[true,null,"x"],"b":2}`},
		{` [ ] `, `[]`},
		{`{}`, `{}`},
		{`"\u0061\ud83d\ude00"`, `"a😀"`},
		{`"\ud800"`, "\"\uFFFD\""},
		{"\"\xff\"", "\"\uFFFD\""},
		{`1.50E+2`, `1.50E+2`},
		{`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"a":11}`, `{"a":11,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}`},
		{`[[1,[2,3]],{"a":[4]},5]`, `[[1,[2,3]],{"a":[4]},5]`},
	} {
		for range 2 { // with a reader that was used before
			v, m, refused := decode([]byte(c.text), MaxInstance)
			if refused != nil {
				t.Errorf("%s: %v", c.text, refused)
				continue
			}
			if got := rawText(v); got != c.want {
				t.Errorf("%s is %s, want %s", c.text, got, c.want)
			}
			if m.nodes == 0 {
				t.Errorf("%s has no nodes", c.text)
			}
		}
	}
	for _, text := range []string{``, ` `, `{`, `[1,]`, `{"a"}`, `{"a":}`, `{a:1}`, `01`, `1 2`, `nul`, "\ufeff1", `"a`, `[1}`, `{"a":1]`, strings.Repeat("[", 150) + `x`} {
		if _, _, refused := decode([]byte(text), MaxInstance); refused == nil || refused.Reason != NotJSON {
			t.Errorf("%q: %v", text, refused)
		}
	}
	v, _, _ := decode([]byte(`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}`), MaxInstance)
	for name, there := range map[string]bool{"a": true, "i": true, "j": false, "": false} {
		if (v.member(name) != nil) != there {
			t.Errorf("member %q", name)
		}
	}
}
