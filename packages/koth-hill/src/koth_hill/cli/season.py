"""`koth hill season`: the steps of a season, from its opening to its publication."""

from __future__ import annotations

import click

from koth.cli.screen import counted, echo, program
from koth.escaping import shell_word
from koth.games import load
from koth_hill import registry, seasons
from koth_hill.connection import Hill
from koth_hill.options import SeasonOptions
from koth_hill.seasons import parse_closing_time

OPTIONS = {"at": "close", "ruleset": "open", "settings": "open", "matches": "final", "knockout": "final"}
"""The step that takes each option."""


def season(hill: Hill, step: str, options: SeasonOptions) -> None:
    """Move the season to its next step."""
    for name, its_step in OPTIONS.items():
        if step != its_step and getattr(options, name):
            option = {"settings": "set"}.get(name, name)
            raise click.UsageError(f"leave out --{option}, which is for the step {its_step}")
    if step == "close" and options.at is None:
        raise click.UsageError("the step close takes --at TIME")
    steps = {
        "open": _open, "close": _close, "freeze": _freeze, "unfreeze": _unfreeze, "final": _final, "end": _end,
        "publish": _publish,
    }  # fmt: skip
    for line in steps[step](hill, options):
        echo(line)


def _open(hill: Hill, options: SeasonOptions) -> list[str]:
    now = seasons.open_next(load(hill.game), options.ruleset, options.settings)
    return [f"season {now.pk} ({now.ruleset}) is open, commitment {now.commitment}"]


def _close(hill: Hill, options: SeasonOptions) -> list[str]:
    now = registry.set_closing(parse_closing_time(options.at or ""))
    return [f"season {now.pk} {now.closing}"]


def _freeze(hill: Hill, options: SeasonOptions) -> list[str]:
    now, left = registry.freeze(), registry.count_unchecked()
    run = f"{program()} hill run {shell_word(hill.folder)}"
    checks = [f"check {counted(left, 'bot', 'bots')}: {run}"] if left else []
    return [f"season {now.pk} accepts no more bots", *checks]


def _unfreeze(hill: Hill, options: SeasonOptions) -> list[str]:
    return [f"season {registry.unfreeze().pk} accepts bots again"]


def _final(hill: Hill, options: SeasonOptions) -> list[str]:
    now = registry.begin_final(load(hill.game), options.matches, options.knockout)
    return [f"the final of season {now.pk} begins: {program()} hill run {shell_word(hill.folder)} plays it"]


def _end(hill: Hill, options: SeasonOptions) -> list[str]:
    return [f"the final of season {registry.end_final().pk} is over: the matches played so far count"]


def _publish(hill: Hill, options: SeasonOptions) -> list[str]:
    now = registry.publish()
    final = shell_word(hill.folder / "seasons" / str(now.pk) / "final")
    proof = [f"prove the final: {program()} verify {final}"] if now.finalists else []
    return [f"season {now.pk} is over; the secret was {now.secret}", *proof]
