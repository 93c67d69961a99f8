//go:build !race

package jsonrpc

const raceDetector = false
