package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shakescope/shakescope/internal/clientconfig"
	"github.com/shakescope/shakescope/internal/export"
	"github.com/shakescope/shakescope/internal/termtext"
)

type installFlags struct {
	clients []string
	servers []string
	all     bool
	dryRun  bool
	binary  string
}

func installVerb(a *app) *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use:   "install [--client C] [--server NAME | --all]",
		Short: "Put shakescope in front of servers in the configuration of your clients",
		Long: `Without --server or --all: list the MCP clients of this machine that have a configuration, and their servers.

With one of them, each server chosen gets shakescope in front of its command; nothing else in the file changes. A copy of the
file is kept beside it. shakescope uninstall takes it out again.

The files are those of the user and those of the working folder. Exit code 1: there was nothing to do.`,
		Example: `  shakescope install
  shakescope install --server files --dry-run
  shakescope install --client cursor --all`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.install(f, true) },
	}
	f.add(c, "put shakescope in front of")
	c.Flags().StringVar(&f.binary, "binary", "", "the `PATH` of the shakescope that clients shall start, instead of this one's")
	return c
}

func uninstallVerb(a *app) *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use:   "uninstall [--client C] [--server NAME | --all]",
		Short: "Take shakescope out of the configuration of your clients",
		Long: `Give servers that have shakescope in front of them their own command back. A file that nobody has changed since install becomes what
it was, to the byte, and the copy that install kept of it is removed. Without --server or --all the servers are only listed. Exit code 1: there was nothing to do.`,
		Example: `  shakescope uninstall --all`,
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.install(f, false) },
	}
	f.add(c, "take shakescope away from")
	return c
}

func (f *installFlags) add(c *cobra.Command, what string) {
	c.Flags().StringSliceVar(&f.clients, "client", nil, "only this `CLIENT`: "+strings.Join(clientIDs(), ", "))
	c.Flags().StringArrayVar(&f.servers, "server", nil, what+" the server with this `NAME`, in each client that has it")
	c.Flags().BoolVar(&f.all, "all", false, what+" all servers")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only print the change, as a unified diff")
	c.MarkFlagsMutuallyExclusive("server", "all")
	c.RegisterFlagCompletionFunc("server", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return serverNames(f.clients), cobra.ShellCompDirectiveNoFileComp
	})
	c.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(clientIDs(), cobra.ShellCompDirectiveNoFileComp))
}

