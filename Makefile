# Everything a person or CI does with this repository. `make help` lists it.
#
# Needed: Go, and Node with npm. Tools and libraries are pinned in go.mod and package-lock.json; the few programs that
# only some tests need (Java, Chromium) are installed when we are root on a Debian-like system, else you are told.

GO       ?= go
NPM      ?= npm
BIN      := bin/meridian
CACHE    := .cache
FUZZTIME ?= 10s
SEEDS    ?= 10000
LOGS     ?= 100000
CHECKS   ?= 2000
EVENTS   ?= 1000000

TEST := $(GO) test -timeout 15m
# Tests of a package that open a browser are part of the suite `browser`, which gets one.
BROWSERLESS := -skip '^TestBrowser_'
export GO # for scripts/

# What tests draw at random they draw from these seeds, so that a run says the same as the one before it. `make soak`
# draws anew; so does `make test RAPID_SEED=0`, and FUZZSEED= for fuzzing.
export RAPID_SEED ?= 1
export FUZZSEED ?= 1

# How these targets find what they depend on. `:=` would run the commands on every call of make.
TEMPLS = $(shell find web -name '*.templ' 2>/dev/null)
PROTOS = $(shell find ingest streaming storage metrics -name '*.proto' 2>/dev/null)

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

##@ Use it

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z0-9-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo

.PHONY: demo
demo: build chdb ## Build and watch a made-up organisation at work; prints the address
	@$(BIN) demo

.PHONY: build
build: assets ## Build the binary, bin/meridian
	@[ -x $(BIN) ] || echo "Compiling; the first time takes some minutes."
	@$(GO) build -trimpath -o $(BIN) ./cmd/meridian

##@ Check it

.PHONY: test
test: assets chdb ## Unit, script and property tests: every package but e2e
	@echo "Compiling and testing; the first time takes some minutes."
	@packages=$$(scripts/test-packages unit); $(TEST) $(BROWSERLESS) $$packages

.PHONY: lint
lint: assets ## Formatting, vet, staticcheck and the record formats
	@unformatted=$$(gofmt -l $$($(GO) list -f '{{.Dir}}' ./...)); \
		[ -z "$$unformatted" ] || { echo "Run gofmt -w on:"; echo "$$unformatted"; exit 1; }
	@$(GO) vet ./...
	@$(GO) tool staticcheck ./...
	@[ -z "$(PROTOS)" ] || node_modules/.bin/buf lint

.PHONY: fresh
fresh: ## Check that generated code is up to date
	@scripts/fresh

.PHONY: race
race: assets chdb ## The packages where goroutines meet, under the race detector
	@scripts/need cc
	@packages=$$(scripts/test-packages race); CGO_ENABLED=1 $(TEST) $(BROWSERLESS) -race -timeout 20m $$packages

.PHONY: e2e
e2e: build chdb ## The built binary from outside, everything embedded
	@packages=$$(scripts/test-packages e2e); $(TEST) -count=1 $$packages

.PHONY: e2e-kafka
e2e-kafka: build chdb kafka-jars ## The built binary on a real Apache Kafka broker
	@packages=$$(scripts/test-packages e2e-kafka); $(TEST) -count=1 $$packages

.PHONY: browser
browser: build chdb chromium ## The pages in a real browser, with accessibility checks
	@packages=$$(scripts/test-packages browser); $(TEST) -count=1 $$packages
	@$(TEST) -count=1 -run '^TestBrowser_' ./web

.PHONY: conformance
conformance: assets $(CACHE)/schemathesis.stamp ## Ask the API all that its description allows, and what it does not, with Schemathesis
	@MERIDIAN_TEST_SCHEMATHESIS=$(CURDIR)/$(CACHE)/schemathesis/bin/schemathesis $(TEST) -count=1 -run '^TestConformance$$' ./web

.PHONY: screenshots
screenshots: build chdb chromium ## Take the pictures of docs/screenshots again
	@MERIDIAN_TEST_SCREENSHOTS=1 $(TEST) -count=1 ./e2e/pages

.PHONY: fuzz
fuzz: assets ## Every fuzz target for FUZZTIME (10s) each
	@scripts/fuzz $(FUZZTIME)

.PHONY: soak
soak: ## Draw anew what tests draw: SEEDS (10,000) of the simulation, LOGS (100,000), CHECKS (2,000) of other properties
	@scripts/soak $(SEEDS) $(LOGS) $(CHECKS)

