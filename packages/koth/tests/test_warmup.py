"""The rules are compiled while something else is done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from koth import warmup
from koth.compile.lazy import Listener
from koth.diagnostics.checkup import Checkup
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample
from koth.games import load
from koth.sandbox.isolation import Isolation
from koth.session.bot import Bot
from koth.warmup import compiling_beside, first_time

GAME = load("metalman")


def test_compiling_runs_beside_other_work(monkeypatch: pytest.MonkeyPatch) -> None:
    building, compiled = threading.Event(), threading.Event()

    def compile_once(game: object, meanwhile: Callable[[], AbstractContextManager[Listener]]) -> None:
        assert game is GAME
        assert building.wait(60), "nothing is built before everything is compiled"
        with meanwhile() as listener:
            listener("koth.kernel", 3, 40)
        compiled.set()

    said: list[str] = []

    monkeypatch.setattr(warmup, "has_started", lambda game: False)
    monkeypatch.setattr(warmup, "compile_once", compile_once)
    with compiling_beside(GAME, said.append):
        building.set()
    assert compiled.is_set()
    assert said == ["compiling the rules of metalman (the first time only): 3 of 40 kernels"]


def test_errors_of_the_thread_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_once(game: object, meanwhile: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(warmup, "has_started", lambda game: False)
    monkeypatch.setattr(warmup, "compile_once", compile_once)
    with pytest.raises(OSError, match="no space left"), compiling_beside(GAME):
        pass
    with pytest.raises(KeyError, match="a bot"), compiling_beside(GAME):
        raise KeyError("a bot")


def test_a_game_that_has_started_before_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "has_started", lambda game: True)
    monkeypatch.setattr(warmup, "compile_once", lambda game: pytest.fail("compiled again"))
    with compiling_beside(GAME):
        pass


def test_what_is_compiled_beside_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "has_started", lambda game: False)
    assert first_time(GAME) == ", and compiling the rules of metalman (the first time only)"
    monkeypatch.setattr(warmup, "has_started", lambda game: True)
    assert first_time(GAME) == ""


def test_a_bot_is_built_while_the_rules_of_its_check_are_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    order: list[str] = []
    building = threading.Event()

    def compile_once(game: object, meanwhile: object) -> None:
        assert building.wait(60), "nothing is built before everything is compiled"
        order.append("compiled")

    def build(bot: Bot, folder: Path, isolation: Isolation, seconds: float | None) -> tuple[Bot, str]:
        building.set()
        return bot, "it can't be built"

    monkeypatch.setattr(warmup, "has_started", lambda game: False)
    monkeypatch.setattr(warmup, "compile_once", compile_once)
    said: list[str] = []
    settings = GAME.rulesets["published"]
    look = Checkup(
        game=GAME,
        ruleset="published",
        settings=settings,
        max_turns=1,
        seed=1,
        folder=tmp_path,
        time_control=GAME.time_control,
        on_doing=said.append,
        build_copy=build,
    )
    _, step = look.build(load_bot(GAME, find_sample("metalman", "explorer"), Interpreters()))
    assert order == ["compiled"]
    assert step.name == "build"
    assert "compiling the rules of metalman" in said[0]
