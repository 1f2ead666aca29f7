"""The words of the command line: every command and what it takes. What it does is imported when it is used.

`koth --help` and `koth run --help` must not wait for compilers, so nothing but click is imported here.
What several of them take stands in `options`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from click.core import ParameterSource

from koth import __version__
from koth.cli.completion import HOW, bots, games, pages, print_script
from koth.cli.options import (
    FILE,
    SEED,
    Seed,
    exclude_option,
    host_options,
    isolation_option,
    jobs_option,
    match_option,
    page_options,
    processes_option,
    rules_options,
    tls_options,
)
from koth.errors import KothError, choices

if TYPE_CHECKING:
    from typing import Unpack

    from koth.cli.check import CheckOptions
    from koth.cli.cluster import WorkerOptions
    from koth.cli.compare import CompareOptions
    from koth.cli.debug import DebugOptions
    from koth.cli.dev import DevOptions
    from koth.cli.export import FilmOptions
    from koth.cli.lists import BotsOptions
    from koth.cli.play import PlayOptions
    from koth.cli.run import RunOptions

OF_A_RESUME = {"resume", "jobs", "as_json", "isolation", "strangers", "processes", "watch", "no_open"}
OF_A_RESUME |= {"interpreters", "paths", "frege", "cluster", "tls_ca_file", "tls_cert", "tls_key", "same_speed"}
OF_A_RESUME |= {"game", "bots", "games", "exclude", "skip_broken"}
"""What may be said when a run is gone on with."""


class _Commands(click.Group):
    """Commands in the order in which people need them; a wrong one is told with the right ones."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            raise click.UsageError(f"there is no command {args[0]!r}{choices(args[0], self.commands)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.short_help or "") for name, command in self.commands.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="koth")
def cli() -> None:
    """An arena for king-of-the-hill bot contests."""


