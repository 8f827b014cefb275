# `make demo` shows the library at work, `make test` tests it; both need the Swift toolchain alone.

SWIFT ?= swift
PREFIX ?= /usr/local
SECONDS_EACH ?= 30
# The toolchain's own, beside its swift.
TOOLS = $(dir $(shell command -v $(SWIFT)))
DOCC ?= $(TOOLS)docc
CLANG ?= $(TOOLS)clang
SOURCES = Package.swift Sources Tests
# Swift's libraries go into the binary where the system has none of its own, and what only a plug-in
# would look for stays out. So does the library of C++ go in, where there is an archive of it: the
# linker is shown a folder that has nothing else. Each function has a section of its own, so that the
# linker removes those that nothing calls, and keeps one of those that are equal. Where the system's
# glibc reads relocations in their short form, since 2.36, the toolchain's lld writes them so, which
# saves a megabyte. With SWIFTLET_SMALL, modules that a command line does not need fast are optimised for size.
ARCHIVES = $(CURDIR)/.build/archives
ifeq ($(shell uname),Linux)
SHORT_RELOCATIONS = $(shell [ -x "$(TOOLS)ld.lld" ] && getconf GNU_LIBC_VERSION 2>/dev/null \
    | awk '{ split($$2, version, "."); if (version[1] > 2 || version[2] >= 36) \
        print "-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs" }')
STATIC = --static-swift-stdlib -Xlinker --no-export-dynamic -Xswiftc "-L$(ARCHIVES)" \
    -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --gc-sections -Xlinker --icf=safe \
    $(SHORT_RELOCATIONS)
STRIPPED = -Xlinker -s
# What is linked that is not Swift's.
FOR_STATIC = archives
endif

.PHONY: demo test locks races format lint build bench fuzz interop proxies etcd balancing xds linked docs static install archives \
    clean

# The four shapes of call on a server inside the program; ends with `ok`.
demo:
	@echo 'compiling Swiftlet and its command line; the first time this takes a minute or two'
	$(SWIFT) run --quiet swiftlet demo

# All tests at once, as by `swift test` alone, would be a thousand threads, and deadlines would pass for want of a
# processor. Toolchains before 6.3 have no option against that: there the tests run one after another.
WIDTH_OPTION = $(shell $(SWIFT) test --help-hidden 2>/dev/null \
	| grep -o -- '--experimental-maximum-parallelization-width' | sort -u)

test:
	Tests/run .build/test.log $(SWIFT) test $(or $(addsuffix =8,$(WIDTH_OPTION)),--no-parallel)

# The flags are explained in WatchedMutex.swift.
WATCHED = -Xswiftc -DSWIFTLET_WATCHED_LOCKS \
    -Xswiftc -disable-upcoming-feature -Xswiftc MemberImportVisibility

# The tests with each lock checked against LockOrder.swift, without ThreadSanitizer: `make races` checks the
# same, and takes many times as long.
locks:
	SWIFTLET_RACES=1 $(SWIFT) test $(addsuffix =8,$(WIDTH_OPTION)) --scratch-path .build/locks $(WATCHED)

# The tests under ThreadSanitizer and with watched locks, two at a time. What is left out of reports is
# explained in Tests/Races. With SWIFTLET_RACES, Package.swift leaves out tests of code that has one thread.
# The largest messages of the command line's input have one, too. What a hostile text costs is measured
# without the sanitizer.
races:
	SWIFTLET_RACES=1 TSAN_OPTIONS="suppressions='$(CURDIR)/Tests/Races/suppressions'" \
	Tests/run .build/races.log $(SWIFT) test --sanitize=thread --scratch-path .build/tsan \
	    $(or $(addsuffix =2,$(WIDTH_OPTION)),--no-parallel) \
	    $(WATCHED) \
	    --skip CostTests --skip HostileTextTests --skip CommandTextTests/largeMessages

build:
	$(SWIFT) build

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

lint:
	$(SWIFT) format lint --strict --recursive $(SOURCES)

# Measurements; none of them is a test.
bench:
	$(SWIFT) build -c release --product swiftlet-bench
	.build/release/swiftlet-bench engine
	.build/release/swiftlet-bench hpack
	.build/release/swiftlet-bench messages
	.build/release/swiftlet-bench interceptors
	.build/release/swiftlet-bench allocations
	.build/release/swiftlet-bench policies
	.build/release/swiftlet-bench calls

# Every fuzz target for SECONDS_EACH seconds.
fuzz:
	SWIFT="$(SWIFT)" Tests/Fuzz/run $(SECONDS_EACH)

# Against PyPI's grpcio, gRPC C++ and grpc-go. What they need is installed below .build, and from
# Debian where the user is root.
interop:
	SWIFT="$(SWIFT)" Tests/Interop/run

