"""The starting points of authors: `new/` folders."""

from __future__ import annotations

import pytest

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.locations import is_for_jvm
from koth.discovery.samples import find_sample
from koth.discovery.starts import find_starts
from koth.games import load as load_game
from tests.build.jvm.arena import fight


@pytest.mark.needs("javac")
@pytest.mark.parametrize("game", ["aliens", "zombies"])
def test_the_start_in_java_is_a_class_of_the_games_own_api(game: str) -> None:
    assert is_for_jvm(game, find_starts(game)["java"])


@pytest.mark.needs("javac")
def test_a_start_plays_at_once() -> None:
    bot = load_bot(load_game("zombies"), find_starts("zombies")["java"], Interpreters())
    record = fight([bot]).records["MyBot"]
    assert (record.faults, record.stderr) == ({}, b"")


def test_a_game_may_have_flags_of_its_own() -> None:
    """Species of aliens do without the optimising compiler, players of zombies don't."""
    without = "-XX:TieredStopAtLevel=1"
    for game, name, there in (("aliens", "Ravager", True), ("zombies", "Lookout", False)):
        argv = load_bot(load_game(game), find_sample(game, name), Interpreters()).argv
        assert (without in argv) == there
        assert not any(word.startswith("#") for word in argv)
