"""Where a game starts for the first time, its rules are compiled beside what is done anyway."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from koth import warmup
from koth.cli import dev
from koth.compile import COMPILED
from koth.compile.code_cache import code_folder
from koth.games import GAMES
from koth.services import contests
from tests.cli.program import SMALL, Koth


@pytest.fixture
def first(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done, in its order, on a machine that has compiled nothing."""
    monkeypatch.setattr(warmup, "has_started", lambda game: False)
    return []


def test_while_a_resumed_run_builds_its_bots(koth: Koth, monkeypatch: pytest.MonkeyPatch, first: list[str]) -> None:
    assert koth("run", "zombies", "@coward", "@runner", "--matches", 1, "--out", "r", *SMALL).code == 0
    building, really = threading.Event(), contests.build

    def compile_once(game: object, meanwhile: object) -> None:
        assert building.wait(60), "nothing is built before everything is compiled"
        first.append("compiled")

    def build(*words: Any) -> Any:
        building.set()
        return really(*words)

    monkeypatch.setattr(warmup, "compile_once", compile_once)
    monkeypatch.setattr(contests, "build", build)
    done = koth("resume", "r", "--matches", 2)
    assert (done.code, first) == (0, ["compiled"])
    assert "looking at the bots, and compiling the rules of zombies (the first time only)" in done.err


def test_the_page_of_an_author_does_not_wait_for_it(
    koth: Koth, monkeypatch: pytest.MonkeyPatch, first: list[str]
) -> None:
    assert koth("new", "zombies", "mine").code == 0
    monkeypatch.setattr(warmup, "compile_once", lambda game: first.append("compiled"))
    monkeypatch.setattr(dev, "serve_app", lambda *words: first.append("served"))
    assert koth("dev", "mine", "--game", "zombies").code == 0
    assert first == ["served"]


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_warm_compiles_the_games_that_are_named(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def compile_once(game: Any, meanwhile: object) -> bool:
        asked.append(game.name)
        return bool(game.name == "zombies")

    monkeypatch.setattr("koth.cli.warm.compile_once", compile_once)
    done = koth("warm", "zombies", "metalman")
    assert (done.code, asked) == (0, ["zombies", "metalman"])
    assert done.out.splitlines() == ["zombies: compiled", "metalman: was compiled before", f"in {code_folder()}"]
    wrong = koth("warm", "zombies", "nothing")
    assert (wrong.code, asked[2:]) == (2, [])
    assert "nothing" in wrong.err
    assert koth("warm").code == 0
    assert set(asked[2:]) >= set(GAMES)
