package proxy

import "os/exec"

func platformStep([]string) bool { return false }
func ownSession(*exec.Cmd)       {}
