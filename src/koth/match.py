"""One match: ask, wait, hear, advance, record. It knows no game by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from koth.engine.batch import Batch
from koth.engine.secret import Key, key_of
from koth.errors import KothError
from koth.game import Answers, Asks, Budgets, Game, no_answers
from koth.games import package_of
from koth.protocol.drawings import Drawing, kept_drawings
from koth.protocol.wires import Answer
from koth.replay.writer import Recording, final_scores
from koth.sandbox.command import Overloaded
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import PLAIN, Isolation
from koth.session.bot import Bot
from koth.session.cpu_time import CostLog
from koth.session.person import Person
from koth.session.referee import Referee
from koth.session.session import BotSession, Limits, Trouble
from koth.session.stderr import Mark
from koth.warmup import compile_once


@dataclass(frozen=True)
class Inline:
    """A bot inside this process: a function on arrays, for samples, tests and learning.

    `act(asks, facts)` gets the rows of this bot (`asks.view`) and what the game told it once, and returns the
    answer's fields by name; fields left out hold their defaults.
    """

    name: str
    act: Callable[[Asks, Mapping[str, Any]], Mapping[str, Any]]
    digest: str = "inline"


Entrant = Bot | Inline | Person


class Enough(Exception):
    """Raised by an `on_turn`: the match ends here."""


NOTES = 1 << 22
"""Bytes of JSON that a bot's notes and drawings of one match may have; what is more is dropped."""


@dataclass
class Record:
    """What one bot leaves of a match beside its score; `troubles` has the first fault of each kind."""

    troubles: dict[str, Trouble] = field(default_factory=dict)
    stderr: bytes = b""
    marks: Sequence[Mark] = ()
    """Of its stderr: in which turn what of it came."""
    notes: list[tuple[int, Any]] = field(default_factory=list)
    """What it noted for its author, JSON, with the turns finished by then; as much as `NOTES` holds."""
    drawings: list[tuple[int, list[Drawing], str]] = field(default_factory=list)
    """What it drew for its author, with the turns finished by then, and why not all of it was kept; as much as
    `NOTES` holds, notes and all."""
    start_seconds: float = 0.0
    times: CostLog = field(default_factory=CostLog)
    memory: int = 0
    _noted: int = 0

    def take(self, session: BotSession, times: CostLog) -> None:
        """Keep what a bot leaves that was reached as a process."""
        self.troubles = session.troubles
        self.stderr, self.marks = session.process.stderr.text(), session.process.stderr.marks()
        self.start_seconds, self.times, self.memory = session.start_seconds, times, session.process.memory

    def note(self, turn: int, note: Any) -> None:
        """Keep what it noted, unless it is too much."""
        self._noted += len(orjson.dumps(note))
        if self._noted <= NOTES:
            self.notes.append((turn, note))

    def draw(self, turn: int, told: Any) -> None:
        """Keep those of its drawings that are some, unless it is too much."""
        kept, lost = kept_drawings(told)
        self._noted += len(orjson.dumps([kept, lost]))
        if self._noted <= NOTES and (kept or lost):
            self.drawings.append((turn, kept, lost))

    @property
    def faults(self) -> dict[str, int]:
        """How often each kind of fault happened."""
        return {kind: trouble.count for kind, trouble in sorted(self.troubles.items())}


@dataclass
class Result:
    """How a match ended. `scores` has the bots in seat order, then who else scores (prey, for instance)."""

    turns: int
    scores: dict[str, float]
    records: dict[str, Record]
    voids: dict[str, int] = field(default_factory=dict)
    """Tries before this one that were void because the machine kept this bot from its work."""
    digest: str = ""
    """Of the replay, its key left out; empty where none was written."""
    was_left: bool = False
    """It was played for one bot, and ended when that was out."""


