"""Malformed answers and damaged replays without end: what bots say and files hold must never raise."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from koth.engine.batch import Batch
from koth.game import Game, Observations, TimeControl
from koth.games import GAMES
from koth.games import load as load_game
from koth.match import Hosting, play
from koth.protocol.bot_protocol import Answer, Ended, Fault, Ready, Reply, Stale
from koth.protocol.by_name import open_protocol, protocol_names
from koth.protocol.frames import HEADER
from koth.replay.gzip_members import write_member
from koth.replay.reader import Replay, ReplayError
from koth.replay.verify import verify
from koth.session.seats import Seating
from tests.session.arena import GAME, SEED, SETTINGS, good_bot

ANSWERS: dict[str, list[Any]] = {
    "zombies": [{"moves": {"0": "STAY", "1": "NORTH"}}, {"moves": {"0": {"shoot": [1, -2]}, "2": "EAST"}}],
    "metalman": [
        {
            "Spotter": {"moves": [[-1, 0], [0, -1]], "direction": [1, 0]},
            "Assassin": {"moves": [[0, 1]], "direction": [-1, -1]},
            "Debug": {"why": "because"},
        }
    ],
    "pacman": [{"move": "W"}, {"move": " x "}],
    "aliens": [{"points": {"0": [1, 2, 3, 2.5, 1.5]}}, {"moves": {"0": "STAY"}}, {"fights": {"0": False}}],
}
"""What bots answer in JSON, beside the question's number."""

TEXTS = (b"N", b"x", b"(3,4)", b"( 12 , 0 )", b"W")

TOKENS = (
    *(b"null", b"true", b"NaN", b"Infinity", b"-1", b"1e999", b"1e-999", b"9" * 400, b"0.1", b"[]", b"{}", b'""'),
    *(b"[" * 2000, b'{"a":' * 500, b'"\\ud800"', b"\xff\xfe", b"\x00", b"\x1b[2J", b"\xd9\xa3", b"\r", b",", b":"),
)

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**31, 2**63, 2**70, 1.5, -0.0, 1e308, "", "STAY", "\u0663", "\x00", "0" * 100),
    *([], {}, [[]], [None], [1, 2], ["N"], {"0": 1}, {"": None}, {"shoot": [1, 1]}, {"x": {"y": [0]}}),
)


def damaged(data: bytes, dice: random.Random) -> bytes:
    """These bytes with one to four things wrong."""
    result = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(result) + 1)
        kind = dice.randrange(6)
        if kind == 0 and result:
            result[at % len(result)] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del result[at : at + dice.randint(1, 8)]
        elif kind == 2:
            result[at:at] = result[at : at + dice.randint(1, 20)]
        elif kind == 3:
            result[at:at] = dice.choice(TOKENS)
        elif kind == 4:
            del result[at:]
        else:
            result[at:at] = dice.randbytes(dice.randint(1, 4))
    return bytes(result)


