# make all          builds everything, then runs the tests
# make demo         a hub, a phone and a laptop on this machine sync a recorded drive
# make test         tests of all packages; of one: make test-TrendySync, or swift test --package-path Packages/TrendySync
# make test-pages   the dashboard in Chromium; PAGES=part of a test's name
# make browser-stories   seeded stories of a browser as a device; SEEDS=1..500
# make test-hub-postgres   the program tests that sync, with hubs on PostgreSQL
# make screenshots  pictures of the dashboard in SCREENSHOTS=FOLDER, and the pictures of README in docs/images
# make lint         layout and edges of the packages, layout and types of the pages; make format applies the layout
# make simulate     devices, hub and network with faults; SEEDS=1..2000
# make mutants      removes sync guards one at a time and expects a failure
# make fuzz         parsers with generated input; CASES=1000000. make fuzz-api: a hub against its own /openapi.json
# make torture      kills processes during writes; SECONDS=600
# make hostile      a hub of 400 users, one of whom tries to harm the others
# make bench        measures the store and sync; see also bench-cli, bench-hub, bench-insights, bench-pages
# make run          hub and agent on this machine
# make docs         documentation of the packages
# make install      PREFIX=/usr/local DESTDIR= DEBUG_FILES=folder for the symbols that a debugger needs
# make package      a Debian package and a container file, tried in a root of their own

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := all

# One place to build in, so that each module is compiled once for all packages.
SCRATCH ?= $(CURDIR)/.build
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
OBJCOPY ?= $(dir $(shell readlink -f "$$(command -v $(SWIFT))"))llvm-objcopy
# What a debugger reads takes a sixth of the time of a build, and a test says by itself where it failed: make test DEBUG_INFO=dwarf
DEBUG_INFO ?= none
# SwiftPM finds tests by the index of a build, which need not tell of the system's modules.
FLAGS := --scratch-path $(SCRATCH) -Xswiftc -warnings-as-errors -debug-info-format $(DEBUG_INFO) \
  -Xswiftc -index-ignore-system-modules
export SCRATCH SWIFT FLAGS
# Programs are linked statically: a command starts in 2 ms instead of 5. Built apart, as the flags differ from the tests'.
# A cached plan misses files that are new in a package that another depends on.
# No library of ours lies beside a program, so that none is looked for there; a static one with such a path does not start.
# Each function is a section of its own, so that the linker can lay together those of Tools/trendy.order.
RELEASE := --disable-build-manifest-caching --disable-local-rpath --scratch-path $(SCRATCH)/release-static -c release \
  --static-swift-stdlib --package-path Apps -Xswiftc -Xfrontend -Xswiftc -function-sections
# `static`: trendy has the C library in it, too, and starts a third sooner; where there is no libc.a: make release LINKING=shared
LINKING ?= static
TOOLS := --disable-build-manifest-caching --scratch-path $(SCRATCH)/bench -c release --static-swift-stdlib --package-path Tools
PROGRAMS := trendy trendyd

PACKAGES := TrendyArchive TrendyModels TrendyProtocols TrendyPersistence TrendyTesting TrendyNetworking TrendySync \
  TrendyTrips TrendyInsights TrendyInterchange TrendyAgent TrendyHub TrendyHubPostgres TrendyIngest \
  TrendySimulation
ROOMS := $(addprefix Packages/,$(PACKAGES)) Examples/Embedding Tools Apps

.PHONY: all build test test-hub-postgres test-pages screenshots demo demo-release run simulate fuzz fuzz-api torture hostile mutants bench bench-cli bench-hub bench-insights bench-interchange bench-load bench-pages bench-store bench-sync browser-stories release reference lint format docs install package deps clean $(addprefix test-,$(notdir $(ROOMS)))

all: build test

build: deps
	for room in $(ROOMS); do echo "== $$room"; $(SWIFT) build --package-path $$room $(FLAGS); done

test: deps
	Tools/test $(ROOMS)

# The same suites of programs with each hub in a database of its own.
test-hub-postgres: deps
	Tools/install-libraries --for-tests
	TRENDY_TEST_STORAGE=postgres $(SWIFT) test --package-path Apps $(FLAGS) --disable-build-manifest-caching \
	  --filter 'ProgramTests\.(SyncTests|IngestTests|HubCompanionTests|CompanionTests|HubLiveTests|QuotaTests)'

# One room alone: make test-TrendySync, make test-Apps
$(addprefix test-,$(notdir $(ROOMS))): test-%: deps
	Tools/test $(filter %/$* $*,$(ROOMS))

# Chromium by Debian's own driver; axe-core comes inside a package of PyPI. PAGES=part of a name
PAGES ?=
test-pages: deps
	Tools/install-libraries --for-tests
	$(SWIFT) build --package-path Apps $(FLAGS) --disable-build-manifest-caching --product trendyd
	Tools/list-pages --check
	PYTHONDONTWRITEBYTECODE=1 Tools/list-api-types $(SCRATCH)/debug/trendyd --check
	Tools/test-pages $(SCRATCH)/debug/trendyd $(PAGES)

