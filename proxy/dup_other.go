//go:build unix && !linux

package proxy

import "golang.org/x/sys/unix"

func dup2(from, to int) { unix.Dup2(from, to) }
