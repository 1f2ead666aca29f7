"""Contests in this process and in workers: what counts, what is void, what is on disk."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from koth.bots.command import ArenaError
from koth.bots.folder import load
from koth.bots.languages import Interpreters
from koth.contest import run as contests
from koth.contest.run import AGAIN, Contest, Progress, outcome, results_json, run
from koth.contest.store import Store, file_name
from koth.errors import KothError
from koth.game import Budgets
from koth.games import load as load_game
from koth.match import Inline, Result
from tests.bots.arena import json_bot
from tests.cli.program import GOOD, SMALL, bot_file, finished, program
from tests.contest.folders import replays, rows

GAME = load_game("zombies")
SETTINGS = {"players": 3, "vision": 2, "shoot_range": 2, "density": 0.02}


def stays(asks: Any, facts: Any) -> dict[str, Any]:
    return {}


def contest_of(*bots: Any, games: int = 3) -> Contest:
    return Contest(
        "zombies", "published", SETTINGS, 5, games, bots or (Inline("a", stays), Inline("b", stays)), Budgets()
    )


@pytest.fixture
def store(tmp_path: Path) -> Any:
    made = Store(tmp_path / "out")
    yield made
    made.close()


def test_every_match_is_on_disk_before_it_is_told_of(store: Store, tmp_path: Path) -> None:
    told: list[int] = []

    def done(row: Any) -> None:
        told.append(row.index)
        assert [stored.index for stored in Store(tmp_path / "out").matches()] == told
        assert (tmp_path / "out" / row.replay).exists()

    result = run(contest_of(), store, progress=Progress(match_done=done))
    assert told == [0, 1, 2]
    assert [row.void for row in result.rows] == [0, 0, 0]
    assert run(contest_of(), store, progress=Progress(match_done=done)) == result
    assert told == [0, 1, 2]


@pytest.mark.parametrize("fails", [1, AGAIN])
def test_a_failure_of_the_arena_is_void_and_played_again(
    fails: int, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    play = contests.play

    def failing(*args: Any, **more: Any) -> Result:
        calls.append(args[3])
        if len(calls) <= fails:
            raise ArenaError("the sandbox would not start")
        return play(*args, **more)

    monkeypatch.setattr(contests, "play", failing)
    result = run(contest_of(), store)
    assert [row.void for row in result.rows] == [fails, 0, 0]
    assert len(set(calls)) == 3
    told = results_json(contest_of(), result)
    assert [match["void"] for match in told["matches"]] == [fails, 0, 0]
    assert all(not line["faults"] for line in told["standings"])


def test_the_arena_fails_too_often(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    play = contests.play

    def failing(*args: Any, **more: Any) -> Result:
        if more["replay"].name == "match-0001.koth.gz":
            raise ArenaError("the sandbox would not start")
        return play(*args, **more)

    monkeypatch.setattr(contests, "play", failing)
    with pytest.raises(ArenaError, match=f"match 1 was void {AGAIN + 1} times: the sandbox would not start"):
        run(contest_of(), store)
    assert [row.index for row in outcome(contest_of(), store).rows] == [0]


@pytest.mark.parametrize("code", [errno.EAGAIN, errno.EMFILE, errno.ENOMEM])
def test_a_machine_that_can_start_nothing_is_not_the_bots_fault(
    code: int, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **more: Any) -> Any:
        raise OSError(code, os.strerror(code))

    bot = load(GAME, bot_file(tmp_path, "good"), Interpreters())
    monkeypatch.setattr("koth.bots.program.spawn", refuse)
    with pytest.raises(ArenaError, match="no process could be started"):
        run(contest_of(bot), store)
    assert rows(tmp_path / "out") == {"matches": [], "scores": [], "faults": []}
    assert replays(tmp_path / "out") == {}


KILLS_ITS_WORKER = """
import os, sys
from koth.games.zombies.bot import Move

class Bot:
    def do_turn(self, context):
        if context.game_clock == 2 and not os.path.exists({mark!r}):
            open({mark!r}, "w").close()
            os.kill(os.getppid(), 9)
        return Move.STAY
