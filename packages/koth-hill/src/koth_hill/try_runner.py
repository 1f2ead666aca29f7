"""The course of a try: find the bot, build it, start it, and play."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from secrets import randbits
from typing import Any

from koth.contest.compare import Comparison, Side
from koth.contest.private import write_private
from koth.contest.reading import MatchRow
from koth.contest.run import Callbacks
from koth.contest.seating import hill_variant
from koth.contest.store import Store
from koth.contest.workers import on_this_machine
from koth.diagnostics.checkup import CheckStep
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.files.beneath import make_beneath
from koth.match import StopMatch
from koth.replay.names import REPLAYS, replay_name
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import SandboxError
from koth.services.comparisons import verdict_text
from koth.session.bot import Bot
from koth.viewer.workbench import Now, State, describe_failure
from koth_hill import checks, tries, uploads
from koth_hill.checks import CHECK
from koth_hill.connection import Hill
from koth_hill.copies import COPIES, BotTools, Copies
from koth_hill.guard import guard
from koth_hill.host_paths import remove_all_paths
from koth_hill.models import Try, Version
from koth_hill.registry import current_season

RECORD_SECONDS = 0.5
"""Seconds between two records of a match's progress."""
BUILD_SECONDS = 60.0
"""Seconds of a try's build, a fifth of a submitted bot's: other authors wait."""
LONGEST_TRY = 120.0
"""Seconds after which a try ends, once its turn is over."""
BOARDS = 20
"""The most boards of a comparison; on each both versions play."""


class _EndedError(BaseException):
    """The end of a comparison before a verdict; no executor takes it for the failure of a match."""


def play(hill: Hill, tools: BotTools, attempt: Try) -> None:
    """Play a claimed try, and record the outcome."""

    def refuse(why: str) -> None:
        first, _, rest = remove_all_paths(why).removeprefix(f"{uploads.SENT}: ").partition("\n")
        tries.end(attempt, first, rest)

    try:
        with guard(refuse), tools.copies.work_folder() as work:
            TryRound(hill, tools, attempt, work).play()
    except (ArenaError, SandboxError) as error:
        refuse(f"try again: this machine could not play the try: {error}")
    tries.remove_old(hill, attempt.author)


