# make all          builds everything, then runs the tests
# make demo         a hub, a phone and a laptop on this machine sync a recorded drive
# make test         tests of all packages; of one: make test-TrendySync, or swift test --package-path Packages/TrendySync
# make test-pages   the dashboard in Chromium; PAGES=part of a test's name
# make browser-stories   seeded stories of a browser as a device; SEEDS=1..500
# make test-portable   the store with the code for systems other than Linux
# make test-hub-postgres   the program tests that sync, with hubs on PostgreSQL
# make screenshots  pictures of the dashboard in SCREENSHOTS=FOLDER, and the pictures of README in docs/images
# make lint         formatting, dependencies and prose; types of the pages; make format applies the formatting
# make simulate     devices, hub and network with faults; SEEDS=1..2000
# make mutants      removes sync guards one at a time and expects a failure
# make fuzz         parsers with generated input; CASES=1000000. make fuzz-api: a hub against its own /openapi.json
# make torture      kills processes during writes; SECONDS=600
# make hostile      a hub of 400 users, one of whom tries to harm the others
# make bench        measures the store and sync; see also bench-cli, bench-hub, bench-insights, bench-pages
# make run          hub and agent on this machine
# make docs         documentation of the packages
# make install      PREFIX=/usr/local DESTDIR= DEBUG_FILES=folder for the symbols that a debugger needs
# make test-release an app that fetches a release tag by URL
# make package      a Debian package and a container file, tried in a root of their own

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := all

# One build folder, so that each module is compiled once for all packages.
SCRATCH ?= $(CURDIR)/.build
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
OBJCOPY ?= $(dir $(shell readlink -f "$$(command -v $(SWIFT))"))llvm-objcopy
# Debug information takes a sixth of the build time, and a failed test reports its line: make test DEBUG_INFO=dwarf
DEBUG_INFO ?= none
# SwiftPM finds tests through the index of a build; the system's modules are not needed in it.
FLAGS := --scratch-path $(SCRATCH) -Xswiftc -warnings-as-errors -debug-info-format $(DEBUG_INFO) \
  -Xswiftc -index-ignore-system-modules
export SCRATCH SWIFT FLAGS
# Programs are linked statically: a command starts in 2 ms instead of 5. They have their own build folder, because their
# flags differ from those of the tests.
# --disable-build-manifest-caching: a cached plan misses new files of a package that another one depends on.
# --disable-local-rpath: a static executable with a library search path does not start.
RELEASE := --disable-build-manifest-caching --disable-local-rpath --scratch-path $(SCRATCH)/release-static -c release \
  --static-swift-stdlib --package-path Apps
# `static` links the C library into trendy, which then starts in two thirds of the time. Without libc.a: LINKING=shared
LINKING ?= static
TOOLS := --disable-build-manifest-caching --scratch-path $(SCRATCH)/bench -c release --static-swift-stdlib --package-path Tools
PROGRAMS := trendy trendyd

PACKAGES := TrendyArchive TrendyModels TrendyProtocols TrendyPersistence TrendyTesting TrendyNetworking TrendySync \
  TrendyTrips TrendyInsights TrendyInterchange TrendyAgent TrendyHub TrendyHubPostgres TrendyIngest \
  TrendySimulation
DIRECTORIES := $(addprefix Packages/,$(PACKAGES)) Examples/Embedding Tools Apps

.PHONY: all build test test-portable test-hub-postgres test-pages screenshots demo demo-release run simulate fuzz fuzz-api test-release torture hostile mutants bench bench-cli bench-hub bench-insights bench-interchange bench-load bench-pages bench-store bench-sync browser-stories release reference lint format docs install package deps clean $(addprefix test-,$(notdir $(DIRECTORIES)))

all: build test

build: deps
	for directory in $(DIRECTORIES); do echo "== $$directory"; $(SWIFT) build --package-path $$directory $(FLAGS); done

test: deps
	Tools/test $(DIRECTORIES)

# The store with the code for systems other than Linux
test-portable: deps
	SCRATCH=$(SCRATCH)/portable FLAGS="$(subst $(SCRATCH),$(SCRATCH)/portable,$(FLAGS)) -Xswiftc -DTRENDY_PORTABLE" \
	  Tools/test Packages/TrendyPersistence

# The same program tests, with a PostgreSQL database for each hub.
test-hub-postgres: deps
	Tools/install-libraries --for-tests
	TRENDY_TEST_STORAGE=postgres $(SWIFT) test --package-path Apps $(FLAGS) --disable-build-manifest-caching \
	  --filter 'ProgramTests\.(SyncTests|IngestTests|CompanionLinkTests|CompanionTests|HubLiveTests|QuotaTests)'

