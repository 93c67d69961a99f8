// Package otel holds ready pieces for teams that collect MCP sessions with OpenTelemetry: configurations of the
// collector, queries and a dashboard. docs/fleet.md explains them. It is a module of its own, so that the collector's
// modules, which its tests use, are none of shakescope's.
package otel
