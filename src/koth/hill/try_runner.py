"""The process that checks and tries tries, so that authors do not wait for the season's matches."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import randbits
from typing import Any

from koth.contest.private import write_private
from koth.diagnostics.checkup import MATCH_STEPS, CheckStep, check
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.files.beneath import make_beneath
from koth.game import Game
from koth.hill import checks, tries, uploads
from koth.hill.checks import CHECK
from koth.hill.connection import Hill
from koth.hill.copies import COPIES, BotTools, Copies
from koth.hill.guard import guard
from koth.hill.host_paths import remove_all_paths
from koth.hill.models import Try, Version
from koth.hill.planning import seats_of
from koth.hill.registry import current_season
from koth.match import StopMatch
from koth.replay.names import REPLAYS, replay_name
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import Isolation, SandboxError
from koth.session.bot import Bot
from koth.viewer.workbench import Now, State, describe_failure

RECORD_SECONDS = 0.5
"""Seconds between two records of a match's progress."""
BUILD_SECONDS = 60.0
"""Seconds of a try's build, a fifth of a submitted bot's: other tries wait for the process."""
RIVAL_BYTES = 1 << 30
"""The most bytes of rivals' copies that the process keeps between tries."""
LONGEST_TRY = 120.0
"""Seconds after which a try ends, once its turn is over."""


@dataclass
class TryRunner:
    """The state that the process keeps between tries: copies of rivals, those used last at the end."""

    hill: Hill
    tools: BotTools
    _rivals: dict[int, Bot] = field(default_factory=dict)

    @classmethod
    def of(cls, hill: Hill, game: Game, given: Interpreters, isolation: Isolation, number: int) -> TryRunner:
        """Return the runner of the process with this number; remove copies left by an earlier process."""
        copies = Copies(tries.hill_of_tries(hill).folder / f"{COPIES}-{number}")
        copies.remove()
        return cls(hill, BotTools(game, given, isolation, copies))

    def play(self, attempt: Try) -> None:
        """Check or try a claimed attempt, and record the outcome."""

        def refuse(why: str) -> None:
            first, _, rest = remove_all_paths(why).removeprefix(f"{uploads.SENT}: ").partition("\n")
            tries.end(attempt, first, rest)

        try:
            with guard(refuse), self.tools.copies.work_folder() as work:
                TryRound(self, attempt, work).play()
        except (ArenaError, SandboxError) as error:
            refuse(f"try again: this machine could not play the try: {error}")
        tries.remove_old(self.hill, attempt.author)
        self._forget_rivals()

    def rivals(self, attempt: Try) -> list[Bot]:
        """Return the versions against which a try is tried, built. Raises KothError."""
        found = []
        for version in Version.objects.filter(pk__in=attempt.rivals).select_related("bot"):
            name = version.bot.name if version.state == Version.State.PLAYING else str(version)
            bot = self._rivals.pop(version.pk, None)
            if bot is None:
                bot = checks.build_for(self.tools, version, name, self.tools.copies.folder, attempt.author)
            self._rivals[version.pk] = bot
            found.append(replace(bot, name=name))
        return found

    def _forget_rivals(self) -> None:
        """Remove the copies of versions that no longer play, and above `RIVAL_BYTES` those unused for longest."""
        playing = Version.objects.filter(pk__in=self._rivals, state=Version.State.PLAYING)
        sizes, used, kept = dict(playing.values_list("pk", "disk")), 0, {}
        for pk in reversed(self._rivals):
            used += sizes.get(pk, 0)
            if pk in sizes and used <= RIVAL_BYTES:
                kept[pk] = self._rivals[pk]
        self._rivals = dict(reversed(kept.items()))
        self.tools.copies.keep({bot.digest for bot in kept.values()})


