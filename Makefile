# Everything here works in a fresh clone, with Python 3.11 or later, git and make alone.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: demo test check lint lowest fuzz mutants audit bench snapshots docs clean

## What changed between the two example catalogs
demo: $(READY)
	$(BIN)/snapdiff snapshots/2025-06-29 snapshots/2025-07-06

## All tests
test: $(READY)
	$(BIN)/pytest

## Linters, types and all tests
check: lint test

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

## All tests, with the lowest versions of the dependencies that are allowed
lowest:
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/pip install --quiet --constraint tests/lowest.txt --editable '.[dev]'
	$(VENV)-lowest/bin/pytest

## A bounded run of every fuzz target
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --seconds 60

## Whether the tests bite: mutants of the modules that decide, and how many of them die
mutants: $(READY)
	$(BIN)/pip install --quiet mutmut
	$(BIN)/mutmut run --max-children 2
	$(BIN)/mutmut results

## Known weaknesses of the dependencies
audit: $(READY)
	$(BIN)/pip install --quiet pip-audit
	$(BIN)/pip-audit --skip-editable

## Speed, side by side with what could do no less
bench: $(READY)
	$(BIN)/pip install --quiet --editable '.[bench]'
	$(BIN)/python -m benchmarks.run

## Write the example catalogs anew
snapshots: $(READY)
	$(BIN)/python snapshots/make.py

## Write what the documentation shows anew; the pictures take Debian's chromium
docs: $(READY)
	$(BIN)/python docs/refresh.py
	$(BIN)/python docs/pictures.py

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf $(VENV) $(VENV)-lowest mutants .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage dist build
