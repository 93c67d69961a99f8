package mcpspec

// The published revisions. They are ISO dates, so comparing strings orders them.
const (
	Rev20241105 = "2024-11-05"
	Rev20250326 = "2025-03-26"
	Rev20250618 = "2025-06-18"
	Rev20251125 = "2025-11-25"
	Rev20260728 = "2026-07-28"
)

// Rev20241007 was never published, yet SDKs offer it; it is governed by the rules of [Rev20241105].
const Rev20241007 = "2024-10-07"

// The eras. In the legacy era a handshake opens a session; in the modern one every request carries
// its version and the client's capabilities.
const (
	Legacy = "legacy"
	Modern = "modern"
)

// Set is a set of revisions.
type Set uint8

const (
	r2411 Set = 1 << iota
	r2503
	r2506
	r2511
	r2607

	allRevisions    = r2411 | r2503 | r2506 | r2511 | r2607
	legacyRevisions = r2411 | r2503 | r2506 | r2511
)

// The sets that most facts and rules hold for. Others are made with [Since], [Through] and the bit
// operators.
const (
	All        Set = allRevisions
	LegacyOnly Set = legacyRevisions
	ModernOnly Set = r2607
)

var revisions = [...]string{Rev20241105, Rev20250326, Rev20250618, Rev20251125, Rev20260728}

// Revisions returns the published revisions, oldest first. The slice is the caller's.
func Revisions() []string { return append([]string(nil), revisions[:]...) }

// Known reports whether rev is a published revision.
func Known(rev string) bool { return Of(rev) != 0 }

// Has reports whether rev is in the set; a version nobody knows is in none.
func (s Set) Has(rev string) bool { return s&Of(rev) != 0 }

// List returns the members of the set, oldest first.
func (s Set) List() []string {
	var out []string
	for i, r := range revisions {
		if s&(1<<i) != 0 {
			out = append(out, r)
		}
	}
	return out
}

// Since returns the published revisions from rev on.
func Since(rev string) Set {
	var s Set
	for i, r := range revisions {
		if r >= rev {
			s |= 1 << i
		}
	}
	return s
}

// Through returns the published revisions up to and including rev.
func Through(rev string) Set { return (All &^ Since(rev)) | Of(rev) }

// Of returns the set of one revision, empty for a version nobody knows.
func Of(rev string) Set {
	for i, r := range revisions {
		if r == rev {
			return 1 << i
		}
	}
	return 0
}

// EraOf returns the era of a version string: modern from 2026-07-28 on, "" for the empty string.
func EraOf(version string) string {
	switch {
	case version == "":
		return ""
	case version >= Rev20260728 && isDate(version):
		return Modern
	}
	return Legacy
}

// Effective returns the published revision whose rules govern a version string in an era: itself when
// published, else the newest one of the era that is not above it. A string below all of the era's, or
// no date at all, is governed by the era's oldest and newest revision respectively.
func Effective(version, era string) string {
	if Known(version) && EraOf(version) == era {
		return version
	}
	if era == Modern {
		return Rev20260728
	}
	if !isDate(version) {
		return Rev20251125
	}
	best := Rev20241105
	for _, r := range revisions {
		if r <= version && EraOf(r) == Legacy {
			best = r
		}
	}
	return best
}

// IsDate reports whether a version string has the form of a revision: YYYY-MM-DD.
func IsDate(version string) bool { return isDate(version) }

func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i := range len(s) {
		if i != 4 && i != 7 && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}
