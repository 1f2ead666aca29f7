# Each target works alone on a machine with Python 3.11 and pip; `make` alone lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
READY_HILL := $(VENV)/ready-hill
READY_DEV := $(VENV)/ready-dev
PACKAGES := -e packages/koth-learn -e packages/koth-studies -e packages/koth-cluster -e packages/koth-hill
# A file's tests share what is made once. Python keeps what it compiles: hundreds of processes would each do it anew.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile
unexport PYTHONDONTWRITEBYTECODE

STATIC := packages/koth-hill/src/koth_hill/site/static
ENGINE := $(addprefix packages/koth/tests/,compile engine test_grid.py test_rng.py test_match.py)

.DEFAULT_GOAL := help
.PHONY: help demo hill test test-slow test-game test-numba everything torture outside outside-learning baselines docs \
	check check-fast check-js format bench golden migration editor lock clean

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*  ## (.*)/\1\t\2/p' Makefile | expand -t 18

demo: $(READY)  ## a real contest: watched in the browser while it runs (in a terminal), and its standings
	@test -t 1 && view=--view || { view=; echo "no terminal: without the page in the browser"; }; \
	$(BIN)/python -m koth run zombies @wall_builder @herd @gunner @runner --until top=1 --matches 48 --seed 2014 --jobs 2 \
		--out runs/demo-$$(date +%Y%m%d-%H%M%S) $$view

hill: $(READY_HILL)  ## a hill with its site, which the samples enter one by one; with accounts to try
	@$(BIN)/python -m scripts.hill

test: $(READY_DEV)  ## every law on every game, and a test at least of each kind (five minutes on two quiet cores)
	@echo "the tests that are not slow: five minutes on two quiet cores, of which twenty seconds to read them"
	@$(PYTEST) -m "not slow and not long"

test-slow: $(READY_DEV)  ## the other tests that this machine can run (five minutes more)
	@echo "the slow tests: five minutes on two quiet cores, of which twenty seconds to read them"
	@$(PYTEST) -m "slow and not long"

test-game: $(READY_DEV)  ## make test-game NAME=foo: what is not slow and named after this game
	@$(PYTEST) -m "not slow and not long" -k "$(NAME)"

test-numba: $(READY_DEV) $(VENV)-lowest/ready  ## rules and engine, not slow, with the lowest Numba allowed
	@$(subst $(BIN),$(VENV)-lowest/bin,$(PYTEST)) -m "not slow and not long" $(ENGINE)

everything: test test-slow check  ## also what is marked long, torture, every benchmark (by hand, on a quiet machine)
	@$(BIN)/python -m pytest -m long
	@PYTHONPATH=packages/koth:packages/koth-hill $(BIN)/python -m scripts.torture
	@$(MAKE) --no-print-directory bench

torture: $(READY_DEV)  ## 100 kills of a contest and 100 of a site, a million malformed answers and damaged replays, 100 matches with deaths
	@PYTHONPATH=packages/koth:packages/koth-hill $(BIN)/python -m scripts.torture

OUTSIDE := $(CURDIR)/build/outside
outside: $(READY) $(OUTSIDE)/ready  ## contests from outside against their own hosts (by hand; others with COLOUR=CLONE, ANTS=CLONE)
	@if [ "$(ANTS)" ]; then cp -r examples/koth-ants $(OUTSIDE) && $(OUTSIDE)/koth-ants/fetch-kit.sh $(ANTS) && \
		$(BIN)/python -m pip install -qq --no-deps --upgrade --target $(OUTSIDE)/games $(OUTSIDE)/koth-ants; fi
	@PYTHONPATH=$(OUTSIDE)/games $(BIN)/python -m scripts.outside $(OUTSIDE) $(if $(COLOUR),--colour $(COLOUR)) \
		$(if $(ANTS),--ants $(ANTS))

# Axelrod's library twice: alone, for koth's bots, and with what its own tournament needs, but without torch.
$(OUTSIDE)/ready:
	@$(PYTHON) -m venv --clear $(OUTSIDE)/axelrod
	@pip="$(OUTSIDE)/axelrod/bin/python -m pip install --disable-pip-version-check -qq"; \
	$$pip cloudpickle 'dask[dataframe]' fsspec matplotlib pandas pyyaml scipy toolz tqdm && \
	$$pip --no-deps axelrod==4.14.0 && \
	$$pip --no-deps --target $(OUTSIDE)/library axelrod==4.14.0 && \
	cp -r examples/koth-ipd examples/koth-colour $(OUTSIDE) && \
	$$pip --no-deps --target $(OUTSIDE)/games $(OUTSIDE)/koth-ipd $(OUTSIDE)/koth-colour
	@touch $@

