"""Replays of strangers with nonsense anywhere: every reader ends with one line."""

from __future__ import annotations

import contextlib
import copy
import io
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from koth.diagnostics.explain import conversation, fault_texts, find_exchange
from koth.diagnostics.habits import Watch, watch
from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.diagnostics.verdict import verify_replay
from koth.engine.secret import key_of
from koth.engine.settings import read_settings
from koth.errors import KothError
from koth.files.bounded_read import CpuBudget
from koth.game import FAULTS, Game
from koth.games import GAMES, load
from koth.replay import gzip_members as members_module
from koth.replay import reader as replay_module
from koth.replay.gzip_members import members, write_member
from koth.replay.reader import Replay
from koth.replay.writer import to_json
from koth.testing import Case, RandomAnswers, Silence
from koth.testing.replays import record
from koth.viewer import summary as summary_module
from koth.viewer.frame_cache import restore_frames
from koth.viewer.summary import last_turn, read_match
from tests.trials import trial

TURNS = 12

Lines = list[list[Any]]
"""A replay as JSON: the lines of its members."""


@cache
def recorded(name: str, *, wild: bool) -> Lines:
    """The first turns of a match of a game, by bots that do nothing, or by wild ones that answer anything."""
    game = load(name)
    case = Case(game, trial(name).settings, max(2, game.seats.start), seed=3, turns=TURNS)
    policy = RandomAnswers([key_of(3).dice], case.seats, wild=True) if wild else Silence(case.seats)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "match.koth.gz"
        record(case, path, policy)
        data = path.read_bytes()
    places = list(members(io.BytesIO(data)))
    texts = [members_module.inflate_member(data[at : at + size]) or b"" for at, size in places]
    return [[orjson.loads(line) for line in text.splitlines()] for text in texts]


def written(lines: Lines, path: Path) -> Path:
    with open(path, "w+b") as file:
        for member in lines:
            write_member(file, b"".join(map(to_json, member)))
    return path


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the paths of values in JSON; of a long list only the beginning."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value[:6]) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


NONSENSE: list[Any] = [
    None, True, -1, 0, 1, 0.5, 2**31, 2**63 - 1, -(2**63), 1e300, "", "x", "\0", "../../etc/passwd", "/dev/zero",
    "\x1b[2J\u202e", "?" * 300, [], [[]], [0], [-1, 2**40], ["x"], {}, {"": 0}, {"n": 5}, {"__proto__": []},
]  # fmt: skip
GONE = object()


def spoilt(draw: Callable[[Any], Any], lines: Lines) -> Lines:
    """The lines with something else, or nothing, in some places; the header is where most things can go wrong."""
    lines = copy.deepcopy(lines)
    for _ in range(draw(st.integers(1, 2))):
        member = lines[draw(st.sampled_from([0, 0, *range(len(lines))]))]
        line = draw(st.sampled_from(range(len(member))))
        if not isinstance(member[line], dict) or not member[line]:
            continue
        *above, last = draw(st.sampled_from(list(places(member[line]))))
        inside = member[line]
        for key in above:
            inside = inside[key]
        value = draw(st.sampled_from([GONE, *NONSENSE]))
        if value is GONE:
            del inside[last]
        else:
            inside[last] = copy.deepcopy(value)
    return lines


def look_again(game: Game, path: Path) -> None:
    """Do the same as `koth why` and the transcripts of a hill."""
    replay = Replay(path, 20)
    for protocol in ("json", "frames", "python"):
        again = Rerun(game, replay, "b0")
        for kind in ("", *FAULTS[1:3]):
            moment = find_exchange(again, 2, kind)
            if moment is not None:
                fault_texts(again, RecordedBot(protocol), moment, kind)
        for _ in conversation(again, RecordedBot(protocol)):
            pass


def look_for_habits(game: Game, path: Path) -> None:
    replay = Replay(path, 20)
    watch(game, replay, {"b0": Watch(game, read_settings(game, replay.header), RecordedBot("json"))})