class TryRound:
    """The course of one attempt: find the bot, build it, start it, and play."""

    def __init__(self, hill: Hill, tools: BotTools, attempt: Try, work: Path) -> None:
        self.hill, self.tools, self.attempt, self.work = hill, tools, attempt, work
        self.folder = tries.hill_of_tries(hill).folder
        self.now = Now()
        self._recorded_at, self._begun = 0.0, time.monotonic()
        self.again = attempt.again
        match = None if self.again is None else self.again.match
        self.season = current_season() if match is None else match.season
        seed = randbits(63) if match is None else match.key
        variant = 0 if match is None else hill_variant(match.block or match.pk)
        checkup = tools.checkup(self.season, seed, work / CHECK, self._record_doing, variant)
        self.checkup = replace(checkup, build_seconds=BUILD_SECONDS)

    def play(self) -> None:
        """Play the try to its end. Raises KothError, also if the author asks for another try."""
        self._record_state("building", "building it")
        make_beneath(self.folder, REPLAYS)
        bot = self._find_bot()
        Try.objects.filter(pk=self.attempt.pk).update(protocol=bot.protocol, options=dict(bot.options))
        (self._compare if self.attempt.kind == Try.Kind.COMPARE else self._play_match)(bot)

    def _find_bot(self) -> Bot:
        sent, allowed = self.attempt, uploads.read_policy()
        if sent.version is not None:
            return replace(checks.find_bot(self.tools, sent.version, self.work), name=sent.name)
        uploads.check_name(sent.file)  # the row may be a stranger's
        return uploads.find_bot(self.tools, sent.file, bytes(sent.data), sent.name, self.work, allowed)

    def _build_rivals(self) -> list[Bot]:
        """Return the versions against which the bot is tried, built. Raises KothError."""
        found, private = [], Copies(self.work / COPIES)
        versions = Version.objects.select_related("bot").in_bulk(self.attempt.rivals)
        for version in (versions[pk] for pk in self.attempt.rivals if pk in versions):
            is_shared = version.state == Version.State.PLAYING
            name = version.bot.name if is_shared or self.again is not None else str(version)
            copies = self.tools.copies if is_shared else private
            found.append(checks.build_for(self.tools, version, name, copies, self.attempt.author))
        return found

    @property
    def _replay(self) -> Path:
        return self.folder / REPLAYS / replay_name(self.attempt.pk)

    def _build_all(self, bot: Bot) -> tuple[Bot, list[Bot]] | None:
        """Return the bot and its rivals, built; None, with the reason recorded, if the bot can't play."""
        built, step = self.checkup.build(bot)
        if not step.ok:
            self._record_failure(step)
            return None
        self._record_state("starting", "the bot starts; building rivals")
        rivals = self._build_rivals()
        if not rivals:
            rivals, _ = self.checkup.build_rivals(checks.find_samples(self.tools, bot.seats))
        return built, rivals

    def _compare(self, bot: Bot) -> None:
        """Play the bot, and its version that plays, on the same boards against the same rivals, until a verdict."""
        author = self.attempt.author
        version = tries.find_old(author, self.attempt.name)
        found = self._build_all(bot)
        if found is None:
            return
        built, rivals = found
        old = checks.build_for(self.tools, version, f"version {version.number}", self.tools.copies, author)
        contest = self.tools.contest(self.season, Secret.draw(), [old, *rivals])
        contest = replace(contest, replays="none", seats=len(rivals) + 1)
        contest = replace(contest, matches=BOARDS * contest.form.rotations)
        with ExitStack() as stack:
            sides = [
                Side(replace(contest, bots=[own, *rivals]), stack.enter_context(closing(Store(self.work / folder))))
                for own, folder in ((old, "old"), (replace(built, name="your draft"), "new"))
            ]
            comparison, played = Comparison((sides[0], sides[1])), count(1)

            def go_on(_: object) -> None:
                try:
                    self._record_doing(self.now.text)
                except KothError as error:  # the author asks for another try
                    raise _EndedError from error
                if time.monotonic() - self._begun > LONGEST_TRY:
                    raise _EndedError

            def match_done(row: MatchRow) -> None:
                self.now = replace(self.now, text=f"match {next(played)} of at most {comparison.most}")
                go_on(row)

            remarks = [f"against {', '.join(rival.name for rival in rivals)}"]
            self._record_state("playing", f"plays {remarks[0]}")
            try:
                comparison.play(partial(on_this_machine, 1), Callbacks(match_done, go_on), lambda seen: None)
            except _EndedError:
                comparison.look_now()
                remarks.append(f"the comparison was ended after {LONGEST_TRY:g} s")
            self._record_state("played", verdict_text(comparison), is_over=True, remarks=remarks)

    def _play_match(self, bot: Bot) -> None:
        found = self._build_all(bot)
        if found is None:
            return
        built, rivals = found
        self._record_state("playing", f"plays against {', '.join(rival.name for rival in rivals)}")
        place, match = (0, 1) if self.again is None else (self.again.place, self.again.match_id)
        result = self.checkup.play_match(built, rivals, self._replay, self._record_turn, place=place, match=match)
        record, score = result.records[built.name], result.scores[built.name]
        write_private(self.folder, self.attempt.pk, {built.name: record})
        problems = self.checkup.find_problems(self._replay, built, record)
        rank = 1 + sum(other > score for other in result.scores.values())
        text = f"{result.turns} turns, score {score:g}, rank {rank} of {len(result.scores)}"
        if self.again is not None:
            before, at = self.again.match, self.again
            rank = 1 + before.seats.filter(score__gt=at.score).count()
            text += f"; in match {before.pk} it was {before.turns} turns, score {at.score:g}, rank {rank}"
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
