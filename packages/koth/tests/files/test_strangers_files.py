"""Files of strangers that a host opens: pipes, devices and endless tables are refused in one line, at once."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from koth.diagnostics.rerun import Rerun
from koth.diagnostics.verdict import verify_replay
from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.engine.batch import Batch
from koth.engine.settings import read_settings
from koth.errors import KothError
from koth.files.bounded_read import check_no_links, read_plain
from koth.game import Game, no_answers
from koth.games import load
from koth.replay.gzip_members import members, write_member
from koth.replay.reader import Replay, ReplayError
from koth.replay.verify import make_batch, record_again
from koth.replay.writer import to_json
from koth.services.contests import check_grants
from koth.viewer.summary import read_match


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    assert read_plain(tmp_path / "link") == b"abc"
    with pytest.raises(OSError, match="larger"):
        read_plain(tmp_path / "file", 2)


def replay_of(folder: Path, game: str, settings: dict[str, Any], bots: int, more: Sequence[bytes] = ()) -> Path:
    """A replay with any header, and with whatever lines in its second member."""
    file = folder / "replays" / "match-0001.koth.gz"
    file.parent.mkdir(exist_ok=True)
    header = {"koth": 4, "game": game, "version": load(game).version, "ruleset": "", "settings": settings, "match": 1}
    header |= {"bots": [{"name": f"b{seat}", "hash": ""} for seat in range(bots)], "facts": {}}
    end = {"turns": 1, "scores": {f"b{seat}": 0 for seat in range(bots)}, "faults": {}}
    with open(file, "w+b") as out:
        write_member(out, to_json(header))
        write_member(out, b"".join([b'{"turn":0,"arrays":{"a":[]}}\n', *more]))
        write_member(out, to_json({"result": end}))
        write_member(out, to_json({"key": "0" * 32}))
    return file


BOMBS: dict[str, tuple[str, dict[str, Any], str]] = {
    "many players with wide eyes": ("zombies", {"players": 5000, "vision": 60}, "a question has [0-9]+ MB"),
    "an empty land": ("zombies", {"players": 5000, "density": 1e-12}, "its settings can't be played"),
    "a map of the host's": ("metalman", {"map": "/etc/passwd"}, "map: metalman does not know this name"),
    "another kind": ("zombies", {"players": [1]}, "not supported between|must be|can't be"),
    "no settings": ("pacman", {"side": "wide"}, "side=wide: side must be a whole number"),
}


DOORS: dict[str, Callable[[Game, Replay], object]] = {
    "verify": verify_replay,
    "why": lambda game, replay: Rerun(game, replay, "b0"),
    "frames": lambda game, replay: record_again(
        game, replay, read_settings(game, replay.header), replay.path.parent / "again", None, frames=True
    ),
}
"""Where a replay is played again."""


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", BOMBS)
def test_settings_that_are_too_large(name: str, door: str, tmp_path: Path) -> None:
    game, settings, complaint = BOMBS[name]
    replay = Replay(replay_of(tmp_path, game, settings, 8 if game == "zombies" else 4))
    with pytest.raises(KothError, match=complaint):
        DOORS[door](load(game), replay)


def test_a_map_of_the_hosts_in_a_record() -> None:
    """Every command that goes by a run's record asks for its settings here."""
    record = {"ruleset": "published", "settings": {"map": "/etc/passwd"}}
    with pytest.raises(KothError, match="map: metalman does not know this name, and files are not read here"):
        read_settings(load("metalman"), record)


def test_frames_that_grow_without_bound(tmp_path: Path) -> None:
    """A line of some bytes for each 128 MB."""
    line = b'{"turn":1,"asks":[],"arrays":{"a":{"n":16777216,"by":[]}}}\n'
    names = [b'"%c":[]' % letter for letter in b"abcdefgh"]
    first = b'{"turn":0,"arrays":{' + b",".join(names) + b"}}\n"
    more = [first, line, line.replace(b'"a"', b'"b"')]
    with pytest.raises(ReplayError, match="too many array entries"):
        list(Replay(replay_of(tmp_path, "zombies", {}, 2, more)).turns())


def test_steps_that_grow_without_bound(tmp_path: Path) -> None:
    """A line of a few packed bytes whose steps would be gigabytes."""
    step = b'{"after":0,"arrays":{"a":{"n":4194304,"by":[]}}}'
    more = [b'{"turn":0,"arrays":{"a":[]}}\n', b'{"turn":1,"asks":[],"steps":[' + b",".join([step] * 400) + b"]}\n"]
    with pytest.raises(ReplayError, match="too many array entries"):
        list(Replay(replay_of(tmp_path, "zombies", {}, 2, more)).turns())


