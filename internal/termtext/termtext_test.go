package termtext

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	tests := []struct {
		name, in, want string
		unsafe         bool
	}{
		{"empty", "", "", false},
		{"ascii", "tools/call {\"a\": 1}", "tools/call {\"a\": 1}", false},
		{"accents, wide, rtl", "Grüße 日本語 שלום мир", "Grüße 日本語 שלום мир", false},
		{"tab", "a\tb", "a    b", false},
		{"line ends", "a\nb\r\nc\u2028d", "a↵b↵c↵d", false},
		{"lone cr", "safe\revil", "safe␍evil", true},
		{"colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m", true},
		{"title", "\x1b]0;owned\x07", "␛]0;owned␇", true},
		{"clipboard", "\x1b]52;c;ZXZpbA==\x1b\\", "␛]52;c;ZXZpbA==␛\\", true},
		{"nul, backspace, del", "a\x00b\x08c\x7f", "a␀b␈c␡", true},
		{"c1 csi", "a\u009b31mb", "a<U+009B>31mb", true},
		{"c1 next line", "a\u0085b", "a↵b", true},
		{"c1 as a raw byte", "a\x9b31mb", "a<9B>31mb", true},
		{"bad utf-8", "a\xff\xfeb\xc3", "a<FF><FE>b<C3>", true},
		{"surrogate in utf-8", "\xed\xa0\x80", "<ED><A0><80>", true},
		{"overlong", "\xc0\xaf", "<C0><AF>", true},
		{"bidi override", "a\u202eb\u202c", "a<U+202E>b<U+202C>", true},
		{"bidi isolates", "\u2066a\u2069\u2067\u2068", "<U+2066>a<U+2069><U+2067><U+2068>", true},
		{"bidi marks", "a\u200e\u200f\u061cb", "a<U+200E><U+200F><U+061C>b", true},
		{"zero width", "a\u200bb\u2060c\ufeffd", "a<U+200B>b<U+2060>c<U+FEFF>d", true},
		{"soft hyphen", "a\u00adb", "a<U+00AD>b", true},
		{"joiner in latin", "pass\u200dword", "pass<U+200D>word", true},
		{"non-joiner at the ends", "\u200ca\u200c", "<U+200C>a<U+200C>", true},
		{"fillers", "a\u3164b\u115fc\uffa0", "a<U+3164>b<U+115F>c<U+FFA0>", true},
		{"hidden tags", "hi\U000e0068\U000e0069", "hi<U+E0068><U+E0069>", true},
		{"tags on a letter", "x\U000e0062\U000e007f", "x<U+E0062><U+E007F>", true},
		{"selectors as hidden data", "a\ufe01\U000e0101", "a<U+FE01><U+E0101>", true},
		{"two selectors", "✔\ufe0f\ufe0f", "✔\ufe0f<U+FE0F>", true},
		{"annotation", "\ufff9a\ufffab\ufffb", "<U+FFF9>a<U+FFFA>b<U+FFFB>", true},
		{"noncharacter", "\ufdd0\uffff", "<U+FDD0><U+FFFF>", true},
		{"replacement character", "a\ufffdb", "a\ufffdb", false},
		{"private use", "\ue0a0", "\ue0a0", false},
		{"arabic number sign", "\u0600\u0661", "\u0600\u0661", false},
		{"no-break space", "a\u00a0b", "a\u00a0b", false},

		{"emoji family", "👩‍👩‍👧‍👦!", "👩‍👩‍👧‍👦!", false},
		{"emoji with skin tone", "👩🏽‍🚀", "👩🏽‍🚀", false},
		{"heart on fire", "❤️‍🔥", "❤️‍🔥", false},
		{"keycap", "1️⃣", "1️⃣", false},
		{"flag", "🇩🇪", "🇩🇪", false},
		{"flag of scotland", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", false},
		{"flag without its end", "🏴\U000e0067\U000e0062", "🏴<U+E0067><U+E0062>", true},
		{"devanagari", "क्षि क्\u200dष", "क्षि क्\u200dष", false},
		{"persian", "می\u200cخواهم", "می\u200cخواهم", false},
		{"hangul", "한국어 한", "한국어 한", false},
		{"ideographic selector", "葛\U000e0100", "葛\U000e0100", false},
		{"decomposed", "e\u0301", "e\u0301", false},
		{"mark at the start", "\u0301a", "◌\u0301a", true},
		{"mark after a space", "a \u0301", "a ◌\u0301", true},
		{"mark after a control", "\x1b\u0301", "␛◌\u0301", true},
		{"as many marks as may be", "a" + strings.Repeat("\u0301", 16) + "b", "a" + strings.Repeat("\u0301", 16) + "b", false},
		{"zalgo", "a" + strings.Repeat("\u0301", 20) + "b\u0301", "a" + strings.Repeat("\u0301", 16) + "<+4>b\u0301", true},
		{"zalgo at the end", "a" + strings.Repeat("\u0301", 17), "a" + strings.Repeat("\u0301", 16) + "<+1>", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Clean(test.in); got != test.want {
				t.Errorf("Clean(%+q)\n got %+q\nwant %+q", test.in, got, test.want)
			}
			if got := Unsafe(test.in); got != test.unsafe {
				t.Errorf("Unsafe(%+q) = %v", test.in, got)
			}
			checkClean(t, test.in)
		})
	}
}

