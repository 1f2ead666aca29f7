"""Private copies and builds: what can't be a bot's is rejected, and nothing leaves the copy."""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path

import pytest

from koth.build import steps
from koth.contest.preflight import build
from koth.contest.record import SkippedBot
from koth.discovery.digest import content_digest
from koth.discovery.entrants import find_entrants
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import BotError
from koth.files.folders import CopyError, remove
from koth.sandbox.copies import copy_bot, list_files
from koth.services.contests import skipped_text
from tests.sandbox.zoo import CONFINED, LEVELS, isolation, program
from tests.session.arena import GAME


def test_a_folder_is_copied_whole(tmp_path: Path) -> None:
    bot = program(tmp_path, "")
    (bot.folder / "lib" / "deep").mkdir(parents=True)
    (bot.folder / "lib" / "deep" / "data").write_bytes(b"\x00\xff")
    (bot.folder / "run").write_text("#!/bin/sh\n")
    (bot.folder / "run").chmod(0o700)
    (bot.folder / "secret").write_text("")
    (bot.folder / "secret").chmod(0o600)
    (bot.folder / "__pycache__").mkdir()
    (bot.folder / "__pycache__" / "main.pyc").write_bytes(b"something else")
    copy, problem = build(load_bot(GAME, bot.folder, Interpreters()), tmp_path / "copies")
    assert problem == ""
    assert copy.folder == tmp_path / "copies" / copy.digest
    assert content_digest(copy.folder) == copy.digest
    assert not (copy.folder / "__pycache__").exists()
    modes = {name: (copy.folder / name).stat().st_mode & 0o777 for name in ("run", "secret", "lib")}
    assert modes == {"run": 0o755, "secret": 0o644, "lib": 0o755}
    assert copy.argv == (bot.argv[0], "main.py")
    assert copy.path == bot.folder


