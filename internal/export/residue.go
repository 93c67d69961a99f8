package export

import (
	"fmt"
	"strings"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/redact"
)

// ResidueError says that something that is about to be published still looks like a secret.
type ResidueError struct {
	At    []annotate.Ref // entries, the first ones; a zero one is the header
	Kinds []string       // of what was found there
	More  int            // places beyond those
}

func (e *ResidueError) Error() string {
	places := make([]string, len(e.At))
	for i, at := range e.At {
		places[i] = e.Kinds[i] + " in the header"
		if !at.IsZero() {
			places[i] = e.Kinds[i] + " in entry " + refText(at)
		}
	}
	s := "something still looks like a secret: " + strings.Join(places, ", ")
	if e.More > 0 {
		s += fmt.Sprintf(" and %d more", e.More)
	}
	return s
}

const maxResidue = 8

// Scan looks at what an export would hold after masking and returns a [ResidueError] when something in it still looks
// like a key: a credential of a known form where the protocol forbids a mask, a random text next to a word
// such as password. collect hands out what the export will hold, masked.
func Scan(collect func(yield func(*annotate.Entry) error) (*annotate.Recording, error)) error {
	found := &ResidueError{}
	note := func(at annotate.Ref, text []byte) {
		kind := redact.Residue(text)
		switch {
		case kind == "":
		case len(found.At) < maxResidue:
			found.At, found.Kinds = append(found.At, at), append(found.Kinds, kind)
		default:
			found.More++
		}
	}
	rec, err := collect(func(e *annotate.Entry) error {
		if e.Kind != annotate.Batch {
			note(e.Ref, e.Raw)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if rec.Header != nil {
		note(annotate.Ref{}, []byte(rec.Header.Label+"\n"+commandLine(rec.Header)))
	}
	if len(found.At) > 0 {
		return found
	}
	return nil
}
