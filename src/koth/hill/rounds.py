"""Authors that are programs: in each round every author's command changes its bot, and then the bots play.

A hill's folder `rounds` has `plan.json`, a folder `work/NAME` for each author, in which its command runs, and a
folder for each round with all that came of it. Whatever is done is written as a whole file before the next step
begins, and a step whose file is there is not done again: so a round is done once, however often it is interrupted.
"""

from __future__ import annotations

import json
import re
import shutil
import stat
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from django.db.models import Max, Q

from koth.contest.contest import Contest
from koth.contest.job import Job, Report
from koth.contest.record import run_record, write_run
from koth.contest.run import MakeExecutor
from koth.contest.schedule import ScheduledMatch
from koth.contest.store import Store
from koth.discovery.entrants import only
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.files.beneath import read_beneath, written_beneath
from koth.game import Game
from koth.hill import models, ratings, registry
from koth.hill.checks import found
from koth.hill.connection import Hill
from koth.hill.curves import Point, picture
from koth.hill.models import Match, Season, Version
from koth.hill.recording import OVER
from koth.hill.registry import LIVING, current_season
from koth.hill.runner import Events, Limits, Playing
from koth.hill.table import standings
from koth.hill.tables import spent
from koth.hill.turns import Turn, take_turn
from koth.sandbox.copies import remove
from koth.sandbox.isolation import Isolation
from koth.standings.text import number

FOLDER, WORK, ARENA, BOT, RUN = "rounds", "work", "arena", "bot", "run"
PLAN, BEGIN, ROUND, TURN, LOG, WHY, FILES = (
    "plan.json", "begin.json", "round.json", "turn.json", "log.txt", "why.txt", "files"
)  # fmt: skip
CURVES = "curves.svg"
LARGEST = 1 << 26
"""Bytes of a file of JSON."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
"""Names of authors: folders are called like them."""


@dataclass(frozen=True)
class Plan:
    """What does not change from round to round: commands by author, matches of a round, seconds of a command."""

    authors: Mapping[str, str]
    matches: int
    timeout: float


@dataclass(frozen=True)
class Papers:
    """What authors get beside results: pages by file name, a bot to begin with, and why a bot failed in a run."""

    pages: Mapping[str, str]
    start: Callable[[Path], None]
    why: Callable[[Path, str], str]


def read_plan(hill: Hill) -> Plan | None:
    """Return the plan of a hill's rounds; None where none has begun. Raises KothError."""
    if not (hill.folder / FOLDER / PLAN).exists():
        return None
    return Plan(**_read(hill.folder / FOLDER, PLAN))


def rounds_of(hill: Hill) -> list[dict[str, Any]]:
    """Return what came of each round that is over; in round 0 plays what authors begin with. Raises KothError."""
    told: list[dict[str, Any]] = []
    while (hill.folder / FOLDER / str(len(told)) / ROUND).exists():
        told.append(_read(hill.folder / FOLDER, f"{len(told)}/{ROUND}"))
    return told


def curves(hill: Hill) -> dict[str, list[dict[str, Any]]]:
    """Return, by author, the version of each round with its rating by all matches so far.

    One fit has them all, so that a rating of the first round can be compared with one of the last. Raises KothError.
    """
    rated = ratings.latest(current_season())
    found: dict[str, list[dict[str, Any]]] = {}
    for told in rounds_of(hill):
        for author, its in told["authors"].items():
            version = Version.objects.filter(bot__name=author, number=its["version"]).values_list("pk", flat=True)
            rating = rated.get(version[0]) if version else None
            point = {"rating": rating.rating, "margin": rating.margin} if rating else {"rating": None, "margin": None}
            found.setdefault(author, []).append({"round": told["round"], "version": its["version"], **point})
    return found