class TryRound:
    """The course of one attempt: find the bot, build it, start it, and play."""

    def __init__(self, runner: TryRunner, attempt: Try, work: Path) -> None:
        self.runner, self.attempt, self.work = runner, attempt, work
        self.folder = tries.hill_of_tries(runner.hill).folder
        self.now = Now()
        self._recorded_at, self._begun = 0.0, time.monotonic()
        self.season = current_season()
        checkup = runner.tools.checkup(self.season, randbits(63), work / CHECK, self._record_doing)
        self.checkup = replace(checkup, build_seconds=BUILD_SECONDS)

    def play(self) -> None:
        """Play the try to its end. Raises KothError, also if the author asks for another try."""
        self._record_state("building", "building it")
        make_beneath(self.folder, REPLAYS)
        bot = self._find_bot()
        Try.objects.filter(pk=self.attempt.pk).update(protocol=bot.protocol, options=dict(bot.options))
        if self.attempt.is_check:
            self._check(bot)
        else:
            self._try(bot)

    def _find_bot(self) -> Bot:
        version, tools = self.attempt.version, self.runner.tools
        if version is not None:
            return replace(checks.find_bot(tools, version, self.work), name=self.attempt.name)
        uploads.check_name(self.attempt.file)  # the row may be a stranger's
        return uploads.find_bot(tools, self.attempt, self.work, uploads.read_policy())

    @property
    def _replay(self) -> Path:
        return self.folder / REPLAYS / replay_name(self.attempt.pk)

    def _check(self, bot: Bot) -> None:
        """Check the bot like a submitted version."""
        checks.check_seats(bot, seats_of(self.runner.hill, self.season))
        samples = checks.find_samples(self.runner.tools, bot.seats)
        steps = []
        for step in check(self.checkup, bot, samples):
            steps.append(step)
            self._record_state("playing", f"{step.name}: {step.text}")
        if not steps[0].ok:
            self._record_failure(steps[0])
            return
        for name in MATCH_STEPS:  # the last one stays
            with suppress(FileNotFoundError):
                shutil.copyfile(self.checkup.replay_path(name), self._replay)
        last = {problem.kind: problem for step in steps for problem in step.problems}  # of the match that stays
        problems = list(last.values())
        remarks = [remark for step in steps for remark in step.remarks]
        text = "; ".join(f"{step.name}: {step.text}" for step in steps if step.name in MATCH_STEPS)
        self._record_state("played", text, is_over=True, problems=problems, remarks=remarks)

    def _try(self, bot: Bot) -> None:
        built, step = self.checkup.build(bot)
        if not step.ok:
            self._record_failure(step)
            return
        self._record_state("starting", "the bot starts; building rivals")
        rivals = self.runner.rivals(self.attempt)
        if not rivals:
            rivals, _ = self.checkup.build_rivals(checks.find_samples(self.runner.tools, bot.seats))
        self._record_state("playing", f"plays against {', '.join(rival.name for rival in rivals)}")
        result = self.checkup.play_match(built, rivals, self._replay, self._record_turn)
        record, score = result.records[built.name], result.scores[built.name]
        write_private(self.folder, self.attempt.pk, {built.name: record})
        problems = self.checkup.find_problems(self._replay, built, record)
        rank = 1 + sum(other > score for other in result.scores.values())
        text = f"{result.turns} turns, score {score:g}, rank {rank} of {len(result.scores)}"
        remarks = self.checkup.slow_remarks(self._replay, built, record)
        if time.monotonic() - self._begun > LONGEST_TRY:
            remarks = [*remarks, f"the match was ended after {LONGEST_TRY:g} s"]
        self._record_state("played", text, is_over=True, problems=problems, remarks=remarks)

    def _record_failure(self, step: CheckStep) -> None:
        text, said = describe_failure(step)
        self._record_state("broken", text, is_over=True, said=said)

    def _record_doing(self, text: str) -> None:
        if time.monotonic() - self._recorded_at > RECORD_SECONDS:
            self._record_state(self.now.state, text)

    def _record_turn(self, turn: int) -> None:
        """Record the progress of the match, now and then. Raises StopMatch if the match lasts too long."""
        self.now = replace(self.now, turn=turn)
        self._record_doing(self.now.text)
        if time.monotonic() - self._begun > LONGEST_TRY:
            raise StopMatch

    def _record_state(self, state: State, text: str, *, is_over: bool = False, **more: Any) -> None:
        """Record the state of the try. Raises KothError if the author asks for another try."""
        self._recorded_at = time.monotonic()
        self.now = replace(self.now, state=state, text=text, **more)
        if not tries.record_state(self.attempt, self.now.as_json(), is_over) and not is_over:
            raise KothError("the try was ended for a newer one")
