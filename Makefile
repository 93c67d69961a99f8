# Short names for the commands that CONTRIBUTING.md describes. Nothing here is needed to build or use
# shakescope: `go build`, `go run . demo` and `go test ./...` do.

CORPUS ?= $(or $(SHAKESCOPE_CORPUS),../shared)

.PHONY: build test e2e bench bench-parts bench-tui lint
# As releases are built. The tag leaves out net/http's HTTP/2, which the program never speaks: 0.4 MB, and no difference else.
build:
	CGO_ENABLED=0 go build -trimpath -tags nethttpomithttp2 -o shakescope .

test:
	go test ./...

# Real servers and clients from npm, and the corpus of recorded sessions where there is one.
e2e: e2e/npm/node_modules e2e/schemas/node_modules
	SHAKESCOPE_E2E=1 SHAKESCOPE_CORPUS="$(abspath $(wildcard $(CORPUS)))" go test -count=1 -timeout 30m ./e2e/

%/node_modules: %/package-lock.json
	cd $* && npm ci --ignore-scripts
	touch $@

# Against yardsticks, with the bars: docs/performance.md. Needs gcc, node and grep.
bench:
	go run ./bench $(BENCHFLAGS)

# Parts of the terminal UI by themselves: no yardsticks.
bench-parts:
	go test -run '^$$' -bench . -benchmem ./tui ./internal/jsontree ./internal/termtext

# What the terminal UI promises: first paint, memory, frames, filters, idling, a live load, round trips.
bench-tui:
	SHAKESCOPE_BARS=1 SHAKESCOPE_CORPUS="$(abspath $(wildcard $(CORPUS)))" go test -v -count=1 -timeout 20m -run '^TestBars$$' ./tui

lint:
	test -z "$$(gofmt -l $$(git ls-files '*.go') | tee /dev/stderr)"
	for os in linux windows darwin; do CGO_ENABLED=0 GOOS=$$os go vet ./... || exit 1; done
	go tool -modfile=tools/go.mod staticcheck ./...
