"""Commands that show or export matches, and let people play."""

from __future__ import annotations

import click

from koth.cli.commands.group import LOOK, cli, runs
from koth.cli.commands.options import BOT, FILE, port_option, takes
from koth.services.options import ExportOptions, PlayOptions


@cli.command("view", section=LOOK, short_help="Watch in the browser.")
@click.argument("path", metavar="REPLAY|RUN|HILL")
@click.option("--from", "turn", type=click.IntRange(0), metavar="TURN", help="Begin a replay at this turn.")
@port_option
@runs("view.view")
def view() -> None:
    """Watch a replay, or the matches of a run or of a hill's season, in the browser.

    The page is served to this machine only, until Ctrl-C. HILL is the folder of a hill, a season, such as
    DIR/seasons/2, a match, such as DIR/matches/7, or an address on the hill's site, where the browser then opens the
    site.
    """


@cli.command("play", section=LOOK, short_help="Play against bots.")
@click.argument("game")
@click.argument("bots", nargs=-1, metavar="[BOT]...", type=BOT)
@port_option
@takes(PlayOptions)
@runs("play.play")
def play() -> None:
    """Play GAME yourself, in the browser, against BOTs.

    You see what a bot at your seat sees. A BOT is a folder, a file, or @NAME for a sample; without a BOT the level's
    bots play. The level "practice" is a small board and teaches the game. Afterwards you can watch the whole match.
    """


@cli.command("export", section=LOOK, short_help="Write a page, film, site.")
@click.argument("path", metavar="REPLAY|RUN|HILL")
@click.argument("out", type=FILE, required=False)
@takes(ExportOptions)
@runs("export.export")
def export() -> None:
    """Write a replay to the file OUT, or the contest of a run or of a hill's season to the folder OUT.

    A replay becomes a page that plays anywhere, offline, or a film: OUT ends with .html, .gif or .mp4. Films need
    koth's extra `film` and a Chromium. Without OUT the replay becomes a page with the replay's name.

    A contest becomes a site for any web space or a disk: OUT/index.html has the standings and links to a page per
    bot, every match, and the tables as CSV. An earlier export in OUT is overwritten. The site does not contain bots'
    logs for their authors. Hills, seasons and matches are named as for `koth view`.
    """
