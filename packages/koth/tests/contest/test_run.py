"""Contests in this process and in workers: what counts, what is void, what is on disk."""

from __future__ import annotations

import errno
import gzip
import os
import textwrap
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from koth.contest import match_runner as jobs_of
from koth.contest.contest import Contest
from koth.contest.private import file_name, read_notes
from koth.contest.run import STUCK, TRIES, Callbacks, run
from koth.contest.store import Store
from koth.contest.workers import on_this_machine
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.games import load as load_game
from koth.match import Result
from koth.sandbox.command import Overloaded
from koth.sandbox.failures import ArenaError
from tests.cli.program import GOOD, SMALL, bot_file, finished, program
from tests.contest.folders import replays, rows
from tests.contest.small import small_contest, still
from tests.session.arena import json_bot

GAME = load_game("zombies")


def contest_of(*bots: Any, matches: int = 3) -> Contest:
    return small_contest(bots or still("a", "b"), matches)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    made = Store(tmp_path / "out")
    yield made
    made.close()


def test_every_match_is_on_disk_before_it_is_reported(store: Store, tmp_path: Path) -> None:
    told: list[int] = []

    def done(row: Any) -> None:
        told.append(row.number)
        with closing(Store(tmp_path / "out")) as other:
            assert [stored.number for stored in other.matches()] == told
        assert (tmp_path / "out" / row.replay).exists()

    result = run(contest_of(), store, progress=Callbacks(match_done=done))
    assert told == [1, 2, 3]
    assert [row.void for row in result.rows] == [0, 0, 0]
    assert run(contest_of(), store, progress=Callbacks(match_done=done)) == result
    assert told == [1, 2, 3]


