package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/recordings"
)

func importVerb(a *app) *cobra.Command {
	var outPath string
	var in importFlags
	in.as.of = []string{"client", "server"}
	c := &cobra.Command{
		Use:   "import FILE -o OUT",
		Short: "Make a native recording of a foreign log",
		Long: `Make a native recording of a foreign log: a wire log, messages one a line, behind arrows or as
printed in a transcript, the logs of other recorders, of the MCP Inspector, of Claude Desktop, VS Code
and the Go SDK, or with --c2s and --s2c the bytes of each stream in a file of its own. What a file is
shows in its content; it may be packed with gzip or zstd.`,
		Example: `  shakescope import wire.jsonl -o session.jsonl
  shakescope import --c2s stdin.log --s2c stdout.log -o session.jsonl
  shakescope import sdk.log --as server -o session.jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			if !in.streams() {
				return oneFile(c, args)
			}
			if len(args) > 0 {
				return fail(2, "", "import takes either a FILE or --c2s and --s2c")
			}
			return nil
		},
		ValidArgsFunction: completeOneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case outPath == "":
				return fail(2, "say -o OUT; `-o -` is standard output", "import needs a place for the recording")
			case in.streams() && in.as.value != "":
				return fail(2, "", "--as does not go with --c2s and --s2c, which say who sent what")
			case in.streams():
				return a.importStreams(outPath, in)
			}
			return a.importFile(args[0], outPath, in)
		},
	}
	c.Flags().StringVarP(&outPath, "output", "o", "", "write the recording to this `FILE`")
	c.Flags().StringVar(&in.client, "c2s", "", "a `FILE` with what the client wrote, byte for byte")
	c.Flags().StringVar(&in.server, "s2c", "", "a `FILE` with what the server wrote, byte for byte")
	c.Flags().Var(&in.as, "as", "who kept a log that says only read and write: client or server")
	completeChoice(c, "as", &in.as)
	return c
}

// importFlags are the flags of import that say what is read.
type importFlags struct {
	client, server string
	as             choice
}

func (in *importFlags) streams() bool { return in.client != "" || in.server != "" }

func (a *app) importFile(file, outPath string, in importFlags) error {
	src, err := a.source(file)
	if err != nil {
		return err
	}
	defer src.close()
	out, err := a.outputTo(outPath, src)
	if err != nil {
		return err
	}
	return out.finish(a.reading(src, func(r *recordings.Reader) error {
		if r.Format() == recordings.Native {
			return fail(2, fmt.Sprintf("shakescope show %s", file), "%s is a recording of shakescope already", src.name)
		}
		if in.as.value != "" {
			if err := r.From(in.as.value); err != nil {
				return fail(2, "leave --as out", "%w", err)
			}
		}
		return recordings.WriteNative(out.jsonWriter(), r)
	}))
}

func (a *app) importStreams(outPath string, in importFlags) error {
	var sources []*source
	for _, path := range []string{in.client, in.server} {
		if path != "" {
			sources = append(sources, &source{name: path, path: path})
		}
	}
	r, err := recordings.OpenStreams(in.client, in.server)
	if err != nil {
		return unusable(sources[0].name, err)
	}
	defer r.Close()
	out, err := a.outputTo(outPath, sources...)
	if err != nil {
		return err
	}
	err = unusable(sources[0].name, recordings.WriteNative(out.jsonWriter(), r))
	a.warnDamage(sources[0].name, r.Damage())
	return out.finish(err)
}
