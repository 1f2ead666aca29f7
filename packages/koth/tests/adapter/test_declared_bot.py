"""Python classes by the API that follows from a game's declaration, as real processes under koth's adapter."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from koth.adapter.declared_bot import Record, decode_message, encode_value
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.game import TimeControl
from koth.games import load as load_game
from koth.match import BotReport, Hosting, play
from koth.replay.reader import Replay
from koth.session.local import InlineBot
from tests.trials import trial

PATIENT = TimeControl(start=30, question=30)


def played(
    folder: Path, source: str, game: str = "pacman", time_control: TimeControl = PATIENT
) -> tuple[BotReport, list[Any]]:
    """Play a class in a short match among bots that do nothing; its report, and what was noted, by question."""
    home = folder / "mine"
    home.mkdir()
    (home / "bot.py").write_text(textwrap.dedent(source), encoding="utf-8")
    (home / "koth.toml").write_text('protocol = "python"\n')
    rules = load_game(game)
    rivals = [InlineBot(f"nobody{number}", lambda *_: {}) for number in range(max(2, rules.seats.start) - 1)]
    replay, bot = folder / "match.koth.gz", load_bot(rules, home, Interpreters())
    hosting = Hosting(replay=replay, time_control=time_control)
    result = play(rules, trial(game).short, [bot, *rivals], 7, hosting)
    assert len(list(Replay(replay).turns())) > 2
    return result.records["mine"], [note[-1] for note in result.records["mine"].notes]


WHOLE = """
    from koth.adapter.kit import debug, note

    class Bot:
        def __init__(self, info):
            self.info, self.asked = info, 0

        def act(self, obs):
            self.asked += 1
            first = obs.seen[0]
            assert obs["row"] == obs.row and "row" in obs and "cow" not in obs
            assert list(obs)[:3] == ["question", "row", "col"]
            assert obs.left.bank == self.info.bank and obs.left.strikes == self.info.strikes
            note([self.info.side * self.info.side == len(self.info.walls), obs.question, obs.row, first[2], obs])
            debug.mark(obs.row, obs.col, "!")
            print("thinking")
            return "NESW"[self.asked % 4]
