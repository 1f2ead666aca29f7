"""One match: ask, collect answers, advance, record; without knowledge of any game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from koth.engine.batch import Batch
from koth.engine.secret import Key, key_of
from koth.errors import KothError
from koth.game import Answers, Game, Observations, TimeControl, no_answers
from koth.games import package_of
from koth.protocol.drawings import Drawing, check_drawings
from koth.replay.writer import Recording, final_scores
from koth.sandbox.command import Overloaded
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import PLAIN, Isolation
from koth.session.bot import Bot
from koth.session.conversation import Limits
from koth.session.cost import CostLog
from koth.session.faults import FaultReport
from koth.session.local import LocalBot, LocalSeat
from koth.session.referee import Referee
from koth.session.seats import SeatedBot, Seating
from koth.session.stderr import TurnOffset
from koth.warmup import compile_once

Entrant = Bot | LocalBot


class StopMatch(Exception):
    """Raised by an `on_turn` callback to end the match."""


NOTES = 1 << 22
"""The largest size in bytes of the JSON of a bot's notes and drawings in one match; more is dropped."""


@dataclass
class BotReport:
    """The report on one bot of a match, without the score; `fault_reports` has the first fault of each kind."""

    fault_reports: dict[str, FaultReport] = field(default_factory=dict)
    stderr: bytes = b""
    turn_offsets: Sequence[TurnOffset] = ()
    """The position in the bot's stderr at which each turn begins."""
    notes: list[tuple[int, Any]] = field(default_factory=list)
    """The bot's notes for its author, as JSON, with their turns (from 1); up to `NOTES` bytes."""
    drawings: list[tuple[int, list[Drawing], str]] = field(default_factory=list)
    """The bot's drawings for its author, with their turns (from 1), and a mark if some were dropped; up to `NOTES`
    bytes together with the notes.
    """
    start_seconds: float = 0.0
    times: CostLog = field(default_factory=CostLog)
    memory: int = 0
    _noted: int = 0

    def take(self, seat: SeatedBot) -> None:
        """Copy the results of a bot that ran as a process."""
        bot, process = seat.conversation, seat.process
        self.fault_reports, self.start_seconds, self.times = bot.fault_reports, bot.start_seconds, bot.costs
        self.stderr, self.turn_offsets = process.stderr.text(), process.stderr.turn_offsets()
        self.memory = process.memory

    def note(self, turn: int, note: Any) -> None:
        """Add a note, unless the size limit is reached."""
        self._noted += len(orjson.dumps(note))
        if self._noted <= NOTES:
            self.notes.append((turn, note))

    def draw(self, turn: int, drawn: Any) -> None:
        """Add the valid drawings, unless the size limit is reached."""
        kept, lost = check_drawings(drawn)
        self._noted += len(orjson.dumps([kept, lost]))
        if self._noted <= NOTES and (kept or lost):
            self.drawings.append((turn, kept, lost))

    @property
    def faults(self) -> dict[str, int]:
        """The number of the bot's faults of each kind."""
        return {kind: fault_report.count for kind, fault_report in sorted(self.fault_reports.items())}


@dataclass
class Result:
    """The result of a match. `scores` has the bots in seat order, then the game's own players (such as prey)."""

    turns: int
    scores: dict[str, float]
    records: dict[str, BotReport]
    voids: dict[str, int] = field(default_factory=dict)
    """The number of earlier tries that were void because other processes kept this bot from its core."""
    digest: str = ""
    """The digest of the replay's text without the key; empty if no replay was written."""
    was_left: bool = False
    """True if the match was played for one bot only, and ended when that bot was out."""


def replay_header(
    game: Game, ruleset: str, settings: Any, entrants: Sequence[Entrant], match: int = 1, max_turns: int | None = None
) -> dict[str, Any]:
    """Return the first line of a replay, without the match info; `max_turns` is the limit on turns, if any.

    For a game of another package, that package is recorded.
    """
    package = package_of(game)
    return {
        "game": game.name,
        **({} if package["name"] == "koth" or not package["version"] else {"package": package}),
        "version": game.version,
        "ruleset": ruleset,
        "settings": asdict(settings),
        "match": match,
        "bots": [{"name": entrant.name, "hash": entrant.digest} for entrant in entrants],
        **({} if max_turns is None else {"turns": max_turns}),
    }


@dataclass(frozen=True)
class Hosting:
    """The choices of a match's host.

    `match` is its number in the contest, `ruleset` the name of its settings; without a `time_control` the game's
    default applies. The replay is written to `replay` if given; with `frames` it has frames, with `reveal_key` the
    key.
    """

    match: int = 1
    ruleset: str = ""
    time_control: TimeControl | None = None
    limits: Limits = field(default_factory=Limits)
    isolation: Isolation = PLAIN
    replay: Path | None = None
    frames: bool = True
    reveal_key: bool = True


@dataclass(frozen=True)
class Watching:
    """Callbacks and limits for watching a match.

    `on_turn` is called with the number of finished turns, and ends the match by raising StopMatch; `on_wait` with the
    name of a bot that other processes keep from its core, and its delay in seconds so far. The match ends after
    `max_turns` turns; with `only_for` when the bot of this name is out: dead, or with no unit that can be asked.
    """

    on_turn: Callable[[int], None] | None = None
    on_wait: Callable[[str, float], None] | None = None
    max_turns: int | None = None
    only_for: str | None = None


DEFAULT_HOSTING, UNWATCHED = Hosting(), Watching()


