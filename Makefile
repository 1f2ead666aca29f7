# `make demo` and `make test` each work alone on a machine with Python 3.11 and pip.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
READY_DEV := $(VENV)/ready-dev

.PHONY: demo test torture check check-fast format bench golden new-game lock clean

demo: $(READY)  ## a real contest: its standings, and how to watch it
	@$(BIN)/python -m koth run zombies --games $(or $(GAMES),2) --seed 2014 --jobs 2 --out runs/demo-$$(date +%Y%m%d-%H%M%S)

test: $(READY_DEV)  ## all tests that this machine can run; the rest is listed at the end
	@$(BIN)/python -m pytest

torture: $(READY_DEV)  ## 100 kills of a contest, a million malformed answers and damaged replays (half an hour)
	@$(BIN)/python -m scripts.torture

check: check-fast  ## what CI runs beside the tests
	@$(BIN)/python -m mypy

check-fast: $(READY_DEV)  ## format and lint
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m ruff check .

format: $(READY_DEV)
	@$(BIN)/python -m ruff format .
	@$(BIN)/python -m ruff check --fix .

bench: $(READY_DEV)  ## every benchmark; prints figures, asserts nothing
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

golden: $(READY_DEV)  ## write the golden files anew (a changed golden needs a line in CHANGELOG.md)
	@$(BIN)/python -m tests.golden

new-game: $(READY_DEV)  ## make new-game NAME=foo: a copy of the smallest game to start from
	@$(BIN)/python scripts/new_game.py $(NAME)

lock: $(READY_DEV)  ## pin what is installed
	@$(BIN)/python -m pip freeze --exclude-editable > requirements.lock

clean:
	rm -rf $(VENV) build dist src/*.egg-info

# pip shows its own progress bars; the environment is made anew when the lock file changes.
$(READY): requirements.lock pyproject.toml
	@test -x $(BIN)/python || { echo "making the environment in $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing koth and what it needs"
	@$(BIN)/python -m pip install --disable-pip-version-check --prefer-binary --progress-bar on -c requirements.lock -e '.[web]'
	@touch $@

$(READY_DEV): requirements.lock pyproject.toml
	@test -x $(BIN)/python || { echo "making the environment in $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing koth, what it needs, and what its tests need"
	@$(BIN)/python -m pip install --disable-pip-version-check --prefer-binary --progress-bar on -c requirements.lock -e '.[web,dev]'
	@touch $@ $(READY)