// serverNames are the servers in the configurations of these clients, or of all, that can be edited.
func serverNames(clients []string) []string {
	env, err := clientconfig.Here()
	if err != nil {
		return nil
	}
	var names []string
	for _, c := range clientconfig.Clients() {
		if len(clients) > 0 && !slices.Contains(clients, c.ID) {
			continue
		}
		for _, l := range c.Locations(env) {
			if l.Managed {
				continue
			}
			file, err := clientconfig.Load(l)
			if err != nil {
				continue
			}
			servers, _ := file.Servers(&clientconfig.Wrapper{Verb: func(string) bool { return false }, Flag: func(string) (bool, bool) { return false, false }})
			for _, s := range servers {
				if s.State != clientconfig.Skipped && !slices.Contains(names, s.Name) {
					names = append(names, s.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

func clientIDs() []string {
	var ids []string
	for _, c := range clientconfig.Clients() {
		ids = append(ids, c.ID)
	}
	return ids
}

// wrapper describes shakescope to the package that edits configurations.
func (a *app) wrapper() *clientconfig.Wrapper {
	flags := runVerb(a).Flags()
	return &clientconfig.Wrapper{
		Verb: func(word string) bool { return word != "run" && a.isVerb(word) },
		Flag: func(name string) (known, takesValue bool) {
			f := flags.Lookup(name)
			if f == nil && len(name) == 1 {
				f = flags.ShorthandLookup(name)
			}
			if f == nil {
				return false, false
			}
			return true, f.NoOptDefVal == ""
		},
	}
}

// program is the path clients shall start shakescope by.
func (f *installFlags) program() (string, error) {
	path, err := filepath.Abs(f.binary)
	if f.binary == "" {
		path, err = clientconfig.Binary()
	}
	if err != nil {
		return "", fail(2, "", "%w", err)
	}
	if err := clientconfig.CheckBinary(path, os.TempDir()); err != nil {
		return "", fail(2, "clients start shakescope by its path; --binary names another", "%w", err)
	}
	return path, nil
}

// chosenClients are those of --client, or all.
func (f *installFlags) chosenClients() ([]*clientconfig.Client, error) {
	if len(f.clients) == 0 {
		return clientconfig.Clients(), nil
	}
	var chosen []*clientconfig.Client
	for _, id := range f.clients {
		if strings.HasPrefix(id, "jetbrains") {
			return nil, fail(2, "in Settings > Tools > AI Assistant > Model Context Protocol, make shakescope the command and `run --label NAME --` with the old command its arguments",
				"JetBrains AI Assistant keeps its servers in the settings of the IDE, which are not edited from outside")
		}
		c := clientconfig.ByID(id)
		if c == nil {
			return nil, fail(2, "known are "+strings.Join(clientIDs(), ", "), "no client is called %q", id)
		}
		chosen = append(chosen, c)
	}
	return chosen, nil
}

// installation is one run of install or uninstall.
type installation struct {
	*app
	installFlags
	wrap    bool
	wrapper *clientconfig.Wrapper
	out     *output
	home    string
	found   int // files
	servers int // entries in them
	changed int // entries
	plain   int // entries that were listed, with no shakescope in front of them
	failed  bool
	missing []string // of --server
	left    int      // copies of files
}

func (a *app) install(f installFlags, wrap bool) error {
	chosen, err := f.chosenClients()
	if err != nil {
		return err
	}
	env, err := clientconfig.Here()
	if err != nil {
		return fail(2, "", "%w", err)
	}
	i := &installation{app: a, installFlags: f, wrap: wrap, wrapper: a.wrapper(), out: a.standardOutput(), home: env.Home, missing: slices.Clone(f.servers)}
	selected := f.all || len(f.servers) > 0
	if wrap && selected {
		if i.wrapper.Path, err = f.program(); err != nil {
			return err
		}
	}
	seen := map[string]bool{} // several clients may read the same file
	for _, c := range chosen {
		for _, l := range c.Locations(env) {
			if seen[l.Path] {
				continue
			}
			seen[l.Path] = true
			i.found++
			file, servers, ok := i.load(l)
			switch {
			case !ok:
			case selected:
				i.change(file, servers)
			default:
				i.list(file, servers)
			}
		}
	}
	if err := i.out.finish(nil); err != nil {
		return err
	}
	return i.end(selected)
}

// load reads a file; when it cannot be edited, it says why.
func (i *installation) load(l clientconfig.Location) (*clientconfig.File, []clientconfig.Server, bool) {
	if l.Managed {
		i.note("%s: %s is managed by an administrator; it is not edited", l.Client.Name, i.short(l.Path))
		return nil, nil, false
	}
	file, err := clientconfig.Load(l)
	var servers []clientconfig.Server
	if err == nil {
		servers, err = file.Servers(i.wrapper)
	}
	if err != nil {
		i.note("%s: %s is left alone: %v", l.Client.Name, i.short(l.Path), err)
		return nil, nil, false
	}
	i.servers += len(servers)
	return file, servers, true
}

// list prints a file's servers.
func (i *installation) list(file *clientconfig.File, servers []clientconfig.Server) {
	p := newTextLog(i.out.Writer, lookOf(i.stdout, false))
	p.line(noRole, fmt.Sprintf("%s (%s): %s", file.Client.Name, file.Client.ID, p.clean(i.short(file.Path))))
	if len(servers) == 0 {
		p.line(noRole, "  no servers")
	}
	for _, s := range servers {
		if s.State == clientconfig.Plain {
			i.plain++
		}
		more := oneLine(s.Reason)
		if s.State != clientconfig.Skipped {
			command := s.Command
			if s.State == clientconfig.Wrapped {
				command = i.wrapper.Inner(s.Command)
			}
			more = oneLine(export.ShellWords(command))
		}
		p.put(noRole, fmt.Sprintf("  %-8s %s  ", s.State, termtext.PadRight(i.name(s), 20)))
		p.line(noRole, p.clean(more))
	}
}

// name is a server's name, with the project it is for.
func (i *installation) name(s clientconfig.Server) string {
	if s.Scope != "" {
		return oneLine(s.Name + " in " + i.short(s.Scope))
	}
	return oneLine(s.Name)
}

// change edits the chosen servers of a file.
func (i *installation) change(file *clientconfig.File, servers []clientconfig.Server) {
	var said []string
	changed := 0
	for _, s := range servers {
		if !i.all && !slices.Contains(i.installFlags.servers, s.Name) {
			continue
		}
		i.missing = slices.DeleteFunc(i.missing, func(n string) bool { return n == s.Name })
		done := "wrapped"
		edit, from := file.Wrap, clientconfig.Plain
		if !i.wrap {
			done = "unwrapped"
			edit, from = file.Unwrap, clientconfig.Wrapped
		}
		switch {
		case s.State == from:
			if err := edit(s, i.wrapper); err != nil {
				said = append(said, fmt.Sprintf("skipped    %s: %v", i.name(s), err))
				continue
			}
			changed++
			said = append(said, fmt.Sprintf("%-10s %s", done, i.name(s)))
		case s.State == clientconfig.Skipped:
			said = append(said, fmt.Sprintf("skipped    %s: %s", i.name(s), s.Reason))
		case i.wrap:
			said = append(said, fmt.Sprintf("unchanged  %s: it is wrapped already, by %s", i.name(s), s.Command[0]))
		case !i.all:
			said = append(said, fmt.Sprintf("unchanged  %s: shakescope is not in front of it", i.name(s)))
		}
	}
	if i.dryRun {
		i.out.Write(file.Diff())
		for _, l := range said {
			if !strings.HasPrefix(l, "wrapped") && !strings.HasPrefix(l, "unwrapped") {
				i.note("%s: %s", file.Client.Name, l)
			}
		}
		if !i.wrap && changed > 0 {
			for _, path := range file.Needless() {
				i.note("%s: the file would be what it was before install, so its copy would be removed: %s", file.Client.Name, i.short(path))
			}
		}
		i.changed += changed
		return
	}
	if len(said) == 0 {
		return
	}
	var done clientconfig.Restored
	if changed > 0 {
		var err error
		if i.wrap {
			done.Backup, err = file.Save()
		} else {
			done, err = file.Restore()
		}
		if err != nil {
			i.note("%s: %s is left alone: %v", file.Client.Name, i.short(file.Path), err)
			i.failed = true
			return
		}
	}
	i.changed += changed
	fmt.Fprintf(i.out, "%s: %s\n", file.Client.Name, termtext.Clean(i.short(file.Path)))
	for _, l := range said {
		fmt.Fprintf(i.out, "  %s\n", oneLine(l))
	}
	if changed > 0 {
		i.copies(file, &done)
		fmt.Fprintf(i.out, "  %s %s\n", file.Client.Name, file.Client.Reload)
	}
}

// copies says what became of the copies of a file that was written.
func (i *installation) copies(file *clientconfig.File, done *clientconfig.Restored) {
	if done.Backup != "" {
		fmt.Fprintf(i.out, "  the file as it was: %s\n", termtext.Clean(i.short(done.Backup)))
		i.left++
	}
	for _, path := range done.Removed {
		fmt.Fprintf(i.out, "  the file is what it was before install, so its copy is removed: %s\n", termtext.Clean(i.short(path)))
	}
	for _, err := range done.Stuck {
		i.note("warning: %s: a copy that is of no use any more could not be removed: %v", file.Client.Name, err)
		i.left++
	}
	i.left += len(done.Left)
}

// end says what is left to say and chooses the exit code.
func (i *installation) end(selected bool) error {
	verb, what := "install", "put shakescope in front of them"
	if !i.wrap {
		verb, what = "uninstall", "take shakescope out"
	}
	switch {
	case i.failed:
		return exit(2)
	case i.found == 0:
		return fail(1, docsURL+"/clients.md says where they are looked for", "no configuration of an MCP client was found")
	case !selected:
		switch {
		case i.servers == 0:
		case i.wrap && i.plain == 0:
			i.note("use them as usual, and look with `shakescope`; `shakescope uninstall --all` takes it out again")
		default:
			i.note("`shakescope %s --server NAME` or `--all` to %s; `--dry-run` to see the change first", verb, what)
		}
		return nil
	case len(i.missing) > 0:
		err := fail(1, "`shakescope install` lists what there is", "no client has a server called %s", strings.Join(i.missing, ", "))
		if i.changed > 0 {
			i.note("%v", err)
			return nil
		}
		return err
	case i.changed == 0:
		i.note("there was nothing to do")
		return exit(1)
	}
	if !i.wrap && !i.dryRun && i.left > 0 {
		i.note("the copies of the files as they were, beside them with .bak-TIME behind their names, can be removed when nothing is missed")
	}
	if i.wrap && !i.dryRun {
		i.note("restarted, a client is recorded; `shakescope` shows the recordings, `shakescope uninstall --all` takes it out again")
	}
	return nil
}

// short writes a path below home with ~.
func (i *installation) short(path string) string {
	if rest, ok := strings.CutPrefix(path, i.home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}
