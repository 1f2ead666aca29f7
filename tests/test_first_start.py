"""The rules are compiled while something else is done."""

from __future__ import annotations

import threading

import pytest

from koth import first_start
from koth.first_start import compiling_beside
from koth.games import load

GAME = load("metalman")


def test_compiling_and_what_is_done_meanwhile_go_on_together(monkeypatch: pytest.MonkeyPatch) -> None:
    building, compiled = threading.Event(), threading.Event()

    def compile_once(game: object) -> None:
        assert game is GAME
        assert building.wait(60), "nothing is built before everything is compiled"
        compiled.set()

    monkeypatch.setattr(first_start, "has_started", lambda game: False)
    monkeypatch.setattr(first_start, "compile_once", compile_once)
    with compiling_beside(GAME):
        building.set()
    assert compiled.is_set()


def test_what_goes_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_once(game: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(first_start, "has_started", lambda game: False)
    monkeypatch.setattr(first_start, "compile_once", compile_once)
    with pytest.raises(OSError, match="no space left"), compiling_beside(GAME):
        pass
    with pytest.raises(KeyError, match="a bot"), compiling_beside(GAME):
        raise KeyError("a bot")


def test_a_game_that_has_started_before_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_start, "has_started", lambda game: True)
    monkeypatch.setattr(first_start, "compile_once", lambda game: pytest.fail("compiled again"))
    with compiling_beside(GAME):
        pass