.PHONY: mutations
mutations: ## Deliberate faults of one line (scripts/mutations.txt), each caught by a test
	@scripts/mutations

.PHONY: bench
bench: assets chdb ## Benchmarks; compare two runs with benchstat
	@packages=$$(scripts/test-packages unit); $(GO) test -run '^$$' -bench . -benchmem $$packages

.PHONY: bench-flink
bench-flink: kafka-jars ## The job that Apache Flink was measured with, on our stage and a real broker
	@dir=$$(mktemp -d); trap "$(GO) run ./e2e/kafka/run -dir $$dir stop; rm -rf $$dir" EXIT; \
		$(GO) run ./e2e/kafka/run -dir $$dir -port 19193 start; \
		$(GO) run ./streaming/kafka/flinkbench -brokers 127.0.0.1:19193

.PHONY: bench-restate
bench-restate: chdb ## A history of EVENTS (1,000,000) events: rate, memory, and a plain consumer in the same run
	@MERIDIAN_BENCH_EVENTS=$(EVENTS) $(GO) test -timeout 60m -run '^$$' -bench 'BenchmarkRestate|BenchmarkHotTeam' -benchtime 1x ./cmd/meridian

.PHONY: ci
ci: ## test, lint, fresh, e2e, e2e-kafka, browser, conformance, race, fuzz and mutations, as CI runs them
	@.ci/run

##@ Make what is made

.PHONY: generate
generate: $(CACHE)/templ.stamp $(CACHE)/proto.stamp ## Go code from templates (.templ) and record formats (.proto)
	@:

.PHONY: assets
assets: $(CACHE)/assets.stamp ## Copy the pinned scripts and styles from npm to web/static/vendor
	@:

.PHONY: chdb
chdb: ## Get the embedded ClickHouse library, once per user
	@$(GO) run ./storage/embedded/fetch

##@ Kafka and Chromium

.PHONY: kafka-start
kafka-start: kafka-jars ## Start an Apache Kafka broker on 127.0.0.1:19092
	@$(GO) run ./e2e/kafka/run -dir $(CACHE)/kafka start

.PHONY: kafka-stop
kafka-stop: ## Stop it; its data stays in .cache/kafka
	@$(GO) run ./e2e/kafka/run -dir $(CACHE)/kafka stop

.PHONY: kafka-jars
kafka-jars: $(CACHE)/kafka-jars.stamp ## Get the broker's jars and Java
	@scripts/need java

.PHONY: chromium
chromium: ## Get Chromium
	@scripts/need chromium

##@ Tidy up

.PHONY: clean
clean: kafka-stop ## Remove everything that was built or fetched into this folder
	@rm -rf bin $(CACHE) node_modules web/static/vendor e2e/kafka/lib
	@$(GO) clean -testcache

# From here on: the files behind the targets above.

$(CACHE):
	@mkdir -p $@

node_modules/.package-lock.json: package.json package-lock.json .npmrc
	@$(NPM) ci --silent --no-progress
	@touch $@

$(CACHE)/assets.stamp: node_modules/.package-lock.json | $(CACHE)
	@mkdir -p web/static/vendor
	@cp node_modules/htmx.org/dist/htmx.min.js \
		node_modules/uplot/dist/uPlot.iife.min.js \
		node_modules/uplot/dist/uPlot.min.css \
		web/static/vendor/
	@touch $@

$(CACHE)/templ.stamp: $(TEMPLS) go.mod | $(CACHE)
	@[ -z "$(TEMPLS)" ] || $(GO) tool templ generate -path web -log-level warn
	@touch $@

$(CACHE)/proto.stamp: $(PROTOS) buf.yaml buf.gen.yaml go.mod node_modules/.package-lock.json | $(CACHE)
	@[ -z "$(PROTOS)" ] || node_modules/.bin/buf generate
	@touch $@

$(CACHE)/schemathesis.stamp: web/requirements.txt | $(CACHE)
	@scripts/need python3 python3-venv
	@python3 -m venv $(CACHE)/schemathesis
	@$(CACHE)/schemathesis/bin/pip install -q --disable-pip-version-check -r web/requirements.txt
	@touch $@

$(CACHE)/kafka-jars.stamp: e2e/kafka/pom.xml | $(CACHE)
	@scripts/need java mvn
	@rm -rf e2e/kafka/lib
	@mvn -q -B -ntp -f e2e/kafka/pom.xml dependency:copy-dependencies -DoutputDirectory=lib 2>&1 | sed 's/\x1b\[[0-9;]*m//g'
	@touch $@
