# `make demo` shows the library at work, `make test` tests it; both need the Swift toolchain alone.

SWIFT ?= swift
SOURCES = Package.swift Sources Tests

.PHONY: demo test format lint build clean fuzz

demo:
	$(SWIFT) run --quiet swiftlet demo

test:
	$(SWIFT) test

build:
	$(SWIFT) build

# Runs each fuzz target for so many seconds.
SECONDS_EACH ?= 30

fuzz:
	Tests/Fuzz/run $(SECONDS_EACH)

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

lint:
	$(SWIFT) format lint --strict --recursive $(SOURCES)

clean:
	$(SWIFT) package clean
