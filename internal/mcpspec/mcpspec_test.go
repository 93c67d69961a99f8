package mcpspec

import (
	"slices"
	"testing"
)

func TestEraAndEffective(t *testing.T) {
	for _, c := range []struct{ version, era, effective string }{
		{"2024-11-05", Legacy, "2024-11-05"},
		{"2024-10-07", Legacy, "2024-11-05"},
		{"2025-01-01", Legacy, "2024-11-05"},
		{"2025-06-18", Legacy, "2025-06-18"},
		{"2026-01-01", Legacy, "2025-11-25"},
		{"2026-07-28", Modern, "2026-07-28"},
		{"2099-12-31", Modern, "2026-07-28"},
		{"1.0", Legacy, "2025-11-25"},
		{"newest", Legacy, "2025-11-25"},
	} {
		if got := EraOf(c.version); got != c.era {
			t.Errorf("EraOf(%q) = %q, want %q", c.version, got, c.era)
		}
		if got := Effective(c.version, c.era); got != c.effective {
			t.Errorf("Effective(%q, %q) = %q, want %q", c.version, c.era, got, c.effective)
		}
	}
	// initialize may name a modern version: the session it opens is legacy all the same.
	if got := Effective("2026-07-28", Legacy); got != "2025-11-25" {
		t.Errorf("2026-07-28 in a legacy session is governed by %q, want 2025-11-25", got)
	}
}

func TestSets(t *testing.T) {
	if got := Since("2025-06-18").List(); !slices.Equal(got, []string{"2025-06-18", "2025-11-25", "2026-07-28"}) {
		t.Errorf("Since: %v", got)
	}
	if got := Through("2025-03-26").List(); !slices.Equal(got, []string{"2024-11-05", "2025-03-26"}) {
		t.Errorf("Through: %v", got)
	}
	if All.Has("2024-10-07") {
		t.Error("an unpublished revision is in a set")
	}
}

func TestMethods(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods() {
		if seen[m.Name] {
			t.Errorf("%s: twice", m.Name)
		}
		seen[m.Name] = true
		for _, rev := range Revisions() {
			need, ok := m.Needs(rev)
			if !ok {
				continue
			}
			sides := []Side{need.Of}
			switch need.Of {
			case Either, Receiver, Sender:
				sides = []Side{Client, Server}
			}
			for _, s := range sides {
				// A method's capability exists wherever the method does.
				if c := LookupCapability(s, need.Path); c == nil || (m.In(rev) && !c.Revisions.Has(rev)) {
					t.Errorf("%s in %s leans on %s of the %s, which that revision does not have", m.Name, rev, need.Path, s)
				}
			}
		}
	}
	for _, c := range []struct {
		method, rev string
		from        Side
	}{
		{"notifications/progress", Rev20251125, Either},
		{"notifications/progress", Rev20260728, Server},
		{"tasks/get", Rev20251125, Either},
		{"tasks/get", Rev20260728, Client},
		{"notifications/cancelled", Rev20260728, Either},
	} {
		if got := Lookup(c.method).From(c.rev); got != c.from {
			t.Errorf("%s in %s is sent by %q, want %q", c.method, c.rev, got, c.from)
		}
	}
	if Lookup("tools/frobnicate") != nil {
		t.Error("an invented method was found")
	}
}
