package main

import (
	"fmt"
	"io"
	"strings"
)

// row is one figure of the table.
type row struct {
	figure string
	result float64
	unit   string // behind the numbers: "×", " MB"
	limit  limit
	detail string // what the ratio was made of
}

// limit is what a figure has to keep. The zero value is none.
type limit struct {
	bar, stretch float64 // stretch 0 is none
	more         bool    // more is better
}

func (l limit) meets(result, bar float64) bool {
	if l.more {
		return result >= bar
	}
	return result <= bar
}

func (l limit) sign() string {
	if l.more {
		return "≥ "
	}
	return "≤ "
}

// verdict says how the result stands to the limit.
func (r *row) verdict() string {
	switch {
	case r.limit.bar == 0:
		return ""
	case !r.limit.meets(r.result, r.limit.bar):
		return "missed"
	case r.limit.stretch != 0 && r.limit.meets(r.result, r.limit.stretch):
		return "stretch"
	default:
		return "bar"
	}
}

type table []row

func (t *table) add(r row) { *t = append(*t, r) }

// missed counts the figures that miss their bar.
func (t table) missed() int {
	n := 0
	for i := range t {
		if t[i].verdict() == "missed" {
			n++
		}
	}
	return n
}

// write writes the table in Markdown.
func (t table) write(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| figure | bar | stretch | result | meets | of |\n|---|---|---|---|---|---|\n")
	for i := range t {
		r := &t[i]
		bar, stretch := "–", "–"
		if r.limit.bar != 0 {
			bar = r.limit.sign() + number(r.limit.bar) + r.unit
		}
		if r.limit.stretch != 0 {
			stretch = number(r.limit.stretch) + r.unit
		}
		verdict := r.verdict()
		if verdict == "missed" {
			verdict = "**missed**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.figure, bar, stretch, number(r.result)+r.unit, verdict, r.detail)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// number writes n with as many digits as say something.
func number(n float64) string {
	if n >= 100 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.3g", n)
}
