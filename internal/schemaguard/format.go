package schemaguard

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/shakescope/shakescope/internal/mcpshape"
)

// format is what strings of a named format look like.
type format struct {
	name string
	fits func(text string) bool
}

// formatOf returns nil for a format that is not asserted.
func formatOf(name string) *format {
	switch name {
	case "date":
		return &format{name, isDate}
	case "time":
		return &format{name, isTime}
	case "date-time":
		return &format{name, isDateTime}
	case "duration":
		return &format{name, isDuration}
	case "email":
		return &format{name, isEmail}
	case "hostname":
		return &format{name, isHostname}
	case "ipv4":
		return &format{name, isIPv4}
	case "ipv6":
		return &format{name, isIPv6}
	case "uri", "iri":
		return &format{name, func(text string) bool { u, ok := parseURI(text); return ok && u.IsAbs() }}
	case "uri-reference", "iri-reference":
		return &format{name, func(text string) bool { _, ok := parseURI(text); return ok }}
	case "uri-template":
		return &format{name, mcpshape.IsURITemplate}
	case "uuid":
		return &format{name, isUUID}
	case "json-pointer":
		return &format{name, isPointer}
	case "relative-json-pointer":
		return &format{name, isRelativePointer}
	}
	return nil
}

// isDate is full-date of RFC 3339, section 5.6.
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// isTime is full-time of RFC 3339. A leap second is one where it is 23:59 in UTC.
func isTime(text string) bool {
	hour, ok1 := twoDigits(text, 0, 23)
	minute, ok2 := twoDigits(text, 3, 59)
	second, ok3 := twoDigits(text, 6, 60)
	if !ok1 || !ok2 || !ok3 || text[2] != ':' || text[5] != ':' {
		return false
	}
	zone := text[8:]
	if fraction, ok := strings.CutPrefix(zone, "."); ok {
		if zone = strings.TrimLeft(fraction, "0123456789"); zone == fraction {
			return false
		}
	}
	offset := 0
	if zone != "z" && zone != "Z" {
		hours, ok1 := twoDigits(zone, 1, 23)
		minutes, ok2 := twoDigits(zone, 4, 59)
		if !ok1 || !ok2 || len(zone) != 6 || zone[3] != ':' {
			return false
		}
		switch offset = hours*60 + minutes; zone[0] {
		case '+':
			offset = -offset
		case '-':
		default:
			return false
		}
	}
	const day = 24 * 60
	return second < 60 || (hour*60+minute+offset+day)%day == day-1
}

// twoDigits reads a number of two digits up to most.
func twoDigits(text string, at, most int) (int, bool) {
	if at+2 > len(text) {
		return 0, false
	}
	a, b := text[at]-'0', text[at+1]-'0'
	n := int(a)*10 + int(b)
	return n, a <= 9 && b <= 9 && n <= most
}

func isDateTime(text string) bool {
	return len(text) > 11 && text[10]|0x20 == 't' && isDate(text[:10]) && isTime(text[11:])
}

// isDuration is appendix A of RFC 3339, but that units may be left out in the middle.
func isDuration(text string) bool {
	rest, ok := strings.CutPrefix(text, "P")
	if !ok || rest == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(rest, "W"); ok {
		return weeks != "" && strings.Trim(weeks, "0123456789") == ""
	}
	date, clock, hasClock := strings.Cut(rest, "T")
	return unitsInOrder(date, "YMD") && unitsInOrder(clock, "HMS") && (!hasClock || clock != "")
}

func unitsInOrder(text, units string) bool {
	for text != "" {
		rest := strings.TrimLeft(text, "0123456789")
		if rest == text || rest == "" {
			return false
		}
		i := strings.IndexByte(units, rest[0])
		if i < 0 {
			return false
		}
		units, text = units[i+1:], rest[1:]
	}
	return true
}

// isEmail is Mailbox of RFC 5321, section 4.1.2, without backslashes in what is quoted.
func isEmail(text string) bool {
	at := strings.LastIndexByte(text, '@')
	if at < 0 || len(text) > 254 || at > 64 {
		return false
	}
	local, domain := text[:at], text[at+1:]
	if len(local) > 1 && local[0] == '"' && local[len(local)-1] == '"' {
		if strings.ContainsAny(local[1:len(local)-1], `\"`) {
			return false
		}
	} else if !isDotted(local) {
		return false
	}
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		if six, is := strings.CutPrefix(literal, "IPv6:"); is {
			return ok && isIPv6(six)
		}
		return ok && isIPv4(literal)
	}
	return isHostname(domain)
}

// isDotted is Dot-string of RFC 5321.
func isDotted(text string) bool {
	for atom := range strings.SplitSeq(text, ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			if !isAlphanumeric(atom[i]) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", atom[i]) < 0 {
				return false
			}
		}
	}
	return true
}

func isAlphanumeric(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// isHostname is RFC 1123, section 2.1: labels of letters, digits and inner hyphens.
func isHostname(text string) bool {
	text = strings.TrimSuffix(text, ".")
	if len(text) > 253 {
		return false
	}
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if !isAlphanumeric(label[i]) && label[i] != '-' {
				return false
			}
		}
	}
	return true
}

func isIPv4(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is4()
}

func isIPv6(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is6() && a.Zone() == ""
}

// parseURI reads a URI or reference (RFC 3986). Characters beyond ASCII are let pass, as in an IRI.
func parseURI(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	if err != nil || strings.Contains(text, `\`) {
		return nil, false
	}
	if host := u.Hostname(); strings.Contains(host, ":") && (!strings.HasPrefix(u.Host, "[") || !isIPv6(host)) {
		return nil, false
	}
	return u, true
}

func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		switch i {
		case 8, 13, 18, 23:
			if text[i] != '-' {
				return false
			}
		default:
			if hexRun(text[i:], 1) == "" {
				return false
			}
		}
	}
	return true
}

// isPointer is RFC 6901, section 3.
func isPointer(text string) bool {
	if text == "" {
		return true
	}
	_, ok := unescapeToken(text)
	return ok && text[0] == '/'
}

func isRelativePointer(text string) bool {
	rest := strings.TrimLeft(text, "0123456789")
	up := text[:len(text)-len(rest)]
	if up == "" || len(up) > 1 && up[0] == '0' {
		return false
	}
	return rest == "#" || isPointer(rest)
}
