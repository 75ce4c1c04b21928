# The commands of the project; each sets up what it needs first, and again only when its recipe changed.
PYTHON ?= python3
BIN := .venv/bin
EXAMPLE := asap2_report

.PHONY: help example examples test test-all test-lowest test-highest lint style format imports types bench docs site release-check clean

help: ## say what each command does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' Makefile

.venv/ready: pyproject.toml .ci/setup
	.ci/setup run "$(PYTHON)"

.venv/ready-to-test: .venv/ready tests/browser/package-lock.json
	.ci/setup test "$(PYTHON)"

example: .venv/ready ## write the report of the real example into asap2_report
	$(BIN)/reportgen evaluate example_reports/asap2/config.toml $(EXAMPLE) --force
	@echo 'To evaluate your own file (CSV, Excel, Parquet ...), type: $(BIN)/reportgen evaluate scores.csv'

examples: .venv/ready ## rebuild everything in example_reports
	$(BIN)/python example_reports/rebuild.py

test: .venv/ready-to-test ## run the tests of a change: all but those marked slow
	$(BIN)/python -m pytest -m "not slow" --numprocesses auto --dist loadfile

test-all: .venv/ready-to-test ## run all tests, with many new examples for the property tests: before a release
	$(BIN)/python -m pytest --hypothesis-profile=full --numprocesses auto --dist worksteal

test-lowest: ## run the tests with the oldest versions of the dependencies that pyproject.toml allows
	.ci/test-versions lowest "$(PYTHON)"

test-highest: ## run the tests with the newest versions of the dependencies; PYTHON=python3.13 chooses the Python
	.ci/test-versions highest "$(PYTHON)"

lint: style format imports ## check style, formatting and the direction of imports

style: .venv/ready-to-test ## check style with ruff; after a change of pyproject.toml, install it first
	$(BIN)/ruff check .

format: .venv/ready-to-test ## check formatting
	$(BIN)/ruff format --check --quiet .

imports: .venv/ready-to-test ## check the direction of imports between rooms
	$(BIN)/lint-imports

types: .venv/ready-to-test ## check types
	$(BIN)/mypy

bench: .venv/ready-to-test ## measure time and memory; see benchmarks/README.md
	$(BIN)/python benchmarks/side_by_side.py run --tools reportgen
	$(BIN)/python benchmarks/tally.py
	$(BIN)/python benchmarks/startup.py

docs: .venv/ready-to-test ## build the generated pages of docs: API, statistics, settings, glossary, references, and more
	$(BIN)/python docs/build_pictures.py
	$(BIN)/python docs/build_keywords.py
	$(BIN)/python docs/build_api.py
	$(BIN)/python docs/build_statistics.py
	$(BIN)/python docs/build_configuration.py
	$(BIN)/python docs/build_commands.py
	$(BIN)/python docs/build_glossary.py
	$(BIN)/python docs/build_references.py
	$(BIN)/python docs/build_requirements.py
	$(BIN)/python docs/build_accessibility.py
	$(BIN)/python docs/build_languages.py

.venv/ready-for-site: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[site]'
	touch $@

site: .venv/ready-for-site ## build the site from docs into site: guides, gallery, statistics, reference; reads offline
	$(BIN)/python docs/site/build.py

.venv/ready-for-release: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	touch $@

release-check: .venv/ready-for-release ## build a release into dist: version, contents, same bytes twice, a report of the wheel, SBOM, weight
	$(BIN)/python .ci/release_check.py

clean: ## remove the environment and everything that was made
	rm -rf .venv tests/browser/node_modules $(EXAMPLE) site dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
