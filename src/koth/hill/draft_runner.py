"""The process that checks and tries drafts, so that authors do not wait for the season's matches."""

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
from koth.hill import checks, drafts, uploads
from koth.hill.checks import CHECK
from koth.hill.connection import Hill
from koth.hill.copies import COPIES, BotTools, Copies
from koth.hill.guard import guard
from koth.hill.host_paths import remove_all_paths
from koth.hill.models import Draft, Version
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
"""Seconds of a draft's build, a fifth of a submitted bot's: other drafts wait for the process."""
RIVAL_BYTES = 1 << 30
"""The most bytes of rivals' copies that the process keeps between drafts."""
LONGEST_TRIAL = 120.0
"""Seconds after which a trial ends, once its turn is over."""


@dataclass
class DraftRunner:
    """The state that the process keeps between drafts: copies of rivals, those used last at the end."""

    hill: Hill
    tools: BotTools
    _rivals: dict[int, Bot] = field(default_factory=dict)

    @classmethod
    def of(cls, hill: Hill, game: Game, given: Interpreters, isolation: Isolation, number: int) -> DraftRunner:
        """Return the runner of the process with this number; remove copies left by an earlier process."""
        copies = Copies(drafts.hill_of_drafts(hill).folder / f"{COPIES}-{number}")
        copies.remove()
        return cls(hill, BotTools(game, given, isolation, copies))

    def play(self, draft: Draft) -> None:
        """Check or try a claimed draft, and record the outcome."""

        def refuse(why: str) -> None:
            first, _, rest = remove_all_paths(why).removeprefix(f"{uploads.SENT}: ").partition("\n")
            drafts.end(draft, first, rest)

        try:
            with guard(refuse), self.tools.copies.work_folder() as work:
                DraftRound(self, draft, work).play()
        except (ArenaError, SandboxError) as error:
            refuse(f"try again: this machine could not play the draft: {error}")
        drafts.remove_old(self.hill, draft.author)
        self._forget_rivals()

    def rivals(self, draft: Draft) -> list[Bot]:
        """Return the versions against which a draft is tried, built. Raises KothError."""
        found = []
        for version in Version.objects.filter(pk__in=draft.rivals).select_related("bot"):
            name = str(version) if version.bot.name == draft.name else version.bot.name
            bot = self._rivals.pop(version.pk, None)
            if bot is None:
                bot = checks.build_for(self.tools, version, name, self.tools.copies.folder, draft.author)
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


class DraftRound:
    """The course of one draft: find the bot, build it, start it, and play."""

    def __init__(self, runner: DraftRunner, draft: Draft, work: Path) -> None:
        self.runner, self.draft, self.work = runner, draft, work
        self.folder = drafts.hill_of_drafts(runner.hill).folder
        self.now = Now()
        self._recorded_at, self._begun = 0.0, time.monotonic()
        self.season = current_season()
        checkup = runner.tools.checkup(self.season, randbits(63), work / CHECK, self._record_doing)
        self.checkup = replace(checkup, build_seconds=BUILD_SECONDS)

    def play(self) -> None:
        """Play the draft to its end. Raises KothError, also if the author asks for another draft."""
        self._record_state("building", "building it")
        make_beneath(self.folder, REPLAYS)
        uploads.check_name(self.draft.file)  # the row may be a stranger's
        bot = uploads.find_bot(self.runner.tools, self.draft, self.work, uploads.read_policy())
        Draft.objects.filter(pk=self.draft.pk).update(protocol=bot.protocol, options=dict(bot.options))
        if self.draft.is_check:
            self._check(bot)
        else:
            self._try(bot)

    @property
    def _replay(self) -> Path:
        return self.folder / REPLAYS / replay_name(self.draft.pk)

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
        rivals = self.runner.rivals(self.draft)
        if not rivals:
            rivals, _ = self.checkup.build_rivals(checks.find_samples(self.runner.tools, bot.seats))
        self._record_state("playing", f"plays against {', '.join(rival.name for rival in rivals)}")
        result = self.checkup.play_match(built, rivals, self._replay, self._record_turn)
        record, score = result.records[built.name], result.scores[built.name]
        write_private(self.folder, self.draft.pk, {built.name: record})
        problems = self.checkup.find_problems(self._replay, built, record)
        rank = 1 + sum(other > score for other in result.scores.values())
        text = f"{result.turns} turns, score {score:g}, rank {rank} of {len(result.scores)}"
        remarks = self.checkup.slow_remarks(self._replay, built, record)
        if time.monotonic() - self._begun > LONGEST_TRIAL:
            remarks = [*remarks, f"the match was ended after {LONGEST_TRIAL:g} s"]
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
        if time.monotonic() - self._begun > LONGEST_TRIAL:
            raise StopMatch

    def _record_state(self, state: State, text: str, *, is_over: bool = False, **more: Any) -> None:
        """Record the state of the draft. Raises KothError if the author asks for another draft."""
        self._recorded_at = time.monotonic()
        self.now = replace(self.now, state=state, text=text, **more)
        if not drafts.record_state(self.draft, self.now.as_json(), is_over) and not is_over:
            raise KothError("the draft was ended for a newer one")
