//go:build race

package jsonrpc

const raceDetector = true
