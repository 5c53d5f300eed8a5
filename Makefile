# For servers that build a match runner from the root of its repository, as
# OpenBench does: `make -j CXX=g++` leaves ./fastchess, which is hone under that
# name, without the parts that a server does not need. Everything else is built
# with cargo; CXX is not needed.

CARGO  ?= cargo
TARGET ?= target

ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif

.PHONY: fastchess

fastchess:
	$(CARGO) build --release --locked --package harness --bin hone --no-default-features --target-dir "$(TARGET)"
	cp "$(TARGET)/release/hone$(SUFFIX)" "fastchess$(SUFFIX)"
