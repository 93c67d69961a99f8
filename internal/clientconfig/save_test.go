package clientconfig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A copy goes when the file is again what it holds, and only then.
func TestRestore(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("LocalAppData", t.TempDir())
	const src = `{"mcpServers":{"a":{"command":"npx","env":{"TOKEN":"secret"}},"b":{"command":"uvx"}}}`
	for _, test := range []struct {
		name    string
		install []string          // one after the other
		between func(path string) // what happens before uninstall
		remove  []string          // servers
		removed int               // copies
		backup  bool
	}{
		{name: "as it was", install: []string{"a"}, remove: []string{"a"}, removed: 1},
		{name: "one of two, the last one", install: []string{"a", "b"}, remove: []string{"b"}, removed: 1, backup: false},
		{name: "both, one after the other", install: []string{"a", "b"}, remove: []string{"a", "b"}, removed: 1},
		{name: "one of two, the first one", install: []string{"a", "b"}, remove: []string{"a"}, removed: 0, backup: true},
		{name: "changed meanwhile", install: []string{"a"}, remove: []string{"a"}, removed: 0, backup: true, between: func(path string) {
			b, _ := os.ReadFile(path)
			os.WriteFile(path, []byte(strings.Replace(string(b), "uvx", "uv", 1)), 0o600)
		}},
		{name: "the copy was changed", install: []string{"a"}, remove: []string{"a"}, removed: 0, backup: true, between: func(path string) {
			names, _ := filepath.Glob(path + ".bak-*")
			os.WriteFile(names[0], []byte(strings.Replace(src, "uvx", "uv2", 1)), 0o600)
		}},
		{name: "two copies of the same", install: []string{"a"}, remove: []string{"a"}, removed: 2, between: func(path string) {
			os.WriteFile(path+".bak-20260101T000000-2", []byte(src), 0o600)
		}},
		{name: "copies of somebody else's", install: []string{"a"}, remove: []string{"a"}, removed: 1, between: func(path string) {
			for _, end := range []string{".bak", ".bak-old", ".bak-20260101", ".bak-20260101T000000.txt", "x.bak-20260101T000000"} {
				os.WriteFile(path+end, []byte(src), 0o600)
			}
			os.WriteFile(filepath.Join(filepath.Dir(path), "other.json.bak-20260101T000000"), []byte(src), 0o600)
			os.Mkdir(path+".bak-20260101T000001", 0o700)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.json")
			if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
				t.Fatal(err)
			}
			change := func(name string, do func(*File, Server) error) *File {
				f, err := Load(Location{Client: ByID("cursor"), Path: path})
				if err != nil {
					t.Fatal(err)
				}
				all := serversOf(t, f)
				i := slices.IndexFunc(all, func(s Server) bool { return s.Name == name })
				if err := do(f, all[i]); err != nil {
					t.Fatal(err)
				}
				return f
			}
			var copies []string
			for _, name := range test.install {
				backup, err := change(name, func(f *File, s Server) error { return f.Wrap(s, testWrapper) }).Save()
				if err != nil {
					t.Fatal(err)
				}
				copies = append(copies, backup)
			}
			if test.between != nil {
				test.between(path)
			}
			before, _ := os.ReadDir(filepath.Dir(path))
			f, err := Load(Location{Client: ByID("cursor"), Path: path})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range test.remove {
				for _, s := range serversOf(t, f) {
					if s.Name == name {
						if err := f.Unwrap(s, testWrapper); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			needless := f.Needless()
			done, err := f.Restore()
			if err != nil {
				t.Fatal(err)
			}
			if len(done.Removed) != test.removed || !slices.Equal(done.Removed, needless) || (done.Backup != "") != test.backup || len(done.Stuck) > 0 {
				t.Errorf("%+v, announced were %q", done, needless)
			}
			after, _ := os.ReadDir(filepath.Dir(path))
			want := len(before) - test.removed
			if test.backup {
				want++
			}
			if len(after) != want {
				t.Errorf("%d files, want %d: %v", len(after), want, after)
			}
			for _, gone := range done.Removed {
				if _, err := os.Lstat(gone); !os.IsNotExist(err) {
					t.Errorf("%s: %v", gone, err)
				}
			}
			for _, there := range done.Left {
				if _, err := os.Lstat(there); err != nil || slices.Contains(done.Removed, there) {
					t.Errorf("%s: %v", there, err)
				}
			}
			if test.removed > 0 && !slices.ContainsFunc(copies, func(c string) bool { return slices.Contains(done.Removed, c) }) {
				t.Errorf("%q were made, %q removed", copies, done.Removed)
			}
		})
	}
}

// A change by others keeps everything.
func TestRestoreLate(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("LocalAppData", t.TempDir())
	path := filepath.Join(t.TempDir(), "m.json")
	os.WriteFile(path, []byte(`{"mcpServers":{"a":{"command":"npx"}}}`), 0o600)
	load := func() *File {
		f, err := Load(Location{Client: ByID("cursor"), Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := load()
	f.Wrap(serversOf(t, f)[0], testWrapper)
	backup, err := f.Save()
	if err != nil {
		t.Fatal(err)
	}
	f = load()
	f.Unwrap(serversOf(t, f)[0], testWrapper)
	os.WriteFile(path, []byte(`{}`), 0o600)
	if _, err := f.Restore(); err != ErrChanged {
		t.Errorf("%v", err)
	}
	if _, err := os.Lstat(backup); err != nil {
		t.Error(err)
	}
}
