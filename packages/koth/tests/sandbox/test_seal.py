"""Bots' files are the same in every match of a run, or nothing more is scored."""

from __future__ import annotations

import os
import pickle
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from koth.contest.preflight import build
from koth.contest.reading import MatchRow
from koth.contest.run import Callbacks, run
from koth.contest.store import Store
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.match import Hosting, play
from koth.sandbox.failures import ArenaError
from koth.sandbox.seal import Seal
from tests.build.jvm.arena import java, written
from tests.contest.small import small_contest
from tests.sandbox.zoo import isolation, program
from tests.session.arena import GAME, GOOD, PATIENT, SETTINGS, good_bot


def rewritten(file: Path) -> None:
    """Other text of the same length, and the file says that it was written when it was before."""
    told = file.stat()
    file.write_bytes(bytes(reversed(file.read_bytes())))
    os.utime(file, ns=(told.st_atime_ns, told.st_mtime_ns))


def linked(file: Path) -> None:
    moved = file.rename(file.parent.parent / "elsewhere")
    file.symlink_to(moved)


CHANGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "other text": ("main.py", rewritten),
    "a file less": ("main.py", lambda folder: folder.unlink()),
    "another mode": ("main.py", lambda file: file.chmod(0o755)),
    "a link": ("main.py", linked),
    "a file more": ("lib/new.py", lambda file: file.write_text("")),
    "a folder more": ("lib/new", lambda file: file.mkdir()),
    "a folder less": ("lib", shutil.rmtree),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_breaks_it(name: str, tmp_path: Path) -> None:
    place, change = CHANGES[name]
    written(tmp_path / "bot", {"main.py": "print(1)\n"})
    (tmp_path / "bot" / "lib").mkdir()
    seal = pickle.loads(pickle.dumps(Seal.make([tmp_path / "bot"])))
    assert seal.find_change() == ""
    change(tmp_path / "bot" / place)
    assert seal.find_change() == str(tmp_path / "bot" / place)
    assert (seal.find_change(may_add=True) == "") == name.endswith("more")


def test_the_same_files_anew_do_not(tmp_path: Path) -> None:
    """Only their content counts, as after restoring a backup."""
    folder = written(tmp_path / "bot", {"main.py": "print(1)\n", "lib/data": "x"})
    seal = Seal.make([folder])
    shutil.copytree(folder, tmp_path / "backup")
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "backup", folder)
    assert seal.find_change() == ""
    assert Seal.make([tmp_path / "backup"]).digest() == seal.digest()


def test_a_copy_altered_between_two_matches(tmp_path: Path) -> None:
    """Nothing is scored from then on, and it is not a bot's loss."""
    level = isolation("strong")
    homes = [written(tmp_path / name, {"bot.py": f"{GOOD}\n# {name}\n"}) for name in ("good", "other")]
    bots = [build(load_bot(GAME, home, Interpreters()), tmp_path / "copies", level)[0] for home in homes]
    contest = small_contest(bots, 3, secret=Secret.from_seed(1), time_control=PATIENT, isolation=level)
    store = Store(tmp_path / "out")

    def alter(row: MatchRow) -> None:
        (bots[1].folder / "bot.py").write_text("raise SystemExit\n")

    unplayed = run(contest, store, progress=Callbacks(match_done=alter)).unplayed
    assert [(row.number, row.faults) for row in store.matches()] == [(1, {})]
    assert [(item.match, item.bot) for item in unplayed] == [(2, ""), (3, "")]
    for item in unplayed:
        assert re.search(r"the files of other were altered since the run began: .*bot\.py", item.reason)
    store.close()


def test_what_bots_write_where_they_can_is_no_failure(tmp_path: Path) -> None:
    bot = program(tmp_path, "open(f'log-{os.getpid()}', 'w').close()\n")
    copy, problem = build(bot, tmp_path / "copies")
    assert problem == ""
    for seed in (1, 2):
        assert (
            play(GAME, SETTINGS, [copy, good_bot(tmp_path)], seed, Hosting(time_control=PATIENT))
            .records["bad"]
            .faults
            == {}
        )
    assert len(list(copy.folder.glob("log-*"))) == 2


@pytest.mark.needs("javac")
def test_classes_altered_in_the_cache(tmp_path: Path) -> None:
    source = java("Fox", "return context.getX() == 99 ? null : Move.randomMove();")
    bot = load_bot(GAME, written(tmp_path / "fox", {"Fox.java": source}), Interpreters())
    copy, problem = build(bot, tmp_path / "copies")
    assert problem == ""
    (made,) = bot.made
    (file,) = made.rglob("Fox.class")
    file.write_bytes(file.read_bytes() + b"\0")
    try:
        with pytest.raises(ArenaError, match=r"the files of Fox were altered .*Fox\.class"):
            play(GAME, SETTINGS, [copy, good_bot(tmp_path)], 1, Hosting(time_control=PATIENT))
    finally:
        shutil.rmtree(made)


def test_a_built_copy_that_was_altered_is_built_anew(tmp_path: Path) -> None:
    """A resumed run reuses the output of a build only if it has not changed."""
    bot = program(tmp_path, "", manifest="build = [\"sh -c 'echo built > made; date +%N > when'\"]\n")
    first, _ = build(bot, tmp_path / "copies")
    when = (first.folder / "when").read_text()
    again, _ = build(bot, tmp_path / "copies")
    assert (again.folder / "when").read_text() == when
    (first.folder / "made").write_text("altered\n")
    mended, _ = build(bot, tmp_path / "copies")
    assert (mended.folder / "made").read_text() == "built\n"
    assert (mended.folder / "when").read_text() != when
