"""The checks before the first match.

Every bot is built and started, to find broken bots, and asked the same questions twice, to find bots whose answers
are not repeatable.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from koth.build import steps
from koth.build.bot_files import remove_mark
from koth.build.jvm.languages import LANGUAGES as JVM_LANGUAGES
from koth.build.own_programs import prepare_program
from koth.build.steps import run_build_step
from koth.contest.start_hints import start_hints
from koth.discovery.interpreters import missing_program_text
from koth.discovery.languages import LANGUAGES
from koth.engine.batch import Batch
from koth.engine.secret import Key, key_of
from koth.escaping import shell_word
from koth.files.beneath import read_beneath, write_beneath
from koth.files.cache import cache_folder
from koth.files.folders import CopyError, remove
from koth.game import FAULT, Answers, Array, Game, TimeControl, no_answers
from koth.sandbox.cached_folders import make_unfinished
from koth.sandbox.command import Overloaded
from koth.sandbox.copies import copy_bot, find_copy_problem
from koth.sandbox.failures import Bug, check_shortage, refuse_at_bugs
from koth.sandbox.isolation import PLAIN, Isolation
from koth.sandbox.seal import Seal
from koth.session.bot import Bot
from koth.session.faults import FaultReport
from koth.session.process import FORK_ADVICE, BotProcess
from koth.session.referee import Referee
from koth.session.seats import SeatedBot, Seating

UNMEASURED = (
    "it starts other programs (`subprocesses = true`), whose CPU time can't be measured on this system: give koth a "
    "cgroup (version 2) in which it may make others"
)
REPEATED_QUESTIONS = 12
"""The number of a match's first questions that test repeatability."""
QUESTION_SECONDS = 2.0
"""Seconds after which the test of repeatability stops."""
SOURCES = frozenset({*LANGUAGES, *JVM_LANGUAGES})
"""Endings of files that contain source code."""
END_OF_OUTPUT = 2000
"""The number of characters that are shown of a failed build's output."""
COPIES = "bots"
"""The folder for copies of bots, in the run's folder."""


@dataclass(frozen=True)
class Broken:
    """A bot that can't play, with the reason."""

    bot: Bot
    reason: str
    fault_report: FaultReport | None = None
    """The bot's fault, if the bot was started."""
    hints: Sequence[str] = ()
    """Advice: the last lines of the reason."""


def build(bot: Bot, folder: Path, isolation: Isolation = PLAIN, seconds: float | None = None) -> tuple[Bot, str]:
    """Copy a bot and run the build steps in the copy; return the bot in the copy, and the error or "".

    `seconds` limits the build steps (None: the usual limit). Raises SandboxError, ArenaError, and Overloaded with the
    bot's name. The copy is `folder`/DIGEST; build output goes to `folder`/DIGEST.log. An earlier copy is reused if
    its files are unchanged since its build.
    """
    try:
        with refuse_at_bugs():
            return _build_copy(bot, folder, isolation, seconds)
    except Bug as error:
        return bot, str(error)
    except Overloaded as error:
        error.name = bot.name
        raise


def _bot_in_copy(bot: Bot, copy: Path) -> Bot:
    return replace(
        bot,
        folder=copy,
        build=(),
        argv=tuple(_in_copy(bot, word, copy) for word in bot.argv),
        reads=tuple(path for path in bot.reads if not _is_copied(bot, path)),
    )


def reuse_copy(bot: Bot, folder: Path) -> Bot | None:
    """Return the bot in its copy below `folder`; None if there is no copy, or its files have changed since its build.

    Raises OSError.
    """
    copy = folder.absolute() / bot.digest
    done = copy.with_name(f"{bot.digest}.built")
    if not done.exists() or not copy.is_dir():
        return None
    sealed, digest = _seal(_bot_in_copy(bot, copy))
    return sealed if digest.encode() == read_beneath(done.parent, done.name, 1 << 10) else None


def _build_copy(bot: Bot, folder: Path, isolation: Isolation, seconds: float | None) -> tuple[Bot, str]:
    copy = folder.absolute() / bot.digest
    built = _bot_in_copy(bot, copy)
    try:
        if (found := reuse_copy(bot, folder)) is not None:
            return found, ""
        if bot.policy.processes and isolation.level == "partial":
            return (
                bot,
                "it starts other programs (`subprocesses = true`), which isolation partial can't confine",
            )
        if bot.policy.own_copy and not isolation.is_at_least("strong"):
            return bot, "it writes beside its files (`writable = true`), which takes isolation strong"
        if bot.policy.processes and not (isolation.trusts_processes or isolation.charges_children()):
            return bot, UNMEASURED
        if problem := _fill_copy(bot, built, copy, isolation, seconds) or prepare_program(Path(built.argv[0]), copy):
            return bot, problem
        if bot.policy.own_copy and (problem := find_copy_problem(copy)):
            return bot, problem
        sealed, digest = _seal(built)
        with write_beneath(copy.parent, f"{bot.digest}.built") as file:
            file.write(digest.encode())
    except CopyError as error:
        return bot, str(error)
    except OSError as error:
        check_shortage(error)
        return bot, f"{error.filename or copy}: {error.strerror}"
    return sealed, ""


