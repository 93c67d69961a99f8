package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shakescope/shakescope/internal/mcpspec"
)

func specFile(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpus(t), "spec", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

type specNeed struct{ Side, Path string }

type specMethod struct {
	Method, Kind, Sender, Primitive, Phase string
	SenderByRevision                       map[string]string
	AlsoAllowedIn                          []string
	Capability                             *specNeed
	CapabilityByRevision                   map[string]*specNeed
	DeprecatedIn                           *string
	Revisions                              []string
	EmbeddedRevisions                      []string
	ExtensionRevisions                     []string
	Extension                              *string
	Paginated, CacheableInModern           bool
	MayReturnInputRequired                 bool
}

// The corpus lists draft beside the revision it equals on the wire.
func published(revs []string) []string {
	return slices.DeleteFunc(slices.Clone(revs), func(r string) bool { return r == "draft" })
}

func same(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func TestMethodTable(t *testing.T) {
	var spec struct{ Methods []specMethod }
	specFile(t, "methods.json", &spec)
	left := map[string]bool{}
	for _, m := range mcpspec.Methods() {
		left[m.Name] = true
	}
	for _, want := range spec.Methods {
		m := mcpspec.Lookup(want.Method)
		if m == nil {
			t.Errorf("%s is missing", want.Method)
			continue
		}
		delete(left, want.Method)
		if m.Notification != (want.Kind == "notification") || m.Group != want.Primitive || m.Phase != want.Phase ||
			m.Early != slices.Contains(want.AlsoAllowedIn, "initialization") || m.Paginated != want.Paginated ||
			m.Cacheable != want.CacheableInModern || m.Interim != want.MayReturnInputRequired ||
			(m.Deprecated != 0) != (want.DeprecatedIn != nil) || (m.Extension != "") != (want.Extension != nil) {
			t.Errorf("%s: table says %+v", want.Method, *m)
		}
		if want.DeprecatedIn != nil && m.Deprecated != mcpspec.Since(*want.DeprecatedIn) {
			t.Errorf("%s: deprecated in %v, want since %s", want.Method, m.Deprecated.List(), *want.DeprecatedIn)
		}
		if !same(m.Revisions.List(), published(want.Revisions)) || !same(m.Embedded.List(), published(want.EmbeddedRevisions)) ||
			!same(m.Extended.List(), published(want.ExtensionRevisions)) {
			t.Errorf("%s: revisions %v, embedded %v, extended %v", want.Method, m.Revisions.List(), m.Embedded.List(), m.Extended.List())
		}
		for _, rev := range append(published(want.Revisions), published(want.ExtensionRevisions)...) {
			if from, ok := want.SenderByRevision[rev]; ok && string(m.From(rev)) != from {
				t.Errorf("%s in %s: sent by %s, want %s", want.Method, rev, m.From(rev), from)
			}
			need := want.Capability
			if n, ok := want.CapabilityByRevision[rev]; ok {
				need = n
			}
			got, ok := m.Needs(rev)
			if ok != (need != nil) || ok && (string(got.Of) != need.Side || got.Path != need.Path) {
				t.Errorf("%s in %s: needs %+v, want %+v", want.Method, rev, got, need)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("not in the specification: %v", slices.Sorted(maps.Keys(left)))
	}
}

func TestCapabilityTable(t *testing.T) {
	var spec struct {
		Capabilities []struct {
			Side, Path, ValueType string
			Revisions             []string
			DeprecatedIn          *string
		}
		MetaKeys map[string]struct{ Revisions []string }
	}
	specFile(t, "capabilities.json", &spec)
	if got := len(mcpspec.CapabilityPaths()); got != len(spec.Capabilities) {
		t.Errorf("%d paths, want %d", got, len(spec.Capabilities))
	}
	for _, want := range spec.Capabilities {
		c := mcpspec.LookupCapability(mcpspec.Side(want.Side), want.Path)
		if c == nil {
			t.Errorf("%s of the %s is missing", want.Path, want.Side)
			continue
		}
		leaf := mcpspec.Object
		switch {
		case want.ValueType == "boolean":
			leaf = mcpspec.Bool
		case strings.HasPrefix(want.ValueType, "map "):
			leaf = mcpspec.Map
		}
		if c.Leaf != leaf || !same(c.Revisions.List(), published(want.Revisions)) || (c.Deprecated != 0) != (want.DeprecatedIn != nil) {
			t.Errorf("%s of the %s: table says %+v", want.Path, want.Side, *c)
		}
	}
	want := map[string][]string{}
	for keys, k := range spec.MetaKeys {
		revs := published(k.Revisions)
		if len(revs) == 0 {
			revs = []string{mcpspec.Rev20260728} // of draft alone
		}
		for key := range strings.SplitSeq(keys, " | ") {
			want[key] = revs
		}
	}
	for _, k := range mcpspec.MetaKeys() {
		if !same(k.Revisions.List(), want[k.Key]) {
			t.Errorf("_meta key %s: %v, want %v", k.Key, k.Revisions.List(), want[k.Key])
		}
		delete(want, k.Key)
	}
	if len(want) > 0 {
		t.Errorf("missing _meta keys: %v", want)
	}
}

func TestErrorTable(t *testing.T) {
	var spec struct {
		Codes []struct {
			Code      int64
			Name      string
			Revisions []string
		}
	}
	specFile(t, "errors.json", &spec)
	if got := len(mcpspec.ErrorCodes()); got != len(spec.Codes) {
		t.Errorf("%d codes, want %d", got, len(spec.Codes))
	}
	for _, want := range spec.Codes {
		c := mcpspec.LookupError(want.Code)
		if c == nil || c.Name != want.Name || !same(c.Revisions.List(), published(want.Revisions)) {
			t.Errorf("%d: table says %+v, want %+v", want.Code, c, want)
		}
	}
}