# One package: make test-TrendySync, make test-Apps
$(addprefix test-,$(notdir $(DIRECTORIES))): test-%: deps
	Tools/test $(filter %/$* $*,$(DIRECTORIES))

# Debian's Chromium and driver; axe-core from a PyPI package. PAGES=part of a test's name
PAGES ?=
test-pages: deps
	Tools/install-libraries --for-tests
	$(SWIFT) build --package-path Apps $(FLAGS) --disable-build-manifest-caching --product trendyd
	Tools/list-pages --check
	PYTHONDONTWRITEBYTECODE=1 Tools/list-api-types $(SCRATCH)/debug/trendyd --check
	Tools/test-pages $(SCRATCH)/debug/trendyd $(PAGES)

# Two runs give the same files, because the clock is fixed. Debug programs are used, because a statically linked program
# ignores the preloaded clock.
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
	TRENDY_LINKING=$(LINKING) $(SWIFT) build $(RELEASE)
	$(SCRATCH)/release-static/release/trendy --version >/dev/null

# Not optimised: prints its first line in a fresh clone in under three minutes, and the tests reuse the build.
demo: deps
	@echo "Building the programs: about two and a half minutes on two cores the first time, seconds after that."
	$(SWIFT) build --package-path Apps $(FLAGS) --disable-build-manifest-caching
	$(SCRATCH)/debug/trendy-demo --drive Samples/drive.gpx

# With the programs that `make install` installs.
demo-release: release
	$(SCRATCH)/release-static/release/trendy-demo --drive Samples/drive.gpx

# The first run creates a hub and prints how to pair a device with it.
run: release
	$(SCRATCH)/release-static/release/trendyd hub init --if-missing
	$(SCRATCH)/release-static/release/trendyd run --role both

# Workloads of the store, then sync.
N ?= 100000
bench:
	$(SWIFT) build $(TOOLS) --product trendy-bench
	for workload in insert-durable insert-batch bulk get range type-range count-by-day update delete open recover; do \
	  folder=$$(mktemp -d); $(SCRATCH)/bench/release/trendy-bench store --workload $$workload --n $(N) --dir $$folder; \
	  rm -rf $$folder; done
	$(MAKE) bench-sync

# Devices, and a hub in another process; HTTP, durable on both sides. Last part of `make bench`.
bench-sync: deps
	for program in trendy-bench trendy-bench-sync; do \
	  $(SWIFT) build $(TOOLS) --product $$program; done
	for workload in push pull catch-up bootstrap empty live; do folder=$$(mktemp -d); \
	  $(SCRATCH)/bench/release/trendy-bench sync --workload $$workload --dir $$folder/sync; rm -rf $$folder; done

# Cost of commands of trendy from start to exit, beside task, timew and watson if they are installed.
bench-cli: release
	$(SWIFT) build $(TOOLS) --product trendy-bench
	$(SCRATCH)/bench/release/trendy-bench cli --programs $(SCRATCH)/release-static/release --table

# Insights over ten years; PYTHON=FILE compares with pandas.
bench-insights: release
	$(SWIFT) build $(TOOLS) --product trendy-bench
	$(SCRATCH)/bench/release/trendy-bench insights --programs $(SCRATCH)/release-static/release \
	  $(if $(PYTHON),--python $(PYTHON) --script Tools/bench-insights-pandas)

# Reads and writes files of other programs; PYTHON=FILE compares with lxml, xml.sax, ijson and csv; SIZE=4G is the size of
# the Apple Health export.
SIZE ?= 400M
bench-interchange: release
	$(SWIFT) build $(TOOLS) --product trendy-bench
	$(SCRATCH)/bench/release/trendy-bench interchange --size $(SIZE) --programs $(SCRATCH)/release-static/release \
	  $(if $(PYTHON),--python $(PYTHON) --script Tools/bench-interchange-python)

# Requests of the dashboard to a hub with a million events, and the cost of idle browsers.
bench-pages: release
	$(SWIFT) build $(TOOLS) --product trendy-bench
	$(SCRATCH)/bench/release/trendy-bench pages --programs $(SCRATCH)/release-static/release

# Waiting time of other users while one user sends as many requests as possible; cost of 10,000 streams and of a request.
bench-hub: deps
	$(SWIFT) build $(TOOLS) --product trendy-bench-hub
	for workload in writers readers streams requests; do folder=$$(mktemp -d); \
	  $(SCRATCH)/bench/release/trendy-bench-hub $$workload $$folder/hub; rm -rf $$folder; done

