# `make demo` shows the library at work, `make test` tests it; both need the Swift toolchain alone.

SWIFT ?= swift
SOURCES = Package.swift Sources Tests

.PHONY: demo test format lint build clean

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

clean:
	$(SWIFT) package clean
