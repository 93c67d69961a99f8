package clientconfig

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
)

// Env is what decides where clients keep their files.
type Env struct {
	// GOOS is as in package runtime.
	GOOS string
	// Home is the user's home folder, Dir the working folder, whose project files count too.
	Home, Dir string
	Getenv    func(string) string
}

// Here is the environment of this process.
func Here() (Env, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Env{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return Env{}, err
	}
	return Env{GOOS: runtime.GOOS, Home: home, Dir: dir, Getenv: os.Getenv}, nil
}

func (e Env) home(elem ...string) string { return filepath.Join(append([]string{e.Home}, elem...)...) }
func (e Env) project(elem ...string) string {
	return filepath.Join(append([]string{e.Dir}, elem...)...)
}

// variable is the folder that an environment variable names, else a folder below home.
func (e Env) variable(name string, fallback ...string) string {
	if d := e.Getenv(name); filepath.IsAbs(d) {
		return d
	}
	return e.home(fallback...)
}

// appData is where desktop programs keep their files.
func (e Env) appData(elem ...string) string {
	var base string
	switch e.GOOS {
	case "darwin":
		base = e.home("Library", "Application Support")
	case "windows":
		base = e.variable("APPDATA", "AppData", "Roaming")
	default:
		base = e.variable("XDG_CONFIG_HOME", ".config")
	}
	return filepath.Join(append([]string{base}, elem...)...)
}

// dotConfig is where terminal programs keep their files: on macOS too.
func (e Env) dotConfig(elem ...string) string {
	base := e.home(".config")
	if e.GOOS != "windows" {
		base = e.variable("XDG_CONFIG_HOME", ".config")
	}
	return filepath.Join(append([]string{base}, elem...)...)
}

// glob returns the files below dir whose path matches the patterns, one for a level, in order.
func glob(dir string, patterns ...string) []string {
	if len(patterns) == 0 {
		return []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var found []string
	for _, f := range entries {
		if ok, _ := path.Match(patterns[0], f.Name()); ok {
			found = append(found, glob(filepath.Join(dir, f.Name()), patterns[1:]...)...)
		}
	}
	return found
}

// place is where in a file servers stand: keys from the root, "*" for any. In a list they carry their
// name themselves.
type place []string

// Client is an MCP client that keeps its servers in a file.
type Client struct {
	// ID is its name on the command line.
	ID, Name string
	// Reload says in a sentence how it picks a change up.
	Reload string
	// files returns the user's files and the project's, whether they exist or not.
	files  func(Env) (user, project []string)
	places []place
	fields fields
	// managed returns files an administrator owns.
	managed func(Env) []string
}

// Location is a file of a client that exists.
type Location struct {
	Client *Client
	Path   string
	// Project is true for a file of the working folder.
	Project bool
	// Managed files belong to an administrator: they are not edited.
	Managed bool
}

// Locations returns the files of c that exist in env.
func (c *Client) Locations(env Env) []Location {
	var found []Location
	add := func(paths []string, l Location) {
		for _, p := range paths {
			if i, err := os.Stat(p); err != nil || i.IsDir() {
				continue
			}
			if slices.ContainsFunc(found, func(f Location) bool { return f.Path == p }) {
				continue
			}
			l.Client, l.Path = c, p
			found = append(found, l)
		}
	}
	user, project := c.files(env)
	add(user, Location{})
	add(project, Location{Project: true})
	if c.managed != nil {
		add(c.managed(env), Location{Managed: true})
	}
	return found
}

// ByID returns the client with this ID, nil if there is none.
func ByID(id string) *Client {
	for _, c := range Clients() {
		if c.ID == id {
			return c
		}
	}
	return nil
}
