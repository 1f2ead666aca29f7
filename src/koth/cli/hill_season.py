"""`koth hill season`: the steps of a season: opening, final (a contest as by `koth run`), publication."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import click

from koth.cli.run import print_contest
from koth.cli.screen import answer, counted, program
from koth.cli.terminal import Terminal
from koth.contest.contest import Contest
from koth.contest.early_end import EndContest
from koth.contest.reading import MatchRow
from koth.contest.run import Callbacks
from koth.contest.store import Store
from koth.errors import KothError, visible
from koth.escaping import shell_word
from koth.games import load
from koth.hill import finals, registry, seasons
from koth.hill.connection import Hill
from koth.hill.models import Season, Version
from koth.hill.options import SeasonOptions
from koth.hill.seasons import parse_closing_time
from koth.hill.summary import season_summary


def season(hill: Hill, step: str, options: SeasonOptions, as_json: bool) -> None:
    """Move the season to its next step."""
    if step != "open" and (options.ruleset or options.settings):
        raise click.UsageError("leave out --ruleset and --set, which are for the step open")
    if (step == "close") != (options.at is not None):
        raise click.UsageError("give --at TIME with the step close, and only there")
    if step == "final":
        played = finals.play(hill, options, FinalTerminal())
        if isinstance(played, int):
            left = f"it was ended with {played} matches: koth hill season {hill.folder} publish"
            raise KothError(f"the final of season {registry.current_season().pk} is over: {left}")
        print_contest(options, as_json, played)
        return
    now, lines = {"open": _open, "close": _close, "freeze": _freeze, "end": _end, "publish": _publish}[step](
        hill, options
    )
    answer(as_json, season_summary(now), *lines)


class FinalTerminal(Terminal):
    """The terminal output of a season's final, which the host may end after each match."""

    @contextmanager
    def playing(self, contest: Contest, store: Store, total: int) -> Iterator[Callbacks]:
        with super().playing(contest, store, total) as shown:

            def match_done(row: MatchRow) -> None:
                shown.match_done(row)
                if finals.is_ended():
                    self.note("the host has ended the final: the matches played so far count")
                    raise EndContest

            yield replace(shown, match_done=match_done)


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
    checks = [f"check {counted(left, 'version', 'versions')}: {run}"] if left else []
    return now, [f"season {now.pk} accepts no more bots", *checks]


def _end(hill: Hill, options: SeasonOptions) -> tuple[Season, list[str]]:
    now = finals.end(hill)
    is_over = seasons.final_is_over(hill, now)
    how = "is over" if is_over else "is over after the match in play"
    return now, [f"the final of season {now.pk} {how}: the matches played so far count"]


def _publish(hill: Hill, options: SeasonOptions) -> tuple[Season, list[str]]:
    had_final = registry.current_season().state == Season.State.FINAL
    now = seasons.publish(hill)
    proof = f"prove the final: {program()} verify {shell_word(seasons.folder_of(hill, now))}"
    return now, [f"season {now.pk} is over; the secret was {now.secret}", *([proof] if had_final else [])]
