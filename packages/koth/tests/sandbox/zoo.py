"""Matches of a hostile bot against a good one, at a level of isolation: the good one must not notice."""

from __future__ import annotations

import functools
import json
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import pytest

from koth.contest.preflight import build
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.game import TimeControl
from koth.match import BotReport
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import try_level
from koth.sandbox.policy import FOR_BOTS, SandboxPolicy
from koth.sandbox.supervised_process import SupervisedProcess
from koth.session.bot import Bot
from koth.session.conversation import Limits
from tests.session.arena import GAME, LIMITS, PATIENT, TALK, Quiet, boards, good_bot, match, result_of

LEVELS = ("strong+cgroup", "strong", "partial", "limits")
"""Those at which something is promised."""

CONFINED = LEVELS[:3]
"""Those that keep bots from the host and from each other."""


PYTHON = ["/usr/bin/python3", "-S", "-c"]


@functools.cache
def isolation(level: str) -> Isolation:
    """This level, or the test is skipped where it can't be had."""
    trial = try_level(level)
    if not trial.works:
        pytest.skip(f"isolation {level} is not available here: {trial.why}")
    return trial.isolation


def outcomes(level: str, folder: Path, source: str, *words: str) -> Any:
    """What a program in Python prints at this level, as JSON; no call has ended it."""
    folder.chmod(0o755)
    chosen = isolation(level)
    child = chosen.start([*PYTHON, source, *words], folder, {}, SandboxPolicy(), stdin=DEVNULL, stdout=-1, stderr=-1)
    printed, complaint = child.communicate(60)
    assert child.forbidden_call() == "", complaint
    child.close()
    return json.loads(printed or complaint)


@contextmanager
def running(level: str, folder: Path, source: str) -> Iterator[SupervisedProcess]:
    """A program in Python with pipes, which is ended after this context."""
    argv = (sys.executable, "-S", "-c", source)
    child = isolation(level).start(argv, folder, {}, FOR_BOTS, (), stdin=PIPE, stdout=PIPE)
    try:
        yield child
    finally:
        child.end()
        child.close()


def program(folder: Path, source: str, name: str = "bad", *, manifest: str = "", after: str = "") -> Bot:
    """A program in Python that speaks JSON lines; its players stay where they are."""
    home = folder / name
    home.mkdir()
    (home / "koth.toml").write_text(f'protocol = "json"\ncommand = ["python", "main.py"]\n{manifest}')
    body = TALK + textwrap.dedent(source) + (after or "\nfor q in questions():\n    say(stay(q))\n")
    (home / "main.py").write_text(body, encoding="utf-8")
    return load_bot(GAME, home, Interpreters(), name)


def built(bot: Bot, folder: Path, chosen: Isolation) -> Bot:
    """The private copy of a bot that can be built."""
    copy, problem = build(bot, folder / "copies", chosen)
    assert problem == ""
    return copy


def play_at(
    level: str, folder: Path, source: str, rival: Any, time_control: TimeControl, manifest: str | None = None
) -> BotReport:
    """The report on a program that may start others after a short match against a rival, at a level of isolation."""
    chosen = replace(isolation(level), trusts_processes=True)
    manifest = may_fork(level) if manifest is None else manifest
    bot = built(program(folder, source, manifest=manifest, after="\n"), folder, chosen)
    return result_of([bot, rival], time_control, turns=4, isolation=chosen).records["bad"]


def may_fork(level: str) -> str:
    """The manifest of a bot that starts processes at this level."""
    return "subprocesses = true\n" if level.startswith("strong") else ""


def hosted(
    bad: Bot,
    folder: Path,
    level: str,
    quiet: Quiet,
    time_control: TimeControl = PATIENT,
    limits: Limits = LIMITS,
) -> BotReport:
    """Return the report on a hostile bot after a match in which its players stay in place."""
    chosen = replace(isolation(level), trusts_processes=True)
    cast = [built(bot, folder, chosen) for bot in (bad, good_bot(folder))]
    result, replay = match(cast, folder, time_control, limits, chosen)
    assert result.records["good"].faults == {}
    assert result.scores == quiet.scores
    assert boards(replay) == quiet.boards
    return result.records[bad.name]
