package tui

import (
	"strings"
	"testing"
)

// V goes through the forms and back; other entries are told so, and keep their own form.
func TestModelView(t *testing.T) {
	d := drive(t, Options{}, &shelf{}, 120, 40)
	everyday().on(d)
	d.keys("e", "enter")
	for _, want := range []string{"tool_use", "tool_calls", "Primitive: tools"} {
		d.keys("V")
		if got := d.text(); !strings.Contains(got, want) {
			t.Fatalf("no %q in\n%s", want, got)
		}
	}
	d.keys("V", "]")
	if got := d.text(); strings.Contains(got, "as the model saw it") {
		t.Errorf("the raw tab shows the model's form:\n%s", got)
	}
	d.keys("V") // from another tab the form is shown, not left
	if got := d.text(); !strings.Contains(got, "tool_use") {
		t.Errorf("V in the raw tab shows no form:\n%s", got)
	}
	d.keys("esc", "g", "V")
	if got := d.text(); !strings.Contains(got, "only a call of a tool") || strings.Contains(got, "tool_use") {
		t.Errorf("an event as the model saw it:\n%s", got)
	}
}
