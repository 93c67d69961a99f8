package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/internal/redact"
	"github.com/shakescope/shakescope/internal/settings"
)

// Secrets are masked in whatever leaves this machine: exports, and reports that programs read. A verb with such a
// report has the flag of [noRedact], asks [app.redactor] what masks them, hands that to its [source] (which then
// learns all secrets of the recording before it hands anything out), and prints its report by [writeRedacted].
// What is printed for people to read here and now is not masked.

// noRedact gives a verb the flag that leaves secrets in.
func noRedact(c *cobra.Command, keep *bool) {
	c.Flags().BoolVar(keep, "no-redact", false, "leave secrets in")
}

// redactor returns what masks secrets, nil if they are to be kept. It fails when the settings file cannot be used:
// what somebody wants masked is not to be passed on because of a typing error.
func (a *app) redactor(keep bool) (*redact.Redactor, error) {
	if keep {
		return nil, nil
	}
	r, err := newRedactor()
	if err != nil {
		return nil, fail(2, "mend the file, or say --no-redact to pass secrets on", "%w", err)
	}
	return r, nil
}

// newRedactor returns what masks secrets, by the rules of the program and those of the settings file.
func newRedactor() (*redact.Redactor, error) {
	path, err := settings.DefaultPath()
	if err != nil {
		return redact.New(), nil // there is no place for a file
	}
	s, err := settings.Load(path)
	if err != nil {
		return nil, err
	}
	return redact.NewWith(s.Redact), nil
}

// writeRedacted writes v as one line of JSON with its secrets masked; a nil r masks nothing. The places of the recordings
// that it is about stay as they are, also where your name is part of them.
func writeRedacted(out *output, r *redact.Redactor, v any, places ...string) error {
	if r == nil {
		return writeJSON(out.jsonWriter(), v)
	}
	for _, place := range places {
		r.Keep(place)
	}
	var b bytes.Buffer
	if err := writeJSON(&b, v); err != nil {
		return err
	}
	_, err := out.jsonWriter().Write(append(r.Report(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), '\n'))
	return err
}