func TestLongChainIsCut(t *testing.T) {
	chain := strings.Repeat("👩\u200d", 500) + "👩"
	got := Clean(chain)
	if !strings.Contains(got, "<+1>") {
		t.Error("a chain of 500 joiners passed as one character")
	}
	for row := range Wrap(got, 10) {
		if len(row) > 1000 {
			t.Errorf("a row of %d bytes", len(row))
		}
	}
	checkClean(t, chain)
}

// checkClean checks what must hold for any text.
func checkClean(t *testing.T, in string) {
	t.Helper()
	got := Clean(in)
	if !utf8.ValidString(got) {
		t.Errorf("%+q is not UTF-8", got)
	}
	for _, r := range got {
		bad := unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Noncharacter_Code_Point)
		if bad || r == '\u200b' || r == '\ufeff' || r == '\u2060' {
			t.Errorf("%U is left in %+q", r, got)
		}
	}
	if again := Clean(got); again != got {
		t.Errorf("cleaned twice: %+q, then %+q", got, again)
	}
	if Unsafe(got) {
		t.Errorf("%+q is still unsafe", got)
	}
	if Unsafe(in) && got == in {
		t.Errorf("%+q is unsafe and was not changed", in)
	}
	if w := ansi.StringWidth(got); Width(got) != w {
		t.Errorf("width of %+q is %d, the drawing library says %d", got, Width(got), w)
	}
}

func TestCleanDoesNotAllocate(t *testing.T) {
	for _, s := range []string{"plain text", "Grüße, 日本語 👩🏽‍🚀"} {
		if n := testing.AllocsPerRun(100, func() { Clean(s); Width(s); Unsafe(s); Truncate(s, 80) }); n > 0 {
			t.Errorf("%v allocations for %q", n, s)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, test := range []struct {
		s     string
		width int
		want  string
	}{
		{"", 0, ""},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"abc", 1, "…"},
		{"abc", 2, "a…"},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"日本語", 1, "…"},
		{"ae\u0301bc", 4, "ae\u0301bc"},
		{"ae\u0301bc", 3, "ae\u0301…"},
		{"abe\u0301", 3, "abe\u0301"}, // the mark belongs to the last character that fits
		{"abe\u0301c", 3, "ab…"},
		{"👩‍👩‍👧‍👦x", 2, "…"},
		{"👩‍👩‍👧‍👦x", 3, "👩‍👩‍👧‍👦x"},
		{"🇩🇪🇫🇷", 3, "🇩🇪…"},
	} {
		if got := Truncate(test.s, test.width); got != test.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", test.s, test.width, got, test.want)
		}
	}
}

func TestPadding(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{PadRight("日", 4), "日  "}, {PadLeft("日", 4), "  日"}, {PadRight("abc", 2), "abc"}, {PadLeft("abc", -1), "abc"},
		{Fit("abc", 5), "abc  "}, {Fit("日本語", 4), "日… "}, {Fit("x", 0), ""},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		s     string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"abcdefg", 3, []string{"abc", "def", "g"}},
		{"abcdef", 3, []string{"abc", "def"}},
		{"日本語", 3, []string{"日", "本", "語"}},
		{"a日b", 1, []string{"a", "日", "b"}},
		{"abe\u0301c", 3, []string{"abe\u0301", "c"}},
		{"ab", 0, []string{"a", "b"}},
	} {
		if diff := cmp.Diff(test.want, slices.Collect(Wrap(test.s, test.width))); diff != "" {
			t.Errorf("Wrap(%q, %d): %s", test.s, test.width, diff)
		}
	}
}

