package tui

import (
	"math/bits"
	"strings"
	"testing"
)

// Where a key has two bindings that are valid in one place, one of them must be for fewer places, or
// nobody can tell which is meant.
func TestKeysAreUnambiguous(t *testing.T) {
	table := keyTable()
	for i, a := range table {
		for _, b := range table[i+1:] {
			for _, k := range a.Keys() {
				for _, l := range b.Keys() {
					if k == l && a.in&b.in != 0 && bits.OnesCount16(uint16(a.in)) == bits.OnesCount16(uint16(b.in)) {
						t.Errorf("%q is both %s and %s", k, a.act, b.act)
					}
				}
			}
		}
	}
}

func TestKeyMeaning(t *testing.T) {
	k := newKeymap(nil)
	for _, c := range []struct {
		key  string
		in   place
		want action
	}{
		{"space", inList, actPageDown},
		{"space", inList | inReplay, actPause},
		{"space", inList | inDetail | inRaw | inReplay, actPause},
		{"l", inList, actOpen},
		{"l", inList | inDetail | inRaw, actUnfold},
		{"l", inList | inTimeline, actUnfold},
		{"h", inList, actNone},
		{"w", inList, actNextWarn},
		{"g", inList | inReplay, actTop},
		{"4", inList, "screen-4"},
		{"f", inHome, actNone},
		{"q", inHome, actBack},
		{"", inHome, actNone},
	} {
		if got := k.action(c.key, c.in); got != c.want {
			t.Errorf("%q in %b is %q, want %q", c.key, c.in, got, c.want)
		}
	}
}

// The help lists a key only where it does what the help says.
func TestHelpTellsTheTruth(t *testing.T) {
	k := newKeymap(nil)
	for _, in := range []place{inHome, inList, inTable, inList | inDetail, inList | inDetail | inRaw, inList | inReplay, inList | inTimeline, inTable | inFindings} {
		seen := map[string]action{}
		for _, b := range k.valid(in) {
			for _, key := range b.Keys() {
				if got := k.action(key, in); got != b.act {
					t.Errorf("help says %q is %s, it is %s", key, b.act, got)
				}
				if was, ok := seen[key]; ok {
					t.Errorf("%q is listed as %s and %s", key, was, b.act)
				}
				seen[key] = b.act
			}
		}
	}
}

func TestEveryScreenHasAKey(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range screens() {
		if seen[s.key] {
			t.Errorf("two screens on %s", s.key)
		}
		seen[s.key] = true
		if newKeymap(nil).action(s.key, inList) != actScreen+action("-"+s.key) {
			t.Errorf("%s does not lead to %s", s.key, s.title)
		}
	}
}

// docs/keys.md is made from the table.
func TestKeysPage(t *testing.T) { compareFile(t, "../docs/keys.md", keysPage()) }

// keysPage writes the keys of all places as a Markdown document.
func keysPage() string {
	names := []struct {
		in   place
		text string
	}{
		{inHome, "recordings"}, {inList, "stream, ladder"}, {inTable, "other screens"}, {inDetail, "detail"}, {inRaw, "raw"},
		{inReplay, "replay"}, {inTimeline, "timeline"}, {inFindings, "findings"}, {inLadder, "ladder"}, {inHandshake, "handshake"}, {inDiff, "diff"}, {inResend, "resend"}, {inResent, "answer to a resend"},
	}
	var b strings.Builder
	b.WriteString("# Keys\n\nMade from the table in tui/keys.go. Where a key has several meanings, the one for the fewest places wins.\nThe last column is the name by which the palette (`:`) and the settings file ([settings.md](settings.md)) know it.\n")
	group := ""
	for _, bind := range keyTable() {
		if bind.group != group {
			group = bind.group
			b.WriteString("\n## " + group + "\n\n| keys | does | where | action |\n|---|---|---|---|\n")
		}
		where := "everywhere"
		if bind.in != everywhere {
			var in []string
			for _, n := range names {
				if bind.in&n.in != 0 {
					in = append(in, n.text)
				}
			}
			where = strings.Join(in, ", ")
			if bind.in&inRecording == inRecording {
				where = "in a recording"
			}
		}
		keys := make([]string, len(bind.Keys()))
		for i, k := range bind.Keys() {
			keys[i] = "`" + k + "`"
		}
		b.WriteString("| " + strings.Join(keys, " ") + " | " + bind.Help().Desc + " | " + where + " | `" + string(bind.act) + "` |\n")
	}
	return b.String()
}
