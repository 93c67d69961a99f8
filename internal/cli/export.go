package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/recordings"
)

func exportVerb(a *app) *cobra.Command {
	format := choice{of: append([]string{"jsonl", "text", "raw", "wire"}, export.Formats()...)}
	stream := choice{of: []string{"stdin", "stdout", "stderr"}}
	var outPath, expr string
	var follow bool
	var f exportFlags
	c := &cobra.Command{
		Use:   "export FILE --format FORMAT",
		Short: "Write a recording in another form",
		Long: `Write a recording in another form:

  jsonl   the annotated JSON lines of show --json
  text    the annotated log of show
  raw     the exact bytes of one stream (--stream)
  wire    a wire log: one JSON line for each line that travelled

  markdown  a report for an issue tracker      mermaid  a sequence diagram
  html      one page to look into, offline     csv      a table, a row an entry
  pcapng    a capture for Wireshark            otlp     traces and logs for OpenTelemetry

Secrets are masked: passwords, tokens, keys and the like, in messages, on standard error, in URLs and
in the command line. --no-redact leaves them in. raw and wire are the exact bytes, so nothing in them is
masked. html and markdown, which are made to be passed on, are not written when something in them still
looks like a secret; --despite-secrets writes them all the same.

With --follow the entries of a recording that still grows are written as they come, until it ends or you
interrupt: jsonl, text, csv, pcapng and otlp can. An entry says what is known at that moment; jsonl writes it
again, with "revises":true, when that changes.

--send hands otlp to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names (http://localhost:4318 if it
names none) and obeys the other OTEL_EXPORTER_OTLP_ variables. Nothing is ever sent without it.`,
		Example: `  shakescope export last --format raw --stream stdout -o server.out
  shakescope export last --format jsonl --filter is:finding -o findings.jsonl
  shakescope export last --format wire -o session.jsonl
  shakescope export last --format pcapng --follow | wireshark -k -i -`,
		Args: oneFile, ValidArgsFunction: completeOneFile,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case format.value == "":
				return fail(2, "say --format "+strings.Join(format.of, ", "), "export needs a format")
			case format.value == "raw" && stream.value == "":
				return fail(2, "say --stream stdin, stdout or stderr", "export --format raw needs a stream")
			case format.value != "raw" && stream.value != "":
				return fail(2, "", "--stream belongs to --format raw")
			case f.send && (format.value != "otlp" || outPath != ""):
				return fail(2, "", "--send belongs to --format otlp, without -o")
			case follow && format.value != "jsonl" && format.value != "text" && !export.CanFollow(format.value):
				return fail(2, "jsonl, text, csv, pcapng and otlp can", "--format %s is written when the recording has ended; it cannot follow", format.value)
			case expr != "" && (format.value == "raw" || format.value == "wire"):
				return fail(2, "say --format jsonl or text", "--format %s writes all that travelled; --filter does not go with it", format.value)
			}
			x, err := parseFilter(expr)
			if err != nil {
				return err
			}
			f.format, f.stream = format.value, stream.value
			if follow {
				return a.exportFollowing(args[0], outPath, x, f)
			}
			src, err := a.source(args[0])
			if err != nil {
				return err
			}
			defer src.close()
			src.filter = x
			out, err := a.outputTo(outPath, src)
			if err != nil {
				return err
			}
			if format.value == "raw" && out.tty && outPath != "-" {
				return out.finish(fail(2, "say -o FILE, or `-o -` if you mean it", "raw bytes can change what the terminal does"))
			}
			return out.finish(a.export(src, out, f))
		},
	}
	c.Flags().Var(&format, "format", "the `FORMAT`: "+strings.Join(format.of, ", "))
	c.Flags().Var(&stream, "stream", "of --format raw: stdin, stdout or stderr, as the server has them")
	c.Flags().StringVarP(&outPath, "output", "o", "", "write to this `FILE` instead of standard output")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "write entries of a live recording as they come, until it ends")
	filterFlag(c, &expr)
	noRedact(c, &f.keep)
	c.Flags().BoolVar(&f.despite, "despite-secrets", false, "write html and markdown though something still looks like a secret")
	c.Flags().BoolVar(&f.send, "send", false, "of --format otlp: send it to the collector that the OTEL_ variables name")
	completeChoice(c, "format", &format)
	completeChoice(c, "stream", &stream)
	return c
}

// exportFlags are the flags of export.
type exportFlags struct {
	format, stream string
	keep           bool // secrets
	despite, send  bool
}

func (a *app) export(src *source, out *output, f exportFlags) error {
	switch f.format {
	case "raw", "wire":
		return a.exportBytes(src, out, f)
	case "jsonl", "text":
	default:
		return a.render(src, out, f)
	}
	var err error
	if src.secrets, err = a.redactor(f.keep); err != nil {
		return err
	}
	switch f.format {
	case "jsonl":
		return a.writeJSONLines(src, out.jsonWriter())
	default:
		l := look{}
		if out.file == nil {
			l = lookOf(a.stdout, false)
		}
		p := newTextLog(out.Writer, l)
		p.whole = true
		return a.writeTextLog(src, p)
	}
}

