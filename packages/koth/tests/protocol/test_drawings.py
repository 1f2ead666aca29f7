"""Bots' drawings for their authors: kept beside the replay, within limits, and never at the cost of an answer."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.adapter.kit import Debug
from koth.contest.private import read_notes, write_private
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.games import load as load_game
from koth.match import BotReport, Hosting, Watching, play
from koth.protocol.drawings import LONGEST_TEXT, MOST_DRAWINGS, check_drawings
from koth.replay.reader import Replay
from tests.session.arena import SETTINGS, good_bot, json_bot, python_bot, result_of

DRAWS = """
from koth.games.zombies.bot import Move, debug

class Draws:
    def do_turn(self, context):
        {line}
        return Move.STAY
"""


def played(bot: Any, folder: Path) -> BotReport:
    """A bot's record of a match against a good one, which it went through without a fault."""
    path = folder / "match-0001.koth.gz"
    result = result_of([bot, good_bot(folder)], turns=5, replay=path)
    record = result.records[bot.name]
    assert record.faults == {}
    assert "square" not in "".join(map(str, Replay(path).turns()))
    return record


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ({"square": [1, 2]}, {"square": [1, 2]}),
        ({"square": [1, 2.5], "text": 7, "more": 1}, {"square": [1, 2.5], "text": "7"}),
        ({"line": [1, 2, 3, -4], "color": "red"}, {"line": [1, 2, 3, -4], "color": "red"}),
        ({"at": [1, 2], "text": "x" * 100, "color": "url(x)"}, {"at": [1, 2], "text": "x" * LONGEST_TEXT}),
        ({"at": [1, 2]}, None),
        ({"square": [1]}, None),
        ({"square": [1, None]}, None),
        ({"square": [True, 1]}, None),
        ({"square": [1, 1e300]}, None),
        ({"square": [1, 10**400]}, None),
        ({"square": [1, float("nan")]}, None),
        ({"line": [1, 2]}, None),
        ({}, None),
        ("square", None),
    ],
)
def test_a_drawing_is_kept_or_it_is_none(told: Any, kept: Any) -> None:
    found, lost = check_drawings([told])
    assert found == ([] if kept is None else [kept])
    assert lost.startswith("1 of 1 not drawn: a drawing is") == (kept is None)


def test_what_is_no_list_of_drawings() -> None:
    assert check_drawings(None) == ([], "")
    for told in ({"square": [1, 2]}, 7, "x"):
        found, lost = check_drawings(told)
        assert found == []
        assert lost.endswith("in a list")
    found, lost = check_drawings([{"square": [1, 2]}] * (MOST_DRAWINGS + 9))
    assert len(found) == MOST_DRAWINGS
    assert lost == f"not all drawn: {MOST_DRAWINGS + 9} drawings in an answer, at most {MOST_DRAWINGS} are kept"


def test_a_class_bot_draws(tmp_path: Path) -> None:
    line = "debug.mark(context.x, context.y, 7, 'red'); debug.line(1, 2, 3, 4); debug.text(0.5, 1, 'hm')"
    line += "; debug.note('n')"
    record = played(python_bot(tmp_path, DRAWS.format(line=line), "draws"), tmp_path)
    turns = [turn for turn, _, _ in record.drawings]
    assert turns == [1, 2, 3, 4, 5]
    assert [turn for turn, _ in record.notes] == turns
    _, drawn, lost = record.drawings[0]
    assert lost == ""
    assert len(drawn) == 3 * SETTINGS.players
    assert drawn[0]["text"] == "7"
    assert drawn[1:3] == [{"line": [1, 2, 3, 4]}, {"at": [0.5, 1], "text": "hm"}]


def test_a_bot_in_json_draws(tmp_path: Path) -> None:
    source = 'for q in questions(): say(stay(q, draw=[{"square": [3, 4], "text": "!"}, {"square": "here"}]))'
    record = played(json_bot(tmp_path, source, "draws"), tmp_path)
    assert record.drawings[0] == (1, [{"square": [3, 4], "text": "!"}], record.drawings[0][2])
    assert record.drawings[0][2].startswith("1 of 2 not drawn")
    assert record.notes == []


def test_the_page_is_true(tmp_path: Path) -> None:
    page = (Path(__file__).parents[4] / "docs" / "python.md").read_text().split("## Draw on the board")[1]
    (python,) = re.findall(r"```python\n(.*?)```", page, re.S)
    (answer,) = re.findall(r"```json\n(.*?)```", page, re.S)
    record = played(python_bot(tmp_path, python, "paged"), tmp_path)
    assert {*record.drawings[0][1][0]} == {"square", "text"}
    assert record.drawings[0][1][-1] == {"at": [0, 0], "text": "turn 0"}
    assert [lost for _, _, lost in record.drawings] == [""] * 5
    drawn = json.loads(answer)["draw"]
    assert check_drawings(drawn) == (drawn, "")


def test_metal_mans_bots_draw(tmp_path: Path) -> None:
    game = load_game("metalman")
    source = """
from koth.adapter.kit import debug

class Draws:
    def __init__(self, *_):
        pass

    def step(self, state):
        debug.mark(*state["spotter location"], "me")
        return {part: {"moves": [], "direction": [0, 1]} for part in ("Spotter", "Assasin")}
"""
    (tmp_path / "bot.py").write_text(source)
    bots = [load_bot(game, tmp_path / "bot.py", Interpreters(), name) for name in "abcd"]
    settings = next(iter(game.rulesets.values()))
    result = play(
        game,
        settings,
        bots,
        1,
        Hosting(time_control=replace(game.time_control, start=30, question=30, paid_thinking=False)),
        Watching(max_turns=1),
    )
    for record in result.records.values():
        assert record.faults == {}
        assert record.drawings[0][1][0]["text"] == "me"


def test_who_draws_without_end_loses_only_drawings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "[debug.mark(x, object(), 'x' * 10_000) for x in range(2_000)]"
    record = played(python_bot(tmp_path, DRAWS.format(line=line), "wild"), tmp_path)
    assert all(len(drawn) <= MOST_DRAWINGS and lost for _, drawn, lost in record.drawings)
    monkeypatch.setattr("koth.match.NOTES", 20_000)
    line = "[debug.mark(x, 1, 'x' * 10_000) for x in range(2_000)]"
    record = played(python_bot(tmp_path, DRAWS.format(line=line), "more"), tmp_path)
    assert len(json.dumps(record.drawings)) < 45_000  # with blanks


def test_drawings_lie_beside_the_replay(tmp_path: Path) -> None:
    record = BotReport()
    record.note(3, "n")
    record.draw(2, [{"square": [1, 2]}])
    record.draw(3, 7)
    write_private(tmp_path, 5, {"a": record})
    first, note, lost = read_notes(tmp_path, 5, "a")
    assert (first, note) == ({"turn": 2, "draw": [{"square": [1, 2]}]}, {"turn": 3, "note": "n"})
    assert lost["draw"] == []
    assert lost["lost"].startswith("not drawn")


class Unspeakable:
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("text", [10**5000, Unspeakable()], ids=["endless", "unspeakable"])
def test_invalid_drawings_are_dropped_at_no_cost(text: Any) -> None:
    debug = Debug()
    debug.mark(1, 2, text)
    debug.mark(10**5000, 2, "far")
    assert json.loads(json.dumps(debug.take())) == [{"square": [None, 2], "text": "far"}]