@dataclass
class Rounds:
    """The rounds of a hill, by a plan; `say` gets a line for people about each thing that happened."""

    hill: Hill
    game: Game
    plan: Plan
    papers: Papers
    given: Interpreters
    isolation: Isolation
    make_executor: MakeExecutor
    jobs: int
    events: Callable[[Callable[[Job, Report], None]], Events]
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        self.folder = self.hill.folder.absolute() / FOLDER  # commands run below it
        self._number = 0

    def play(self, count: int) -> None:
        """Play until so many rounds are over beside round 0, of which some may be already. Raises KothError.

        Lets KeyboardInterrupt through; then and after a kill the next call goes on.
        """
        self._begin()
        while (done := len(rounds_of(self.hill))) <= count:
            self._number = done
            self._play_round()

    def _tell(self, text: str) -> None:
        """Say something, and write it to the round's log."""
        self.say(text)
        with open(self.folder / str(self._number) / LOG, "a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    # --- the beginning

    def _begin(self) -> None:
        """Write the plan and what each author begins with."""
        for name in self.plan.authors:
            if not NAME.fullmatch(name):
                text = "a letter, then up to 39 letters, digits, _ and -"
                raise KothError(f"--author {name}: an author of rounds has a name of {text}")
            bot = models.Bot.objects.filter(name=name).select_related("author").first()
            if bot is not None and bot.author.name != name:
                raise KothError(f"--author {name}: {name} is a bot of {bot.author.name}'s already")
        for name in self.plan.authors:
            if not self._place(0, name).exists():
                work = self.folder / WORK / name
                if not (work / BOT).exists():
                    work.mkdir(parents=True, exist_ok=True)
                    self.papers.start(work / BOT)
                self._keep(0, name)
        if not (self.folder / PLAN).exists():
            _write(self.folder, PLAN, asdict(self.plan))

    def _place(self, number: int, name: str) -> Path:
        return self.folder / str(number) / name

    # --- a round

    def _play_round(self) -> None:
        season, place = current_season(), f"{self._number}/{BEGIN}"
        if season.state != Season.State.OPEN:
            raise KothError(f"season {season.pk} is {season.state}: it takes no bots")
        if not (self.folder / place).exists():
            last = [table.objects.aggregate(last=Max("pk"))["last"] or 0 for table in (models.Runner, Version)]
            _write(self.folder, place, {"runner": last[0], "version": last[1]})
        begin = _read(self.folder, place)
        self._tell(f"round {self._number}")
        turns = self._take_turns() if self._number else dict.fromkeys(self.plan.authors, Turn(0.0, ""))
        told = {name: self._submit(name, turn, begin["version"]) for name, turn in turns.items()}
        self._play_matches(begin["runner"])
        ratings.rate(self.game, season)
        table = standings(self.game, season)
        for name in self.plan.authors:
            self._outcome(name, told[name], begin["version"])
            why = self._finish_run(name, season, begin["runner"])
            problem = f"{told[name]['problem']}\n\n" if told[name]["problem"] else ""
            (self._place(self._number, name) / WHY).write_text(problem + why, encoding="utf-8")
        played = self._played(begin["runner"])
        _write(
            self.folder,
            f"{self._number}/{ROUND}",
            {"round": self._number, "authors": told, "matches": played, "standings": table.as_json()},
        )
        self._draw()
        for name in self.plan.authors if self._number else ():  # handed on; the hill has it, too
            remove(self._place(self._number - 1, name) / RUN)

    # --- turns of authors

    def _take_turns(self) -> dict[str, Turn]:
        """Have every author's command run that has not in this round, as many at once as there are jobs."""
        left = [name for name in self.plan.authors if not (self._place(self._number, name) / TURN).exists()]
        is_ended = Event()
        with ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(self._take_turn, name, is_ended) for name in left]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                is_ended.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return {name: Turn(**_read(self.folder, f"{self._number}/{name}/{TURN}")) for name in self.plan.authors}

    def _take_turn(self, name: str, is_ended: Event) -> None:
        work, place = self.folder / WORK / name, self._place(self._number, name)
        before = self._place(self._number - 1, name)
        try:
            place.mkdir(parents=True, exist_ok=True)
            remove(work)
            shutil.copytree(before / FILES, work, symlinks=True)
            self._hand_out(name, before, work / ARENA)
            turn = take_turn(self.plan.authors[name], work, place / LOG, self.plan.timeout, is_ended)
            if is_ended.is_set():
                return
            try:
                self._keep(self._number, name)
            except (OSError, shutil.Error) as error:
                turn = replace(turn, problem=f"its folder can't be kept: {error}")
                shutil.copytree(before / FILES, place / FILES, symlinks=True)
        except OSError as error:
            raise KothError(f"{error.filename or work}: {error.strerror or error}") from None
        _write(self.folder, f"{self._number}/{name}/{TURN}", asdict(turn))
        self._tell(f"{name}: {turn.problem or 'done'} ({turn.seconds:.1f} s)")

    def _hand_out(self, name: str, before: Path, arena: Path) -> None:
        """Write what an author gets in this round."""
        remove(arena)
        arena.mkdir()
        for file, text in self.papers.pages.items():
            (arena / file).write_text(text, encoding="utf-8")
        (arena / "README.md").write_text(self._readme(name), encoding="utf-8")
        last = _read(self.folder, f"{self._number - 1}/{ROUND}")["standings"]
        _write(arena, "standings.json", last)
        (arena / "standings.md").write_text(_table(last), encoding="utf-8")
        shutil.copy(before / WHY, arena / WHY)
        if (before / RUN).exists():
            shutil.copytree(before / RUN, arena / RUN)

    def _readme(self, name: str) -> str:
        return README.format(
            game=self.game.title,
            number=self._number,
            name=name,
            minutes=f"{self.plan.timeout / 60:g}",
            bots=" ".join(f"@{bot}" for bot in self.game.default_entrants[:2]),
            key=self.game.name,
        )

    def _keep(self, number: int, name: str) -> None:
        """Keep what an author's folder has, but for what koth has put there. Raises OSError and shutil.Error."""
        place = self._place(number, name) / FILES
        part = place.with_name(f"{FILES}.part")
        remove(part)
        work = self.folder / WORK / name
        shutil.copytree(work, part, symlinks=True, ignore=lambda folder, names: _left_out(work, Path(folder), names))
        remove(place)
        part.rename(place)

    # --- bots

    def _submit(self, name: str, turn: Turn, before: int) -> dict[str, Any]:
        """Send what an author has left, unless it is what plays; what is wrong with it is its author's problem.

        `before`: the last version of the hill when the round began.
        """
        if turn.problem:
            return asdict(turn)
        place = self._place(self._number, name)
        try:
            self._send(name, place, before)
        except KothError as error:
            return {**asdict(turn), "problem": str(error).replace(f"{place / FILES}/", "")}
        return asdict(turn)

    def _send(self, name: str, place: Path, before: int) -> None:
        """Submit the bot that lies there, unless that was done, or it is in play. Raises KothError."""
        bot = only(self.game, f"{name}={place / FILES / BOT}", self.given, self.isolation)
        same = Version.objects.filter(bot__name=name, digest=bot.digest)
        if not same.filter(Q(pk__gt=before) | Q(state__in=LIVING)).exists():
            registry.submit(self.game, bot, name)

    def _outcome(self, name: str, told: dict[str, Any], before: int) -> None:
        """Add to an author's turn what became of its version, and which one plays."""
        versions = Version.objects.filter(bot__name=name).defer("archive").order_by("-number")
        newest = versions.filter(pk__gt=before).first()
        if newest is not None and newest.state in (Version.State.REFUSED, Version.State.SUSPENDED):
            told["problem"] = f"version {newest.number} was {newest.state}: {newest.reason}"
        plays = versions.filter(state=Version.State.PLAYING).first()
        told["version"] = None if plays is None else plays.number
        if told["problem"]:
            goes_on = "no version of it plays" if plays is None else f"version {plays.number} plays on"
            self._tell(f"{name}: {told['problem'].splitlines()[0]}; {goes_on}")

    # --- matches

    def _play_matches(self, before: int) -> None:
        """Play what is missing of the round's matches, and to their end the blocks that have begun.

        `before`: the last runner of the hill when the round began.
        """
        waiting = Match.objects.filter(season=current_season(), state=Match.State.SCHEDULED)
        while True:
            played = self._played(before)
            left = max(self.plan.matches - played, waiting.count())
            if left <= 0:
                return
            events = self.events(self._report)
            Playing(
                self.hill, self.game, self.given, self.isolation, self.make_executor, Limits(matches=left), events
            ).run()
            if why := spent(self.hill):
                raise KothError(f"round {self._number} is not over: {why}; the same command goes on with it")
            if self._played(before) == played:
                return

    def _played(self, before: int) -> int:
        """Return the number of matches of this round that are over."""
        return Match.objects.filter(runner_id__gt=before, state__in=OVER).count()

    def _report(self, job: Job, report: Report) -> None:
        """Put a match on record for each of the authors that played in it: without what is another bot's own."""
        block = Match.objects.values_list("block", flat=True).get(pk=job.match)
        assert block is not None
        seats = {bot.name: place for place, bot in enumerate(job.seats)}
        for name in self.plan.authors.keys() & seats.keys():
            with closing(Store(self._place(self._number, name) / RUN)) as store:
                store.add(ScheduledMatch(job.match, block, (), block), seats, _own(report, name), 0)

    def _finish_run(self, name: str, season: Season, before: int) -> str:
        """Make a run of the matches of one author, as `koth run` would have left it; return why its bot failed."""
        folder = self._place(self._number, name) / RUN
        if not (folder / "results.sqlite").exists():
            return "it played no match\n"
        played = Match.objects.filter(runner_id__gt=before, state=Match.State.PLAYED)
        matches = played.filter(seats__version__bot__name=name)
        seats: dict[int, list[int]] = {}
        told = models.Seat.objects.filter(match__in=matches).order_by("match_id", "place")
        for match, version in told.values_list("match_id", "version_id"):
            seats.setdefault(match, []).append(version)
        versions = list(dict.fromkeys(pk for seated in seats.values() for pk in seated))
        bots = [
            found(self.game, Version.objects.select_related("bot").get(pk=pk), self.given, self.isolation)
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
        )
        with closing(Store(folder)) as store:
            if not store.fields():
                blocks = dict(matches.values_list("pk", "block"))
                drawn = [
                    ScheduledMatch(pk, blocks[pk], tuple(map(versions.index, seated)), blocks[pk])
                    for pk, seated in seats.items()
                ]
                store.keep_schedule(0, max(map(len, seats.values())), contest.entrants, drawn)
            for block in matches.filter(has_key=True).values_list("block", flat=True).distinct().order_by():
                store.reveal_key(block, contest.secret.block(block))
            store.rest()
        record = run_record(contest, self.game, (), (), self.jobs, self.given.record())
        own = str(self.folder / WORK / name / BOT)
        for entry in record["bots"]:
            entry["path"] = own if entry["name"] == name else None
        write_run(folder, record)
        return self.papers.why(folder, name).replace(str(folder), f"{ARENA}/{RUN}")  # where the author finds it

    # --- what is seen of it

    def _draw(self) -> None:
        """Draw the curves so far."""
        told = curves(self.hill)
        points = {
            name: [Point(at["round"], at["rating"], at["margin"]) for at in its if at["rating"] is not None]
            for name, its in told.items()
        }
        title = f"{self.game.title}: ratings by all matches of {self._number} rounds"
        with written_beneath(self.folder, CURVES) as file:
            file.write(picture(title, "round", "rating", points).encode())


