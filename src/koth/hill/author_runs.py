"""The matches of one author of rounds, as a folder of `koth run`: `koth why`, `debug` and `view` work on it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from koth.contest.contest import Contest
from koth.contest.job import Job, Report
from koth.contest.record import run_record, write_run
from koth.contest.schedule import ScheduledMatch
from koth.contest.store import Store
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.game import Game
from koth.hill.checks import found
from koth.hill.connection import Hill
from koth.hill.copies import Copies
from koth.hill.models import Match, Season, Seat, Version
from koth.hill.rounds_record import BOT, RUN, WORK
from koth.sandbox.isolation import Isolation


@dataclass(frozen=True)
class AuthorRuns:
    """The runs of all authors, below the folder of the rounds."""

    hill: Hill
    game: Game
    given: Interpreters
    isolation: Isolation
    jobs: int
    folder: Path

    def add(self, number: int, authors: Collection[str], job: Job, report: Report) -> None:
        """Put a match of a round on record for each author that played in it: without what is another bot's own."""
        block = Match.objects.values_list("block", flat=True).get(pk=job.match)
        assert block is not None
        seats = {bot.name: place for place, bot in enumerate(job.seats)}
        for name in seats.keys() & set(authors):
            with closing(Store(self.folder / str(number) / name / RUN)) as store:
                store.add(ScheduledMatch(job.match, block, (), job.match), seats, _own(report, name), 0)

    def finish(self, number: int, name: str, season: Season, before: int) -> Path | None:
        """Make a run of an author's matches of a round, as `koth run` would have left it; None where there are none.

        `before`: the last runner of the hill when the round began.
        """
        folder = self.folder / str(number) / name / RUN
        if not (folder / "results.sqlite").exists():
            return None
        played = Match.objects.filter(runner_id__gt=before, state=Match.State.PLAYED)
        matches = played.filter(seats__version__bot__name=name)
        seats: dict[int, list[int]] = {}
        rows = Seat.objects.filter(match__in=matches).order_by("match_id", "place")
        for match, version in rows.values_list("match_id", "version_id"):
            seats.setdefault(match, []).append(version)
        versions = list(dict.fromkeys(pk for seated in seats.values() for pk in seated))
        with Copies(folder.parent).work() as sources:
            bots = [
                found(
                    self.game, Version.objects.select_related("bot").get(pk=pk), self.given, self.isolation, sources
                )
                for pk in versions
            ]
        contest = Contest(
            self.hill.game,
            season.ruleset,
            season.overrides,
            Secret.of(season.secret),
            len(seats),
            bots,
            self.game.time_control,
            self.isolation,
            replays=self.hill.replays,
            table=self.hill.seats,
            seeds="independent",
        )
        with closing(Store(folder)) as store:
            if not store.fields():
                blocks = dict(matches.values_list("pk", "block"))
                drawn = [
                    ScheduledMatch(pk, blocks[pk], tuple(map(versions.index, seated)), pk)
                    for pk, seated in seats.items()
                ]
                store.keep_schedule(0, max(map(len, seats.values())), contest.entrants, drawn)
            for match in matches.filter(has_key=True).values_list("pk", flat=True):
                store.reveal_key(match, contest.secret.block(match))
            store.rest()
        record = run_record(contest, self.game, (), (), self.given.record())
        own = str(self.folder / WORK / name / BOT)
        for entry in record["bots"]:
            entry["path"] = own if entry["name"] == name else None
        write_run(folder, record)
        return folder


def _own(report: Report, name: str) -> Report:
    """Return a report with nothing of other bots but their scores."""
    records = {bot: record for bot, record in report.result.records.items() if bot == name}
    costs = {bot: cost for bot, cost in report.costs.items() if bot == name}
    return replace(report, result=replace(report.result, records=records), costs=costs)