@cli.command("run", short_help="Run a contest and print its standings.")
@click.argument("game", required=False, shell_complete=games)
@click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=bots)
@click.option(
    "--games",
    "-n",
    type=click.IntRange(1, 100_000),
    help="Matches that a bot plays, at least (default: as the statement says).",
)
@click.option(
    "--seed", type=Seed(), help="A number, or 32 hex digits, that all dice follow from (default: a new one)."
)
@click.option(
    "--replays",
    type=click.Choice(["all", "answers", "none"]),
    default="all",
    show_default=True,
    help="What replays hold; frames can be made again from answers.",
)
@click.option("--timings", is_flag=True, help="Put the time of each question on record, too.")
@click.option("--table", type=click.IntRange(1, 100_000), metavar="N", help="Seats of a match (default: as stated).")
@click.option(
    "--seeds",
    type=click.Choice(["shared", "independent"]),
    default="shared",
    show_default=True,
    help="Whether the matches of one table share their dice.",
)
@click.option("--turns", type=click.IntRange(1, 100_000), metavar="N", help="A trial: end every match after N turns.")
@click.option("--until", metavar="GOAL", help="Stop when it is settled, or top=3 is; --games is the most.")
@rules_options
@jobs_option
@click.option("--cluster", metavar="ADDRESS", help="Have them played by the workers of this Dask scheduler.")
@tls_options
@click.option(
    "--same-speed",
    type=click.FloatRange(1.0),
    metavar="FACTOR",
    help="Refuse machines that are faster or slower by more than this (1.2).",
)
@click.option("--out", type=FILE, help="The run's folder (default: runs/GAME-TIME).")
@click.option("--resume", type=FILE, metavar="DIR", help="Go on with an interrupted run.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and nothing else, to stdout.")
@click.option("--watch", is_flag=True, help="Open a page that shows the contest while it runs.")
@click.option("--no-open", is_flag=True, help="With --watch: print the page's address, do not open a browser.")
@click.option("--skip-broken", is_flag=True, help="Go on without bots that can't be started.")
@exclude_option
@host_options
@isolation_option()
@click.option(
    "--strangers", is_flag=True, help="Refuse to run below isolation strong, or with a seed that can be guessed."
)
@processes_option
@click.option("--start-budget", type=click.FloatRange(0.01, 600), metavar="SECONDS", help="To start (default: 10).")
@click.option("--freeze", is_flag=True, help="Stop bots while they are not asked.")
@click.option("--budget", type=click.FloatRange(0.001, 600), metavar="SECONDS", help="For a question (default: 1).")
@click.pass_context
def run_command(
    ctx: click.Context, /, game: str | None, bots: tuple[str, ...], **options: Unpack[RunOptions]
) -> None:
    """Run a contest of GAME between BOTs and print its standings.

    A BOT is a folder, a file, a zip, a folder of bots, or @NAME for a sample (see `koth bots`); BOT#ENTRY picks
    one of several there, NAME=BOT gives it another name. Without a BOT the game's default field plays.
    """
    from koth.cli.resume import resume
    from koth.cli.run import start

    elsewhere = None
    if options["cluster"] is not None:
        from koth.cli.cluster import crew_of

        elsewhere = crew_of(options["cluster"], options)
    folder = options["resume"]
    if folder is not None:
        given = {name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        if given - OF_A_RESUME:
            also = "--games, --exclude, --skip-broken, --jobs, --cluster, --same-speed, --json, --watch, --isolation"
            also += ", --strangers, --processes, --interpreter"
            text = "--resume takes the contest as it was started, and BOTs that join it or are new versions"
            raise KothError(f"{text}; only {also}, --path and --frege go with it")
        resume(folder, [word for word in (game, *bots) if word is not None], options, elsewhere)
    elif game is None:
        raise KothError("which game? `koth games` lists them; then: koth run GAME")
    else:
        start(game, bots, options, elsewhere)


@cli.command("worker", short_help="Offer this machine to a cluster that plays contests.")
@click.argument("address")
@jobs_option
@tls_options
@host_options
@isolation_option()
@processes_option
def worker_command(address: str, **options: Unpack[WorkerOptions]) -> None:
    """Join the Dask scheduler at ADDRESS and play matches for the contests there, until Ctrl-C.

    Beyond this machine that is tls://HOST:PORT. Bots come by digest and are built and kept apart here; a contest of
    another koth, or that asks for stronger isolation than there is here, is not played.
    """
    from koth.cli.cluster import work

    work(address, options)


@cli.command("standings", short_help="Print the standings of a run, as a table, CSV, JSON or Markdown.")
@click.argument("run", type=FILE)
@click.option("--csv", "form", flag_value="csv", help="Print comma-separated values.")
@click.option("--json", "form", flag_value="json", help="Print one JSON object, with every two bots head to head.")
@click.option("--markdown", "form", flag_value="markdown", help="Print tables for a page or a post.")
@click.option(
    "--against", type=FILE, metavar="TABLE.csv", help="Compare with a published table (columns bot, score)."
)
def standings_command(run: Path, form: str | None, against: Path | None) -> None:
    """Print the standings of RUN (the folder of a contest, over or not), and who beat whom how often."""
    from koth.cli.standings import standings_of

    standings_of(run, form or "table", against)


@cli.command("view", short_help="Watch a replay, or a run's matches, in the browser.")
@click.argument("path", type=FILE, metavar="REPLAY|DIR")
@page_options
def view_command(path: Path, port: int, no_open: bool) -> None:
    """Watch a replay, or the matches of a run's folder, in the browser.

    The page is served to this machine only, until Ctrl-C.
    """
    from koth.viewer.server import serve

    serve(path, port=port, open_browser=not no_open)


@cli.command("watch", short_help="Watch a replay in the terminal.")
@click.argument("path", type=FILE, metavar="REPLAY")
@click.option("--speed", type=click.FloatRange(0.1, 1000), default=10.0, show_default=True, help="Turns a second.")
@click.option("--from", "start", type=click.IntRange(0), default=0, help="Begin at this turn.")
def watch_command(path: Path, speed: float, start: int) -> None:
    """Watch a replay in the terminal (space: pause, arrows: step, q: leave)."""
    from koth.viewer.terminal import watch

    watch(path, speed=speed, start=start)


@cli.command("play", short_help="Play against bots yourself, in the browser.")
@click.argument("game", shell_complete=games)
@click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=bots)
@click.option("--level", metavar="NAME", help="How hard: practice, easy (when no BOT is named), normal, hard.")
@click.option("--name", default="you", show_default=True, help="What you are called in the match.")
@click.option("--seed", type=SEED, help="The match's seed (default: a new one).")
@rules_options
@click.option("--out", type=FILE, metavar="FILE", help="The replay's file.")
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


