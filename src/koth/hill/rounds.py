"""Authors that are programs: in each round every author's command changes its bot, and then the bots play.

A hill's folder `rounds` has `plan.json`, a folder `authors/NAME` for each author, in which its command runs, and a
folder for each round with all that came of it. Whatever is done is written as a whole file before the next step
begins, and a step whose file is there is not done again: so a round is done once, however often it is interrupted.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from django.db.models import Max, Q

from koth.contest.reading import Audience
from koth.contest.run import MakeExecutor
from koth.discovery.entrants import only
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError, visible
from koth.files.folders import CopyError, Entry, FolderLimits, copy_folder, remove
from koth.game import Game
from koth.hill import models, ratings, registry
from koth.hill.arena import Papers, RoundReader, hand_out, hand_out_matches
from koth.hill.connection import Hill
from koth.hill.models import Match, Season, Version
from koth.hill.planning import spent
from koth.hill.recording import OVER
from koth.hill.registry import LIVING, current_season
from koth.hill.rounds_record import (
    ARENA,
    AUTHORS,
    BEGIN,
    BEGIN_SHAPE,
    BOT,
    FILES,
    FOLDER,
    LOG,
    PLAN,
    ROUND,
    TURN,
    TURN_SHAPE,
    WHY,
    Plan,
    draw,
    read,
    rounds_of,
    write,
)
from koth.hill.runner import Events, HillPlay, RunnerLimits
from koth.hill.standings import standings
from koth.hill.turns import Turn, take_turn
from koth.sandbox import copies
from koth.sandbox.failures import check_shortage
from koth.sandbox.isolation import Isolation

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
"""Names of authors: folders are called like them."""
OF_AN_AUTHOR = FolderLimits(copies.FILES, copies.BYTES, copies.DEPTH)
"""The most files, bytes and nested folders that an author's folder keeps."""


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
    events: Callable[[], Events]
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

    def _log(self, text: str) -> None:
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
                work = self.folder / AUTHORS / name
                if not (work / BOT).exists():
                    work.mkdir(parents=True, exist_ok=True)
                    self.papers.start(work / BOT)
                try:
                    self._keep(0, name)
                except OSError as error:
                    raise KothError(f"{error.filename or work}: {error.strerror or error}") from None
        if not (self.folder / PLAN).exists():
            write(self.folder, PLAN, asdict(self.plan))

    def _place(self, number: int, name: str) -> Path:
        return self.folder / str(number) / name

    # --- a round

    def _play_round(self) -> None:
        season, place = current_season(), f"{self._number}/{BEGIN}"
        if season.state != Season.State.OPEN:
            raise KothError(f"season {season.pk} is {season.state}: it takes no bots")
        if not (self.folder / place).exists():
            last = [table.objects.aggregate(last=Max("pk"))["last"] or 0 for table in (models.Runner, Version)]
            write(self.folder, place, {"runner": last[0], "version": last[1]})
        begin = read(self.folder, place, BEGIN_SHAPE)
        self._log(f"round {self._number}")
        turns = self._take_turns() if self._number else dict.fromkeys(self.plan.authors, Turn(0.0, ""))
        results = {name: self._submit(name, turn, begin["version"]) for name, turn in turns.items()}
        self._play_matches(begin["runner"])
        ratings.rate(self.game, season)
        table = standings(season)
        for name in self.plan.authors:
            self._outcome(name, results[name], begin["version"])
            self._explain(name, results[name]["problem"], season, begin["runner"])
        played = self._played(begin["runner"])
        write(
            self.folder,
            f"{self._number}/{ROUND}",
            {"round": self._number, "authors": results, "matches": played, "standings": table.as_json()},
        )
        draw(self.hill, self.game, self._number)

    # --- turns of authors

    def _take_turns(self) -> dict[str, Turn]:
        """Have every author's command run that has not in this round, as many at once as there are jobs."""
        left = [name for name in self.plan.authors if not (self._place(self._number, name) / TURN).exists()]
        is_ended = Event()
        with ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(self._take_turn, name, self._matches_of(name), is_ended) for name in left]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                is_ended.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        taken = {name: read(self.folder, f"{self._number}/{name}/{TURN}", TURN_SHAPE) for name in self.plan.authors}
        return {name: Turn(turn["seconds"], turn["problem"]) for name, turn in taken.items()}

    def _matches_of(self, name: str) -> list[int]:
        """Return the numbers of an author's matches of the last round."""
        begins = [read(self.folder, f"{number}/{BEGIN}", BEGIN_SHAPE) for number in (self._number - 1, self._number)]
        first, last = (begin["runner"] for begin in begins)
        played = Match.objects.filter(runner_id__gt=first, runner_id__lte=last, state=Match.State.PLAYED)
        return list(played.filter(seats__version__bot__name=name).order_by("pk").values_list("pk", flat=True))

    def _take_turn(self, name: str, matches: Sequence[int], is_ended: Event) -> None:
        work, place = self.folder / AUTHORS / name, self._place(self._number, name)
        before = self._place(self._number - 1, name)
        try:
            place.mkdir(parents=True, exist_ok=True)
            self._clear(work)
            copy_folder(before / FILES, work, OF_AN_AUTHOR, skips_odd=True)
            hand_out(self.game, self.plan, self.papers, name, before.parent, work / ARENA)
            hand_out_matches(self.hill.folder, name, matches, work / ARENA)
            turn = take_turn(self.plan.authors[name], work, place / LOG, self.plan.timeout, is_ended)
            if is_ended.is_set():
                return
            if why := self._not_kept(name):
                turn = replace(turn, problem=f"its folder can't be kept: {why}")
                self._copy(before / FILES, place / FILES)
        except OSError as error:
            raise KothError(f"{error.filename or work}: {error.strerror or error}") from None
        write(self.folder, f"{self._number}/{name}/{TURN}", asdict(turn))
        self._log(f"{name}: {turn.problem or 'done'} ({turn.seconds:.1f} s)")

    def _not_kept(self, name: str) -> str:
        """Keep an author's folder; return why it can't be kept, empty if it was. Raises ArenaError."""
        try:
            self._keep(self._number, name)
        except CopyError as error:
            text = str(error)
        except OSError as error:
            check_shortage(error)
            text = f"{error.filename}: {error.strerror}"
        else:
            return ""
        work = self.folder / AUTHORS / name
        return visible(text.replace(f"{work}/", "").replace(f"{work}: ", ""))  # with paths as its author sees them

    def _clear(self, work: Path) -> None:
        """Remove an author's folder; what can't be removed, such as another user's files, is moved aside."""
        remove(work)
        if os.path.lexists(work):
            aside = work.rename(work.with_name(f".{work.name}-{secrets.token_hex(4)}"))
            self._log(f"{work.name}: its folder of the last round can't be removed, and is now in {aside}")

    def _keep(self, number: int, name: str) -> None:
        """Keep the regular files of an author's folder, but for what koth has put there.

        Raises OSError, and CopyError beyond the limits.
        """
        self._copy(self.folder / AUTHORS / name, self._place(number, name) / FILES)

    def _copy(self, source: Path, to: Path) -> None:
        part = to.with_name(f"{FILES}.part")
        remove(part)
        try:
            copy_folder(source, part, OF_AN_AUTHOR, _is_arena, skips_odd=True)
            remove(to)
            part.rename(to)
        finally:
            remove(part)

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
            return {**asdict(turn), "problem": visible(str(error).replace(f"{place / FILES}/", ""), "\n")}
        return asdict(turn)

    def _send(self, name: str, place: Path, before: int) -> None:
        """Submit the bot that lies there, unless that was done, or it is in play. Raises KothError."""
        bot = only(self.game, f"{name}={place / FILES / BOT}", self.given, self.isolation)
        same = Version.objects.filter(bot__name=name, digest=bot.digest)
        if not same.filter(Q(pk__gt=before) | Q(state__in=LIVING)).exists():
            registry.submit(self.game, bot, name)

    def _outcome(self, name: str, result: dict[str, Any], before: int) -> None:
        """Add to an author's turn what became of its version, and which one plays."""
        versions = Version.objects.filter(bot__name=name).defer("archive").order_by("-number")
        newest = versions.filter(pk__gt=before).first()
        if newest is not None and newest.state in (Version.State.REFUSED, Version.State.SUSPENDED):
            result["problem"] = f"version {newest.number} was {newest.state}: {newest.reason}"
        plays = versions.filter(state=Version.State.PLAYING).first()
        result["version"] = None if plays is None else plays.number
        if result["problem"]:
            goes_on = "no version of it plays" if plays is None else f"version {plays.number} plays on"
            self._log(f"{name}: {result['problem'].splitlines()[0]}; {goes_on}")

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
            limits, events = RunnerLimits(matches=left), self.events()
            HillPlay(self.hill, self.game, self.given, self.isolation, self.make_executor, limits, events).run()
            if why := spent(self.hill):
                raise KothError(f"round {self._number} is not over: {why}; the same command goes on with it")
            if self._played(before) == played:
                return

    def _played(self, before: int) -> int:
        """Return the number of matches of this round that are over."""
        return Match.objects.filter(runner_id__gt=before, state__in=OVER).count()

    def _explain(self, name: str, problem: str, season: Season, before: int) -> None:
        """Write why an author's version was refused, and why its bot failed in matches."""
        played = Match.objects.filter(runner_id__gt=before, seats__version__bot__name=name)
        reader = RoundReader(self.hill, season, Audience(frozenset({name})), played)
        why = self.papers.why(reader, name) if reader.counts().planned else "it played no match\n"
        text = f"{problem}\n\n{why}" if problem else why
        (self._place(self._number, name) / WHY).write_text(text, encoding="utf-8")


def _is_arena(entry: Entry) -> bool:
    return entry.place == ARENA
