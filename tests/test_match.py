"""One match: what bots are told, who is asked, and that nothing hangs on the outside world."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from koth.game import Asks, Budgets
from koth.match import Inline, play
from koth.replay import Replay
from koth.rng import derive
from tests.bots.arena import GAME, PATIENT, SETTINGS, good_bot, json_bot, match, python_bot


def walks(asks: Asks, facts: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"action": (asks.view["clock"] + asks.view["number"]) % 9}


def test_what_a_bot_is_told(tmp_path: Path) -> None:
    told: list[Mapping[str, Any]] = []

    def listens(asks: Asks, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        told.append(facts)
        return {}

    play(
        GAME, SETTINGS, [Inline("a", walks), Inline("b", listens)], 7, ruleset="original", budgets=Budgets(question=3)
    )
    facts = told[0]
    assert all(other == facts for other in told)
    assert [facts[key] for key in ("game", "ruleset", "seat", "names", "seconds")] == [
        "zombies", "original", 1, ["a", "b"], 3,
    ]  # fmt: skip
    assert facts["seed"] == derive(7, "bot", 1)
    assert facts["players"] == SETTINGS.players


def test_three_ways_to_talk_are_one_match(tmp_path: Path) -> None:
    """Inline, a Python class and JSON lines answer alike: the same boards, byte for byte."""
    source = """
    names = "NORTHWEST NORTH NORTHEAST EAST STAY WEST SOUTHEAST SOUTH SOUTHWEST".split()
    for q in questions():
        moves = {p["number"]: names[(q["clock"] + p["number"]) % 9] for p in q["players"]}
        say({"ask": q["ask"], "moves": moves})
    """
    boards = []
    for number, bot in enumerate((Inline("me", walks), good_bot(tmp_path), json_bot(tmp_path, source, "me"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        result, replay = match([bot, Inline("other", walks)], folder)
        assert not result.records[bot.name].faults
        boards.append(
            [
                (turn.turn, turn.hash, [{**ask, "who": ask["who"].tolist()} for ask in turn.asks])
                for turn in replay.turns()
            ]
        )
    assert boards[0] == boards[1] == boards[2]


def test_the_same_seed_is_the_same_file(tmp_path: Path) -> None:
    random = "from random import choice\nfrom koth.games.zombies.bot import Move\nclass Me:\n"
    random += "    def do_turn(self, context): return choice([*{*Move}])\n"
    files = []
    for name in ("first", "again"):
        (tmp_path / name).mkdir()
        entrants = [good_bot(tmp_path), python_bot(tmp_path, random, "dice")]
        _, replay = match(entrants, tmp_path / name)
        files.append(replay.path.read_bytes())
    assert files[0] == files[1]


FAILS = """
import os

class Me:
    def do_turn(self, context):
        if context.game_clock == 4:
            os._exit(1)
        1 / (context.id.number % 2)
"""


def test_faults_are_played_again_alike(tmp_path: Path) -> None:
    seen = []
    for name in ("first", "again", "once more"):
        (tmp_path / name).mkdir()
        result, replay = match([python_bot(tmp_path, FAILS, "fails"), good_bot(tmp_path)], tmp_path / name)
        troubles = result.records["fails"].troubles
        assert sorted(troubles) == ["crash", "error", "illegal"]
        told = [(t.kind, t.turn, t.text, t.asked, t.end, t.count) for t in troubles.values()]
        seen.append((replay.path.read_bytes(), told))
    assert seen[0] == seen[1] == seen[2]


def test_who_has_nobody_left_is_not_asked(tmp_path: Path) -> None:
    asked: dict[str, list[int]] = {"a": [], "b": []}

    def listens(asks: Asks, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        asked[facts["names"][facts["seat"]]].append(int(asks.view["clock"][0]))
        return {}

    result = play(GAME, SETTINGS, [Inline("a", listens), Inline("b", listens)], 1)
    for name, turns in asked.items():
        assert turns == list(range(len(turns)))
        assert len(turns) == result.scores[name] + 1
    assert result.turns == max(len(turns) for turns in asked.values()) + 1


def test_an_error_inline_is_the_callers(tmp_path: Path) -> None:
    def breaks(asks: Asks, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        play(GAME, SETTINGS, [Inline("a", breaks), good_bot(tmp_path)], 1, budgets=PATIENT)


def test_turns_are_told_of(tmp_path: Path) -> None:
    turns: list[int] = []
    result = play(GAME, SETTINGS, [Inline("a", walks)], 1, on_turn=turns.append)
    assert turns == list(range(1, result.turns + 1))


def test_a_notes_way_into_the_replay(tmp_path: Path) -> None:
    bot = json_bot(tmp_path, "for q in questions(): say(stay(q, note={'seen': len(q['players'])}))")
    _, replay = match([bot, Inline("b", walks)], tmp_path)
    first = next(turn for turn in Replay(replay.path).turns() if turn.asks)
    assert first.asks[0]["notes"] == {"0": {"seen": 3}}
    assert np.isfinite(list((replay.result or {})["scores"].values())).all()
