package annotate

import (
	"bytes"
	"encoding/base64"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonWriter appends JSON by hand: the order of members is part of the contract, and a raw value must
// come out as it went in.
type jsonWriter struct{ buf []byte }

func (w *jsonWriter) comma() {
	if n := len(w.buf); n > 0 && w.buf[n-1] != '{' && w.buf[n-1] != '[' && w.buf[n-1] != ':' {
		w.buf = append(w.buf, ',')
	}
}

func (w *jsonWriter) open()      { w.comma(); w.buf = append(w.buf, '{') }
func (w *jsonWriter) close()     { w.buf = append(w.buf, '}') }
func (w *jsonWriter) openList()  { w.comma(); w.buf = append(w.buf, '[') }
func (w *jsonWriter) closeList() { w.buf = append(w.buf, ']') }

func (w *jsonWriter) key(name string) {
	w.comma()
	w.quote(name)
	w.buf = append(w.buf, ':')
}

// quote writes a string literal; bytes that are not UTF-8 become U+FFFD.
func (w *jsonWriter) quote(s string) {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] <= '~' && s[i] != '"' && s[i] != '\\'
	}
	if plain { // as nearly all are
		w.buf = append(append(append(w.buf, '"'), s...), '"')
		return
	}
	w.buf, _ = jsontext.AppendQuote(w.buf, s) // the only error says that s is not UTF-8
}

func (w *jsonWriter) text(name, s string) {
	w.key(name)
	w.quote(s)
}

func (w *jsonWriter) textIf(name, s string) {
	if s != "" {
		w.text(name, s)
	}
}

func (w *jsonWriter) textOrNull(name, s string) {
	if s == "" {
		w.null(name)
		return
	}
	w.text(name, s)
}

func (w *jsonWriter) null(name string) {
	w.key(name)
	w.buf = append(w.buf, "null"...)
}

func (w *jsonWriter) truth(name string, v bool) {
	if v {
		w.key(name)
		w.buf = append(w.buf, "true"...)
	}
}

func (w *jsonWriter) int(name string, n int64) {
	w.key(name)
	w.buf = strconv.AppendInt(w.buf, n, 10)
}

func (w *jsonWriter) float(name string, f float64) {
	w.key(name)
	switch {
	case math.IsInf(f, 1):
		f = math.MaxFloat64
	case math.IsInf(f, -1):
		f = -math.MaxFloat64
	}
	w.buf = strconv.AppendFloat(w.buf, f, 'g', -1, 64)
}

// raw writes a JSON value as it came. One cut out of a line that is not UTF-8 gets U+FFFD for what is
// none: the output is JSON whatever the input was.
func (w *jsonWriter) raw(name string, value []byte) {
	w.key(name)
	if !utf8.Valid(value) {
		value = bytes.ToValidUTF8(value, []byte("\ufffd"))
	}
	w.buf = append(w.buf, value...)
}

func (w *jsonWriter) rawOrNull(name string, value []byte) {
	if value == nil {
		w.null(name)
		return
	}
	w.raw(name, value)
}

func (w *jsonWriter) base64(name string, b []byte) {
	w.key(name)
	w.buf = append(w.buf, '"')
	w.buf = base64.StdEncoding.AppendEncode(w.buf, b)
	w.buf = append(w.buf, '"')
}

// seconds writes a duration in seconds, exact to the nanosecond and without needless zeros.
func (w *jsonWriter) seconds(name string, d time.Duration) {
	w.key(name)
	w.fraction(int64(d), 9)
}

// millis writes a duration in milliseconds, rounded half away from zero to three decimals.
func (w *jsonWriter) millis(name string, d time.Duration) {
	w.key(name)
	w.fraction(int64(d.Round(time.Microsecond)/time.Microsecond), 3)
}

// fraction writes n / 10^decimals.
func (w *jsonWriter) fraction(n int64, decimals int) {
	if n < 0 {
		w.buf = append(w.buf, '-')
		n = -n
	}
	var buf [40]byte
	digits := strconv.AppendInt(buf[:decimals], n, 10)
	for i := range decimals {
		buf[i] = '0'
	}
	digits = digits[min(len(digits)-decimals-1, decimals):]
	cut := len(digits) - decimals
	w.buf = append(w.buf, digits[:cut]...)
	end := len(digits)
	for end > cut && digits[end-1] == '0' {
		end--
	}
	if end > cut {
		w.buf = append(w.buf, '.')
		w.buf = append(w.buf, digits[cut:end]...)
	}
}

func (w *jsonWriter) counts(name string, m map[string]int64) {
	w.key(name)
	w.open()
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.int(k, m[k])
	}
	w.close()
}

func (w *jsonWriter) latencies(l Latencies) {
	w.open()
	w.int("n", int64(l.N))
	if l.N > 0 {
		w.millis("min", l.Min)
		w.millis("median", l.Median)
		w.millis("p95", l.P95)
		w.millis("max", l.Max)
	}
	w.close()
}

func (w *jsonWriter) ref(name string, r Ref) {
	w.key(name)
	w.refValue(r)
}

func (w *jsonWriter) refValue(r Ref) {
	if r.Sub == NoSub {
		w.comma()
		w.buf = strconv.AppendInt(w.buf, r.Seq, 10)
		return
	}
	w.pairValue(r)
}

// pairValue writes [seq] or [seq,sub].
func (w *jsonWriter) pairValue(r Ref) {
	w.openList()
	w.buf = strconv.AppendInt(w.buf, r.Seq, 10)
	if r.Sub != NoSub {
		w.buf = append(w.buf, ',')
		w.buf = strconv.AppendInt(w.buf, int64(r.Sub), 10)
	}
	w.closeList()
}

// refs writes a list of references, each as [seq] or [seq,sub]; an empty one too.
func (w *jsonWriter) refs(name string, list []Ref) {
	w.key(name)
	w.openList()
	for _, r := range list {
		w.pairValue(r)
	}
	w.closeList()
}