// render writes one of the formats of package export.
func (a *app) render(src *source, out *output, f exportFlags) error {
	var err error
	if src.secrets, err = a.redactor(f.keep); err != nil {
		return err
	}
	if (f.format == "html" || f.format == "markdown") && !f.keep && !f.despite {
		if err := a.residue(src); err != nil {
			return err
		}
	}
	r, sender, err := a.renderer(context.Background(), out.Writer, recordingID(src.path), f)
	if err != nil {
		return err
	}
	h, err := src.header()
	if err != nil {
		return err
	}
	if h == nil {
		h = &recordings.Header{}
	}
	if err := r.Begin(h); err != nil {
		return writing(err)
	}
	rec, err := src.collect(r.Entry)
	if err != nil {
		return err
	}
	if err := r.End(rec); err != nil {
		if sender != nil {
			return fail(2, "OTEL_EXPORTER_OTLP_ENDPOINT names the collector; http://localhost:4318 is asked without it", "%w", err)
		}
		return writing(err)
	}
	a.warnDamage(src.name, rec.Damage)
	return rejected(sender)
}

// renderer returns the renderer of a format of package export. It writes to w, or sends; then the sender is not nil.
func (a *app) renderer(ctx context.Context, w io.Writer, id string, f exportFlags) (export.Renderer, *export.Sender, error) {
	o := export.Options{Version: a.build.String(), ID: id}
	var sender *export.Sender
	if f.send {
		var err error
		if sender, err = export.NewSender(ctx, os.Getenv); err != nil {
			return nil, nil, fail(2, "", "%w", err)
		}
		o.OnlySampled = true
		w = sender
	}
	if f.format == "otlp" {
		o.Service, o.Resource = os.Getenv("OTEL_SERVICE_NAME"), export.Pairs(os.Getenv("OTEL_RESOURCE_ATTRIBUTES"))
		if o.Service == "" {
			o.Service = o.Resource["service.name"]
		}
	}
	r, err := export.New(f.format, w, o)
	if err != nil {
		return nil, nil, fail(2, "", "%w", err)
	}
	return r, sender, nil
}

// rejected is an error when a collector did not take all.
func rejected(s *export.Sender) error {
	if s == nil || s.Rejected == 0 {
		return nil
	}
	return fail(2, "", "the collector rejected %d spans and logs", s.Rejected)
}

// residue refuses to write what still looks like a secret.
func (a *app) residue(src *source) error {
	var left *export.ResidueError
	err := export.Scan(func(yield func(*annotate.Entry) error) (*annotate.Recording, error) { return src.collect(yield) })
	src.seen, src.shown = 0, 0
	if errors.As(err, &left) {
		return fail(2, "look at these entries; --despite-secrets writes the file all the same", "not written: %w", left)
	}
	return err
}

// recordingID names a recording the same way every time.
func recordingID(path string) string {
	if path == "" {
		return "stdin"
	}
	name := filepath.Base(path)
	for _, end := range []string{".gz", ".zst", ".jsonl"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// exportBytes writes what travelled as it travelled, secrets included, and says so.
func (a *app) exportBytes(src *source, out *output, f exportFlags) error {
	if !f.keep {
		h, err := src.header()
		if err != nil {
			return err
		}
		if h != nil && h.Redacted {
			a.note("%s is what was recorded, in which secrets were masked before; nothing more is masked", f.format)
		} else {
			a.note("%s is the exact traffic: secrets in it are not masked", f.format)
		}
	}
	if f.format == "wire" {
		return a.reading(src, func(r *recordings.Reader) error {
			return recordings.WriteWire(out.jsonWriter(), r)
		})
	}
	s := map[string]recordings.Stream{"stdin": recordings.Stdin, "stdout": recordings.Stdout, "stderr": recordings.Stderr}[f.stream]
	return a.reading(src, func(r *recordings.Reader) error { return a.writeRaw(r, s, out) })
}

// reading opens src, lets read consume it, and says what of it was damaged.
func (a *app) reading(src *source, read func(*recordings.Reader) error) error {
	r, err := src.open()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := read(r); err != nil {
		return unusable(src.name, err)
	}
	a.warnDamage(src.name, r.Damage())
	return nil
}

// writeRaw writes the bytes of one stream as they travelled.
func (a *app) writeRaw(r *recordings.Reader, s recordings.Stream, w io.Writer) error {
	var missing int64
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch {
		case rec.Kind == recordings.GapRecord:
			missing += rec.Gap.Bytes[gapName[s]]
		case rec.Kind == recordings.FrameRecord && rec.Stream == s:
			if _, err := w.Write(rec.Data); err != nil {
				return writing(err)
			}
			if _, err := io.WriteString(w, string(rec.EOL)); err != nil {
				return writing(err)
			}
		}
	}
	if missing > 0 {
		a.note("%d bytes of this stream were not recorded; they are missing from the output", missing)
	}
	return nil
}

// gapName is how gap records call a stream.
var gapName = map[recordings.Stream]string{recordings.Stdin: "in", recordings.Stdout: "out", recordings.Stderr: "err"}