@pytest.mark.parametrize(
    "line", [b'{"result":{"turns":"x","scores":{}}}', b'{"result":{"turns":1,"scores":{"a":"b"}}}']
)
def test_a_result_that_is_none(line: bytes, tmp_path: Path) -> None:
    file = replay_of(tmp_path, "zombies", {}, 2)
    data = file.read_bytes()
    *_, (at, _), _ = members(io.BytesIO(data))
    with open(file, "w+b") as out:
        out.write(data[:at])
        write_member(out, line + b"\n")
    assert Replay(file).result is None
    assert read_match("match-0001", file).result is None


def test_lines_of_any_length(tmp_path: Path) -> None:
    """JSON of a few packed kilobytes that would take gigabytes as objects is not looked at."""
    file = replay_of(tmp_path, "zombies", {}, 2, [b'{"turn":1,"x":[' + b"[]," * (12 << 20) + b"0]}\n"])
    assert [turn.turn for turn in Replay(file).turns()] == [0]


def test_lines_without_an_end(tmp_path: Path) -> None:
    """A file of half a megabyte that would be read for hours."""
    file = replay_of(tmp_path, "zombies", {}, 2)
    with open(tmp_path / "much", "w+b") as out:
        write_member(out, b"{}\n" * (4 << 20))
    with open(file, "r+b") as out:
        out.seek(0, os.SEEK_END)
        for _ in range(40):
            out.write((tmp_path / "much").read_bytes())
    assert file.stat().st_size < 1 << 20
    with pytest.raises(KothError, match=r"reading it or playing it again takes more than 0.2 s"):
        list(Replay(file, 0.2).turns())


def test_a_match_that_is_long(tmp_path: Path) -> None:
    game = load("pacman")
    replay = Replay(replay_of(tmp_path, "pacman", {"turns": 1_000_000}, 4), 0.2)
    batch, _ = make_batch(game, replay, read_settings(game, replay.header))
    with pytest.raises(KothError, match=r"takes more than 0.2 s"):
        play_on(batch)


def play_on(batch: Batch) -> None:
    """Play a match without answers to its end."""
    while batch.observations is not None:
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))


def test_what_a_visitor_does_in_between_does_not_count(tmp_path: Path) -> None:
    replay = Replay(replay_of(tmp_path, "zombies", {}, 2), 0.2)
    for _ in replay.turns():
        begin = time.thread_time()
        while time.thread_time() < begin + 0.3:
            pass


@pytest.mark.parametrize("name", ["run.json.part", "replays/match-0002.koth.gz.part", "logs", "bots/0123.log"])
def test_links_in_a_folder_that_is_written_to(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).symlink_to(tmp_path / "precious")
    with pytest.raises(KothError, match=f"{name}: a link; koth makes none"):
        check_no_links(folder, apart="bots")


def test_links_that_belong_to_bots(tmp_path: Path) -> None:
    (tmp_path / "bots" / "0123").mkdir(parents=True)
    (tmp_path / "bots" / "0123" / "link").symlink_to("file")
    check_no_links(tmp_path, apart="bots")


def test_places_that_a_strangers_run_would_show(tmp_path: Path) -> None:
    def given(record: dict[str, object], paths: tuple[Path, ...] = (), **programs: str) -> None:
        check_grants(record, Interpreters.find(programs, paths), programs, tmp_path)

    theirs = "/home/somebody/.venv/bin/python"
    for record in ({"paths": ["/root"]}, {"python": theirs}, {"perl": theirs}):
        with pytest.raises(
            KothError, match="its bots could read more of this machine; to allow that again, set KOTH_"
        ):
            given({"python": "/usr/bin/python3", **record})
    given({"paths": [str(tmp_path)]}, (tmp_path,))
    given({"python": "/usr/bin/env"}, python="/usr/bin/env")
    with pytest.raises(KothError, match="its bots were not started with ruby=env; start a new run for that"):
        given({"python": "/usr/bin/python3"}, ruby="env")


ODD_BOTS = ["koth.toml", "command.txt", "bot.py", "player/Fox.java", "x.jar", "bots.zip"]


@pytest.mark.parametrize("kind", ["pipe", "sparse"])
@pytest.mark.parametrize("name", ODD_BOTS)
def test_a_bots_folder(name: str, kind: str, tmp_path: Path) -> None:
    """One broken bot is reported; nothing is waited for, nor read before its size is known."""
    place = tmp_path / "bots" / "odd" / name
    place.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(place)
    else:
        with open(place, "wb") as file:
            file.truncate(1 << 40)
    found = find_entrants(load("zombies"), [str(tmp_path / "bots"), "@runner"], Interpreters())
    assert [bot.name for bot in found.bots] == ["runner"]
    assert len(found.problems) == 1
