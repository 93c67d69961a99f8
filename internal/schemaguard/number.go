package schemaguard

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// decimal is a JSON number, exactly: digits × 10^exponent. digits has no zeros at its ends and is empty
// for zero, so that equal numbers are equal decimals. Numbers are [sane], so no arithmetic is expensive.
type decimal struct {
	digits   string
	exponent int
	negative bool
}

func parseDecimal(number string) decimal {
	var d decimal
	number, d.negative = strings.CutPrefix(number, "-")
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		d.exponent, _ = strconv.Atoi(number[i+1:])
		number = number[:i]
	}
	whole, fraction, _ := strings.Cut(number, ".")
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		d.exponent -= len(fraction)
		whole += fraction
	}
	d.digits = strings.TrimRight(whole, "0")
	d.exponent += len(whole) - len(d.digits)
	d.digits = strings.TrimLeft(d.digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// integral tells whether the text of a JSON number has an integer value, however it is spelt.
func integral(number string) bool {
	if !strings.ContainsAny(number, ".eE") {
		return true
	}
	return parseDecimal(number).exponent >= 0
}

func (d decimal) compare(e decimal) int {
	switch {
	case d.sign() != e.sign():
		return cmp.Compare(d.sign(), e.sign())
	case d.digits == "":
		return 0
	}
	c := cmp.Or(cmp.Compare(len(d.digits)+d.exponent, len(e.digits)+e.exponent), cmp.Compare(d.digits, e.digits))
	return c * d.sign()
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// multipleOf tells whether d is an integer times e, which is not zero.
func (d decimal) multipleOf(e decimal) bool {
	if d.digits == "" {
		return true
	}
	a, b := d.digits, e.digits
	if n := d.exponent - e.exponent; n >= 0 {
		a += strings.Repeat("0", n)
	} else {
		b += strings.Repeat("0", -n)
	}
	const small = 18 // digits of any int64
	if len(a) <= small && len(b) <= small {
		x, _ := strconv.ParseInt(a, 10, 64)
		y, _ := strconv.ParseInt(b, 10, 64)
		return x%y == 0
	}
	x, _ := new(big.Int).SetString(a, 10)
	y, _ := new(big.Int).SetString(b, 10)
	return x.Rem(x, y).Sign() == 0
}

// appendTo appends the one spelling that all equal numbers have.
func (d decimal) appendTo(b []byte) []byte {
	if d.negative {
		b = append(b, '-')
	}
	b = append(append(b, d.digits...), 'e')
	return strconv.AppendInt(b, int64(d.exponent), 10)
}

// count reads a bound on characters, items or members. The schema has been found valid: it is a whole
// number, though perhaps a huge one, which bounds like the largest int.
func count(v *value) int {
	d := parseDecimal(v.text)
	const most = int(^uint32(0) >> 1)
	if len(d.digits)+d.exponent > 9 {
		return most
	}
	n, _ := strconv.Atoi(d.digits + strings.Repeat("0", d.exponent))
	return n
}