# Through nginx, HAProxy, tinyproxy and microsocks, while servers and proxies go away.
proxies:
	SWIFT="$(SWIFT)" Tests/Proxies/run

# Puts, a watch and a lease on three members of etcd that are killed and frozen.
etcd:
	SWIFT="$(SWIFT)" Tests/Etcd/run

# Retries, hedging and balancing beside PyPI's grpcio.
balancing:
	SWIFT="$(SWIFT)" Tests/Balancing/run

# A scripted control plane beside PyPI's grpcio.
xds:
	SWIFT="$(SWIFT)" Tests/XDS/run

# Programs that link OpenSSL in each way, with nothing to load.
linked:
	SWIFT="$(SWIFT)" Tests/TLS/linked/run

# The documentation as a static site for each module, and a page that leads to them. To read it:
# python3 -m http.server --directory .build/docs
# Without extension blocks, what a module adds to namespaces of another one would have no page.
MODULES = Swiftlet Core Balancing Interceptors Security Observation Styles Messages Messages/Descriptors Messages/Services Messages/WellKnown \
    Dynamic Loopback JSONRPC XDS Foundation
REEXPORTED = -experimental-allowed-reexported-modules=SwiftletCore,SwiftletMessages,SwiftletSchema,SwiftletCompiler,SwiftletJSONText,SwiftletServiceMessages,SwiftletInterceptors
docs:
	$(SWIFT) build
	rm -rf .build/docs .build/symbols
	mkdir -p .build/docs
	set -e; bin=$$($(SWIFT) build --show-bin-path); \
	echo '<!doctype html><title>Swiftlet</title><h1>Swiftlet</h1><ul>' >.build/docs/index.html; \
	for folder in $(MODULES); do \
	    name=$${folder##*/}; \
	    name=Swiftlet$${name#Swiftlet}; \
	    mkdir -p .build/symbols/$$name; \
	    $(TOOLS)swift-symbolgraph-extract -module-name $$name -I $$bin/Modules -I Sources/System \
	        -target $$($(SWIFT) -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p') \
	        -minimum-access-level public -emit-extension-block-symbols $(REEXPORTED) \
	        -output-dir .build/symbols/$$name; \
	    $(DOCC) convert Sources/$$folder/$$name.docc --additional-symbol-graph-dir .build/symbols/$$name \
	        --fallback-display-name $$name --fallback-bundle-identifier $$name \
	        --transform-for-static-hosting --hosting-base-path $$name --warnings-as-errors \
	        --output-path .build/docs/$$name; \
	    page=$$name/documentation/$$(echo $$name | tr A-Z a-z)/; \
	    echo "<li><a href=\"$$page\">$$name</a>" >>.build/docs/index.html; \
	done; \
	echo 'the documentation is in .build/docs; it begins with .build/docs/index.html'

# A static binary of the command line, with its symbols.
static: $(FOR_STATIC)
	SWIFTLET_SMALL=1 $(SWIFT) build -c release $(STATIC) --product swiftlet

install: $(FOR_STATIC)
	SWIFTLET_SMALL=1 $(SWIFT) build -c release $(STATIC) $(STRIPPED) --product swiftlet
	install -d "$(PREFIX)/bin"
	install .build/release/swiftlet "$(PREFIX)/bin/swiftlet"
	install -d "$(PREFIX)/share/bash-completion/completions" "$(PREFIX)/share/zsh/site-functions" \
	    "$(PREFIX)/share/fish/vendor_completions.d" "$(PREFIX)/share/man/man1"
	.build/release/swiftlet completion bash >"$(PREFIX)/share/bash-completion/completions/swiftlet"
	.build/release/swiftlet completion zsh >"$(PREFIX)/share/zsh/site-functions/_swiftlet"
	.build/release/swiftlet completion fish >"$(PREFIX)/share/fish/vendor_completions.d/swiftlet.fish"
	.build/release/swiftlet man >"$(PREFIX)/share/man/man1/swiftlet.1"

# Not every toolchain has its clang beside it. A compiler that finds no archive answers with the bare
# name.
archives:
	mkdir -p "$(ARCHIVES)"
	for compiler in $(CLANG) clang cc g++; do \
	    library=$$($$compiler -print-file-name=libstdc++.a 2>/dev/null) || continue; \
	    if [ "$$library" != libstdc++.a ] && [ -f "$$library" ]; then \
	        exec ln -sf "$$library" "$(ARCHIVES)/"; \
	    fi; \
	done; \
	echo 'no archive of libstdc++ was found: the binary will load that library'

clean:
	$(SWIFT) package clean