outside-learning:  ## koth_learn under the checkers and in short loops of researchers' libraries (downloads PyTorch; by hand)
	@$(PYTHON) -m venv build/outside-learning
	@build/outside-learning/bin/python -m pip install --disable-pip-version-check -qq -e packages/koth -e 'packages/koth-learn[onnx]' onnx torch torchrl \
		stable-baselines3 sb3-contrib supersuit
	@PYTHONPATH=packages/koth:packages/koth-learn build/outside-learning/bin/python -m scripts.outside_learning

baselines:  ## train and evaluate a policy of every game, for docs/learning.md (downloads PyTorch; minutes to an hour)
	@$(PYTHON) -m venv build/baselines-venv
	@build/baselines-venv/bin/python -m pip install --disable-pip-version-check -qq -e packages/koth -e 'packages/koth-learn[onnx]' onnx torch matplotlib
	@OMP_NUM_THREADS=1 build/baselines-venv/bin/python examples/learn/baselines.py --out build/baselines

docs: $(READY_DEV)  ## the site of documents, in build/site; a warning is an error
	@$(BIN)/python -m scripts.site

check: check-fast check-js docs  ## what CI runs beside the tests
	@$(BIN)/python -m mypy

check-js: node_modules/ready  ## types and lint of the viewer's JavaScript, and the site's bundle (needs npm; koth itself does not)
	@npm run --silent types
	@npm run --silent lint
	@mkdir -p build/editor
	@node scripts/codemirror/build.js build/editor
	@diff -q build/editor/codemirror.js $(STATIC)/codemirror.js

editor: node_modules/ready  ## bundle the editor of the site, CodeMirror, as package-lock.json has it
	@node scripts/codemirror/build.js $(STATIC)

node_modules/ready: package-lock.json
	@npm ci --no-audit --no-fund --silent
	@touch $@

check-fast: $(READY_DEV)  ## format and lint
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m ruff check .

format: $(READY_DEV)  ## format, and fix what the linter can
	@$(BIN)/python -m ruff format .
	@$(BIN)/python -m ruff check --fix .

bench: $(READY_DEV)  ## every benchmark; prints figures, asserts nothing
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

golden: $(READY_DEV)  ## write the golden files again (a changed golden needs a line in CHANGELOG.md)
	@$(BIN)/python -m tests.golden
	@KOTH_GOLDEN=1 $(BIN)/python -m pytest packages/koth/tests/viewer/test_golden.py

migration: $(READY_DEV)  ## write the hill's one migration again, from its models
	@$(BIN)/python -m scripts.migration
	@$(BIN)/ruff check -q --fix packages/koth-hill/src; $(BIN)/ruff format -q packages/koth-hill/src

lock: $(READY_DEV)  ## pin what is installed
	@$(BIN)/python -m pip freeze --exclude-editable > requirements.lock

clean:  ## remove the environments and what was built
	rm -rf $(VENV) $(VENV)-lowest build dist packages/*/build packages/*/src/*.egg-info

# pip tells errors only, so that a screen holds what is told; the environment is brought up to date when the lock file
# changes. Where Python came without the means to put pip into an environment (Debian's, without python3-venv), its own
# pip installs.
define install
@test -x $(BIN)/python || { echo "making the environment in $(VENV)"; \
	$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || $(PYTHON) -m venv --without-pip --clear $(VENV); }
@echo "installing koth and what it needs (half a minute, or as long as the network takes)"
@pip="$(BIN)/python -m pip"; $$pip --version >/dev/null 2>&1 || pip="$(PYTHON) -m pip --python $(BIN)/python"; \
	$$pip install --disable-pip-version-check --prefer-binary -qq -c requirements.lock -e $(1)
endef

# What comes with Numba is not taken from the lock: a lower one needs lower ones.
$(VENV)-lowest/ready: requirements.lock packages/koth/pyproject.toml
	@echo "making the environment in $(VENV)-lowest"
	@grep -vE '^(numba|llvmlite|numpy|scipy)==' requirements.lock > $(VENV)/lowest.txt
	@grep -oE 'numba>=[0-9.]+' packages/koth/pyproject.toml | sed 's/>=/==/' >> $(VENV)/lowest.txt
	@$(PYTHON) -m venv --clear $(VENV)-lowest
	@$(VENV)-lowest/bin/python -m pip install --disable-pip-version-check --prefer-binary -qq -c $(VENV)/lowest.txt \
		-e 'packages/koth[dev]' $(PACKAGES)
	@touch $@

$(READY): requirements.lock packages/koth/pyproject.toml
	$(call install,packages/koth)
	@touch $@

$(READY_HILL): requirements.lock packages/koth/pyproject.toml
	$(call install,packages/koth -e packages/koth-hill)
	@touch $@ $(READY)

$(READY_DEV): requirements.lock $(wildcard packages/*/pyproject.toml)
	$(call install,'packages/koth[dev]' $(PACKAGES))
	@touch $@ $(READY) $(READY_HILL)
