# Everything a fresh machine needs is made here: git, make and Python 3.11 suffice.

PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2
SECONDS ?= 60
SEED ?= 0

.PHONY: demo test test-long test-minimum fuzz test-wheel wheel lint check-workflows docs bench study clean

.venv/made: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "frugaltree needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[report]"
	@touch $@

.venv/tested: .venv/made
	$(BIN)/python -m pip install --quiet --editable ".[excel,peers,plot,report]" --group study --group test --group lint
	@touch $@

## Learn a tree for the heart-disease data and show it.
demo: .venv/made
	$(BIN)/frugaltree demo

## Run all tests, a few hundred random problems each.
test: .venv/tested
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

## Hold the kernels against their slow twins on thousands of random problems.
test-long: .venv/tested
	FRUGALTREE_EXAMPLES=3000 $(BIN)/python -m pytest -n $(WORKERS) tests/kernels tests/costs/test_path_prices.py $(ARGS)

## Run all tests with the oldest versions that pyproject.toml allows, in an environment of their own.
test-minimum: .venv-min/tested
	.venv-min/bin/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

.venv-min/tested: pyproject.toml tools/minimum_versions.py
	$(PYTHON) -m venv --clear .venv-min
	.venv-min/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PYTHON) tools/minimum_versions.py > .venv-min/constraints.txt
	.venv-min/bin/python -m pip install --quiet --constraint .venv-min/constraints.txt --editable ".[arrow,dask,excel,onnx,pandas,peers,plot,report]" --group study --group test
	@touch $@

## Give the package hostile and random input for so many SECONDS; REPORT=docs/fuzz.md keeps a report.
fuzz: .venv/tested
	$(BIN)/python -m tools.fuzz --seconds $(SECONDS) --seed $(SEED) --workers $(WORKERS) $(if $(REPORT),--report $(REPORT)) $(ARGS)

## Build a wheel for this Python and system that holds the machine code of all kernels.
wheel: .venv/built
	$(BIN)/python tools/compile_kernels.py build/kernels $(if $(LEVELS),--levels $(LEVELS))
	FRUGALTREE_COMPILED=$(CURDIR)/build/kernels $(BIN)/python -m build --wheel --outdir dist

## Try that wheel in an empty environment.
test-wheel: .venv/tested wheel
	FRUGALTREE_WHEEL=$$(ls -t dist/*-cp*.whl | head -1) $(BIN)/python -m pytest -q -rP tests/packaging

.venv/built: .venv/made
	$(BIN)/python -m pip install --quiet "build>=1.2"
	@touch $@

## Style, types, layers, spelling.
lint: .venv/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

## Hooks, workflows, templates, changelog, citation, and the package as it would be published.
check-workflows: .venv/checked
	$(BIN)/pre-commit run --all-files
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema custom.github-workflows-require-timeout .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format --default-filetype yaml CITATION.cff
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/towncrier build --draft
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*

.venv/checked: .venv/made
	$(BIN)/python -m pip install --quiet --group release
	@touch $@

## The documentation as a site in build/docs, and a look whether its links lead somewhere.
docs: .venv/documented
	rm -rf build/docs build/doctrees docs/_generated docs/reference/generated
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d build/doctrees docs build/docs
	$(BIN)/python -m tools.site.check build/docs

.venv/documented: .venv/made
	$(BIN)/python -m pip install --quiet --editable ".[peers,plot,report]" --group docs
	@touch $@

## Speed against scikit-learn.
bench: .venv/made
	$(BIN)/python benchmarks/greedy.py
	$(BIN)/python benchmarks/sampling.py
	$(BIN)/python benchmarks/exact.py

## Run the study of the paper, or go on with it, and write docs/study; hours on two cores.
study: .venv/studied
	$(BIN)/python -m study run $(EXPERIMENTS) --results docs/study/results.sqlite --packed docs/study/results.parquet --jobs $(WORKERS)
	$(BIN)/python -m study tables --results docs/study/results.sqlite --out docs/study
	$(BIN)/python -m study claims --results docs/study/results.sqlite

.venv/studied: .venv/made
	$(BIN)/python -m pip install --quiet --editable ".[peers]" --group study
	@touch $@

clean:
	rm -rf .venv .venv-min dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
