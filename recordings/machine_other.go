//go:build !linux && !darwin && !windows

package recordings

func machineID() string { return "" }

func bootID() string { return "" }

func processStart(int) int64 { return 0 }

func processName(int) string { return "" }
