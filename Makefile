# board: `make` or `make help` lists the targets. Go, make and git are all that is needed.

PREFIX  ?= $(HOME)/.local
GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# The stamp comes from VERSION: Go's own fails in a work tree that another user owns.
export GOFLAGS := $(GOFLAGS) -buildvcs=false
BUILD   := CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)'
TOOL    := $(GO) tool -modfile=tools/go.mod

.DEFAULT_GOAL := help
.PHONY: help build install demo e2e test race slow gosdk lint fmt docs bench cross dist ci clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/board and bin/board-hook
	$(BUILD) -o bin/board ./cmd/board
	$(BUILD) -o bin/board-hook ./cmd/board-hook

# Each program is moved into place: a host that runs the hook meanwhile finds the old one or the new one, never half of one.
install: build ## build and install to $(PREFIX)/bin (PREFIX=~/.local)
	@mkdir -p '$(PREFIX)/bin'
	@for p in board board-hook; do \
	  cp "bin/$$p" "$(PREFIX)/bin/.$$p.new" && mv -f "$(PREFIX)/bin/.$$p.new" "$(PREFIX)/bin/$$p" || exit 1; \
	  echo "installed $(PREFIX)/bin/$$p"; \
	done

demo: build ## replay recorded sessions through the real programs, and check every step
	$(GO) run ./internal/demo -bin bin

e2e: build ## run the real hosts, from npm at fixed versions, with board in them (BOARD_E2E=skip leaves it out)
	$(GO) run ./internal/e2e -bin bin

test: ## run the tests
	$(GO) test ./...

race: ## run the tests, the models shortened, under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -short -timeout 30m ./...

slow: ## also run the long suites: many processes, kill -9, deep shuffles
	BOARD_SLOW=1 $(GO) test -count=1 -timeout 40m ./...

gosdk: build ## drive board mcp with the official Go SDK's client (a module of its own)
	cd internal/gosdk && $(GO) test -count=1 ./...

lint: ## check format, vet, staticcheck and dropped errors
	@out="$$($(TOOL) gofumpt -l cmd internal $$(ls -d assets 2>/dev/null))"; \
	  if [ -n "$$out" ]; then echo "not formatted (make fmt):"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	cd internal/gosdk && $(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(TOOL) errcheck -ignoretests -exclude tools/errcheck.txt ./...

fmt: ## format the source
	$(TOOL) gofumpt -w cmd internal

docs: ## write the generated pages under docs/ anew
	$(GO) test ./internal -run TestGeneratedDocs -count=1 -update

bench: build ## measure the programs against a Go hello-world
	$(GO) run ./internal/bench -bin bin

cross: ## build and vet for linux, darwin and windows on amd64 and arm64
	@for t in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
	  echo "$$t"; \
	  CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build -trimpath -o /dev/null ./cmd/board && \
	  CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build -trimpath -o /dev/null ./cmd/board-hook && \
	  CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) vet -trimpath ./... || exit 1; \
	done

dist: ## write static archives for six targets, with checksums, to dist/
	$(GO) run ./internal/dist -version '$(VERSION)'

ci: ## everything that .ci/run runs
	bash .ci/run

clean: ## remove what the targets above wrote
	rm -rf bin dist
