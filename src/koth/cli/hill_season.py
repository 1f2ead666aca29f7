"""`koth hill season`: from its opening to its final, a contest of `koth run`, and to what is published."""

from __future__ import annotations

import json
from functools import partial

import click

from koth.cli.run import show
from koth.cli.said import HostOptions
from koth.cli.screen import counted, echo, program
from koth.cli.terminal import Terminal
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.hill import finals, registry, seasons
from koth.hill.connection import Hill
from koth.hill.models import Season, Version
from koth.hill.summary import season_summary
from koth.services.options import ResumeOptions


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
    playing = _playing_options(options)
    finals.play(hill, playing, partial(show, playing, options["as_json"]))


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
