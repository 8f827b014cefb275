# `make demo` shows the library at work, `make test` tests it; both need the Swift toolchain alone.

SWIFT ?= swift
PREFIX ?= /usr/local
SECONDS_EACH ?= 30
SOURCES = Package.swift Sources Tests

.PHONY: demo test format lint build bench fuzz interop install clean

# The four shapes of call on a server inside the program; ends with `ok`.
demo:
	$(SWIFT) run --quiet swiftlet demo

test:
	$(SWIFT) test

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

# Every fuzz target for SECONDS_EACH seconds.
fuzz:
	Tests/Fuzz/run $(SECONDS_EACH)

# Against PyPI's grpcio, in a virtual environment that is made for it.
interop:
	Tests/Interop/run

# A static binary of the command line.
install:
	$(SWIFT) build -c release --static-swift-stdlib --product swiftlet
	install -d $(PREFIX)/bin
	install .build/release/swiftlet $(PREFIX)/bin/swiftlet

clean:
	$(SWIFT) package clean