"""


def test_what_a_class_is_shown_and_answers(tmp_path: Path) -> None:
    report, notes = played(tmp_path, WHOLE)
    assert report.faults == {}
    assert b"thinking" in report.stderr
    assert (len(notes), len(report.drawings)) == (8, 8)
    is_square, question, row, letter, obs = notes[0]
    assert (is_square, question) == (True, "move")
    assert (row, letter) == (obs["row"], obs["seen"][0][2])
    assert letter in "oOFGPX"


def test_units_are_answered_by_their_numbers(tmp_path: Path) -> None:
    source = """
        class Bot:
            def act(self, obs):
                return {player.number: "NORTH" for player in obs.players}
    """
    report, _ = played(tmp_path, source, "zombies")
    assert report.faults == {}


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    source = """
        import numpy

        class Bot:
            def act(self, obs):
                return {"Spotter": {"moves": numpy.array([[1, 0]])[:0], "direction": numpy.array([0, 1])},
                        "Assasin": {"moves": (), "direction": [numpy.int8(1), numpy.uint64(0)]}}
    """
    report, _ = played(tmp_path, source, "metalman")
    assert report.faults == {}


@pytest.mark.parametrize(
    ("returned", "kind", "text"),
    [
        ("None", "missing", "act returned None: is a return missing?"),
        ("'north'", "illegal", "'north' is not a move; use one of N, E, S, W, X"),
        ("{'move': 7}", "illegal", "7 is not a move; use one of N, E, S, W, X"),
        ("{'mvoe': 'N'}", "illegal", "act must return a dict with 'move', not {'mvoe': 'N'}"),
        ("{(1, 2): 'N'}", "illegal", "\"{(1, 2): 'N'}\" is not a move; use one of N, E, S, W, X"),
        ("float('nan')", "illegal", "'nan' is not a move; use one of N, E, S, W, X"),
        ("Odd()", "illegal", "'an odd thing' is not a move; use one of N, E, S, W, X"),
        (
            "Worse()",
            "illegal",
            "\"(can't be shown: ZeroDivisionError('division by zero'))\" is not a move; use one of",
        ),
        ("'\\ud800'", "garbage", "not JSON"),
        ("1 / 0", "error", "ZeroDivisionError: division by zero (bot.py, line 13)"),
        (
            "obs.dog",
            "error",
            "there is no 'dog' here, but question, row, col, self, free, seen, left (bot.py, line 13)",
        ),
    ],
)
def test_errors_are_explained_and_the_bot_plays_on(returned: str, kind: str, text: str, tmp_path: Path) -> None:
    source = f"""
        class Odd:
            def __repr__(self):
                return "an odd thing"

        class Worse:
            def __repr__(self):
                return 1 / 0

        class Bot:
            asked = 0
            def act(self, obs):
                self.asked += 1; return "X" if self.asked % 2 else {returned}
    """
    report, _ = played(tmp_path, source)
    assert report.faults == {kind: 4}
    assert text in report.fault_reports[kind].text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("class Bot: pass", "TypeError: a bot in Python is a class Bot with a method act(self, obs)"),
        ("act = 1", "a bot in Python is a class Bot"),
        ("class Bot:\n    def act(self) return 'N'", "SyntaxError: expected ':' (bot.py, line 2)"),
        ("import nothing_like_it", "No module named 'nothing_like_it' (bot.py, line 1)"),
        (
            "class Bot:\n    def __init__(self, info):\n        info.sides\n    act = 1",
            "a class Bot with a method act",
        ),
        (
            "class Bot:\n    def __init__(self, info):\n        info.sides\n    def act(self, obs): ...",
            "there is no 'sides' here, but game, ruleset, seat, names,",
        ),
        ("class Bot:\n    def __init__(self): ...\n    def act(self, obs): ...", "takes 1 positional argument but 2"),
        ("import sys\nsys.exit('I quit')", "sys.exit('I quit') was called (bot.py, line 2)"),
    ],
)
def test_a_failed_start_names_the_line(source: str, text: str, tmp_path: Path) -> None:
    home = tmp_path / "mine"
    home.mkdir()
    (home / "bot.py").write_text(source)
    (home / "koth.toml").write_text('protocol = "python"')
    game = load_game("pacman")
    bot = load_bot(game, home, Interpreters())
    result = play(
        game, trial("pacman").short, [bot, InlineBot("other", lambda *_: {})], 7, Hosting(time_control=PATIENT)
    )
    report = result.records["mine"].fault_reports["crash"]
    assert report.turn == 0
    assert text in report.text
    assert b"bot_adapter.py" not in result.records["mine"].stderr
    assert b"declared_bot.py" not in result.records["mine"].stderr


def test_a_silent_one_is_late_with_its_line(tmp_path: Path) -> None:
    source = """
        import time

        class Bot:
            asked = 0
            def act(self, obs):
                self.asked += 1
                if self.asked == 4:
                    time.sleep(60)
                return "X"
    """
    report, _ = played(tmp_path, source, time_control=TimeControl(start=30, question=1, first=30, late_in_a_row=1))
    assert report.faults == {"late": 1}
    assert "the bot was at bot.py, line 9, in act" in report.fault_reports["late"].text


def test_records() -> None:
    """Keys are attributes, whatever they are called; objects by number are dicts of numbers."""
    obs = decode_message(b'{"get": 1, "from": [{"x": 2}], "by": {"3": {"y": 4}}, "none": {}}')
    assert (obs.get, obs["from"][0].x, obs.by[3].y) == (1, 2, 4)
    assert obs.none == Record()
    assert json.loads(encode_value(obs)) == {"get": 1, "from": [{"x": 2}], "by": {"3": {"y": 4}}, "none": {}}