def _own(report: Report, name: str) -> Report:
    """Return a report with nothing of other bots but their scores."""
    records = {bot: record for bot, record in report.result.records.items() if bot == name}
    costs = {bot: cost for bot, cost in report.costs.items() if bot == name}
    return replace(report, result=replace(report.result, records=records), costs=costs)


def _left_out(work: Path, folder: Path, names: list[str]) -> set[str]:
    """Return what is not kept of a folder: koth's own, and what is no file, folder or link."""
    kinds = {name: (folder / name).lstat().st_mode for name in names}
    kept = stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK
    odd = {name for name, mode in kinds.items() if not any(is_one(mode) for is_one in kept)}
    return odd | ({ARENA} if folder == work else set())


def _table(standings: Mapping[str, Any]) -> str:
    """Return standings as Markdown."""
    rows = [
        f"| {line['rank']} | {line['bot']} | {_shown(line['rating'])} | {_shown(line['margin'])} | "
        f"{'' if line['score'] is None else number(line['score'])} | {line['matches']} |"
        for line in standings["lines"]
    ]
    heads = ["| rank | bot | rating | plus or minus | score | matches |", "| --- | --- | --- | --- | --- | --- |"]
    return "\n".join([f"Standings after {standings['matches']} matches", "", *heads, *rows, ""])


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _write(folder: Path, place: str, told: Mapping[str, Any]) -> None:
    with written_beneath(folder, place) as file:
        file.write(f"{json.dumps(told, indent=2)}\n".encode())


