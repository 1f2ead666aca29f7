"""Commands that show or export matches, and let people play."""

from __future__ import annotations

import click

from koth.cli.commands.group import cli, runs
from koth.cli.commands.options import BOT, FILE, page_options, takes
from koth.services.options import ExportOptions, PlayOptions


@cli.command("view", short_help="Watch a replay, or a contest's matches, in the browser.")
@click.argument("path", metavar="REPLAY|RUN|HILL")
@click.option("--from", "turn", type=click.IntRange(0), metavar="TURN", help="Begin a replay at this turn.")
@page_options
@runs("view.view")
def view() -> None:
    """Watch a replay, or the matches of a run or of a season of a hill, in the browser.

    The page is served to this machine only, until Ctrl-C. HILL is the folder of a hill, a season, such as
    DIR/seasons/2, a match, such as DIR/matches/7, or the address of any of these on the hill's site, which is opened
    instead.
    """


@cli.command("play", short_help="Play against bots yourself, in the browser.")
@click.argument("game")
@click.argument("bots", nargs=-1, metavar="[BOT]...", type=BOT)
@page_options
@takes(PlayOptions)
@runs("play.play")
def play() -> None:
    """Play GAME yourself, in the browser, against BOTs.

    You see what a bot at your seat sees. A BOT is a folder, a file, or @NAME for a sample; without one the level's
    bots play. The level "practice" is a small board and teaches by playing. Afterwards you can watch the whole match.
    """


@cli.command("export", short_help="Write a replay as a page, GIF or MP4, or a contest as a site of plain files.")
@click.argument("path", metavar="REPLAY|RUN|HILL")
@click.argument("out", type=FILE, required=False)
@takes(ExportOptions)
@runs("export.export")
def export() -> None:
    """Write a replay to the file OUT, or the contest of a run or of a season of a hill to the folder OUT.

    A replay becomes a page that plays anywhere, offline, or a film: OUT ends with .html, .gif or .mp4. Films need the
    extra film and a Chromium. Without OUT it is a page with the replay's name.

    A contest becomes a site for any web space or a disk: OUT/index.html has the standings and links to a page per
    bot, every match, and the tables as CSV. An earlier export in OUT is overwritten. It does not contain what bots
    leave for their authors. Hills, seasons and matches are named as for `koth view`.
    """
