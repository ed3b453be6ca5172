# Everything here works in a fresh clone, with Python 3.11 or later, git and make alone.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(BIN)/snapdiff
GROUPS_OF_TOOLS := browser dask dev docs release stores test workflows

# One process for each core, which gets the next tests when it is done with its own; a few chosen
# tests start faster in one.
PARALLEL := --numprocesses auto --dist worksteal
# T has a slash in it: a path, or the id of one test. Otherwise it is an expression on test names.
CHOSEN = $(if $(T),$(if $(findstring /,$(T)),'$(T)',-k '$(T)'),$(PARALLEL))

.PHONY: help demo test quick nightly coverage lint lint-ci fmt check hooks goldens lowest fuzz mutants \
	audit bench snapshots docs site links manual dist sbom pins node system clean with-NAME

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "make with-NAME  Install a group of tools: $(GROUPS_OF_TOOLS)"

demo: $(READY) ## Show what changed between the two example catalogs
	$(BIN)/snapdiff --no-pager snapshots/2025-06-29 snapshots/2025-07-06

test: $(VENV)/with-test ## Run the tests, or some: T=tests/diff, T=tests/diff/test_laws.py::test_x, T='page and bad'
	$(BIN)/pytest $(CHOSEN)

quick: $(VENV)/with-test ## Run the quick tests, in half a minute
	$(BIN)/pytest $(PARALLEL) -m 'not slow and not nightly'

nightly: $(VENV)/with-dev ## Run the further cases that `make test` leaves out, or some: T=tests/diff
	SNAPDIFF_EXAMPLES=10 $(BIN)/pytest $(CHOSEN) -m "nightly or hypothesis"

coverage: $(VENV)/with-dev ## Run the tests, and fail where fewer branches are covered than before
	$(BIN)/pytest $(PARALLEL) --cov --cov-report=term:skip-covered

lint: $(VENV)/with-dev ## Run the linters and the type checker
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

lint-ci: $(VENV)/with-workflows ## Run the linters of workflows, of the action and of the component
	$(BIN)/zizmor --offline --quiet .
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/jactionlint
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	sed '1,/^---$$/d' templates/snapdiff/template.yml | $(BIN)/check-jsonschema \
		--builtin-schema vendor.gitlab-ci --data-transform gitlab-ci --default-filetype yaml -

fmt: $(VENV)/with-dev ## Format the code, and fix what the linter can fix
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

check: lint lint-ci coverage ## Run all that a change has to pass

hooks: $(VENV)/with-dev ## Run the linters before every commit
	$(BIN)/pre-commit install

goldens: $(VENV)/with-test ## Write the golden files of the tests anew; then read `git diff`
	$(BIN)/python -m tests.golden

lowest: ## Run all tests with the lowest versions of the dependencies that are allowed
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/pip install --quiet --constraint tests/lowest.txt --editable '.[dev]'
	$(VENV)-lowest/bin/pytest $(PARALLEL)

fuzz: $(VENV)/with-test ## Run every fuzz target for a minute
	$(BIN)/python -m tests.fuzz --seconds 60

mutants: $(VENV)/with-test ## Change the modules that decide, and count the changes that no test notices
	$(BIN)/pip install --quiet mutmut
	$(BIN)/mutmut run --max-children 2
	$(BIN)/mutmut results

audit: $(READY) ## Look for known weaknesses of the dependencies
	$(BIN)/pip install --quiet pip-audit
	$(BIN)/pip-audit --skip-editable

bench: $(READY) ## Measure the speed, beside a yardstick for each workload
	$(BIN)/pip install --quiet --editable '.[bench]'
	$(BIN)/pip install --quiet --upgrade --no-deps --target build/bench .
	$(BIN)/python -m benchmarks.run --tool 'env PYTHONPATH=build/bench $(BIN)/python -P -m snapdiff'

snapshots: $(READY) ## Write the example catalogs anew
	$(BIN)/python snapshots/make.py
	$(BIN)/python snapshots/make_environments.py

docs: $(VENV)/with-browser ## Write what the documentation shows anew; the pictures need Debian's chromium
	$(BIN)/python docs/refresh.py
	$(BIN)/python docs/pictures.py

site: $(VENV)/with-docs ## Build the site of the documentation into build/site
	$(BIN)/sphinx-build -W --keep-going -n -q -E -a -d build/doctrees docs build/site

links: $(VENV)/with-docs ## Ask the hosts that the documentation links to whether the pages are still there
	$(BIN)/sphinx-build -q -b linkcheck -d build/doctrees docs build/links

manual: $(READY) ## Write the manual page and the completions anew, from the commands
	$(BIN)/python -m release.command_files

dist: $(VENV)/with-release ## Build wheel and source archive, twice, and compare them byte for byte
	$(BIN)/python -m release.build dist

sbom: dist ## List the parts of the wheel in build/ (CycloneDX)
	$(BIN)/python -m release.parts_list dist/*.whl build/spack-snapdiff.cdx.json

pins: $(VENV)/with-release ## Pin, with hashes, what the action installs
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-annotate --custom-compile-command 'make pins' --extra post \
		--output-file .github/action/requirements.txt pyproject.toml .github/action/build.in

node: ## Install what the tests of the action and of the component run in Node
	npm ci --prefix tests/action --ignore-scripts --no-audit --no-fund

system: ## Install, as root on Debian, the programs that some tests run: browser, shells, servers
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		chromium chromium-driver docker-registry fonts-dejavu-core fish groff rsync zsh >/dev/null

.PHONY: $(GROUPS_OF_TOOLS:%=with-%)
$(GROUPS_OF_TOOLS:%=with-%): with-%: $(VENV)/with-% # Install a group of tools: see pyproject.toml

$(VENV)/with-%: $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	touch $@

# All groups are 150 packages: uv installs them in 10 seconds, pip in 80.
$(VENV)/with-dev: $(READY)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[dev]' || \
		$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(GROUPS_OF_TOOLS:%=$(VENV)/with-%)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $(READY)

clean: ## Remove all that was made here, the environments too
	rm -rf $(VENV) $(VENV)-lowest mutants .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage* dist build