def test_of_a_single_file_nothing_else_is_copied(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("")
    (tmp_path / "others.py").write_text("")
    copy, problem = build(load_bot(GAME, tmp_path / "mine.py", Interpreters()), tmp_path / "copies")
    assert problem == ""
    assert [path.name for path in copy.folder.iterdir()] == ["mine.py"]
    assert copy.argv[-1] == str(copy.folder / "mine.py")


@pytest.mark.parametrize(
    ("name", "words"), [(b"\xffBot.java", r"\\udcffBot.java is not UTF-8"), (b"a\\b", r"a\\b has a backslash")]
)
def test_a_name_that_no_zip_can_hold_is_refused(name: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(name)
    file.touch()
    for path in (tmp_path, file):
        with pytest.raises(CopyError, match=f"the name {words}; rename the file"):
            list(list_files(path))


def test_a_bot_among_others_is_no_link(tmp_path: Path) -> None:
    """It would show somebody else's files under its own name; the others are bots all the same."""
    (tmp_path / "bots").mkdir()
    program(tmp_path / "bots", "")
    (tmp_path / "bots" / "thief").symlink_to(tmp_path / "bots" / "bad")
    found = find_entrants(GAME, [str(tmp_path / "bots")], Interpreters())
    (problem,) = found.problems
    assert "thief is a link; name a bot that lies elsewhere by itself" in str(problem)
    assert isinstance(problem, BotError)
    assert [bot.name for bot in found.bots] == ["bad"]
    found = find_entrants(GAME, [str(tmp_path / "bots" / "thief")], Interpreters())
    bots, problems = found.bots, found.problems
    assert ([bot.name for bot in bots], problems) == (["thief"], [])


def test_too_much_is_no_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = program(tmp_path, "")
    monkeypatch.setattr("koth.sandbox.copies.FILES", 1)
    _, problem = build(bot, tmp_path / "copies")
    assert "more than 1 files or 1024 MB; that is not a bot" in problem


BUILD = {
    "reads the host": ("cat {secret}", ["No such file", "Permission denied"]),
    "uses the network": (
        "python3 -c \"import socket; socket.create_connection(('127.0.0.1', 1))\"",
        ["Operation not permitted"],
    ),
    "writes elsewhere": ("touch {outside}", ["No such file", "Permission denied"]),
    "fails": ("sh -c 'echo so it goes; exit 3'", ["so it goes"]),
    "is missing": ("nosuchcompiler bot.c", ["nosuchcompiler"]),
    "writes a huge file": (
        "truncate -s 300000000 huge",
        ["File too large", "153", "signal", "SIGXFSZ"],
    ),
}


@pytest.mark.parametrize("name", BUILD)
@pytest.mark.parametrize("level", CONFINED)
def test_what_a_build_may_not(level: str, name: str, tmp_path: Path) -> None:
    line, words = BUILD[name]
    chosen = isolation(level)
    secret = tmp_path / "secret"
    secret.write_text("the host's")
    line = line.format(secret=secret, outside=tmp_path / "new").replace('"', '\\"')
    bot = program(tmp_path, "", manifest=f'build = ["{line}"]\n')
    _, problem = build(bot, tmp_path / "copies", chosen)
    assert problem.startswith("its build failed (")
    assert any(word in problem for word in words), problem
    assert "the host's" not in problem
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("level", CONFINED)
def test_what_a_build_may(level: str, tmp_path: Path) -> None:
    """It writes to its copy, starts programs, and is run once; the bot's own folder stays as it was."""
    lines = ["sh -c 'echo built >> made; (echo child | cat) >> made'", "sh -c 'mktemp > /dev/null'"]
    bot = program(tmp_path, "", manifest=f"build = {lines}\n")
    for _ in range(2):
        copy, problem = build(bot, tmp_path / "copies", isolation(level))
        assert problem == ""
        assert (copy.folder / "made").read_text() == "built\nchild\n"
    assert not (bot.folder / "made").exists()
    assert (tmp_path / "copies" / f"{bot.digest}.log").read_text().startswith("$ sh -c 'echo built")
    assert copy.folder.stat().st_uid == os.getuid()


@pytest.mark.parametrize("level", CONFINED)
def test_a_build_that_does_not_end(level: str, tmp_path: Path) -> None:
    bot = program(tmp_path, "", manifest="build = [\"sh -c 'sleep 60 & sleep 60'\"]\n")
    _, problem = build(bot, tmp_path / "copies", isolation(level), seconds=0.3)
    assert problem.startswith("its build failed (not done after 0.3 s)")


def test_a_failed_build_shows_its_last_whole_lines(tmp_path: Path) -> None:
    words = "seq 999; echo bot.c:3: error: no semicolon; echo 1 error; exit 1"
    bot = program(tmp_path, "", manifest=f"build = [\"sh -c '{words}'\"]\n")
    _, problem = build(bot, tmp_path / "copies")
    head, command, first, *rest = problem.splitlines()
    assert (head, command) == ("its build failed (exit status 1):", f"$ sh -c '{words}'")
    assert [first, *rest] == [*map(str, range(int(first), 1000)), "bot.c:3: error: no semicolon", "1 error"]
    assert len(first) == 3 < len(rest)
    assert skipped_text(SkippedBot(bot="x", reason=problem)) == f"left out: x: {head} bot.c:3: error: no semicolon"


@pytest.mark.parametrize("level", ["none", *LEVELS])
def test_nothing_of_a_build_goes_on(level: str, tmp_path: Path) -> None:
    """Not even what has left its group of processes."""
    lines = ["sh -c 'setsid sleep 3.14159 < /dev/null > /dev/null 2>&1 & true'"]
    bot = program(tmp_path, "", manifest=f"build = {lines}\n")
    _, problem = build(bot, tmp_path / "copies", isolation(level))
    assert problem == ""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            assert file.read_bytes() != b"sleep\x003.14159\x00"


@pytest.mark.parametrize("level", CONFINED)
def test_a_build_that_fills_the_disk(level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "BYTES", 1 << 20)
    lines = ["sh -c 'i=0; while true; do head -c 100000 /dev/urandom > f$i; i=$((i+1)); sleep 0.01; done'"]
    bot = program(tmp_path, "", manifest=f"build = {lines}\n")
    _, problem = build(bot, tmp_path / "copies", isolation(level))
    assert problem.startswith("its build failed (more than 1 MB in the bot's folder)")


@pytest.mark.parametrize("size", [3 << 30, 1 << 40])
def test_a_large_file_is_not_read_to_see_that_it_is_too_large(size: int, tmp_path: Path) -> None:
    bot = program(tmp_path, "")
    with open(bot.folder / "large", "wb") as file:
        file.truncate(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for look in (content_digest, lambda path: copy_bot(path, tmp_path / "copy")):
        with pytest.raises((BotError, CopyError), match="more than 20000 files or 1024 MB; that is not a bot"):
            look(bot.folder)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100_000
    problems = find_entrants(GAME, [str(bot.folder)], Interpreters()).problems
    assert "that is not a bot" in str(problems[0])


def test_folders_within_folders(tmp_path: Path) -> None:
    bot = program(tmp_path, "")
    for depth, fits in ((60, True), (3000, False)):
        here = os.open(bot.folder, os.O_RDONLY)
        for _ in range(depth):
            with contextlib.suppress(FileExistsError):
                os.mkdir("d", dir_fd=here)
            here, last = os.open("d", os.O_RDONLY, dir_fd=here), here
            os.close(last)
        os.close(here)
        if fits:
            copy_bot(bot.folder, tmp_path / "copy")
        else:
            with pytest.raises(CopyError, match="more than 64 folders within each other"):
                copy_bot(bot.folder, tmp_path / "copy")
            with pytest.raises(BotError, match="more than 64 folders within each other"):
                content_digest(bot.folder)
    remove(bot.folder)
    assert not bot.folder.exists()
