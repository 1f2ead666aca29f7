"""Commands that show matches, let people play, and write what is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from koth.cli.commands.group import cli
from koth.cli.commands.options import FILE, SEED, host_options, isolation_option, page_options, rules_options
from koth.cli.completion import bots, games

if TYPE_CHECKING:
    from typing import Unpack

    from koth.cli.export import FilmOptions
    from koth.cli.play import PlayOptions


@cli.command("view", short_help="Watch a replay, or a contest's matches, in the browser.")
@click.argument("path", metavar="REPLAY|RUN|HILL")
@click.option("--from", "turn", type=click.IntRange(0), metavar="TURN", help="Begin a replay at this turn.")
@page_options
def view_command(path: str, turn: int | None, port: int, no_open: bool) -> None:
    """Watch a replay, or the matches of a run or of a season of a hill, in the browser.

    The page is served to this machine only, until Ctrl-C. HILL is the folder of a hill, a season, such as
    DIR/seasons/2, a match, such as DIR/matches/7, or the address of any of these on the hill's site, which is the
    page that is opened.
    """
    from koth.cli.view import view

    view(path, port, not no_open, turn)


@cli.command("play", short_help="Play against bots yourself, in the browser.")
@click.argument("game", shell_complete=games)
@click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=bots)
@click.option(
    "--level",
    metavar="NAME",
    help="Difficulty: practice, easy, normal or hard (default: easy where no BOT is named).",
)
@click.option("--name", default="you", show_default=True, help="Your name in the match.")
@click.option("--seed", type=SEED, help="Play the match of this seed: all dice follow from it (default: a new one).")
@rules_options
@click.option("--out", type=FILE, metavar="FILE", help="Where to write the replay.")
@host_options
@isolation_option()
@page_options
def play_command(game: str, bots: tuple[str, ...], **options: Unpack[PlayOptions]) -> None:
    """Play GAME yourself, in the browser, against BOTs.

    You see what a bot in your place sees. A BOT is a folder, a file, or @NAME for a sample; without one those of
    the level play. The level "practice" is a small board and teaches by playing. Afterwards the whole match can be
    watched.
    """
    from koth.cli.play import play

    play(game, bots, options)


@cli.command("export", short_help="Write a replay as a page, GIF or MP4, or a contest as a site of plain files.")
@click.argument("path", metavar="REPLAY|RUN|HILL")
@click.argument("out", type=FILE, required=False)
@click.option("--gif", "kind", flag_value="gif", help="Write an animated GIF (needs the extra film and a Chromium).")
@click.option("--mp4", "kind", flag_value="mp4", help="Write an MP4 film (needs the extra film and a Chromium).")
@click.option("--from", "first", type=click.IntRange(0), default=0, metavar="TURN", help="First turn of the film.")
@click.option("--to", "last", type=click.IntRange(0), metavar="TURN", help="Last turn of the film.")
@click.option(
    "--speed", type=click.FloatRange(0.1, 1000), help="The film's turns per second (default: 20 seconds at most)."
)
@click.option("--size", default="960x540", show_default=True, metavar="WxH", help="Width and height of the film.")
@click.option("--light", is_flag=True, help="Use light colours in the film.")
@click.option("--notes", is_flag=True, help="Add to a page the notes and drawings that bots made for their authors.")
@click.option("--title", default="", help="The title of a contest's site.")
@click.option("--text", default="", help="A text on a contest's site; addresses in it become links.")
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def export_command(
    path: str, out: Path | None, kind: str | None, force: bool, title: str, text: str, **options: Unpack[FilmOptions]
) -> None:
    """Write a replay to the file OUT, or the contest of a run or of a season of a hill to the folder OUT.

    A replay becomes one page that plays anywhere, offline, or a film: --gif, --mp4 or OUT's ending (.html, .gif,
    .mp4) say which. Without OUT the file is called like the replay.

    A contest becomes a site for any web space or a disk: OUT/index.html has the standings and links to a page per
    bot, every match, and the tables as CSV. Where it was exported before, it is written again. What bots left for
    their authors is not in it. Hills, seasons and matches are named as for `koth view`.
    """
    from koth.cli.export import export

    export(path, out, kind, force, title, text, options)
