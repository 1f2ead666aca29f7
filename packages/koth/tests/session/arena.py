"""Small matches with a bad bot and a good one, for tests of how bots are hosted."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.game import FAULTS, Observations, TimeControl
from koth.games import load as load_game
from koth.games.zombies.state import Settings
from koth.match import BotReport, Entrant, Hosting, Result, Watching, play
from koth.replay.reader import Replay, TurnRecord
from koth.sandbox.isolation import PLAIN, Isolation
from koth.session.bot import Bot
from koth.session.conversation import Limits
from koth.session.local import InlineBot

GAME = load_game("zombies")
SETTINGS = Settings(players=3, vision=2, shoot_range=2, density=0.02)
SEED = 101
"""A match of 23 turns in which both bots live for long."""
PATIENT = TimeControl(start=30, question=30)
"""For bots that answer at once or are gone at once: no test waits that long."""
LIMITS = Limits()
HASTY = TimeControl(start=30, question=0.3)
"""For bots that are late; the others have to be much faster than that."""

STILL = InlineBot("still", lambda observations, match_info: {})
"""A bot whose players stay where they are."""

GOOD = """
from koth.games.zombies.bot import Move

class Good:
    def do_turn(self, context):
        return Move.values()[(context.game_clock + context.id.number) % 9]
"""

TALK = """
import json, os, signal, subprocess, sys, time

def read():
    line = sys.stdin.readline()
    message = json.loads(line) if line else {"bye": True}
    if "bye" in message:
        sys.exit()
    return message

def say(message):
    print(message if isinstance(message, str) else json.dumps(message), flush=True)

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def stay(question, **more):
    return {"ask": question["ask"], "moves": {p["number"]: "STAY" for p in question["players"]}, **more}

def questions():
    read()
    say({"ready": True})
    while True:
        yield read()

"""
"""What bots in JSON begin with here."""


def good_bot(folder: Path) -> Bot:
    """A bot in Python that walks in circles."""
    return python_bot(folder, GOOD, "good")


def python_bot(folder: Path, source: str, name: str = "bad") -> Bot:
    """A Python class bot, run by koth's adapter."""
    file = folder / f"{name}.py"
    file.write_text(textwrap.dedent(source), encoding="utf-8")
    return load_bot(GAME, file, Interpreters(), name)


def json_bot(folder: Path, source: str, name: str = "bad") -> Bot:
    """A program in Python that speaks JSON lines; `source` follows on `TALK`."""
    home = folder / name
    home.mkdir()
    (home / "koth.toml").write_text('protocol = "json"\ncommand = ["python", "main.py"]\n')
    (home / "main.py").write_text(TALK + textwrap.dedent(source), encoding="utf-8")
    return load_bot(GAME, home, Interpreters(), name)


@dataclass(frozen=True)
class Quiet:
    """A match of the good bot against one that never answers: what every bad bot's match must come to."""

    scores: dict[str, float]
    boards: list[tuple[int, str | None]]
    rows: list[int]
    """How many players the silent bot is asked about, question by question."""


def match(
    entrants: Sequence[Entrant],
    folder: Path,
    time_control: TimeControl = PATIENT,
    limits: Limits = LIMITS,
    isolation: Isolation = PLAIN,
) -> tuple[Result, Replay]:
    """One match and its replay."""
    path = folder / "match.koth.gz"
    result = play(
        GAME,
        SETTINGS,
        entrants,
        SEED,
        Hosting(ruleset="published", replay=path, time_control=time_control, limits=limits, isolation=isolation),
    )
    return result, Replay(path)


def result_of(
    bots: Sequence[Entrant],
    time_control: TimeControl = PATIENT,
    *,
    turns: int | None = None,
    isolation: Isolation = PLAIN,
    replay: Path | None = None,
) -> Result:
    """A match of these bots, of these turns at most."""
    hosting = Hosting(time_control=time_control, isolation=isolation, replay=replay)
    return play(GAME, SETTINGS, bots, SEED, hosting, Watching(max_turns=turns))


def boards(replay: Replay) -> list[tuple[int, str | None]]:
    """The hash of the state after each turn."""
    return [(turn.turn, turn.hash) for turn in replay.turns()]


def quiet_match(folder: Path) -> Quiet:
    """Play it."""
    rows: list[int] = []

    def stay(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        rows.append(len(observations))
        return {}

    result, replay = match([InlineBot("bad", stay), good_bot(folder)], folder)
    assert len(rows) >= 12
    return Quiet(result.scores, boards(replay), rows)


def bad_match(
    bad: Bot, folder: Path, quiet: Quiet, time_control: TimeControl = PATIENT, limits: Limits = LIMITS
) -> tuple[BotReport, list[TurnRecord]]:
    """A match of a bad bot whose players stay at every turn, beside the good one, which must not notice.

    Returns what the bad bot left, and the turns.
    """
    result, replay = match([bad, good_bot(folder)], folder, time_control, limits)
    assert result.records["good"].faults == {}
    assert result.scores == quiet.scores
    assert boards(replay) == quiet.boards
    turns, faults = list(replay.turns()), result.records["bad"].faults
    told = (replay.result or {})["faults"].get("bad", {})
    assert told == bodies_at_fault(turns, seat=0)
    assert set(faults) - set(told) <= ({"unasked"} if told else set(faults))
    assert set(told) <= set(faults)
    return result.records["bad"], turns


def bodies_at_fault(turns: Sequence[TurnRecord], seat: int) -> dict[str, int]:
    """Return the number of this seat's units whose answers had a fault, by kind."""
    codes = [
        code
        for turn in turns
        for asked in turn.questions
        for row, code in zip(asked.get("f", [])[::2], asked.get("f", [])[1::2], strict=True)
        if asked["who"][row, 0] == seat
    ]
    return {FAULTS[code]: codes.count(code) for code in sorted(set(codes), key=lambda code: FAULTS[code])}


def left_running(folder: Path) -> list[int]:
    """The processes that bots have written down in `pids` in this folder and that are still there."""
    pids = [int(word) for word in (folder / "pids").read_text().split()]
    return [pid for pid in pids if not _is_gone(pid)]


def _is_gone(pid: int) -> bool:
    """Return whether a process has ended; an unreaped one counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rsplit(b")", 1)[1].split()[0] == b"Z"
    except OSError:
        return True
