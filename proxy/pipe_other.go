//go:build !linux

package proxy

// widen changes nothing: only Linux lets the size of a pipe be chosen.
func widen(any) (usual int) { return 0 }

func narrow(any, int) bool { return true }