def _is_copied(bot: Bot, path: Path) -> bool:
    """Return whether the copy of a bot includes a path.

    If the bot is a single file, its sub-folders are not copied: a sub-folder may be a Python environment.
    """
    is_beside = path == bot.folder or (path.parent == bot.folder and not path.is_dir())
    return path.is_relative_to(bot.folder) and (bot.path.is_dir() or is_beside)


def _in_copy(bot: Bot, word: str, copy: Path) -> str:
    """Map the paths in a bot's folder, several separated by colons, to the same paths in the copy."""
    return re.sub(
        rf"(?<![^:]){re.escape(str(bot.folder))}(?![^:/])([^:]*)",
        lambda found: f"{copy}{found[1]}" if _is_copied(bot, Path(found[0])) else found[0],
        word,
    )


def _fill_copy(bot: Bot, built: Bot, copy: Path, isolation: Isolation, seconds: float | None) -> str:
    """Make the copy and run the build steps there; return the error. After an error there is no copy.

    A build can see its folder's path. At `strong`, where a bot always plays at the same path, builds run in a
    folder of the cache, whose path does not reveal whether this is a check or a contest.
    """
    lines = replace(built, build=bot.build)
    if not bot.build or not isolation.is_at_least("strong"):
        _copy_files(bot, copy)
        if problem := _build_lines(lines, copy, copy, isolation, seconds):
            remove(copy)
        return problem
    copy.parent.mkdir(parents=True, exist_ok=True)
    aside = make_unfinished(cache_folder("builds"), copy.name)
    try:
        _copy_files(bot, aside / copy.name)
        problem = _build_lines(lines, aside / copy.name, copy, isolation, seconds)
        if not problem:
            remove(copy)
            shutil.move(aside / copy.name, copy)
    finally:
        remove(aside)
    return problem


def _copy_files(bot: Bot, to: Path) -> None:
    """Copy a bot's files; remove byte order marks from the sources."""
    copy_bot(bot.path, to, bot.left_out)
    for file in to.rglob("*"):
        if file.suffix.lower() in SOURCES and file.is_file() and not file.is_symlink():
            remove_mark(file)


def _seal(bot: Bot) -> tuple[Bot, str]:
    seal = Seal.make([bot.folder, *bot.made])
    return replace(bot, seal=seal), seal.digest()


def _last_lines(text: str) -> str:
    """Return the last whole lines of a text, or the end of its last line if that is too long."""
    end = text[-END_OF_OUTPUT:]
    return end if end == text else end.partition("\n")[2] or end


def _build_lines(bot: Bot, place: Path, copy: Path, isolation: Isolation, seconds: float | None) -> str:
    """Run a bot's build steps in `place`; log to a file next to the copy; return the error."""
    if not bot.build:
        return ""
    left = seconds = steps.SECONDS if seconds is None else seconds
    with write_beneath(copy.parent, f"{bot.digest}.log") as log:
        for line in bot.build:
            problem = prepare_program(place / line[0], place) if "/" in line[0] else ""
            if problem:
                return f"its build can't begin: {problem}"
            log.write(f"$ {shlex.join(line)}\n".encode())
            found = shutil.which(line[0], path=f"/usr/local/bin:/usr/bin:/bin:{os.environ.get('PATH', os.defpath)}")
            policy, environment = bot.policy.for_building(), bot.environment
            words = [found or line[0], *line[1:]]
            done = run_build_step(words, place, isolation, policy, environment, bot.reads, seconds=left)
            left -= done.seconds
            log.write(done.output[: max(0, steps.OUTPUT - log.tell())])
            if done.problem:
                why = f"not done after {seconds:g} s" if left < 0 else done.problem  # the time of all
                tail = _last_lines(done.output.decode(errors="replace").strip())
                hint = "" if found or "/" in line[0] else f"\n{missing_program_text(line[0])}"
                if pattern := next((word for word in line if "*" in word), ""):
                    hint += f"\nno shell expands {pattern}: list the files, or let one do it: sh -c '...'"
                return f"its build failed ({why}):\n$ {shlex.join(line)}\n{tail}{hint}".rstrip()
    return ""


