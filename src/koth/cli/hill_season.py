"""`koth hill season`: from its opening to its final, a contest of `koth run`, and to what is published."""

from __future__ import annotations

import json
from functools import partial

import click

from koth.cli.run import show
from koth.cli.said import HostOptions
from koth.cli.screen import counted, echo, program
from koth.cli.terminal import Terminal
from koth.contest.contest import Contest
from koth.engine.secret import Secret
from koth.engine.settings import choose
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.hill import registry, seasons
from koth.hill.archive import unpacked_at
from koth.hill.connection import Hill
from koth.hill.models import Season, Version
from koth.hill.summary import season_summary
from koth.replay.names import RUN_FILE
from koth.sandbox.levels import choose as isolation_level
from koth.services.contests import begin_at, go_on
from koth.services.entrants import NamedEntries
from koth.services.options import ResumeOptions
from koth.standings.until import Goal


class SeasonOptions(HostOptions):
    """Options of `koth hill season`, beside the hill and the step."""

    ruleset: str | None
    settings: dict[str, str]
    matches: int | None
    jobs: int | None
    untrusted: bool
    isolation: str | None
    allow_subprocesses: bool
    as_json: bool


def season(hill: Hill, step: str, options: SeasonOptions) -> None:
    """Take the season one step on."""
    if step != "open" and (options["ruleset"] or options["settings"]):
        raise click.UsageError("--ruleset and --set are for open")
    if step == "final":
        _final(hill, options)
        return
    now = {"open": _open, "freeze": _freeze, "publish": _publish}[step](hill, options)
    if options["as_json"]:
        click.echo(json.dumps(season_summary(now)))


def _open(hill: Hill, options: SeasonOptions) -> Season:
    now = seasons.open_next(load(hill.game), options["ruleset"], options["settings"])
    _say(options, f"season {now.pk} ({visible(now.ruleset)}) is open, commitment {now.commitment}")
    return now


def _freeze(hill: Hill, options: SeasonOptions) -> Season:
    now = registry.freeze()
    left = Version.objects.filter(state=Version.State.QUEUED).count()
    _say(options, f"season {now.pk} takes no bots from now on")
    if left:
        _say(options, f"{counted(left, 'version', 'versions')} to be checked: {program()} hill run {_folder(hill)}")
    return now


def _final(hill: Hill, options: SeasonOptions) -> None:
    game = load(hill.game)
    seasons.check_rules(game, registry.current_season())
    now = registry.begin_final()
    words = [_word(bot["name"], bot["version"]) for bot in now.finalists]
    folder, playing = seasons.folder_of(hill, now), _playing_options(options)
    shown = partial(show, playing, options["as_json"])
    if (folder / RUN_FILE).exists():
        go_on(folder, NamedEntries(()), playing, shown)
        return
    digests = [bot["digest"] for bot in now.finalists]
    contest = Contest(
        hill.game,
        now.ruleset,
        now.overrides,
        Secret.of(now.secret).mixed(digests),
        options["matches"] or game.contest_defaults.games,
        (),
        game.time_control,
        playing.confined(isolation_level(options["isolation"])),
        replays=hill.replays,
        table=hill.seats,
        seeds="independent",
        until=Goal.of("settled"),
    )
    settings = choose(game, now.ruleset, now.overrides, files=False)[1]
    begin_at(game, settings, contest, NamedEntries(words), folder, playing, shown)


def _word(bot: str, number: int) -> str:
    """Return a version as an argument of `koth run`: its name, and where its sources lie unpacked."""
    version = Version.objects.get(bot__name=bot, number=number)
    place = unpacked_at(bytes(version.archive), version.file)
    return f"{bot}={place}#{version.entry}" if version.entry else f"{bot}={place}"


def _playing_options(options: SeasonOptions) -> ResumeOptions:
    return ResumeOptions(
        matches=options["matches"],
        jobs=options["jobs"],
        isolation=options["isolation"],
        untrusted=options["untrusted"],
        allow_subprocesses=options["allow_subprocesses"],
        interpreters=options["interpreters"],
        allow_read=options["allow_read"],
        progress=Terminal(),
    )


def _publish(hill: Hill, options: SeasonOptions) -> Season:
    had_final = registry.current_season().state == Season.State.FINAL
    now = seasons.publish(hill)
    _say(options, f"season {now.pk} is over, its secret was {now.secret}")
    if had_final:
        _say(options, f"its final is proved by: {program()} verify {shell_word(seasons.folder_of(hill, now))}")
    return now


def _folder(hill: Hill) -> str:
    return shell_word(hill.folder)


def _say(options: SeasonOptions, text: str) -> None:
    if not options["as_json"]:
        echo(text)