def otherwise(value: Any, dice: random.Random) -> Any:
    """This JSON with one value that is another."""
    if isinstance(value, dict) and value and dice.random() < 0.8:
        key = dice.choice(list(value))
        if dice.random() < 0.1:
            return {**value, str(dice.choice(VALUES)): dice.choice(VALUES)}
        return {**value, key: otherwise(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.8:
        at = dice.randrange(len(value))
        return [*value[:at], otherwise(value[at], dice), *value[at + dice.randrange(2) :]]
    return dice.choice(VALUES)


class Talk:
    """A protocol with an open question, and answers to it, right and wrong."""

    def __init__(self, game: Game, protocol: str) -> None:
        self.game, self.name = game, protocol
        self.settings = next(iter(game.rulesets.values()))
        seats = max(2, game.seats.start)
        batch = Batch(game, self.settings, seats, [SEED])
        assert batch.observations is not None
        self.observations: Observations = next(rows for _, rows in batch.observations.of_match(0))
        names = [f"bot {seat}" for seat in range(seats)]
        match_info = Seating(batch, names, TimeControl()).match_info(int(self.observations.seat[0]), 7)
        frames = protocol == "frames"
        self.protocol = open_protocol(game, protocol, self.settings, seats, {})
        self.protocol.hello(match_info)
        if self.protocol.handshake:
            self.protocol.decode(HEADER.pack(0, 0, 0, 0, 0) if frames else b'{"ready": true}')
        self.number = 0
        self.ask()

    def ask(self) -> None:
        self.number += 1
        self.protocol.ask(self.observations)

    def answer(self, dice: random.Random) -> bytes:
        """A malformed answer to the open question (some are right by chance)."""
        if self.name == "frames":
            return self._frame(dice)
        if self.name == "text":
            return damaged(dice.choice(TEXTS), dice).replace(b"\n", b" ")
        said = dice.choice(ANSWERS[self.game.name])
        message = {"ask": self.number, **({"returned": said} if self.name == "python" else said)}
        for _ in range(dice.randrange(3)):
            changed = otherwise(message, dice)
            message = changed if isinstance(changed, dict) else {"ask": self.number, "it": changed}
        data = json.dumps(message).encode()
        return (damaged(data, dice) if dice.random() < 0.5 else data).replace(b"\n", b" ")

    def _frame(self, dice: random.Random) -> bytes:
        rows = len(self.observations)
        parts = []
        for field in self.observations.question.answer.values():
            count = rows * int(np.prod(field.shape, dtype=np.int64))
            parts.append(dice.randbytes(count * np.dtype(field.dtype).itemsize))
        payload = b"".join([*parts, bytes(dice.choice((0, 0, 1, 6, 200)) for _ in range(rows))])
        tail = {"errors": [[0, "x"]], "note": {"a": 1}}
        payload += dice.choice((b"", json.dumps(otherwise(tail, dice)).encode(), dice.choice(TOKENS)))
        if dice.random() < 0.3:
            payload = damaged(payload, dice)
        number = self.number if dice.random() < 0.8 else dice.randrange(1 << 32)
        kind = dice.choice((1, 1, 1, 2, 0, 0xFFFF, 0xFFFE, 3))
        return HEADER.pack(len(payload), number, kind, 0, rows if dice.random() < 0.9 else 7) + payload

    def decode(self, message: bytes) -> None:
        """Have the protocol hear it; what it makes of it must be something that can be played."""
        meaning = self.protocol.decode(message)
        assert isinstance(meaning, Answer | Ready | Reply | Stale | Fault | Ended), (message, meaning)
        if isinstance(meaning, Answer):
            assert meaning.fault.shape == (len(self.observations),)
            for name, field in self.observations.question.answer.items():
                values = meaning.fields[name]
                assert values.dtype == np.dtype(field.dtype), (message, name)
                assert values.shape == (len(self.observations), *field.shape), (message, name)
        if not isinstance(meaning, Reply | Stale):
            self.ask()


def talks() -> list[Talk]:
    """Every protocol of every game."""
    return [Talk(game, protocol) for game in map(load_game, GAMES) for protocol in protocol_names(game)]


class Tape:
    """A replay and damaged copies of it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "damaged.koth.gz"
        whole = folder / "whole.koth.gz"
        play(GAME, SETTINGS, [good_bot(folder)], SEED, Hosting(ruleset="published", replay=whole))
        self.data = whole.read_bytes()
        self.members = list(_members(self.data))

    def damaged(self, dice: random.Random) -> bytes:
        """Damage to the file, or to the text inside it."""
        if dice.random() < 0.3:
            return damaged(self.data, dice)
        members = list(self.members)
        at = dice.randrange(len(members))
        if dice.random() < 0.4:
            members[at] = damaged(members[at], dice)
        else:
            lines = members[at].splitlines()
            line = dice.randrange(len(lines))
            lines[line] = json.dumps(otherwise(json.loads(lines[line]), dice)).encode()
            members[at] = b"\n".join([*lines, b""])
        return b"".join(_packed(member) for member in members)

    def read(self, data: bytes) -> None:
        """Read it as a viewer does, and as `koth verify` does."""
        self.file.write_bytes(data)
        try:
            replay = Replay(self.file)
            for turn in replay.turns():
                assert isinstance(turn.frame, dict)
            for turn in replay.turns(10):
                assert turn.turn >= 10
            assert replay.result is None or isinstance(replay.result, dict)
            told = verify(GAME, replay, SETTINGS)
            assert told is None or isinstance(told, str)
        except ReplayError:
            pass


def _members(data: bytes) -> Iterator[bytes]:
    import zlib

    while data:
        inflate = zlib.decompressobj(31)
        yield inflate.decompress(data)
        data = inflate.unused_data


def _packed(member: bytes) -> bytes:
    """A whole member with this text, as replays have it."""
    file = io.BytesIO()
    write_member(file, member)
    return file.getvalue()


def answers(seed: int, count: int, all_talks: list[Talk]) -> None:
    """So many malformed answers, over every protocol in turn."""
    dice = random.Random(seed)
    for n in range(count):
        talk = all_talks[n % len(all_talks)]
        message = talk.answer(dice)
        _or_tell(lambda talk=talk, message=message: talk.decode(message), f"{talk.game.name}/{talk.name}", message)


def replays(seed: int, count: int, tape: Tape) -> None:
    """So many damaged replays."""
    dice = random.Random(seed)
    for _ in range(count):
        data = tape.damaged(dice)
        _or_tell(lambda data=data: tape.read(data), "a replay", data)


def _or_tell(act: Callable[[], None], what: str, data: bytes) -> None:
    try:
        act()
    except Exception as error:
        raise AssertionError(f"{what} raised {error!r} on {data[:4000]!r}") from error
