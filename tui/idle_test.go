package tui

import (
	"context"
	"testing"
)

// The library must be built as the metronome knows it: an update of it that is not shall be noticed.
func TestMetronome(t *testing.T) {
	m := newModel(context.Background(), Options{})
	if watch(program(context.Background(), m, nil)) == nil {
		t.Error("the ticker of the library is not where it was")
	}
}