def start_once(
    game: Game,
    settings: Any,
    bots: Sequence[Bot],
    time_control: TimeControl,
    isolation: Isolation = PLAIN,
    *,
    ruleset: str = "",
    seats: int | None = None,
) -> list[Broken]:
    """Start every bot once; return the bots that fail before the first question.

    Bots receive the match info of a match with this ruleset and `seats` seats. A bot whose protocol has no handshake
    also gets the first question of a match.
    """
    return _try_all(_Stage(game, settings, time_control, isolation, ruleset), bots, seats, 0).broken


@dataclass(frozen=True)
class Preflight:
    """The result of the checks before the first match."""

    broken: list[Broken]
    unrepeatable: list[str]
    """Names of bots with different answers to the same questions and seed."""


def preflight(
    game: Game,
    settings: Any,
    bots: Sequence[Bot],
    time_control: TimeControl,
    isolation: Isolation = PLAIN,
    *,
    ruleset: str = "",
    seats: int | None = None,
) -> Preflight:
    """Start every bot twice, like `start_once`, and ask the first questions of a match both times.

    The second match continues with the answers of the first, so each bot gets the same questions whatever the others
    do. In the second match Python bots are not forked but get new processes, in which objects have other addresses.
    """
    return _try_all(_Stage(game, settings, time_control, isolation, ruleset), bots, seats, REPEATED_QUESTIONS)


def _try_all(stage: _Stage, bots: Sequence[Bot], seats: int | None, most: int) -> Preflight:
    """Try all bots, in groups for trial matches; report bots that can't play with this number of seats as broken."""
    seats = seats or stage.game.contest_defaults.seats or len(bots)
    others = [bot for bot in bots if not bot.plays_at(seats)]
    broken = {bot.name: Broken(bot, f"{other_seats_text(bot, seats)}: --seats {bot.seats[-1]}") for bot in others}
    unrepeatable: dict[str, None] = {}
    for cast in _casts(stage.game, [bot for bot in bots if bot.name not in broken], seats):
        found = stage.try_bots(cast, most)
        for item in found.broken:
            broken.setdefault(item.bot.name, item)
        unrepeatable |= dict.fromkeys(found.unrepeatable)
    return Preflight(list(broken.values()), [name for name in unrepeatable if name not in broken])


def _casts(game: Game, bots: Sequence[Bot], seats: int) -> Iterator[list[Bot]]:
    """Yield groups of `seats` bots; copies of the first bot fill seats that must not be empty."""
    for first in range(0, len(bots), seats):
        group = list(bots[first : first + seats])
        wanted = seats if any(bot.seats for bot in group) else game.seats.start
        yield group + [bots[0]] * max(0, wanted - len(group))


def other_seats_text(bot: Bot, seats: int) -> str:
    """Return why a bot can't play in matches with `seats` seats."""
    *some, last = map(str, bot.seats)
    own = f"{', '.join(some)} or {last}" if some else last
    these = f"{seats} seat{'s' * (seats != 1)}"
    return f"it plays in matches of {own} seats (its koth.toml says so), and these have {these}"


@dataclass(frozen=True)
class _Trial:
    """The result of starting a group of bots and asking them the first questions of a match."""

    seated: Mapping[int, SeatedBot]
    failed: Container[int]
    """Seats of the bots that did not start."""
    seats: Sequence[Array]
    """The seat of each row, by question."""
    answers: Sequence[Answers]
    """The answers, by question."""

    def differing_seats(self, other: _Trial) -> Iterator[int]:
        """Yield the seats that answered differently; compare each bot until the bot is late or out in a trial."""
        for seat in other.seated:
            for rows, one, two in zip(self.seats, self.answers, other.answers, strict=False):
                own = rows == seat
                late = FAULT["late"] in (*one.fault[own], *two.fault[own])
                if late or one.gone[0, seat] or two.gone[0, seat]:
                    break
                same = all(np.array_equal(one.fields[name][own], two.fields[name][own]) for name in one.fields)
                if not same or not np.array_equal(one.fault[own], two.fault[own]):
                    yield seat
                    break


