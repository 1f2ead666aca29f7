"""`koth hill season`: the steps of a season: opening, final (a contest of `koth run`), publication."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import click

from koth.cli.run import print_contest
from koth.cli.screen import counted, echo, print_json, program
from koth.cli.terminal import Terminal
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.hill import finals, registry, seasons
from koth.hill.closing import parse_closing_time
from koth.hill.connection import Hill
from koth.hill.models import Season, Version
from koth.hill.options import SeasonOptions
from koth.hill.summary import season_summary


def season(hill: Hill, step: str, options: SeasonOptions, as_json: bool) -> None:
    """Move the season to its next step."""
    if step != "open" and (options.ruleset or options.settings):
        raise click.UsageError("--ruleset and --set are for open")
    if (step == "close") != (options.at is not None):
        raise click.UsageError("close takes --at TIME, and the other steps do not")
    if step == "final":
        options = replace(options, progress=Terminal())
        finals.play(hill, options, partial(print_contest, options, as_json))
        return
    now, lines = {"open": _open, "close": _close, "freeze": _freeze, "end": _end, "publish": _publish}[step](
        hill, options
    )
    if as_json:
        print_json(season_summary(now))
        return
    for line in lines:
        echo(line)


def _open(hill: Hill, options: SeasonOptions) -> tuple[Season, list[str]]:
    now = seasons.open_next(load(hill.game), options.ruleset, options.settings)
    return now, [f"season {now.pk} ({visible(now.ruleset)}) is open, commitment {now.commitment}"]


def _close(hill: Hill, options: SeasonOptions) -> tuple[Season, list[str]]:
    now = registry.set_closing(parse_closing_time(options.at or ""))
    return now, [f"season {now.pk} {now.closing}"]


def _freeze(hill: Hill, options: SeasonOptions) -> tuple[Season, list[str]]:
    now = registry.freeze()
    left = Version.objects.filter(state=Version.State.QUEUED).count()
    run = f"{program()} hill run {shell_word(hill.folder)}"
    checks = [f"{counted(left, 'version', 'versions')} to be checked: {run}"] if left else []
    return now, [f"season {now.pk} takes no bots from now on", *checks]


def _end(hill: Hill, options: SeasonOptions) -> tuple[Season, list[str]]:
    now = finals.end(hill)
    is_over = seasons.final_is_over(hill, now)
    how = "is over" if is_over else "is over after the match that a runner plays now"
    return now, [f"the final of season {now.pk} {how}: what was played counts"]


def _publish(hill: Hill, options: SeasonOptions) -> tuple[Season, list[str]]:
    had_final = registry.current_season().state == Season.State.FINAL
    now = seasons.publish(hill)
    proof = f"its final is proved by: {program()} verify {shell_word(seasons.folder_of(hill, now))}"
    return now, [f"season {now.pk} is over, its secret was {now.secret}", *([proof] if had_final else [])]