"""


def test_a_worker_that_dies(store: Store, tmp_path: Path) -> None:
    """Its match, and those that went down with it, are void and played again."""
    source = KILLS_ITS_WORKER.format(mark=str(tmp_path / "mark"))
    bots = [load(GAME, bot_file(tmp_path, name, text), Interpreters()) for name, text in (("a", source), ("b", GOOD))]
    result = run(contest_of(*bots, games=4), store, jobs=2)
    assert (tmp_path / "mark").exists()
    assert [row.index for row in result.rows] == [0, 1, 2, 3]
    assert 1 <= sum(row.void for row in result.rows) <= 2
    assert all(not row.faults for row in result.rows)
    again = Store(tmp_path / "again")
    plain = run(contest_of(*bots, games=4), again)
    again.close()
    assert replays(tmp_path / "out") == replays(tmp_path / "again")
    assert [row.scores for row in plain.rows] == [row.scores for row in result.rows]


def test_a_worker_that_always_dies(store: Store, tmp_path: Path) -> None:
    source = "import os\nclass Bot:\n    def do_turn(self, context): os.kill(os.getppid(), 9)\n"
    bot = load(GAME, bot_file(tmp_path, "a", source), Interpreters())
    with pytest.raises(ArenaError, match=f"was void {AGAIN + 1} times: its worker ended"):
        run(contest_of(bot, games=1), store, jobs=2)
    assert store.matches() == []


class Caught:
    """Something whose destructor is where Ctrl-C arrives."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_is_not_lost_in_a_destructor(jobs: int, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python only prints what is raised there; the contest ends all the same."""
    monkeypatch.setattr("sys.unraisablehook", lambda _: None)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(contest_of(games=8), store, jobs=jobs, progress=Progress(match_done=lambda row: Caught() and None))
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert 1 <= len(store.matches()) < 8


NOISY = """
import random
for q in questions():
    say(stay(q, note="%x" % random.getrandbits(60_000)))
"""


@pytest.mark.parametrize("limit", [4_000, 70_000])
def test_a_full_disk(limit: int, tmp_path: Path) -> None:
    """Files can't grow beyond a limit: one line, and no replay that looks whole and is not."""
    json_bot(tmp_path, NOISY, "noisy")
    words = ["run", "zombies", "noisy", *SMALL, "--games", 2, "--seed", 3, "--out", "out"]
    done = finished(program(*words, cwd=tmp_path, largest=limit))
    assert done.code == 2, done
    assert done.out == ""
    told = [line for line in done.err.splitlines() if line.startswith("koth: ")]
    assert len(told) == 1, done
    assert ("File too large" in told[0]) == (limit > 4_000)
    assert "Traceback" not in done.err
    assert list(tmp_path.glob("out/replays/*")) == []


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("good", "good"),
        ("a b/../c", "a%20b%2F..%2Fc"),
        (".hidden", "%2Ehidden"),
        ("é", "%C3%A9"),
        ("..", "%2E."),
    ],
)
def test_names_of_files(name: str, file: str) -> None:
    assert file_name(name) == file


def test_names_of_files_are_different_and_short() -> None:
    names = ["\U0001f9df" * 40, "\U0001f9df" * 39 + "x", "\U0001f9df" * 39 + "y"]
    assert len({file_name(name) for name in names}) == 3
    assert max(len(file_name(name)) for name in names) <= 120


def test_what_bots_write_is_kept_as_text(store: Store, tmp_path: Path) -> None:
    source = GOOD + "\nimport sys\nprint('hello')\nsys.stderr.buffer.write(b'\\xff')\n"
    bot = load(GAME, bot_file(tmp_path, "good", source), Interpreters(), "../me")
    run(contest_of(bot, games=1), store)
    assert (tmp_path / "out" / "stderr" / "match-0000" / "%2E.%2Fme.txt").read_bytes() == b"hello\n\xff"


def test_a_folder_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KothError, match=r"File exists|Not a directory"):
        Store(tmp_path / "file")
