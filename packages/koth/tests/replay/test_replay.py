"""Replays: written, read back, cut, damaged, verified."""

from __future__ import annotations

import contextlib
import gzip
import json
import shutil
import struct
import subprocess
import threading
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.engine.batch import Batch
from koth.engine.secret import Secret, key_of
from koth.errors import KothError
from koth.game import FAULT, Answers, Field, Observations, no_answers, state_hash
from koth.games import load
from koth.games.zombies.state import SHOOT, ZOMBIE, Settings
from koth.match import Hosting, Result, Watching, play, replay_header
from koth.replay import reader, writer
from koth.replay.arrays import pack, unpack
from koth.replay.gzip_members import write_member
from koth.replay.reader import KEY_EVERY, Replay, ReplayError
from koth.replay.verify import Differs, read_answers, record_again, verify
from koth.replay.writer import Recorder, Recording, add_key, to_json
from koth.session.local import InlineBot
from koth.testing import RandomAnswers
from koth.viewer import frame_cache
from tests.games.zombies import notation

GAME = load("zombies")
SETTINGS = Settings(players=12, vision=2, shoot_range=2, density=0.02)
LONG = Settings(players=12, vision=1, shoot_range=1, density=0.002)


def wander(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
    """Move all units; some shoot."""
    mix = observations.fields["clock"] * 7 + observations.fields["number"] * 5 + match_info["seat"]
    shoots = mix % 11 == 0
    return {"action": np.where(shoots, SHOOT, mix % 9), "target": np.where(shoots, 257 + 256 * (mix % 40), 0)}


def record(path: Path, settings: Settings = SETTINGS, seed: int = 3, bots: int = 2) -> Result:
    """A match of bots that wander."""
    entrants = [InlineBot(f"bot {seat}", wander) for seat in range(bots)]
    return play(GAME, settings, entrants, seed, Hosting(ruleset="published", replay=path))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A replay of more than two members with frames."""
    path = tmp_path_factory.mktemp("replay") / "whole.koth.gz"
    result = record(path, LONG)
    assert result.turns > KEY_EVERY + 20
    return path


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def frames_of(replay: Replay) -> list[dict[str, Any]]:
    return [
        {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in turn.frame.items()}
        for turn in replay.turns()
    ]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "match.koth.gz"
    frames: list[dict[str, Any]] = []
    result = record(path)
    replay = Replay(path)
    assert replay.header["game"] == "zombies"
    assert replay.header["version"] == GAME.version
    assert replay.header["settings"] == {**asdict(SETTINGS), "moves": list(SETTINGS.moves)}
    assert replay.header["bots"] == [{"name": "bot 0", "hash": "inline"}, {"name": "bot 1", "hash": "inline"}]
    assert replay.result == {"turns": result.turns, "scores": result.scores, "faults": {}}
    assert replay.key == Secret.from_seed(3).key(1)
    assert replay.digest == result.digest
    frames = frames_of(replay)
    assert [turn.turn for turn in replay.turns()] == list(range(result.turns + 1))
    assert frames[-1] != frames[0]


def test_from_any_turn_on(whole: Path) -> None:
    replay = Replay(whole)
    frames = frames_of(replay)
    for start in (0, 1, KEY_EVERY - 1, KEY_EVERY, KEY_EVERY + 1, len(frames) - 1):
        turns = list(replay.turns(start))
        assert [turn.turn for turn in turns] == list(range(start, len(frames)))
    assert list(replay.turns(len(frames))) == []


def test_the_same_match_is_the_same_file(tmp_path: Path) -> None:
    record(tmp_path / "a.koth.gz")
    record(tmp_path / "b.koth.gz")
    record(tmp_path / "c.koth.gz", seed=4)
    a, b, c = ((tmp_path / f"{name}.koth.gz").read_bytes() for name in "abc")
    assert a == b
    assert a != c


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("MOST_ENTRIES", "zombies: a turn's frame has arrays of more than 99 entries, which no replay holds"),
        ("LONGEST_LINE", "zombies: a line of its replay would have .* bytes, at most 99 are read"),
        ("LARGEST_MEMBER", "zombies: 128 turns of its replay would have more than 99 bytes"),
        ("MOST_SCORES", "zombies: a match has 2 scores, at most 1 can be kept"),
    ],
)
def test_what_readers_refuse_is_not_written(
    limit: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, limit, 1 if limit == "MOST_SCORES" else 99)
    with pytest.raises(KothError, match=words):
        record(tmp_path / "match.koth.gz")
    assert list(tmp_path.iterdir()) == []


def test_large_frames_have_fewer_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = [{"a": np.full(30, number)} for number in range(9)]
    for module in (writer, reader):
        monkeypatch.setattr(module, "MOST_ENTRIES", 100)
    recorder = Recorder(tmp_path / "match.koth.gz", replay_header(GAME, "published", SETTINGS, []))
    recorder.add_frame(0, frames[0], "")
    for frame in frames[1:8]:
        if recorder.takes_steps:
            recorder.add_step(frame)
    recorder.add_frame(1, frames[8], "")
    recorder.finish({"turns": 1, "scores": {}})
    moments = list(Replay(tmp_path / "match.koth.gz").turns())
    assert [step.frame["a"][0] for step in moments[1].steps] == [1, 2]
    assert moments[1].frame["a"][0] == 8


# --- the file


def test_members_know_their_size(whole: Path) -> None:
    data = whole.read_bytes()
    at, members = 0, []
    while at < len(data):
        head, flags, time, extra, key, size_of_size, size = struct.unpack_from("<3sBIxxH2sHI", data, at)
        assert (head, flags, time, extra, key, size_of_size) == (b"\x1f\x8b\x08", 4, 0, 8, b"KH", 4)
        members.append(gzip.decompress(data[at : at + size]))
        at += size
    assert at == len(data)
    assert [member.count(b"\n") for member in members[:2]] == [1, KEY_EVERY + 1]
    firsts = [json.loads(member.splitlines()[0]) for member in members]
    assert firsts[0]["koth"] == 4
    assert [first["turn"] for first in firsts[1:-2]] == list(range(0, KEY_EVERY * (len(members) - 3), KEY_EVERY))
    assert [list(first) for first in firsts[-2:]] == [["result"], ["key"]]


@pytest.mark.skipif(shutil.which("zcat") is None, reason="needs zcat")
def test_zcat_reads_it(whole: Path) -> None:
    done = subprocess.run(["zcat", str(whole)], capture_output=True, check=True)
    assert done.stdout == gzip.decompress(whole.read_bytes())
    assert not done.stderr


def test_while_it_runs_it_is_a_part(tmp_path: Path) -> None:
    path = tmp_path / "match.koth.gz"
    seen: list[int] = []

    def look(turn: int) -> None:
        assert not path.exists()
        turns = list(Replay(path.with_name("match.koth.gz.part")).turns())
        seen.append(turn - turns[-1].turn)

    play(
        GAME,
        SETTINGS,
        [InlineBot("a", wander), InlineBot("b", wander)],
        3,
        Hosting(replay=path),
        Watching(on_turn=look),
    )
    assert path.exists()
    assert max(seen) < 8
    assert [p.name for p in tmp_path.iterdir()] == ["match.koth.gz"]


def test_a_match_that_breaks_leaves_nothing(tmp_path: Path) -> None:
    def breaks(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play(GAME, SETTINGS, [InlineBot("a", breaks)], 3, Hosting(replay=tmp_path / "match.koth.gz"))
    assert list(tmp_path.iterdir()) == []


def test_an_event_of_no_declared_kind_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {kind: text for kind, text in GAME.event_kinds.items() if kind != "bitten"}
    monkeypatch.setattr(type(GAME), "event_kinds", kinds)
    with pytest.raises(KothError, match=r"^zombies: an event of kind 'bitten'.*; `event_kinds` declares them$"):
        record(tmp_path / "match.koth.gz")


def test_its_size(tmp_path: Path) -> None:
    """A crowd of zombies that stroll at random: 0.4 bytes each are the least; bodies that lie cost nothing."""
    rng = np.random.default_rng(1)
    side, turns = 34, KEY_EVERY + 20
    board = rng.choice(["z", "#", "."], (side, side), p=[0.15, 0.1, 0.75])
    board[10:24, 10:24] = "#"
    board[12:24:4, 12:24:4] = "A"  # well kept, so that the match goes on
    text = "\n".join(" ".join(row) for row in board)
    settings = Settings(players=9)
    batch = Batch.from_state(GAME, settings, 1, notation.parse(f"seats 1\nseed 5\n{text}", settings))
    header = replay_header(GAME, "published", settings, [InlineBot("A", wander)])
    recorder = Recorder(tmp_path / "match.koth.gz", header)
    moving = 0

    def note() -> None:
        nonlocal moving
        moving += int(np.count_nonzero(batch.state.kind == ZOMBIE))
        recorder.add_frame(batch.turn, GAME.frame(settings, batch.state, 0), state_hash(GAME, batch.state, 0))

    note()
    batch.on_turn = note
    while batch.observations is not None and batch.turn < turns:
        answers = no_answers(batch.observations, batch.nobody_gone())
        recorder.add_question(batch.observations, answers)
        batch.answer(answers)
    assert batch.turn == turns
    recorder.finish({})
    assert (tmp_path / "match.koth.gz").stat().st_size <= 0.75 * moving


# --- cut and damaged


def test_cut_anywhere_it_plays_up_to_its_last_whole_turn(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    turns = [(turn.turn, turn.hash) for turn in Replay(whole).turns()]
    cut = tmp_path / "cut.koth.gz"
    played = []
    whole_without_key = len(data) - len(list(Replay(whole).members())[-1])
    for size in [*range(0, len(data) - 1, max(1, len(data) // 60)), len(data) - 1]:
        cut.write_bytes(data[:size])
        try:
            replay = Replay(cut)
        except ReplayError:
            played.append(0)  # not even its header is there
            continue
        got = [(turn.turn, turn.hash) for turn in replay.turns()]
        assert got == turns[: len(got)]
        if size < whole_without_key:
            assert replay.result is None
            with pytest.raises(ReplayError, match="the replay is cut: it has no result"):
                verify(GAME, replay, LONG)
        played.append(len(got))
    assert played == sorted(played)
    assert played[-1] == len(turns)
    assert len(set(played)) > 20


def read_all(path: Path) -> None:
    """All that anybody does with a replay; only ReplayError may come of it."""
    with contextlib.suppress(ReplayError):
        replay = Replay(path)
        for _ in replay.turns():
            pass
        list(replay.turns(7))
        if replay.result is not None and replay.header["game"] == "zombies":
            verify(GAME, replay, SETTINGS)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "short.koth.gz"
    record(path)
    return path


@given(data=st.data())
def test_damaged_bytes(short: Path, data: st.DataObject) -> None:
    damaged = bytearray(short.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    path = short.with_name("damaged.koth.gz")
    path.write_bytes(bytes(damaged))
    read_all(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, (1 << 64) - 1) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["n", "d", "s", "q"]), inner),
    max_leaves=4,
)


@pytest.mark.slow
@given(data=st.data())
def test_damaged_content(short: Path, data: st.DataObject) -> None:
    """Well-formed lines, with nonsense at one place."""
    lines = lines_of(short)
    place: Any = lines[data.draw(st.integers(0, min(6, len(lines) - 1)))]
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(JSON)
    path = short.with_name("nonsense.koth.gz")
    write_lines(path, lines)
    read_all(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a replay of koth"),
        (b"hello", "not a replay of koth"),
        (gzip.compress(b""), "not a replay of koth"),
        (gzip.compress(b'{"koth": 5}\n'), "a replay of format 5; this koth reads format 4 only"),
        (gzip.compress(b"[1]\n"), "not a replay of koth"),
        (gzip.compress(b'{"koth": 4}\n'), "its header has no valid 'game'"),
    ],
    ids=["nothing", "text", "an empty one", "another format", "a list", "no game"],
)
def test_what_is_no_replay(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "x.koth.gz"
    path.write_bytes(content)
    with pytest.raises(ReplayError, match=words):
        Replay(path)


def test_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="No such file or directory"):
        Replay(tmp_path / "nothing.koth.gz")
    with pytest.raises(ReplayError, match="Is a directory"):
        Replay(tmp_path)


def test_a_file_made_to_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.replay.reader.LARGEST_MEMBER", 1 << 20)
    path = tmp_path / "bomb.koth.gz"
    path.write_bytes(gzip.compress(bytes(1 << 24)))
    with pytest.raises(ReplayError):
        Replay(path)


# --- verifying


def test_a_replay_verifies(whole: Path, short: Path) -> None:
    assert verify(GAME, Replay(whole), LONG) is None
    assert verify(GAME, Replay(short), SETTINGS) is None


def write_lines(path: Path, lines: list[Any]) -> None:
    """A replay of these lines, in members as koth would write them."""
    members: list[bytes] = []
    for line in lines:
        begins = not members or not isinstance(line, dict) or "asks" not in line
        members.extend([b""] if begins else [])
        members[-1] += to_json(line)
    with open(path, "w+b") as file:
        for member in members:
            write_member(file, member)


def changed(path: Path, change: Any) -> Replay:
    """A replay with other content."""
    lines = lines_of(path)
    change(lines)
    other = path.with_name("changed.koth.gz")
    write_lines(other, lines)
    return Replay(other)


def test_an_unchanged_copy_verifies(short: Path) -> None:
    assert verify(GAME, changed(short, lambda lines: None), SETTINGS) is None


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value where something stands that has no parts."""
    if isinstance(value, dict | list) and value:
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places_in(inner, (*path, key))
    else:
        yield path


def altered(value: Any) -> Any:
    """Something of the same kind that says something else."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + chr(ord(value[-1]) ^ 1) if value else "x"
    return {"x": 1} if value in ({}, None) else [1]


INPUTS = {"ruleset", "settings", "match", "version", "koth", "game"}
"""What a match is set up with and nothing follows from: `koth verify RUN` compares it."""


def is_input(line: int, path: tuple[Any, ...]) -> bool:
    """Return whether this path holds an input of a replay: the match's setting, answers, and gone bots."""
    if line == 0:
        return bool(INPUTS & set(path[:1])) or path[-1] == "hash"
    return path[:1] == ("asks",) and len(path) > 2 and path[2] == "a"


@pytest.mark.slow
def test_whatever_is_doctored_is_found(tmp_path: Path) -> None:
    """Every kind of value of a replay with steps and faults, but for answers and what the match was set up with."""
    path, game, settings = metalman(tmp_path)
    lines = lines_of(path)
    assert any("steps" in line for line in lines)
    assert any("f" in ask for line in lines for ask in line.get("asks", []))
    assert verify(game, Replay(path), settings) is None
    tried = missed = 0
    doctored = tmp_path / "doctored.koth.gz"
    random = np.random.default_rng(4)
    places = [(number, place) for number, line in enumerate(lines) for place in places_in(line)]
    kinds: dict[str, list[tuple[int, tuple[Any, ...]]]] = {}
    for number, place in places:
        if not is_input(number, place):
            kinds.setdefault(".".join(str(key) for key in place if isinstance(key, str)), []).append((number, place))
    for kind, found in kinds.items():
        for pick in random.permutation(len(found))[:2]:
            number, place = found[pick]
            copy = json.loads(json.dumps(lines))
            inner = copy[number]
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = altered(inner[place[-1]])
            write_lines(doctored, copy)
            tried += 1
            try:
                if verify(game, Replay(doctored), settings) is None:
                    missed += 1
                    print("missed:", kind, number, place)
            except ReplayError:
                pass  # it can't even be read
    assert tried > 60
    assert not missed


def metalman(tmp_path: Path) -> tuple[Path, Any, Any]:
    """A short match in which one player after another is asked, some fail, and pieces move within a turn."""
    game = load("metalman")
    settings = next(iter(game.rulesets.values()))
    batch = Batch(game, settings, 4, [key_of(8).dice])
    bots = [InlineBot(f"bot {seat}", wander) for seat in range(4)]
    header = replay_header(game, "published", settings, bots, max_turns=8)
    batch.max_turns = 8
    recording = Recording(tmp_path / "metalman.koth.gz", header, batch)
    batch.on_turn = recording.record_turn
    policy = RandomAnswers([8], 4)
    while batch.observations is not None:
        answers = policy(batch.observations)
        if batch.turn == 2:
            answers = no_answers(batch.observations, batch.nobody_gone())
            answers.fault[:] = FAULT["late"]
        recording.record_question(batch.observations, answers)
        batch.answer(answers)
    recording.finish(key_of(8))
    return tmp_path / "metalman.koth.gz", game, settings


def test_steps_are_the_frames_that_the_questions_found(tmp_path: Path) -> None:
    path, game, settings = metalman(tmp_path)
    replay = Replay(path)
    batch = Batch(game, settings, 4, [key_of(8).dice])
    counted = 0
    for turn in replay.turns():
        steps = {step.after: step.frame for step in turn.steps}
        for number, record in enumerate(turn.questions):
            answers = read_answers(batch, record)
            assert isinstance(answers, Answers)
            if number in steps:
                counted += 1
                told = {key: np.asarray(value).tolist() for key, value in steps[number].items()}
                assert told == {
                    key: np.asarray(value).tolist() for key, value in game.frame(settings, batch.state, 0).items()
                }
            batch.answer(answers)
    assert counted > 5


def test_rubbish_between_and_behind_the_parts_is_found(short: Path, tmp_path: Path) -> None:
    other = tmp_path / "more.koth.gz"
    for more in (b"x", gzip.compress(b"{}\n")):
        other.write_bytes(short.read_bytes() + more)
        assert "after the end of the match" in (verify(GAME, Replay(other), SETTINGS) or "")
    whole = list(Replay(short).members())
    other.write_bytes(b"".join([*whole[:-1], whole[-2], whole[-1]]))
    assert verify(GAME, Replay(other), SETTINGS) is not None


def test_the_first_turn_that_differs(short: Path) -> None:
    def other_answer(lines: list[dict[str, Any]]) -> None:
        answers = lines[6]["asks"][0]["a"]["action"]
        answers[0] = 1 if answers[0] != 1 else 3

    difference = verify(GAME, changed(short, other_answer), SETTINGS)
    assert difference is not None
    assert difference.startswith("turn 5: ")
    assert "agree" not in difference


def test_a_match_that_is_only_shown_otherwise(short: Path) -> None:
    def other_frame(lines: list[dict[str, Any]]) -> None:
        lines[1]["values"]["new"] = 1

    difference = verify(GAME, changed(short, other_frame), SETTINGS)
    assert difference is not None
    assert difference.startswith("turn 0: values.new is 1 in the replay, missing in the match; answers, states and")


def test_a_line_that_is_no_object(short: Path, tmp_path: Path) -> None:
    lines = lines_of(short)
    with open(tmp_path / "other.koth.gz", "w+b") as file:
        for member in (*map(to_json, lines[:1]), b"".join(map(to_json, lines[1:-2])), to_json(lines[-2]) + b"null"):
            write_member(file, member)
        write_member(file, to_json(lines[-1]))
    assert verify(GAME, Replay(tmp_path / "other.koth.gz"), SETTINGS) == "a line of the replay is not an object"


def test_other_keys_settings_and_results_differ(short: Path) -> None:
    def other_key(lines: list[dict[str, Any]]) -> None:
        lines[-1]["key"] = str(key_of(99))

    def other_score(lines: list[dict[str, Any]]) -> None:
        lines[-2]["result"]["scores"]["bot 0"] += 1

    assert verify(GAME, changed(short, other_key), SETTINGS)
    assert (verify(GAME, changed(short, other_score), SETTINGS) or "").startswith("result.scores.bot 0 is ")
    assert verify(GAME, Replay(short), replace(SETTINGS, bullets=1))


def test_lists_too_deep_within_each_other_differ_in_words(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = b"[" * 1000 + b"]" * 1000
    written = to_json
    monkeypatch.setattr(f"{__name__}.to_json", lambda line: written(line).replace(b'"deep"', deep))
    for line in (0, 1, -2):
        difference = verify(GAME, changed(short, lambda lines, line=line: lines[line].update(new="deep")), SETTINGS)
        assert difference == "a line of the replay can't be read"


def test_another_version_of_the_rules(short: Path) -> None:
    def newer(lines: list[dict[str, Any]]) -> None:
        lines[0]["version"] += 1

    with pytest.raises(ReplayError, match=r"a match by version \d of zombies, this koth has \d"):
        verify(GAME, changed(short, newer), SETTINGS)


def test_the_game_of_another_package(short: Path) -> None:
    def elsewhere(lines: list[dict[str, Any]]) -> None:
        lines[0]["package"] = {"name": "undead", "version": "2.1"}

    def nonsense(lines: list[dict[str, Any]]) -> None:
        lines[0]["package"] = "undead"

    with pytest.raises(ReplayError, match=r"a match by version \d of zombies \(undead 2.1\), this koth has \d"):
        verify(GAME, changed(short, elsewhere), SETTINGS)
    with pytest.raises(ReplayError, match="its header has no valid 'package'"):
        verify(GAME, changed(short, nonsense), SETTINGS)


# --- keys, and replays of answers only


def test_a_replay_gets_its_key_when_its_block_is_over(tmp_path: Path) -> None:
    path = tmp_path / "match.koth.gz"
    entrants = [InlineBot("a", wander), InlineBot("b", wander)]
    result = play(GAME, SETTINGS, entrants, 3, Hosting(replay=path, reveal_key=False))
    assert Replay(path).key is None
    assert str(key_of(3)).encode() not in gzip.decompress(path.read_bytes())
    with pytest.raises(ReplayError, match="it has no key yet"):
        verify(GAME, Replay(path), SETTINGS)
    assert verify(GAME, Replay(path), SETTINGS, key_of(3)) is None
    before = path.read_bytes()
    for torn in (b"", b"\x1f\x8b"):  # what a crash may have left of it
        path.write_bytes(before + torn)
        add_key(tmp_path, path.name, key_of(3))
        add_key(tmp_path, path.name, key_of(3))
        assert Replay(path).key == key_of(3)
        assert Replay(path).digest == result.digest
        assert verify(GAME, Replay(path), SETTINGS) is None
    told = path.read_bytes()
    play(GAME, SETTINGS, entrants, 3, Hosting(replay=path))
    assert path.read_bytes() == told


def test_frames_can_be_left_out_and_made_again(tmp_path: Path) -> None:
    whole, answers, made = (tmp_path / f"{name}.koth.gz" for name in ("whole", "answers", "made"))
    entrants = [InlineBot("a", wander), InlineBot("b", wander)]
    play(GAME, LONG, entrants, 3, Hosting(replay=whole))
    play(GAME, LONG, entrants, 3, Hosting(replay=answers, frames=False))
    assert answers.stat().st_size < whole.stat().st_size
    replay = Replay(answers)
    assert not replay.frames
    assert verify(GAME, replay, LONG) is None
    assert [turn.hash for turn in replay.turns()] == [turn.hash for turn in Replay(whole).turns()]
    assert all(not turn.frame for turn in replay.turns())
    record_again(GAME, replay, LONG, made, replay.key, frames=True)
    assert made.read_bytes() == whole.read_bytes()


def test_frames_may_be_made_for_several_visitors_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOTH_CACHE_DIR", str(tmp_path))
    answers = tmp_path / "answers.koth.gz"
    play(GAME, LONG, [InlineBot("a", wander), InlineBot("b", wander)], 3, Hosting(replay=answers, frames=False))
    meets = threading.Barrier(2)

    def recorded_together(*arguments: Any, **words: Any) -> Any:
        meets.wait()
        return record_again(*arguments, **words)

    monkeypatch.setattr(frame_cache, "record_again", recorded_together)
    with ThreadPoolExecutor(2) as threads:
        made = list(threads.map(frame_cache.restore_frames, [answers, answers]))
    assert made[0] == made[1]
    assert Replay(made[0]).frames
    assert verify(GAME, Replay(made[0]), LONG) is None


def test_frames_of_a_doctored_replay_are_not_made(short: Path, tmp_path: Path) -> None:
    def dropped(lines: list[dict[str, Any]]) -> None:
        lines[6]["asks"] = []

    replay = changed(short, dropped)
    with pytest.raises(Differs):
        record_again(GAME, replay, SETTINGS, tmp_path / "made.koth.gz", replay.key, frames=True)
    assert not list(tmp_path.iterdir())


# --- packing


@given(
    st.sampled_from(["u1", "<u2", "<i4", "<u4", "i1", "<f4", "<f8"]),
    st.sampled_from([(), (3,)]),
    st.sampled_from([0, 4]),
    st.data(),
)
def test_answers_come_back_bit_by_bit(dtype: str, shape: tuple[int, ...], default: int, data: st.DataObject) -> None:
    kind = np.dtype(dtype)
    rows = data.draw(st.integers(0, 30))
    count = rows * (3 if shape else 1)
    if data.draw(st.booleans()) and kind.kind != "f":
        values = data.draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
        array = np.array(values, dtype=kind)
    else:
        size = count * kind.itemsize
        array = np.frombuffer(data.draw(st.binary(min_size=size, max_size=size)), kind)
    array = array.reshape((rows, *shape))
    spec = Field(dtype, shape, default)
    packed = pack(array, spec)
    assert unpack(json.loads(json.dumps(packed)), spec, rows).tobytes() == array.tobytes()


def test_crc_and_size_close_each_member(short: Path) -> None:
    data = short.read_bytes()
    (size,) = struct.unpack_from("<I", data, 16)
    first = gzip.decompress(data[:size])
    assert struct.unpack_from("<II", data, size - 8) == (zlib.crc32(first), len(first))


def test_digests_are_of_the_text_whatever_zlib_makes_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every build of zlib compresses otherwise; here other levels and strategies stand for other builds."""
    digests, files, compressobj = set(), set(), zlib.compressobj
    for level, strategy in ((8, zlib.Z_FILTERED), (1, zlib.Z_DEFAULT_STRATEGY), (0, 0), (9, zlib.Z_HUFFMAN_ONLY)):
        made = partial(compressobj, level, zlib.DEFLATED, -15, 8, strategy)
        monkeypatch.setattr(zlib, "compressobj", lambda *_, made=made: made())
        path = tmp_path / f"{level}.koth.gz"
        result = record(path)
        files.add(path.read_bytes())
        digests |= {result.digest, Replay(path).digest}
        assert verify(GAME, Replay(path), SETTINGS) is None
    assert (len(files), len(digests)) == (4, 1)


def test_a_digest_counts_what_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "match.koth.gz"
    entrants = [InlineBot("a", wander), InlineBot("b", wander)]
    result = play(GAME, SETTINGS, entrants, 3, Hosting(replay=path, reveal_key=False))
    data = path.read_bytes()
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 1
    for other in (data + b"more", data[:-1], bytes(damaged)):
        path.write_bytes(other)
        assert Replay(path).digest != result.digest
