"""Tracers that make a silent program print its stack location, used where bots are checked, never in contests.

koth's own adapters print it everywhere; see `koth.session.stack_location`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from koth.protocol.by_name import FRAMES
from koth.session.bot import Bot

HERE = Path(__file__).parent


def with_hang_tracer(bot: Bot) -> Bot:
    """Return the bot with a command that makes it print its stack location, if it is in Python or JavaScript.

    A bot in another language gets a description from outside instead.
    """
    if bot.protocol == FRAMES or bot.has_adapter:
        return bot
    program, *rest = bot.argv
    name = os.path.basename(program)
    bare = bool(rest) and not rest[0].startswith("-")
    if bare and name.startswith("python") and rest[0].endswith(".py"):
        file = HERE / "launch.py"
        return replace(bot, argv=(program, str(file), *rest), reads=(*bot.reads, file), hang_report="on request")
    if bare and name in ("node", "nodejs"):
        file = HERE / "preload.cjs"
        argv = (program, "--require", str(file), *rest)
        return replace(bot, argv=argv, reads=(*bot.reads, file), hang_report="unasked")
    return replace(bot, hang_report="observed")
