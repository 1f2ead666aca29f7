"""A sample of what `make torture` does a million times: nothing that bots say or replays hold raises."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koth.protocol.bot_protocol import Answer
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


def test_right_answers_are_understood(all_talks: list[Talk]) -> None:
    """The malformed answers are mutations of answers that protocols take."""
    assert {talk.name for talk in all_talks} >= {"json", "frames", "python", "text"}
    assert {talk.game.name for talk in all_talks} == set(fuzz.ANSWERS)
    for talk in all_talks:
        if talk.name == "json":
            said = [{"ask": talk.number, **answer} for answer in fuzz.ANSWERS[talk.game.name]]
            meaning = talk.protocol.decode(json.dumps(said[0]).encode())
            assert isinstance(meaning, Answer), (talk.game.name, meaning)
            talk.ask()


def test_the_replay_is_whole(tape: Tape) -> None:
    tape.file.write_bytes(b"".join(fuzz._packed(member) for member in tape.members))
    replay = fuzz.Replay(tape.file)
    assert fuzz.verify(fuzz.GAME, replay, fuzz.SETTINGS) is None