def replay_header(
    game: Game, ruleset: str, settings: Any, entrants: Sequence[Entrant], match: int = 0, turns: int | None = None
) -> dict[str, Any]:
    """The first line of a replay (its facts are added when the match starts); `turns` if it ends after so many.

    A game that koth does not bring itself is told with its package.
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
        **({} if turns is None else {"turns": turns}),
    }


def play(
    game: Game,
    settings: Any,
    entrants: Sequence[Entrant],
    seed: int | Key,
    *,
    match: int = 0,
    ruleset: str = "",
    replay: Path | None = None,
    frames: bool = True,
    tell_key: bool = True,
    budgets: Budgets | None = None,
    limits: Limits | None = None,
    isolation: Isolation = PLAIN,
    on_turn: Callable[[int], None] | None = None,
    on_wait: Callable[[str, float], None] | None = None,
    turns: int | None = None,
    only_for: str | None = None,
) -> Result:
    """Play one match, or its first `turns` turns; its replay is written to `replay` if given.

    `seed` is the key of its block and `match` its number in the contest; a plain number is played like the first
    match of a contest with that seed. The replay has frames unless they are not wanted, and the key unless that may
    not be told yet. `on_wait` is told which bot is kept from its core by other processes, and for how many seconds.

    `on_turn` is told how many turns are finished, and ends the match with `Enough`. With `only_for` it ends as soon
    as the bot of this name is out: dead, or with no body that can still be asked.

    Raises ArenaError when the arena (not a bot) fails, SettingsError when the settings can't be played.
    """
    compile_once(game)
    seats, key = len(entrants), key_of(seed)
    for bot in entrants:
        if isinstance(bot, Bot):
            bot.check_seal(isolation)
    sessions = {
        seat: BotSession(
            bot.command(key.bot(match, seat)),
            bot.open_wire(game, settings, seats),
            limits or Limits(),
            isolation,
        )
        for seat, bot in enumerate(entrants)
        if isinstance(bot, Bot)
    }
    records = {entrant.name: Record() for entrant in entrants}
    batch = Batch(game, settings, seats, [key.dice])
    batch.most = turns
    budgets = budgets or game.budgets
    names = [entrant.name for entrant in entrants]
    facts = {
        seat: bot_facts(game, settings, ruleset, batch, seat, names, budgets, key.bot(match, seat))
        for seat in range(seats)
    }
    recording = None

    def waits(seat: int, seconds: float) -> None:
        if on_wait is not None:
            on_wait(names[seat], seconds)

    try:
        if replay is not None:
            header = replay_header(game, ruleset, settings, entrants, match, turns)
            recording = Recording(replay, header, batch, frames=frames)
        with Referee(sessions, budgets, waits) as referee:
            seating = _Seating(entrants, referee, facts, records, recording, batch)
            with suppress(Enough):
                seating.play(on_turn, None if only_for is None else names.index(only_for))
            referee.bye()
        for seat, session in sessions.items():
            records[names[seat]].take(session, referee.costs(seat))
        for seat, person in seating.people.items():
            records[names[seat]].troubles = person.troubles
        digest = recording.end(key if tell_key else None) if recording is not None else ""
        return Result(batch.turn, final_scores(batch, names), records, digest=digest, was_left=seating.was_left)
    except Overloaded as error:
        error.name = names[error.seat]
        raise
    except OSError as error:
        raise ArenaError(f"{error.filename or replay or 'the arena'}: {error.strerror or error}") from error
    finally:
        if recording is not None:
            recording.abandon()


def bot_facts(
    game: Game,
    settings: Any,
    ruleset: str,
    batch: Batch,
    seat: int,
    names: Sequence[str],
    budgets: Budgets,
    seed: int,
) -> dict[str, Any]:
    """What one bot is told once: what the game says, and what every game's bots are told; `seed` is its own.

    Raises KothError where the game calls something of its own by a name of the latter.
    """
    told = {
        "game": game.name,
        "ruleset": ruleset,
        "seat": seat,
        "names": list(names),
        "seed": seed,
        "seconds": budgets.question,
        "bank": budgets.bank,
        "strikes": budgets.late_in_a_row,
    }
    facts = game.facts(settings, batch.state, 0, seat)
    if not told.keys().isdisjoint(facts):
        taken = ", ".join(sorted(told.keys() & facts.keys()))
        raise KothError(f"the game {game.name} tells its bots a fact called {taken}: koth tells them this itself")
    return told | facts


class _Seating:
    """The bots of one match at their seats, while it is played."""

    def __init__(
        self,
        entrants: Sequence[Entrant],
        referee: Referee,
        facts: Mapping[int, Mapping[str, Any]],
        records: Mapping[str, Record],
        recording: Recording | None,
        batch: Batch,
    ) -> None:
        self.entrants = entrants
        self.referee = referee
        self.facts = facts
        self.records = records
        self.recording = recording
        self.batch = batch
        self.people = {seat: entrant for seat, entrant in enumerate(entrants) if isinstance(entrant, Person)}
        self.others = {seat for seat in range(len(entrants)) if seat not in referee.sessions}
        """The seats of those that are no processes."""
        self.was_left = False

    def play(self, on_turn: Callable[[int], None] | None, only_for: int | None) -> None:
        """Ask and answer until the match is over, or the bot at this seat is out."""
        batch = self.batch

        def turn_over() -> None:
            if self.recording is not None:
                self.recording.turn_over()
            if on_turn is not None:
                on_turn(batch.turn)
            if only_for is not None and self._is_out(only_for):
                self.was_left = True
                raise Enough

        batch.on_turn = turn_over
        for seat, person in self.people.items():
            person.start(self.facts[seat])
        self.referee.start(self.facts)
        while (asks := batch.asks) is not None:
            answers = self.ask(asks)
            if self.recording is not None:
                self.recording.asked(asks, answers)
            for (_, seat), note in answers.notes.items():
                self.records[self.entrants[seat].name].note(batch.turn, note)
            for (_, seat), drawn in answers.drawn.items():
                self.records[self.entrants[seat].name].draw(batch.turn, drawn)
            batch.answer(answers)
        for person in self.people.values():
            person.bye()

    def _is_out(self, seat: int) -> bool:
        """Whether a bot is never asked again in a match that is not over."""
        batch = self.batch
        own = batch.game.agents(batch.settings, batch.seats).seat == seat
        living = batch.game.alive(batch.settings, batch.state)[0, own].any()
        return (seat in self.referee.gone.nonzero()[0] or not living) and not batch.game.over(batch.state)[0]

    def ask(self, asks: Asks) -> Answers:
        """The answers of all bots to one question."""
        answers = no_answers(asks, self.batch.nobody_gone())
        if self.others:
            self._ask_the_others(asks, answers)
        else:
            self.referee.ask(asks, answers, self.batch.turn)
        for seat, person in self.people.items():
            answers.gone[0, seat] = person.gone
        return answers

    def _ask_the_others(self, asks: Asks, answers: Answers) -> None:
        """Ask everybody, those included that are no processes."""
        spans = {seat: span for seat, span in asks.spans(0).items() if seat in self.others}
        rows = dict(zip(spans, asks.parts(list(spans.values())), strict=True))
        asked = {seat: person for seat, person in self.people.items() if seat in rows}
        for seat, person in asked.items():
            person.put(rows[seat], self.batch.turn)
        self.referee.ask(asks, answers, self.batch.turn)
        for seat, own in rows.items():
            answer = asked[seat].answer(own) if seat in asked else self._inline(self.entrants[seat], seat, own)
            answer.write(answers, seat, spans[seat])

    def _inline(self, entrant: Entrant, seat: int, asks: Asks) -> Answer:
        """Ask a bot inside this process: its exceptions are the caller's to see."""
        assert isinstance(entrant, Inline)
        answer = Answer.default(asks)
        for name, values in entrant.act(asks, self.facts[seat]).items():
            answer.fields[name][...] = values
        return answer