# Memory of the daemon under the load of eight users' devices: make bench-load MINUTES=60
MINUTES ?= 10
bench-load: release
	$(SWIFT) build $(TOOLS) --product trendy-bench-hub
	folder=$$(mktemp -d); $(SCRATCH)/bench/release/trendy-bench-hub load $$folder/hub $$(($(MINUTES) * 60)) \
	  $(SCRATCH)/release-static/release/trendyd; rm -rf $$folder

# One scenario of devices, hub and network per seed.
SEEDS ?= 1..2000
simulate:
	$(SWIFT) build $(TOOLS) --product trendy-simulate
	$(SCRATCH)/bench/release/trendy-simulate --seeds $(SEEDS)

# CASES inputs for each parser; ONLY=feed for one parser, FROM=N replays a case.
CASES ?= 100000
FROM ?= 1
fuzz: deps
	$(SWIFT) build $(TOOLS) --product trendy-fuzz
	$(SCRATCH)/bench/release/trendy-fuzz --cases $(CASES) --from $(FROM) $(if $(ONLY),--target $(ONLY))

# Schemathesis tests a hub against its own /openapi.json, on each storage; REQUESTS per operation.
REQUESTS ?= 100
fuzz-api: deps
	Tools/install-libraries --for-tests
	$(SWIFT) build --package-path Apps $(FLAGS) --disable-build-manifest-caching --product trendyd
	Tools/fuzz-api $(SCRATCH)/debug/trendyd $(REQUESTS) $(FROM)

# Writes docs/commands.md from the table of commands.
reference: release
	{ printf '# Commands\n\n'; $(SCRATCH)/release-static/release/trendy help --markdown; echo; \
	  $(SCRATCH)/release-static/release/trendyd help --markdown; } > docs/commands.md

# Removes one guard at a time; scenarios or tests must fail without it. ONLY=part of a name
ONLY ?=
mutants:
	$(SWIFT) build $(TOOLS) --product trendy-mutants
	$(SCRATCH)/bench/release/trendy-mutants --scratch $(SCRATCH)/mutants $(if $(ONLY),--only "$(ONLY)")

# Kills processes on one store, then programs connected to a hub; half of the time each.
SECONDS ?= 120
torture: release
	$(SWIFT) build $(TOOLS) --product trendy-torture
	$(SCRATCH)/bench/release/trendy-torture --seconds $$(( $(SECONDS) / 2 ))
	Tools/torture-programs $(SCRATCH)/release-static/release $$(( $(SECONDS) / 2 ))

# A hub of 400 users with 1,024 descriptors, one of whom is hostile, must serve the others.
# HOSTILE=--only NAME, --seconds N
HOSTILE ?=
hostile: release
	$(SWIFT) build $(TOOLS) --product trendy-hostile
	$(SCRATCH)/bench/release/trendy-hostile --programs $(SCRATCH)/release-static/release $(HOSTILE)

# The store beside SQLite and LMDB; PEERS is the folder with the source of their benchmark.
bench-store:
	Tools/bench-store $(PEERS)

lint:
	$(SWIFT) format lint --strict --recursive --parallel --configuration .swift-format Packages Apps Examples Tools
	Tools/check-edges
	Tools/check-names
	Tools/release-manifest >/dev/null
	Tools/prose --max 2 Packages Apps Examples Tools Samples docs README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md
	Tools/install-libraries --for-lint
	Tools/lint-pages
	Tools/check-columns
	Tools/check-darwin

format:
	$(SWIFT) format format --in-place --recursive --parallel --configuration .swift-format Packages Apps Examples Tools
	Tools/install-libraries --for-lint
	Tools/lint-pages --fix

docs: deps
	for directory in Packages/TrendySimulation Apps; do $(SWIFT) build --package-path $$directory $(FLAGS); done
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

# An app fetches a tag of this commit, with the manifest that Tools/release-manifest writes.
test-release:
	Tools/test-release

# A Debian package and a container file in $(SCRATCH)/package; the package is installed and tested in a temporary root.
package: release
	rm -rf $(SCRATCH)/package
	$(MAKE) install DESTDIR=$(SCRATCH)/package/tree PREFIX=/usr
	Tools/package $(SCRATCH)/package/tree $(SCRATCH)/package
	Tools/check-package $(SCRATCH)/package/*.deb
	Tools/check-service $(SCRATCH)/package/tree/usr/bin

# C libraries of the hub and of TrendyArchive; the other packages need only the toolchain.
deps:
	Tools/install-libraries

clean:
	rm -rf $(SCRATCH)