def play(
    game: Game,
    settings: Any,
    entrants: Sequence[Entrant],
    seed: int | Key,
    hosting: Hosting = DEFAULT_HOSTING,
    watching: Watching = UNWATCHED,
) -> Result:
    """Play one match between entrants in seat order.

    `seed` is the key of the match's seed group; a number plays the first match of a contest with that seed. Raises
    ArenaError if the arena (not a bot) fails, SettingsError if the settings can't be played, KothError for bots with
    the same name.
    """
    names = [entrant.name for entrant in entrants]
    for name, count in Counter(names).items():
        if count > 1:
            raise KothError(f"{count} bots of this match are called {name}: give each its own name")
    compile_once(game)
    seats, key = len(entrants), key_of(seed)
    for bot in entrants:
        if isinstance(bot, Bot):
            bot.check_seal(hosting.isolation)
    records = {name: BotReport() for name in names}
    batch = Batch(game, settings, seats, [key.dice])
    batch.max_turns = watching.max_turns
    time_control = hosting.time_control or game.time_control
    seating = Seating(batch, names, time_control, hosting.ruleset, hosting.limits, hosting.isolation)
    seeds = {seat: key.bot(hosting.match, seat) for seat in range(seats)}
    match_info = {seat: seating.match_info(seat, seed) for seat, seed in seeds.items()}
    seated = seating.seat({seat: bot for seat, bot in enumerate(entrants) if isinstance(bot, Bot)}, seeds)
    recording = None

    def waits(seat: int, seconds: float) -> None:
        if watching.on_wait is not None:
            watching.on_wait(names[seat], seconds)

    try:
        if hosting.replay is not None:
            header = replay_header(game, hosting.ruleset, settings, entrants, hosting.match, watching.max_turns)
            recording = Recording(hosting.replay, header, batch, frames=hosting.frames)
        with Referee(seated, time_control, waits) as referee:
            loop = _MatchLoop(entrants, referee, match_info, list(records.values()), recording, batch)
            with suppress(StopMatch):
                loop.play(watching)
            referee.bye(batch.scores())
        for seat, taken in seated.items():
            records[names[seat]].take(taken)
        for number, local in loop.local.items():
            records[names[number]].fault_reports = local.fault_reports
        digest = recording.finish(key if hosting.reveal_key else None) if recording is not None else ""
        return Result(batch.turn, final_scores(batch, names), records, digest=digest, was_left=loop.was_left)
    except Overloaded as error:
        error.name = names[error.seat]
        raise
    except OSError as error:
        raise ArenaError(f"{error.filename or hosting.replay or 'the arena'}: {error.strerror or error}") from error
    finally:
        if recording is not None:
            recording.abandon()


@dataclass
class _MatchLoop:
    """The questions and answers of one match."""

    entrants: Sequence[Entrant]
    referee: Referee
    match_info: Mapping[int, Mapping[str, Any]]
    records: Sequence[BotReport]
    recording: Recording | None
    batch: Batch
    local: dict[int, LocalSeat] = field(default_factory=dict)
    """The bots of this process, by seat."""
    was_left: bool = False

    def play(self, watching: Watching) -> None:
        """Ask and answer until the match is over, or a watcher ends it."""
        batch = self.batch
        names = [entrant.name for entrant in self.entrants]
        only_for = None if watching.only_for is None else names.index(watching.only_for)
        early = [seat for seat, bot in self.referee.seats.items() if bot.conversation.protocol.bye_when_out]

        def turn_over() -> None:
            if self.recording is not None:
                self.recording.record_turn()
            if watching.on_turn is not None:
                watching.on_turn(batch.turn)
            for seat in early:
                if self._is_out(seat):
                    self.referee.dismiss(seat, batch.scores())
            if only_for is not None and self._is_out(only_for):
                self.was_left = True
                raise StopMatch

        batch.on_turn = turn_over
        for seat, entrant in enumerate(self.entrants):
            if not isinstance(entrant, Bot):
                self.local[seat] = entrant.seat(batch.game, batch.settings, batch.seats, self.match_info[seat])
        self.referee.start(self.match_info)
        while (observations := batch.observations) is not None:
            answers = self.ask(observations)
            if self.recording is not None:
                self.recording.record_question(observations, answers)
            for (_, seat), note in answers.notes.items():
                self.records[seat].note(batch.turn + 1, note)
            for (_, seat), drawn in answers.drawn.items():
                self.records[seat].draw(batch.turn + 1, drawn)
            batch.answer(answers)
        for local in self.local.values():
            local.bye(batch.scores())

    def _is_out(self, seat: int) -> bool:
        """Return whether a bot will never be asked again although the match is not over."""
        batch = self.batch
        is_gone = seat in self.referee.gone.nonzero()[0]
        return (is_gone or not batch.can_ask(seat)) and not batch.game.over(batch.state)[0]

    def ask(self, observations: Observations) -> Answers:
        """Return the answers of all bots to one question."""
        batch, turn = self.batch, self.batch.turn + 1
        answers = no_answers(observations, batch.nobody_gone())
        if not self.local:
            self.referee.ask(observations, answers, turn)
            return answers
        row_ranges = {seat: row_range for seat, row_range in observations.row_ranges(0).items() if seat in self.local}
        rows = dict(zip(row_ranges, observations.parts(list(row_ranges.values())), strict=True))
        for seat, own in rows.items():
            self.local[seat].put(own, batch)
        if self.referee.seats:
            self.referee.ask(observations, answers, turn)
        for seat, own in rows.items():
            self.local[seat].answer(own, turn).write(answers, seat, row_ranges[seat])
        for seat, local in self.local.items():
            answers.gone[0, seat] = local.gone
        return answers
