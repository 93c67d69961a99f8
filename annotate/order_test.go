package annotate

import (
	"slices"
	"testing"
)

func TestByConsequence(t *testing.T) {
	at := func(n int64) Ref { return Ref{n, NoSub} }
	in := []Finding{
		{Rule: "stderr-output", Level: LevelInfo, At: at(1)},
		{Rule: "unknown-method", Level: LevelWarning, At: at(2), Count: 20},
		{Rule: "trailing-space", Level: LevelInfo, At: at(3), Count: 9},
		{Rule: "stdout-not-json", Level: LevelError, At: at(4)},
		{Rule: "schema-result", Level: LevelError, At: at(5)},
		{Rule: "blank-line", Level: LevelWarning, At: at(6)},
		{Rule: "request-unanswered", Level: LevelWarning, At: at(7)},
		{Rule: "error-id-missing", Level: LevelInfo, At: at(8)},
		{Rule: "error-id-missing", Level: LevelError, At: at(9)},
		{Rule: "hangup-cause", Level: LevelInfo, At: at(10)},
		{Rule: "exit-with-pending", Level: LevelError, At: at(11)},
	}
	before := slices.Clone(in)
	var got []int64
	for _, f := range ByConsequence(in) {
		got = append(got, f.At.Seq)
	}
	if want := []int64{11, 10, 9, 7, 5, 2, 4, 6, 1, 3, 8}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	for i := range in {
		if in[i].At != before[i].At {
			t.Fatal("the slice given was changed")
		}
	}
	for id := range consequences {
		if LookupRule(id) == nil {
			t.Logf("no rule %s yet", id)
		}
	}
}
