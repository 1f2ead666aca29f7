"""Hints for a bot that does not start, from the bot's fault and stderr."""

from __future__ import annotations

import os
import re

from koth.escaping import shell_word
from koth.sandbox.environment import PYTHON
from koth.sandbox.isolation import Isolation
from koth.sandbox.mounts import PACKAGE, find_hidden_places
from koth.session.bot import Bot
from koth.session.faults import FaultReport

PYTHON_2 = re.compile(r"Missing parentheses in call to 'print'|No module named '(?:urllib2|Queue|StringIO|sets)'")
"""Python 3's errors for Python 2 programs."""
NO_MODULE = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'$", re.MULTILINE)
"""Python's error for a package that is not installed."""
NO_TEMPORARY = "No usable temporary directory"
"""Python's error if there is no folder for temporary files."""


def start_hints(bot: Bot, fault_report: FaultReport, stderr: str, isolation: Isolation) -> list[str]:
    """Return hints for a fault and a bot's stderr, such as: send "ready", use another Python, allow a path."""
    hints = []
    said = fault_report.said.lower().replace(b"\0", b"")
    is_known = re.search(rb"ready\W*[:=]", said) or said.strip() == b"{"  # a message over several lines
    if bot.protocol == "json" and fault_report.kind in ("garbage", "late") and not is_known:
        hints.append('it is ready when it says {"ready": true}')
    if fault_report.kind == "late" and not fault_report.said.strip():
        if bot.protocol == "json":
            hints.append("does it flush what it writes? print(..., flush=True) in Python, fflush(stdout) in C")
        hints.append("slow imports? More time to start: --start-timeout SECONDS")
    lacks = NO_MODULE.search(stderr)
    if lacks and not PYTHON_2.search(stderr):
        hints.append(
            f"{bot.argv[0]} has no module {lacks[1]}; a Python that has it: KOTH_INTERPRETERS=python=PATH, "
            "such as my-env/bin/python"
        )
    if bot.language == "python" and PYTHON_2.search(stderr):
        hints.append('it is Python 2: python = "/path/to/python2.7" in its koth.toml, or command = "python2 ..."')
    if bot.language == "python" and bot.path.is_relative_to(PACKAGE) and bot.argv[0] != PYTHON:
        hints.append(f"koth's samples are written for Python 3.10 and newer; is {bot.argv[0]} one of these?")
    if isolation.is_at_least("partial") and os.path.basename(bot.argv[0]) == "Rscript":
        hints.append("R starts a shell and makes a folder, which bots may not: use --isolation limits")
    if NO_TEMPORARY in stderr:
        hints.append("it wants a temporary file: bots have a folder for these at isolation strong (koth doctor)")
    if isolation.is_at_least("partial"):
        hidden = find_hidden_places(stderr, [bot.folder, *bot.reads])
        for place in [] if NO_TEMPORARY in stderr else hidden[:3]:
            hints.append(f"its sandbox hides {place}; to show it: KOTH_ALLOW_READ={shell_word(place)}")
    return hints
