//go:build unix && !linux

package proxy

func behead() { panic("only on Linux") }