def _read(folder: Path, place: str) -> Any:
    """Return an object that was written by this module. Raises KothError."""
    try:
        return json.loads(read_beneath(folder, place, LARGEST))
    except OSError as error:
        raise KothError(f"{error.filename or folder / place}: {error.strerror}") from None
    except ValueError as error:
        raise KothError(f"{folder / place}: {error}") from None


README = """\
# {game}, round {number}: you are {name}

Your bot lies in `bot/`. Change it, so that it does better; whatever lies there when you end is sent to the arena,
checked, and plays against the others. You have {minutes} minutes. A bot that does not pass the check, or an error of
yours, costs the round: then your last version plays on.

Keep notes for the next rounds in files of your own, anywhere in this folder but in `arena/`, which is written anew.

Of the last round:

* `arena/standings.md` and `arena/standings.json`: the table.
* `arena/why.txt`: why your version was refused, or why it failed in matches, and how these ended.
* `arena/run`: your matches, with replays and what your bot wrote to stderr: `koth why arena/run {name} --details`,
  `koth debug arena/run/replays/FILE --bot {name}`, `koth watch arena/run/replays/FILE`.

And always:

* `arena/rules.md`: the rules. `arena/guide.md`: how a bot is written, and its messages.
* `koth check bot --game {key}` tells what is wrong with the bot.
* `koth run {key} bot {bots} --matches 8 --out /tmp/try` plays against samples.
* `koth compare OLD bot --game {key}` tells whether the bot is better than an older one.
"""