@cli.command("export", short_help="Write a replay as one file: a page that plays offline, a GIF, an MP4.")
@click.argument("path", type=FILE, metavar="REPLAY")
@click.argument("out", type=FILE, required=False)
@click.option("--gif", "kind", flag_value="gif", help="A moving picture (needs the extra film and a Chromium).")
@click.option("--mp4", "kind", flag_value="mp4", help="A film (needs the same).")
@click.option("--from", "first", type=click.IntRange(0), default=0, help="Film from this turn on.")
@click.option("--to", "last", type=click.IntRange(0), help="Film up to this turn.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), help="Turns a second (default: 20 seconds at most).")
@click.option("--size", default="960x540", show_default=True, metavar="WxH", help="Pixels of the film.")
@click.option("--light", is_flag=True, help="Film in light colours.")
@click.option("--notes", is_flag=True, help="With what bots noted and drew for their authors (a page only).")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def export_command(
    path: Path, out: Path | None, kind: str | None, force: bool, **options: Unpack[FilmOptions]
) -> None:
    """Write a replay to OUT: one page that plays it anywhere, offline, or a film of it.

    What is written is said by --gif and --mp4, or by OUT's ending (.html, .gif, .mp4). Without OUT the file
    gets the replay's name and lies here.
    """
    from koth.cli.export import export

    export(path, out, kind, force, options)


@cli.command("publish", short_help="Write a contest as a site of plain files, for any web space or a disk.")
@click.argument("run", type=FILE)
@click.argument("out", type=FILE)
def publish_command(run: Path, out: Path) -> None:
    """Write the contest in the folder RUN as a site into the folder OUT.

    OUT/index.html has the standings and everything else has its link there: a page per bot, every match, tables as
    CSV. Nothing needs a server; the files can be opened from a disk as well.
    """
    from koth.cli.publish import publish

    publish(run, out)


@cli.command("verify", short_help="Record a replay's match again, or a whole run's, and compare everything.")
@click.argument("path", type=FILE, metavar="REPLAY|RUN")
@click.option(
    "--seconds",
    type=click.FloatRange(0.001, 1e6),
    help="What a match may take to compute (default: 600): it may have been made to take for ever.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def verify_command(path: Path, seconds: float | None, as_json: bool) -> NoReturn:
    """Record a replay's match again from its key, answers and faults, and compare all that it tells.

    Of a run every replay is compared, also with the digest that was taken when it was written, with what the run
    has on record, and with the secret that the run was committed to.

    Exit code 0: all agrees; 1: what differs is printed.
    """
    from koth.cli.verify import verify

    verify(path, as_json, seconds)


@cli.command("doctor", short_help="Show how bots are kept apart here, and what would do it better.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor_command(as_json: bool) -> None:
    """Try every level of isolation here and show what each keeps from bots.

    The levels, from the weakest: none, limits, partial, strong, strong+cgroup. `koth run` takes the strongest
    that can be had; strangers' bots need strong.
    """
    from koth.cli.doctor import doctor

    doctor(as_json)


@cli.command("check", short_help="Try a bot before a contest, and say what is wrong with it.")
@click.argument("bot", metavar="BOT", shell_complete=bots)
@click.option("--game", shell_complete=games, help="Which game it plays (default: its manifest or imports tell).")
@rules_options
@click.option("--turns", type=click.IntRange(1, 100_000), help="Of each match (default: all that take seconds).")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of each match.")
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    shell_complete=bots,
    help="Against these (default: samples of the game).",
)
@host_options
@isolation_option("it is")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def check_command(bot: str, game: str | None, **options: Unpack[CheckOptions]) -> NoReturn:
    """Play BOT alone and against samples, and say in plain words what it does wrong.

    For each kind of fault: where in the bot's own code, what it received, what it said, and an answer that would have
    been right. Of a bot that does not start nothing is said but why. The last line tells how much was tried.
    Exit code 0: no fault; 1: there were faults, or a rival did not come up; 2: it is no bot that could be tried.
    """
    from koth.cli.check import check

    check(bot, game, options)


@cli.command("compare", short_help="Say which of two bots is better, and by how much.")
@click.argument("one", metavar="A", shell_complete=bots)
@click.argument("other", metavar="B", shell_complete=bots)
@click.option("--game", shell_complete=games, help="Which game they play (default: whose API they import).")
@click.option(
    "--against", multiple=True, metavar="BOT", shell_complete=bots, help="Against these (default: the game's field)."
)
@click.option("--games", "-n", type=click.IntRange(1, 100_000), help="Games of each, at most (default: 96 blocks).")
@click.option("--within", type=click.FloatRange(0), metavar="POINTS", help="A difference that is none, in a game.")
@rules_options
@click.option("--turns", type=click.IntRange(1, 100_000), metavar="N", help="A trial: end every match after N turns.")
@click.option("--seed", type=Seed(), help="What all dice follow from (default: a new one).")
@jobs_option
@click.option("--out", type=FILE, metavar="DIR", help="Keep both contests with their replays: DIR/A and DIR/B.")
@host_options
@isolation_option()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and nothing else, to stdout.")
def compare_command(one: str, other: str, game: str | None, **options: Unpack[CompareOptions]) -> NoReturn:
    """Play A and B on the same boards against the same rivals until it is clear which is better.

    A and B are bots as elsewhere, or commits of a git repository: `koth compare HEAD~1 .` compares the bot in this
    folder with what it was. Exit code 0: A is better; 1: it is not (B is, or no difference is larger than --within);
    3: it can't be told.
    """
    from koth.cli.compare import compare

    compare((one, other), game, options)


@cli.command("dev", short_help="Play a match after each save, on a page that stays open.")
@click.argument("bot", metavar="BOT", shell_complete=bots)
@click.argument("against", nargs=-1, metavar="[OPPONENT...]", shell_complete=bots)
@click.option("--game", shell_complete=games, help="Which game it plays (default: its manifest or imports tell).")
@rules_options
@click.option("--turns", type=click.IntRange(1, 100_000), help="Of each match (default: all).")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of each match.")
@host_options
@isolation_option("bots are")
@page_options
def dev_command(bot: str, against: tuple[str, ...], game: str | None, **options: Unpack[DevOptions]) -> None:
    """Play BOT against OPPONENTs (default: samples of the game), again whenever one of its files is saved.

    A page shows the match; after a save it shows the new one at the same turn, with the same dice, and beside it what
    was wrong: what a build printed, faults, stderr. The terminal says the same. Ctrl-C ends it.
    """
    from koth.cli.dev import dev

    dev(bot, against, game, options)


@cli.command("why", short_help="Say why bots failed in a run.")
@click.argument("run", type=FILE, metavar="RUN")
@click.argument("bot", required=False)
@click.option("--details", "-d", is_flag=True, help="Each fault with the messages around it.")
@match_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list: the first fault of each kind and match.")
def why_command(run: Path, bot: str | None, details: bool, match: int | None, as_json: bool) -> None:
    """Say why bots failed in the run in the folder RUN: a line per bot and kind of fault.

    With --details, the first fault of each kind: what the bot received and said, the end of its stderr, how
    its process ended, the time it took, and the command that plays this moment again.
    """
    from koth.cli.why import why

    why(run, bot, details, match, as_json)


@cli.command("debug", short_help="Start a bot of a replay again and go through it step by step.")
@click.argument("replay", type=FILE, metavar="REPLAY")
@click.option("--bot", required=True, metavar="NAME", help="Which bot of the match.")
@click.option("--turn", type=click.IntRange(0), required=True, help="Stop when so many turns have been played.")
@click.option("--from", "source", type=FILE, metavar="BOT", help="Its folder, if moved.")
@click.option("--body", type=click.IntRange(0), metavar="N", help="Show the board through the eyes of this body.")
@click.option("--steps", type=click.IntRange(1), default=1, show_default=True, help="Questions to show from there.")
@click.option(
    "--debugger", is_flag=False, flag_value="auto", metavar="[NAME]", help="debugpy, jdb, node inspect or gdb."
)
@click.option("--port", type=click.IntRange(1, 65535), help="Where the debugger listens (default: its own).")
@host_options
@isolation_option("it is")
def debug_command(replay: Path, bot: str, turn: int, **options: Unpack[DebugOptions]) -> None:
    """Start a bot of REPLAY again, feed it what it received up to a turn, and compare its answers.

    At the turn the board is shown from its eyes, with what it receives and answers; in a terminal it goes on
    step by step from there. With --debugger it waits for yours before it is asked. No clock runs.
    """
    from koth.cli.debug import debug

    debug(replay, bot, turn, options)


@cli.command("logs", short_help="Write a bot's own log of a run, for its author.")
@click.argument("run", type=FILE, metavar="RUN")
@click.argument("bot")
@click.option("--out", type=FILE, metavar="FILE", help="The file (default: RUN/logs/BOT.zip).")
@match_option
def logs_command(run: Path, bot: str, out: Path | None, match: int | None) -> None:
    """Write what BOT received, answered and printed in the matches of RUN into one file for its author.

    Nothing that only its rivals saw is in it.
    """
    from koth.cli.logs import logs

    logs(run, bot, out, match)


@cli.command("rules", short_help="Read the rules of a game.")
@click.argument("game", shell_complete=games)
def rules_command(game: str) -> None:
    """Show the numbered rules of GAME: set in a terminal, as they are written elsewhere."""
    from koth.cli.pages import rules

    rules(game)


@cli.command("docs", short_help="Read what there is to read about koth.")
@click.argument("page", required=False, shell_complete=pages)
def docs_command(page: str | None) -> None:
    """List the pages about koth, or show PAGE: how to write a bot, what standings mean ..."""
    from koth.cli.pages import docs

    docs(page)


@cli.command("completion", short_help="Print what makes your shell complete koth's words.")
@click.argument("shell", type=click.Choice(list(HOW)))
def completion_command(shell: str) -> None:
    """Print a script for SHELL: games, @samples, commands and options are completed with it.

    At its end it says how to have it always.
    """
    print_script(cli, shell)


@cli.command("games", short_help="List the games.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def games_command(as_json: bool) -> None:
    """List the games."""
    from koth.cli.lists import list_games

    list_games(as_json)


@cli.command("bots", short_help="List a game's sample bots, or the bots in a folder.")
@click.argument("words", nargs=-1, required=True, metavar="GAME|BOT...")
@click.option(
    "--game", shell_complete=games, help="Show what BOTs there are for this game, and how each will be started."
)
@exclude_option
@host_options
@isolation_option("compilers are")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bots_command(words: tuple[str, ...], **options: Unpack[BotsOptions]) -> None:
    """List GAME's sample bots; each can be named as @NAME where a bot is wanted.

    With --game, list the bots in folders, files and zips instead: what they are called, how they will be built and
    started, what is broken, and what was left out. Nothing of them is started. Exit code 1: something is broken.
    """
    from koth.cli.lists import list_bots, list_found

    if options["game"] is not None:
        list_found(options["game"], words, options)
    elif len(words) > 1 or "/" in words[0]:
        raise KothError("for which game? say: koth bots FOLDER --game GAME")
    else:
        list_bots(words[0], options["as_json"])


@cli.command("schema", short_help="Print a game's messages as a JSON Schema, or as tables.")
@click.argument("game", shell_complete=games)
@rules_options
@click.option("--seats", type=click.IntRange(1), help="Bots in the match (default: the fewest that can play).")
@click.option("--table", "as_table", is_flag=True, help="Print the fields of each question for people instead.")
def schema_command(game: str, ruleset: str | None, sets: tuple[str, ...], seats: int | None, as_table: bool) -> None:
    """Print the JSON Schema of GAME's messages in JSON lines.

    What is written to a bot is described by `#/$defs/to-bot`, what it writes by `#/$defs/from-bot`.
    """
    from koth.cli.schema import schema

    schema(game, ruleset, sets, seats, as_table)


class _New(click.Command):
    """Its help lists the languages of each game, which are found when they are asked for."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from koth.starts.languages import languages

        with formatter.section("Languages"):
            formatter.write_dl([(game, ", ".join(names)) for game, names in languages().items()])


@cli.command("new", cls=_New, short_help="Make a new bot that plays at once.")
@click.argument("game", shell_complete=games)
@click.argument("folder", type=FILE, metavar="DIR")
@click.option("--lang", default="python", show_default=True, help="One of those below.")
def new_command(game: str, folder: Path, lang: str) -> None:
    """Make the folder DIR with a bot for GAME that plays at once."""
    from koth.cli.new import new

    new(game, folder, lang)


@cli.command("new-game", short_help="Make a new game, in a package of its own, that plays at once.")
@click.argument("name")
@click.argument("folder", required=False, type=FILE, metavar="[DIR]")
def new_game_command(name: str, folder: Path | None) -> None:
    """Make the folder DIR (else koth-NAME) with a game called NAME: a package that can be installed and published.

    It plays, draws and keeps the laws as it is, and says in its README.md what to do next.
    """
    from koth.cli.new_game import new_game

    new_game(name, folder)


@cli.command("sdk", short_help="Write the JVM games' API for an author's IDE.")
@click.argument("lang", metavar="java")
@click.argument("folder", type=FILE, metavar="DIR")
def sdk_command(lang: str, folder: Path) -> None:
    """Write the jar of the JVM games' API and a pom.xml to DIR, so that an IDE knows it."""
    from koth.cli.sdk import sdk

    sdk(lang, folder)
