package annotate

import (
	"math"
	"strconv"

	"github.com/shakescope/shakescope/jsonrpc"
)

// twinOfToken returns the key of the token or id that looks the same but has the other type, "" when
// there is none.
func twinOfToken(raw string) string {
	if raw == "" {
		return ""
	}
	return twinKey(jsonrpc.ParseID([]byte(raw)))
}

// number reads a JSON number, however spelt.
func number(raw []byte) (float64, bool) {
	if len(raw) == 0 || !isDigit(raw[0]) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil
}

// isWhole reports whether raw JSON is a number without a fraction, however spelt: 1, 1.0, 1e3.
func isWhole(raw []byte) bool {
	f, ok := number(raw)
	return ok && f == math.Trunc(f)
}