# The clocks are stopped, so that two runs give the same files. A statically linked program would ignore the preloaded
# clock, therefore debug programs are used.
SCREENSHOTS ?= $(SCRATCH)/screenshots
screenshots: deps
	Tools/install-libraries --for-pictures
	$(SWIFT) build --package-path Apps $(FLAGS) --disable-build-manifest-caching
	Tools/screenshots $(SCRATCH)/debug $(SCREENSHOTS) --docs docs/images

# Seeded stories of a browser as a device: offline, reloaded, killed, two tabs, lost responses, deleted storage, another user.
browser-stories: SEEDS = 1..20
browser-stories: deps
	$(SWIFT) build --package-path Apps $(FLAGS) --disable-build-manifest-caching --product trendyd
	PYTHONDONTWRITEBYTECODE=1 python3 Tools/PageTests/stories.py $(SCRATCH)/debug/trendyd $(SEEDS)

release: deps
	@echo "Building the programs, optimised: about five minutes on two cores the first time, seconds after that."
	@# SwiftPM does not know of the list, and would not link anew for another one.
	if [ Tools/trendy.order -nt $(SCRATCH)/release-static/release/trendy ]; then rm -f $(SCRATCH)/release-static/release/trendy; fi
	TRENDY_LINKING=$(LINKING) $(SWIFT) build $(RELEASE)
	$(SCRATCH)/release-static/release/trendy --version >/dev/null

# Not optimised: a fresh clone is at the first line in under three minutes, and the tests reuse what was built.
demo: deps
	@echo "Building the programs: about two and a half minutes on two cores the first time, seconds after that."
	$(SWIFT) build --package-path Apps $(FLAGS) --disable-build-manifest-caching
	$(SCRATCH)/debug/trendy-demo --drive Samples/drive.gpx

# With the programs as `make install` ships them.
demo-release: release
	$(SCRATCH)/release-static/release/trendy-demo --drive Samples/drive.gpx

# The first time a hub is made and says how to pair a device with it.
run: release
	$(SCRATCH)/release-static/release/trendyd hub init --if-missing
	$(SCRATCH)/release-static/release/trendyd run --role both

# The store, workload by workload; with PEERS=DIR beside the peers whose sources lie there.
N ?= 100000
bench:
	$(SWIFT) build $(TOOLS) --product trendy-bench
	for workload in insert-durable insert-batch bulk get range type-range count-by-day update delete open recover; do \
	  folder=$$(mktemp -d); $(SCRATCH)/bench/release/trendy-bench store --workload $$workload --n $(N) --dir $$folder; \
	  rm -rf $$folder; done
	$(MAKE) bench-sync

# Devices and a hub in a process of its own, HTTP between them, durable on both sides; the last part of `make bench`.
bench-sync: deps
	for program in trendy-bench trendy-bench-sync; do \
	  $(SWIFT) build $(TOOLS) --product $$program; done
	for workload in push pull catch-up bootstrap empty live; do folder=$$(mktemp -d); \
	  $(SCRATCH)/bench/release/trendy-bench sync --workload $$workload --dir $$folder/sync; rm -rf $$folder; done

# What commands of trendy cost from start to exit, beside task, timew and watson where they are installed.
bench-cli: release
	$(SWIFT) build $(TOOLS) --product trendy-bench
	$(SCRATCH)/bench/release/trendy-bench cli --programs $(SCRATCH)/release-static/release --table

# Looking back on ten years; PYTHON=FILE beside pandas
bench-insights: release
	$(SWIFT) build $(TOOLS) --product trendy-bench
	$(SCRATCH)/bench/release/trendy-bench insights --programs $(SCRATCH)/release-static/release \
	  $(if $(PYTHON),--python $(PYTHON) --script Tools/bench-insights-pandas)

# Files of other tools, read and written; PYTHON=FILE beside lxml, xml.sax, ijson and csv; SIZE=4G of an export of Apple Health
SIZE ?= 400M
bench-interchange: release
	$(SWIFT) build $(TOOLS) --product trendy-bench
	$(SCRATCH)/bench/release/trendy-bench interchange --size $(SIZE) --programs $(SCRATCH)/release-static/release \
	  $(if $(PYTHON),--python $(PYTHON) --script Tools/bench-interchange-python)

# What the pages ask of a hub with a million events, and what browsers cost it that only listen.
bench-pages: release
	$(SWIFT) build $(TOOLS) --product trendy-bench
	$(SCRATCH)/bench/release/trendy-bench pages --programs $(SCRATCH)/release-static/release

# How long others wait at a hub while one person asks all they can; what 10,000 streams cost, and a request.
bench-hub: deps
	$(SWIFT) build $(TOOLS) --product trendy-bench-hub
	for workload in writers readers streams requests; do folder=$$(mktemp -d); \
	  $(SCRATCH)/bench/release/trendy-bench-hub $$workload $$folder/hub; rm -rf $$folder; done

