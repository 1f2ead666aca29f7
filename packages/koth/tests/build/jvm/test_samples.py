"""The sample bots for the JVM, and those in its other languages: each really runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.discovery.locations import is_for_jvm
from koth.discovery.samples import read_summary, sample_paths
from tests.build.jvm.arena import GAME, SMALL, Conversation, bots_at, fight

PROGRAMS = {
    ".java": "javac",
    ".scala": "scalac",
    ".kt": "kotlinc",
    ".groovy": "groovyc",
    ".js": "rhino",
    ".py": "jython",
    ".rb": "jruby",
    ".clj": "clojure",
}
"""What tells that a language is installed, by ending."""
SAMPLES = [path for path in sample_paths("zombies") if is_for_jvm("zombies", path)]
MARKED = [
    pytest.param(path, id=path.name, marks=pytest.mark.needs(*dict.fromkeys(("javac", PROGRAMS[path.suffix]))))
    for path in SAMPLES
]


def test_there_are_six_in_java_and_one_in_every_other_language() -> None:
    endings = [path.suffix for path in SAMPLES]
    assert endings.count(".java") >= 6
    assert set(endings) == set(PROGRAMS)


@pytest.mark.parametrize("path", MARKED)
def test_plays_without_a_fault_and_the_same_way_twice(path: Path, tmp_path: Path) -> None:
    found = find_entrants(GAME, [f"@{path.stem}"], Interpreters())
    bots, errors = found.bots, found.problems
    assert not errors
    assert [bot.name for bot in bots] == [path.stem]
    replays = [tmp_path / "one", tmp_path / "two"]
    for replay in replays:
        record = fight(bots, replay=replay).records[path.stem]
        assert (record.faults, record.stderr) == ({}, b"")
    assert replays[0].read_bytes() == replays[1].read_bytes()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_begins_with_its_idea(path: Path) -> None:
    assert read_summary(GAME.name, path).lower().startswith(path.stem.lower())
    assert len(read_summary(GAME.name, path)) > 40


@pytest.mark.slow
@pytest.mark.parametrize("path", MARKED)
def test_shoots_or_steps_away_from_a_zombie_beside_it(path: Path) -> None:
    """All samples do something about a zombie at their elbow."""
    (bot,) = bots_at(path)
    conversation = Conversation(bot, SMALL)
    answer = conversation.ask({"number": 1, "bullets": 2, "seen": {(1, 0): ("Zombie", 300)}})
    assert not answer.fault.any(), answer.errors
    move = SMALL.moves[answer.fields["action"][0]] if answer.fields["action"][0] < 9 else "SHOOT"
    assert move in ("SHOOT", "WEST", "NORTHWEST", "SOUTHWEST")
    conversation.close()
