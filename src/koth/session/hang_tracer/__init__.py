"""Programs made to tell their authors where they are when they do not answer: where they are tried, not played.

Koth's own runners do so everywhere; see `koth.session.stack_location`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from koth.protocol.by_name import FRAMES
from koth.session.bot import Bot

HERE = Path(__file__).parent


def witnessed(bot: Bot) -> Bot:
    """Return the bot as it is started so that it prints its stack location, if it is in Python or JavaScript.

    Of other programs is told what is seen from outside.
    """
    if bot.protocol == FRAMES or bot.runner:
        return bot
    program, *rest = bot.argv
    name = os.path.basename(program)
    bare = bool(rest) and not rest[0].startswith("-")
    if bare and name.startswith("python") and rest[0].endswith(".py"):
        file = HERE / "where.py"
        return replace(bot, argv=(program, str(file), *rest), reads=(*bot.reads, file), tells_where="asked")
    if bare and name in ("node", "nodejs"):
        file = HERE / "where.cjs"
        argv = (program, "--require", str(file), *rest)
        return replace(bot, argv=argv, reads=(*bot.reads, file), tells_where="by itself")
    return replace(bot, tells_where="seen")