@dataclass(frozen=True)
class _Stage:
    game: Game
    settings: Any
    time_control: TimeControl
    isolation: Isolation
    ruleset: str

    def try_bots(self, cast: Sequence[Bot], most: int) -> Preflight:
        """Start the bots of a group twice, and ask up to `most` first questions of a match both times.

        If a bug of koth occurs, try each bot without the others, to name the bots that trigger the bug.
        """
        try:
            with refuse_at_bugs():
                return self._try_bots(cast, most)
        except Bug as error:
            bots = {bot.name: bot for bot in cast}
            if len(bots) == 1:
                return Preflight([Broken(cast[0], str(error))], [])
            alone = [self.try_bots([bot] * len(cast), most) for bot in bots.values()]
            return Preflight(
                [item for found in alone for item in found.broken],
                [name for found in alone for name in found.unrepeatable],
            )

    def _try_bots(self, cast: Sequence[Bot], most: int) -> Preflight:
        key = key_of(None)
        first = self.trial(cast, key, most)
        broken = list(self.find_broken(cast, first))
        if not most:
            return Preflight(broken, [])
        other = replace(self, isolation=replace(self.isolation, forks_python=False))
        second = other.trial(cast, key, script=first.answers, without=first.failed)
        return Preflight(broken, [cast[seat].name for seat in first.differing_seats(second)])

    def trial(
        self,
        cast: Sequence[Bot],
        key: Key,
        most: int = 0,
        script: Sequence[Answers] = (),
        without: Container[int] = (),
    ) -> _Trial:
        """Start the bots of a group, except at seats `without`; ask up to `most` first questions of a match.

        With a `script` the match uses the script's answers and ends after the last. Without `most` and `script` only
        bots without a handshake get a question: the first. The `key` should be new, so that no bot can recognise a
        trial by the seed.
        """
        batch = Batch(self.game, self.settings, len(cast), [key.dice])
        seating = Seating(
            batch, [bot.name for bot in cast], self.time_control, self.ruleset, isolation=self.isolation
        )
        bots = {seat: bot for seat, bot in enumerate(cast) if seat not in without}
        seeds = {seat: key.bot(1, seat) for seat in bots}
        seated = seating.seat(bots, seeds)
        silent = {seat for seat, bot in seated.items() if not bot.conversation.protocol.handshake}
        with Referee(seated, self.time_control) as referee:
            referee.start({seat: seating.match_info(seat, seed) for seat, seed in seeds.items()})
            failed = {seat for seat, bot in seated.items() if bot.conversation.gone}
            seats: list[Array] = []
            given: list[Answers] = []
            end = time.monotonic() + QUESTION_SECONDS
            while (observations := batch.observations) is not None:
                answers = no_answers(observations, batch.nobody_gone())
                referee.ask(observations, answers, batch.turn + 1, None if most or script else silent)
                if not given:
                    failed |= {seat for seat in silent if seated[seat].conversation.gone}
                seats.append(observations.seat.copy())
                given.append(deepcopy(answers))
                if len(given) >= (len(script) or most) or (not script and time.monotonic() > end):
                    break
                batch.answer(script[len(given) - 1] if script else answers)
            referee.bye(batch.scores())
        return _Trial(seated, failed, seats, given)

    def find_broken(self, cast: Sequence[Bot], trial: _Trial) -> Iterator[Broken]:
        """Yield the bots of a group that did not start in a trial, and the reasons."""
        for seat, bot in trial.seated.items():
            if seat in trial.failed:
                fault_report = next(reversed(bot.conversation.fault_reports.values()))
                yield Broken(cast[seat], *self._reason(cast[seat], bot.process, fault_report))

    def _reason(
        self, bot: Bot, process: BotProcess, fault_report: FaultReport
    ) -> tuple[str, FaultReport, Sequence[str]]:
        """Return why a bot did not start (as far as known), the fault, and hints."""
        program = bot.argv[0]
        is_own = Path(program).is_relative_to(bot.folder)
        if os.path.isabs(program) and not is_own and not self.isolation.can_execute(program, bot.folder, bot.reads):
            shown = f"KOTH_ALLOW_READ={shell_word(Path(program).parent)}"
            reason = (
                f"{program} can't be reached from inside the sandbox, which shows /usr, Python environments and "
                f"the bot's folder; show its folder: {shown}, install it there, or choose "
                "another: KOTH_INTERPRETERS=python=/usr/bin/python3"
            )
            return reason, fault_report, ()
        text = fault_report.text
        if self.isolation.is_at_least("strong"):  # a further trial shows whether forking was the reason
            text = text.removesuffix(FORK_ADVICE) + (FORK_ADVICE if self._needs_processes(bot, fault_report) else "")
        end = f" ({fault_report.ending})" if fault_report.ending else ""
        stderr = process.stderr.text().decode(errors="replace").strip()[-2000:]
        hints = start_hints(bot, fault_report, stderr, self.isolation)
        reason = "\n".join([f"{fault_report.kind}: {text}{end}", *([stderr] if stderr else []), *hints])
        return reason, fault_report, hints

    def _needs_processes(self, bot: Bot, fault_report: FaultReport) -> bool:
        """Return whether a bot starts if it may start other programs.

        Do not try a late bot: a second start is faster in any case.
        """
        if bot.policy.processes or fault_report.kind == "late":
            return False
        free = replace(bot, policy=replace(bot.policy, processes=True))
        cast = [free] * self.game.seats.start
        trial = self.trial(cast, key_of(None))
        return not any(seat in trial.failed for seat in trial.seated)