# What the daemon has in memory under what eight persons' devices do: make bench-load MINUTES=60
MINUTES ?= 10
bench-load: release
	$(SWIFT) build $(TOOLS) --product trendy-bench-hub
	folder=$$(mktemp -d); $(SCRATCH)/bench/release/trendy-bench-hub load $$folder/hub $$(($(MINUTES) * 60)) \
	  $(SCRATCH)/release-static/release/trendyd; rm -rf $$folder

# Stories of devices, a hub and a bad network, one a seed.
SEEDS ?= 1..2000
simulate:
	$(SWIFT) build $(TOOLS) --product trendy-simulate
	$(SCRATCH)/bench/release/trendy-simulate --seeds $(SEEDS)

# Readers of what comes from outside, each with so many cases; ONLY=feed for one of them, FROM=N for a case that was found.
CASES ?= 100000
FROM ?= 1
fuzz: deps
	$(SWIFT) build $(TOOLS) --product trendy-fuzz
	$(SCRATCH)/bench/release/trendy-fuzz --cases $(CASES) --from $(FROM) $(if $(ONLY),--target $(ONLY))

# A hub on each storage held against its own description of its interface, by Schemathesis; REQUESTS for each operation.
REQUESTS ?= 100
fuzz-api: deps
	Tools/install-libraries --for-tests
	$(SWIFT) build --package-path Apps $(FLAGS) --disable-build-manifest-caching --product trendyd
	Tools/fuzz-api $(SCRATCH)/debug/trendyd $(REQUESTS) $(FROM)

# docs/commands.md, from the table of commands.
reference: release
	{ printf '# Commands\n\n'; $(SCRATCH)/release-static/release/trendy help --markdown; echo; \
	  $(SCRATCH)/release-static/release/trendyd help --markdown; } > docs/commands.md

# Takes the guards of sync away, one at a time: each must be missed by the stories. ONLY=part of a name
ONLY ?=
mutants:
	$(SWIFT) build $(TOOLS) --product trendy-mutants
	$(SCRATCH)/bench/release/trendy-mutants --scratch $(SCRATCH)/mutants $(if $(ONLY),--only "$(ONLY)")

# Processes on one store, then the programs beside a hub, killed again and again: half of the time each.
SECONDS ?= 120
torture: release
	$(SWIFT) build $(TOOLS) --product trendy-torture
	$(SCRATCH)/bench/release/trendy-torture --seconds $$(( $(SECONDS) / 2 ))
	Tools/torture-programs $(SCRATCH)/release-static/release $$(( $(SECONDS) / 2 ))

# A hub of 400 persons at 1,024 descriptors, one of whom is hostile: everybody else is served. HOSTILE=--only NAME, --seconds N
HOSTILE ?=
hostile: release
	$(SWIFT) build $(TOOLS) --product trendy-hostile
	$(SCRATCH)/bench/release/trendy-hostile --programs $(SCRATCH)/release-static/release $(HOSTILE)

bench-store:
	Tools/bench-store $(PEERS)

lint:
	$(SWIFT) format lint --strict --recursive --parallel --configuration .swift-format Packages Apps Examples Tools
	Tools/check-edges
	Tools/check-names
	Tools/install-libraries --for-lint
	Tools/lint-pages
	Tools/check-columns

format:
	$(SWIFT) format format --in-place --recursive --parallel --configuration .swift-format Packages Apps Examples Tools
	Tools/install-libraries --for-lint
	Tools/lint-pages --fix

docs: deps
	for room in Packages/TrendySimulation Apps; do $(SWIFT) build --package-path $$room $(FLAGS); done
	Tools/docs

install: release
	install -d $(DESTDIR)$(PREFIX)/bin
	for program in $(PROGRAMS); do \
	  $(OBJCOPY) --strip-all $(SCRATCH)/release-static/release/$$program $(DESTDIR)$(PREFIX)/bin/$$program; \
	  $(if $(DEBUG_FILES),install -d $(DESTDIR)$(DEBUG_FILES); \
	  $(OBJCOPY) --only-keep-debug $(SCRATCH)/release-static/release/$$program $(DESTDIR)$(DEBUG_FILES)/$$program.debug;) \
	done
	Tools/install-pages $(SCRATCH)/release-static/release $(DESTDIR)$(PREFIX)/share
	Tools/install-units $(SCRATCH)/release-static/release "$(DESTDIR)" $(PREFIX)

# A Debian package and a container file in $(SCRATCH)/package; the package is installed into a root of its own and tried.
package: release
	rm -rf $(SCRATCH)/package
	$(MAKE) install DESTDIR=$(SCRATCH)/package/tree PREFIX=/usr
	Tools/package $(SCRATCH)/package/tree $(SCRATCH)/package
	Tools/check-package $(SCRATCH)/package/*.deb
	Tools/check-service $(SCRATCH)/package/tree/usr/bin

# What the hub and TrendyArchive need of the system; nothing else in the house needs more than the toolchain.
deps:
	Tools/install-libraries

clean:
	rm -rf $(SCRATCH)