DOORS: Mapping[str, Callable[[Game, Path], object]] = {
    "verify": lambda game, path: verify_replay(game, Replay(path, 20)),
    "why and logs": look_again,
    "habits": look_for_habits,
    "list": lambda game, path: (read_match("match", path), last_turn(path)),
    "frames": lambda game, path: restore_frames(path),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("game", GAMES)
def test_whole_ones_pass(door: str, game: str, tmp_path: Path) -> None:
    DOORS[door](load(game), written(recorded(game, wild=False), tmp_path / "match.koth.gz"))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@settings(
    max_examples=int(os.environ.get("KOTH_EXAMPLES", "60")),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_nonsense_anywhere(game: str, data: st.DataObject) -> None:
    """Frames, too, of replays that have none: they are made again."""
    lines = spoilt(data.draw, recorded(game, wild=True))
    with TemporaryDirectory() as folder:
        path = written(lines, Path(folder) / "match.koth.gz")
        for look in DOORS.values():
            with contextlib.suppress(KothError):
                look(load(game), path)


# --- work is bounded


class Counted:
    """The module `zlib`, which counts the bytes that are inflated and looked at."""

    def __init__(self) -> None:
        self.inflated = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(zlib, name)

    def decompressobj(self, *options: int) -> Any:
        inflate, counted = zlib.decompressobj(*options), self

        class Counting:
            def __getattr__(self, name: str) -> Any:
                return getattr(inflate, name)

            def decompress(self, data: bytes, most: int = 0) -> bytes:
                text = inflate.decompress(data, most)
                counted.inflated += len(text)
                return text

        return Counting()


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    found = Counted()
    for module in (members_module, replay_module, summary_module):
        monkeypatch.setattr(module, "zlib", found)
    return found


MB = 1 << 20


def with_long_lines(path: Path, count: int) -> Path:
    """A small file whose members all begin with a line of a megabyte, of turn 0."""
    lines = recorded("pacman", wild=False)
    long = to_json({"turn": 0, "values": {"x": "x" * MB}})
    with open(path, "w+b") as file:
        for member in (lines[0], *[None] * count, *lines[-2:]):
            write_member(file, long if member is None else b"".join(map(to_json, member)))
    return path


def test_a_turn_is_found_without_inflating_earlier_members(tmp_path: Path, counted: Counted) -> None:
    replay = Replay(with_long_lines(tmp_path / "match.koth.gz", 40))
    before = counted.inflated
    assert replay._find_member(1, replay.budget()) > 0
    assert counted.inflated - before < 40 * 100


def test_what_is_looked_at_to_find_a_turn_has_an_end(tmp_path: Path) -> None:
    replay = Replay(with_long_lines(tmp_path / "match.koth.gz", 3))
    with pytest.raises(KothError, match="takes more than -1 s"):
        replay._find_member(1, CpuBudget(replay.path, -1))


def test_a_first_line_is_looked_through_once(tmp_path: Path) -> None:
    """A line of 32 MB without an end is inflated up to there, and each piece of it is kept as it is."""
    with open(tmp_path / "long", "w+b") as file:
        write_member(file, b"x" * (members_module.LONGEST_LINE + 8 * MB))
        ((start, size),) = members(file)
        pieces = list(members_module._pieces(file, start, size, members_module.LONGEST_LINE))
        assert sum(map(len, pieces)) == members_module.LONGEST_LINE
        assert max(map(len, pieces)) == members_module.PIECE
        assert members_module.read_first_line(file, start, size) is None


def test_the_last_turn_is_looked_for_at_the_end_only(tmp_path: Path) -> None:
    """Members without a turn, as many as there may be: nobody reads on and on from each to the end of the file."""
    with open(tmp_path / "match.koth.gz.part", "w+b") as file:
        for _ in range(3000):
            write_member(file, b'{"x":0}\n')
    read = 0

    class Reading(io.BufferedReader):
        def read(self, size: int | None = -1) -> bytes:
            nonlocal read
            data = super().read(size)
            read += len(data)
            return data

    path = tmp_path / "match.koth.gz.part"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary_module, "open_replay", lambda path: Reading(io.FileIO(path)))
        assert last_turn(path) is None
    assert read < 3 * path.stat().st_size
