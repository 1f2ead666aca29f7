"""A sample of what `make torture` does a million times: nothing that bots say or replays hold raises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import fuzz
from tests.fuzz import Talk, Tape, talks

seeds = st.integers(0, 2**64 - 1)


@pytest.fixture(scope="module")
def all_talks() -> list[Talk]:
    return talks()


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> Tape:
    return Tape(tmp_path_factory.mktemp("tape"))


@pytest.mark.slow
@settings(max_examples=190)
@given(seeds)
def test_malformed_answers(all_talks: list[Talk], seed: int) -> None:
    fuzz.answers(seed, 100, all_talks)


@pytest.mark.slow
@settings(max_examples=100)
@given(seeds)
def test_damaged_replays(tape: Tape, seed: int) -> None:
    fuzz.replays(seed, 10, tape)
