"""A recorded match played again from key, answers and faults, to restore its frames or to verify everything."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from koth.engine.batch import Batch
from koth.engine.secret import Key
from koth.engine.settings import check_size
from koth.files.shape import read_json
from koth.game import FAULTS, Answers, Game, default_answers
from koth.games import package_of
from koth.replay.arrays import unpack
from koth.replay.gzip_members import inflate_member
from koth.replay.names import SUFFIX
from koth.replay.reader import DAMAGE, Replay, ReplayError
from koth.replay.writer import Recording

INPUTS = ("game", "package", "version", "ruleset", "settings", "match", "bots", "turns")
"""Header keys that do not follow from others: the setup of the match."""


FRAME_KEYS = ("values", "arrays", "steps", "events")
"""Keys of a line that show the match; other keys are its course: answers, faults, hashes of the state, result."""
SHOWN_OTHERWISE = (
    "; answers, states and result agree in all turns: the game's frames have changed since it was recorded, or "
    "the file was altered"
)


class Differs(Exception):
    """Raised when a replay differs from its match; the text names a difference."""


def make_batch(game: Game, replay: Replay, settings: Any, key: Key | None = None) -> tuple[Batch, Key]:
    """Return the replay's match at its start, and the key: the given one, or else the replay's own.

    Raises ReplayError if the replay has other rules, or no key; and KothError, later, if playing takes too long.
    """
    _check_rules(game, replay)
    seats, key = len(replay.header["bots"]), key or replay.key
    if seats not in game.seats:
        raise ReplayError(f"{replay.path}: {game.name} can't be played by {seats} bots")
    if key is None:
        raise ReplayError(f"{replay.path}: it has no key yet: a match with the same dice is not over")
    check_size(game, settings, seats)
    try:
        batch = Batch(game, settings, seats, [key.dice])
        batch.on_turn = replay.budget().check
        batch.max_turns = replay.header.get("turns")
        return batch, key
    except DAMAGE as error:
        raise ReplayError(f"{replay.path}: its settings can't be played ({error})") from None


def _check_rules(game: Game, replay: Replay) -> None:
    version, then, now = replay.header["version"], replay.header.get("package"), package_of(game)
    if version != game.version or (then is not None and then["name"] != now["name"]):
        by = f" ({then['name']} {then['version']})" if then is not None else ""
        here = "this koth" if now["name"] == "koth" else f"{now['name']} {now['version']}"
        raise ReplayError(
            f"{replay.path}: a match by version {version} of {game.name}{by}, {here} has {game.version}"
        )


def record_again(
    game: Game, replay: Replay, settings: Any, path: Path, key: Key | None, *, frames: bool, reveal_key: bool = True
) -> None:
    """Write to `path` the replay that follows from key, answers and faults; with its frames, or without.

    With `reveal_key` the key is written too.

    Raises Differs if the rules do not ask the questions that the replay has answers to, ReplayError if it is not
    finished or has other rules.
    """
    _check_rules(game, replay)
    if replay.result is None:
        raise ReplayError(f"{replay.path}: the replay is cut: it has no result")
    batch, key = make_batch(game, replay, settings, key)
    header = {name: replay.header[name] for name in INPUTS if name in replay.header}
    recording = Recording(path, header, batch, frames=frames)
    budget = replay.budget()

    def turn_over() -> None:
        budget.check()
        recording.record_turn()

    batch.on_turn = turn_over
    try:
        for turn in replay.turns(frames=False):
            for record in turn.questions:
                answers = read_answers(batch, record)
                if isinstance(answers, str):
                    raise Differs(f"turn {turn.turn}: {answers}")
                assert batch.observations is not None
                recording.record_question(batch.observations, answers)
                batch.answer(answers)
            got = recording.hashes.pop(turn.turn, "not there yet") if turn.hash is not None else None
            if got != turn.hash:
                raise Differs(f"turn {turn.turn}: the state's hash is {got}, not {turn.hash}")
        if batch.observations is not None:
            raise Differs(f"the replay ends after turn {batch.turn}, the match does not")
        recording.finish(key if reveal_key else None)
    finally:
        recording.abandon()


def verify(game: Game, replay: Replay, settings: Any, key: Key | None = None) -> str | None:
    """Record the match again; return None if both texts are equal, else the first difference.

    Their decompressed texts are compared, byte for byte. `key` is for a replay that has none yet. Raises ReplayError
    if the replay has other rules, or is not finished.
    """
    with tempfile.TemporaryDirectory(prefix="koth-verify-") as place:
        again = Path(place) / f"again{SUFFIX}"
        try:
            record_again(game, replay, settings, again, key, frames=replay.frames)
        except Differs as difference:
            return str(difference)
        return _find_difference(replay, Replay(again))


def _find_difference(replay: Replay, true: Replay) -> str | None:
    if replay.rest:
        return f"{len(replay.rest)} bytes after the end of the match"
    members = list(true.members())
    if replay.key is None:
        members.pop()
    for packed, expected in zip_longest(replay.members(), members):
        if packed is None or expected is None:
            return "the replay has other parts than the match"
        text, right = inflate_member(packed), inflate_member(expected) or b""
        if text is None:
            return "a part of the replay can't be read"
        if text != right:
            lines = zip_longest(text.splitlines(), right.splitlines(), fillvalue=b"")
            words = next(
                (_describe_difference(line, other) for line, other in lines if line != other), "other ends of lines"
            )
            return words + (SHOWN_OTHERWISE if _course(replay) == _course(true) else "")
    return None


def _course(replay: Replay) -> list[Any] | None:
    """Return the lines of a replay without the keys that show the match; None if they can't be read."""
    try:
        lines = [
            read_json(line) for member in replay.members() for line in (inflate_member(member) or b"x").splitlines()
        ]
        return [{name: line[name] for name in line.keys() - FRAME_KEYS} for line in lines if "key" not in line]
    except (ValueError, TypeError, AttributeError):
        return None