@pytest.mark.parametrize("fails", [1, TRIES - 1])
def test_a_failure_of_the_arena_is_void_and_played_again(
    fails: int, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    play = jobs_of.play

    def failing(*args: Any) -> Result:
        calls.append(args[4].match)
        if len(calls) <= fails:
            raise ArenaError("the sandbox would not start")
        return play(*args)

    monkeypatch.setattr(jobs_of, "play", failing)
    result = run(contest_of(), store)
    assert [row.void for row in result.rows] == [1] * fails + [0] * (3 - fails)
    assert calls == [1, 2, 3, *range(1, 1 + fails)]
    assert result.unplayed == []
    assert not any(result.results.fault_counts().values())


@pytest.mark.parametrize("error", [ArenaError("the sandbox would not start"), ZeroDivisionError("in the rules")])
def test_what_can_t_be_played_is_put_aside_and_the_others_go_on(
    error: Exception, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = jobs_of.play

    def failing(*args: Any) -> Result:
        if args[4].match == 2:
            raise error
        return play(*args)

    monkeypatch.setattr(jobs_of, "play", failing)
    result = run(contest_of(), store)
    assert [row.number for row in result.rows] == [1, 3]
    assert [(item.match, item.tries) for item in result.unplayed] == [(2, TRIES)]
    assert str(error) in result.unplayed[0].reason
    assert len(result.standings.lines) == 2
    assert sorted(replays(tmp_path / "out")) == ["match-0001.koth.gz", "match-0003.koth.gz"]
    monkeypatch.setattr(jobs_of, "play", play)
    assert run(contest_of(), store).unplayed == []


def test_when_nothing_can_be_played_it_stops(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*args: Any) -> Result:
        raise ArenaError("the sandbox would not start")

    monkeypatch.setattr(jobs_of, "play", failing)
    assert len(run(contest_of(matches=40), store).unplayed) == STUCK


def test_a_match_that_was_void_is_played_with_the_same_dice(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that makes a match void gets no new dice: the same key, the same seeds, the same file."""
    play, tries = jobs_of.play, []

    def failing(*args: Any) -> Result:
        tries.append((args[4].match, args[3]))
        if args[4].match == 1 and [match for match, _ in tries].count(1) < TRIES:
            play(*args)  # it was played, to whatever end
            raise Overloaded("busy", 0, 3, "a")
        return play(*args)

    monkeypatch.setattr(jobs_of, "play", failing)
    result = run(contest_of(), store)
    assert [(row.number, row.void) for row in result.rows] == [(1, TRIES - 1), (2, 0), (3, 0)]
    assert store.void_tries() == {"a": TRIES - 1}
    keys = {key for match, key in tries if match == 1}
    assert (len([match for match, _ in tries if match == 1]), len(keys)) == (TRIES, 1)
    monkeypatch.setattr(jobs_of, "play", play)
    calm = Store(tmp_path / "calm")
    plain = run(contest_of(), calm)
    assert [row.scores for row in plain.rows] == [row.scores for row in result.rows]
    assert replays(tmp_path / "calm") == replays(tmp_path / "out")
    calm.close()


def test_a_bot_that_voids_all_its_matches_is_left_behind(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many they are, one after another: the matches of the others are played, and it stands on record."""
    play, matches = jobs_of.play, 2 * STUCK

    def failing(*args: Any) -> Result:
        if args[4].match <= matches - 2:
            raise Overloaded("busy", 0, 3, "a")
        return play(*args)

    monkeypatch.setattr(jobs_of, "play", failing)
    result = run(contest_of(matches=matches), store)
    assert [row.number for row in result.rows] == [matches - 1, matches]
    assert [(item.match, item.tries, item.bot) for item in result.unplayed] == [
        (match, TRIES, "a") for match in range(1, matches - 1)
    ]


@pytest.mark.parametrize("code", [errno.EAGAIN, errno.EMFILE, errno.ENOMEM])
def test_a_machine_that_can_start_nothing_is_not_the_bots_fault(
    code: int, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **more: Any) -> Any:
        raise OSError(code, os.strerror(code))

    bot = load_bot(GAME, bot_file(tmp_path, "good"), Interpreters())
    monkeypatch.setattr("koth.session.process.spawn", refuse)
    assert "no process could be started" in run(contest_of(bot), store).unplayed[0].reason
    assert rows(tmp_path / "out") == {"matches": [], "scores": [], "faults": []}
    assert replays(tmp_path / "out") == {}


PARENT = """
import os, sys
from koth.games.zombies.bot import Move

def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])

def kill_the_worker():  # above its supervisor and the spawner
    os.kill(parent(parent(os.getppid())), 9)
"""

KILLS_ITS_WORKER = """
class Bot:
    def do_turn(self, context):
        if context.game_clock == 2 and not os.path.exists({mark!r}):
            open({mark!r}, "w").close()
            kill_the_worker()
        return Move.STAY
"""


@pytest.mark.slow
def test_a_worker_that_dies(store: Store, tmp_path: Path) -> None:
    """Its match is void and played again, with the same dice; no other is touched."""
    source = PARENT + KILLS_ITS_WORKER.format(mark=str(tmp_path / "mark"))
    bots = [
        load_bot(GAME, bot_file(tmp_path, name, text), Interpreters()) for name, text in (("a", source), ("b", GOOD))
    ]
    result = run(contest_of(*bots, matches=4), store, make_executor=partial(on_this_machine, 2))
    assert (tmp_path / "mark").exists()
    assert [row.number for row in result.rows] == [1, 2, 3, 4]
    assert sum(row.void for row in result.rows) == 1
    assert all(not row.faults for row in result.rows)
    again = Store(tmp_path / "again")
    plain = run(contest_of(*bots, matches=4), again)
    assert replays(tmp_path / "out") == replays(tmp_path / "again")
    assert [row.scores for row in plain.rows] == [row.scores for row in result.rows]
    again.close()


@pytest.mark.slow
def test_a_worker_that_dies_in_one_match_again_and_again(store: Store, tmp_path: Path) -> None:
    """The other matches are played once, without effects."""
    source = """
    class Bot:
        def do_turn(self, context):
            if os.environ["KOTH_SEED"] == SEED:
                kill_the_worker()
            return Move.STAY
    """
    seed = Secret.from_seed(5).key(2).bot(2, 0)
    source = PARENT + textwrap.dedent(source).replace("== SEED", f"== '{seed}'")
    bot = load_bot(GAME, bot_file(tmp_path, "a", source), Interpreters())
    result = run(contest_of(bot, matches=4), store, make_executor=partial(on_this_machine, 2))
    assert [(row.number, row.void) for row in result.rows] == [(1, 0), (3, 0), (4, 0)]
    assert [(item.match, item.tries) for item in result.unplayed] == [(2, TRIES)]
    assert "the process that played it ended (killed by SIGKILL)" in result.unplayed[0].reason


NOISY = """
import random
for q in questions():
    say(stay(q, note="%x" % random.getrandbits(60_000)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("limit", [4_000, 134_000])
def test_a_full_disk(limit: int, tmp_path: Path) -> None:
    """Files can't grow beyond a limit: one line, nothing that looks whole and is not, and with room it goes on."""
    json_bot(tmp_path, NOISY, "noisy")
    words = ["run", "zombies", "noisy", *SMALL, "--matches", 4, "--seed", 3, "--out", "out"]
    done = finished(program(*words, cwd=tmp_path, largest=limit))
    assert done.code == 2, done
    told = [line for line in done.err.splitlines() if line.startswith("koth: ") and "one bot" not in line]
    assert len(told) == 1, done
    assert "File too large" in told[0] or "disk I/O error" in told[0], done
    assert "Traceback" not in done.err
    assert list(tmp_path.glob("out/replays/*.part")) == []
    if limit > 4_000:
        done = finished(program("resume", "out", cwd=tmp_path))
        assert done.code == 0, done
        assert len(rows(tmp_path / "out")["matches"]) == 4


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
    bot = load_bot(GAME, bot_file(tmp_path, "good", source), Interpreters(), "of/me")
    run(contest_of(bot, matches=1), store)
    assert (tmp_path / "out" / "stderr" / "match-0001" / "of%2Fme.txt").read_bytes() == b"hello\n\xff"


def test_what_bots_note_is_kept_for_their_authors_alone(store: Store, tmp_path: Path) -> None:
    json_bot(tmp_path, 'for q in questions(): say(stay(q, note={"mine": q["clock"]}))', "noting")
    run(contest_of(load_bot(GAME, tmp_path / "noting", Interpreters()), matches=1), store)
    lines = read_notes(tmp_path / "out", 1, "noting")
    assert lines[:2] == [{"turn": 1, "note": {"mine": 0}}, {"turn": 2, "note": {"mine": 1}}]
    assert read_notes(tmp_path / "out", 1, "other") == []
    assert b"mine" not in gzip.decompress(next(iter(replays(tmp_path / "out").values())))


def test_a_folder_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KothError, match=r"File exists|Not a directory"):
        Store(tmp_path / "file")