func TestWrapWords(t *testing.T) {
	for _, test := range []struct {
		s     string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"one", 5, []string{"one"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one two three", 3, []string{"one", "two", "thr", "ee"}},
		{"a abcdefg h", 3, []string{"a", "abc", "def", "g h"}},
		{"a  b", 9, []string{"a  b"}},
		{"日本 語", 4, []string{"日本", "語"}},
	} {
		if diff := cmp.Diff(test.want, slices.Collect(WrapWords(test.s, test.width))); diff != "" {
			t.Errorf("WrapWords(%q, %d): %s", test.s, test.width, diff)
		}
	}
}

func TestLine(t *testing.T) {
	if got := Line("a\x1b[2Jb", 4); got != "a␛[…" {
		t.Errorf("%q", got)
	}
	huge := strings.Repeat("日\x1b", 5_000_000)
	if got := Line(huge, 6); got != "日␛日…" {
		t.Errorf("%q", got)
	}
	if n := testing.AllocsPerRun(10, func() { Line(huge, 6) }); n > 20 {
		t.Errorf("%v allocations", n)
	}
	for _, s := range []string{strings.Repeat("\x80", 100_000), "a" + strings.Repeat("\u0301", 100_000) + "b", strings.Repeat("\u200b", 100_000)} {
		if got := Line(s, 12); !strings.HasSuffix(got, Ellipsis) || Width(got) > 12 {
			t.Errorf("%q", got)
		}
	}
}

func TestASCII(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a → b …": "a > b ~", "日本": "????", "e\u0301é": "e?", "␛[31m": "^[31m", "┌─┐│": "+-+|", "👩‍🚀": "??", "“x”": `"x"`,
	} {
		if got := ASCII(in); got != want {
			t.Errorf("ASCII(%q) = %q, want %q", in, got, want)
		}
	}
	for form, stand := range asciiForms {
		if !printable(stand) || Width(form) != Width(stand) {
			t.Errorf("%q (%d cells) becomes %q", form, Width(form), stand)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"plain", "\x1b[31m\u202e\u200b\xff", "👩🏽‍🚀🇩🇪1️⃣", "e\u0301\u0301\t\r\n", "क्\u200dष 한국어", "🏴\U000e0067\U000e007f", "\u0301\u200d\ufe0f",
	} {
		f.Add(seed, 7)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width %= 200
		checkClean(t, s)
		clean := Clean(s)
		for _, cut := range []string{Truncate(clean, width), Line(s, width)} {
			if w := Width(cut); w > max(width, 0) {
				t.Errorf("%+q takes %d of %d cells", cut, w, width)
			}
		}
		if Width(clean) <= width && Truncate(clean, width) != clean {
			t.Errorf("%+q was cut to %d", clean, width)
		}
		if w := Width(Fit(clean, width)); width >= 0 && w != width {
			t.Errorf("Fit to %d gave %d cells", width, w)
		}
		if joined := strings.Join(slices.Collect(Wrap(clean, width)), ""); joined != clean {
			t.Errorf("wrapped and joined: %+q, was %+q", joined, clean)
		}
		if plain := ASCII(clean); !printable(plain) || len(plain) != Width(clean) {
			t.Errorf("ASCII(%+q) = %+q, want %d cells", clean, plain, Width(clean))
		}
	})
}

func BenchmarkClean(b *testing.B) {
	for name, s := range map[string]string{"ascii": strings.Repeat("tools/call ", 10), "unicode": strings.Repeat("Grüße 日本 ", 10), "hostile": strings.Repeat("\x1b[31m\u202e", 10)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				Truncate(Clean(s), 60)
			}
		})
	}
}

// The letters that take the short way must be such that the long way would let them pass.
func TestOrdinary(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !ordinary(r) {
			continue
		}
		if r < 0x80 || invisible(r) || (&cleaner{}).extends(r) || isMark(r) {
			t.Errorf("%U is not ordinary", r)
		}
	}
}