def _describe_difference(line: bytes, right: bytes) -> str:
    """Return the difference between a line of the replay and a line of the match."""
    try:
        found, true = read_json(line or b"{}"), read_json(right or b"{}")
    except ValueError:
        return "a line of the replay can't be read"
    if not isinstance(found, dict) or not isinstance(true, dict):
        return "a line of the replay is not an object"
    where = f"turn {true['turn']}: " if "turn" in true else "the header: " if "koth" in true else ""
    path, one, other = _find_first(found, true, ())
    name = ".".join(str(part) for part in path) or "the line"
    return f"{where}{name} is {_shorten(one)} in the replay, {_shorten(other)} in the match"


MISSING = object()


def _find_first(found: Any, true: Any, path: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any, Any]:
    """Return the path of the first difference of two JSON values, and both values there."""
    if isinstance(found, dict) and isinstance(true, dict):
        for name in [*true, *(name for name in found if name not in true)]:
            if orjson.dumps([found.get(name)]) != orjson.dumps([true.get(name)]) or (name in found) != (name in true):
                return _find_first(found.get(name, MISSING), true.get(name, MISSING), (*path, name))
    if isinstance(found, list) and isinstance(true, list) and len(found) == len(true):
        for place, (one, other) in enumerate(zip(found, true, strict=True)):
            if orjson.dumps([one]) != orjson.dumps([other]):
                return _find_first(one, other, (*path, place))
    return path, found, true


def _shorten(value: Any) -> str:
    if value is MISSING:
        return "missing"
    text = orjson.dumps(value).decode()
    return text if len(text) <= 60 else text[:60] + "..."


def read_answers(batch: Batch, record: Any) -> Answers | str:
    """Return the recorded answers to the open question, or a text about the error in them."""
    observations = batch.observations
    try:
        name = record["q"]
        if observations is None or observations.question.name != name:
            return f"the replay asks {name!r}, the rules do not"
        if not np.array_equal(record["who"], np.column_stack([observations.seat, observations.unit])):
            return "the replay asks other units than the rules do"
        fields = default_answers(observations.question, len(observations))
        for field, packed in record["a"].items():
            fields[field] = unpack(packed, observations.question.answer[field], len(observations))
        answers = Answers(fields, np.zeros(len(observations), np.uint8), batch.nobody_gone())
        pairs: Sequence[int] = record.get("f", [])
        answers.fault[list(pairs[::2])] = pairs[1::2]
        if answers.fault.max(initial=0) >= len(FAULTS):
            return "a fault has an unknown kind"
        answers.gone[0, record.get("gone", [])] = True
        return answers
    except DAMAGE as error:
        return f"the recorded answers can't be read ({error})"
