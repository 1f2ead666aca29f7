"""One match: ask, wait, hear, advance, record. It knows no game by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from koth.bots.bot import Bot
from koth.bots.clock import Times
from koth.bots.command import ArenaError
from koth.bots.guest import Guest, Limits, Trouble
from koth.bots.hearing import Overloaded
from koth.bots.panel import Panel
from koth.bots.person import Person
from koth.bots.sandbox.isolation import PLAIN, Isolation
from koth.bots.stderr import Mark
from koth.bots.wires import Answer
from koth.first_start import compile_once
from koth.game import Answers, Asks, Batch, Budgets, Game, no_answers, state_hash
from koth.replay import Recorder
from koth.rng import derive


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


@dataclass
class Record:
    """What one bot leaves of a match beside its score; `troubles` has the first fault of each kind."""

    troubles: dict[str, Trouble] = field(default_factory=dict)
    stderr: bytes = b""
    marks: Sequence[Mark] = ()
    """Of its stderr: in which turn what of it came."""
    start_seconds: float = 0.0
    times: Times = field(default_factory=Times)
    memory: int = 0

    @classmethod
    def of(cls, guest: Guest, times: Times) -> Record:
        """What a bot leaves that was reached as a process."""
        stderr, memory = guest.program.stderr, guest.program.memory
        return cls(guest.troubles, stderr.text(), stderr.marks(), guest.start_seconds, times, memory)

    @property
    def faults(self) -> dict[str, int]:
        """How often each kind of fault happened."""
        return {kind: trouble.count for kind, trouble in sorted(self.troubles.items())}


@dataclass
class Result:
    """How a match ended. `scores` has the bots in seat order, then who else scores (prey, for instance)."""

    seed: int
    turns: int
    scores: dict[str, float]
    records: dict[str, Record]
    voids: dict[str, int] = field(default_factory=dict)
    """Tries before this one that were void because the machine kept this bot from its work."""


def replay_header(game: Game, ruleset: str, settings: Any, seed: int, entrants: Sequence[Entrant]) -> dict[str, Any]:
    """The first line of a match's replay (its facts are added when the match starts)."""
    return {
        "game": game.name,
        "version": game.version,
        "ruleset": ruleset,
        "settings": asdict(settings),
        "seed": seed,
        "bots": [{"name": entrant.name, "hash": entrant.digest} for entrant in entrants],
    }


def play(
    game: Game,
    settings: Any,
    entrants: Sequence[Entrant],
    seed: int,
    *,
    ruleset: str = "",
    replay: Path | None = None,
    budgets: Budgets | None = None,
    limits: Limits | None = None,
    isolation: Isolation = PLAIN,
    on_turn: Callable[[int], None] | None = None,
    on_wait: Callable[[str, float], None] | None = None,
    turns: int | None = None,
) -> Result:
    """Play one match, or its first `turns` turns; its replay is written to `replay` if given.

    `on_wait` is told which bot is kept from its core by other processes, and for how many seconds by now.
    Raises ArenaError when the arena (not a bot) fails, SettingsError when the settings can't be played.
    """
    compile_once(game)
    seats = len(entrants)
    for bot in entrants:
        if isinstance(bot, Bot):
            bot.check_seal(isolation)
    guests = {
        seat: Guest(
            bot.command(derive(seed, "bot", seat)),
            bot.open_wire(game, settings, seats),
            limits or Limits(),
            isolation,
        )
        for seat, bot in enumerate(entrants)
        if isinstance(bot, Bot)
    }
    records = {entrant.name: Record() for entrant in entrants}
    batch = Batch(game, settings, seats, [seed])
    budgets = budgets or game.budgets
    names = [entrant.name for entrant in entrants]
    facts = {seat: bot_facts(game, settings, ruleset, batch, seat, names, budgets) for seat in range(seats)}
    recorder = None

    def waits(seat: int, seconds: float) -> None:
        if on_wait is not None:
            on_wait(names[seat], seconds)

    try:
        if replay is not None:
            header = replay_header(game, ruleset, settings, seed, entrants)
            recorder = Recorder(replay, {**header, "facts": game.facts(settings, batch.state, 0, 0)})
        with Panel(guests, budgets, waits) as panel:
            seating = _Seating(game, settings, entrants, panel, facts, records, recorder, batch)
            seating.play(on_turn, turns)
            panel.bye()
        for seat, guest in guests.items():
            records[names[seat]] = Record.of(guest, panel.times(seat))
        for seat, person in seating.people.items():
            records[names[seat]] = Record(person.troubles)
        scores = dict(zip(records, game.scores(settings, batch.state)[0].tolist(), strict=True))
        scores.update(game.extra_scores(settings, batch.state, 0))
        if recorder is not None:
            faults = {name: record.faults for name, record in records.items() if record.faults}
            recorder.result({"turns": batch.turn, "scores": scores, "faults": faults})
        return Result(seed, batch.turn, scores, records)
    except Overloaded as error:
        error.name = names[error.seat]
        raise
    except OSError as error:
        raise ArenaError(f"{error.filename or replay or 'the arena'}: {error.strerror or error}") from error
    finally:
        if recorder is not None:
            recorder.abandon()


def bot_facts(
    game: Game, settings: Any, ruleset: str, batch: Batch, seat: int, names: Sequence[str], budgets: Budgets
) -> dict[str, Any]:
    """What one bot is told once: what the game says, and what every game's bots are told."""
    return {
        "game": game.name,
        "ruleset": ruleset,
        "seat": seat,
        "names": list(names),
        "seed": derive(int(batch.state.seed[0]), "bot", seat),
        "seconds": budgets.question,
        "bank": budgets.bank,
        "strikes": budgets.late_in_a_row,
        **game.facts(settings, batch.state, 0, seat),
    }


class _Seating:
    """The bots of one match at their seats, while it is played."""

    def __init__(
        self,
        game: Game,
        settings: Any,
        entrants: Sequence[Entrant],
        panel: Panel,
        facts: Mapping[int, Mapping[str, Any]],
        records: Mapping[str, Record],
        recorder: Recorder | None,
        batch: Batch,
    ) -> None:
        self.game = game
        self.settings = settings
        self.entrants = entrants
        self.panel = panel
        self.facts = facts
        self.records = records
        self.recorder = recorder
        self.batch = batch
        self.people = {seat: entrant for seat, entrant in enumerate(entrants) if isinstance(entrant, Person)}
        self.others = {seat for seat in range(len(entrants)) if seat not in panel.guests}
        """The seats of those that are no processes."""

    def play(self, on_turn: Callable[[int], None] | None, turns: int | None) -> None:
        """Ask and answer until the match is over, or so many turns have been played."""
        batch = self.batch
        self._record_frame()

        def turn_over() -> None:
            self._record_frame()
            if on_turn is not None:
                on_turn(batch.turn)

        batch.on_turn = turn_over
        for seat, person in self.people.items():
            person.start(self.facts[seat])
        self.panel.start(self.facts)
        while (turns is None or batch.turn < turns) and batch.asks is not None:
            answers = self.ask(batch.asks)
            if self.recorder is not None:
                self.recorder.asked(batch.asks, answers)
            batch.answer(answers)
        for person in self.people.values():
            person.bye()

    def _record_frame(self) -> None:
        if self.recorder is not None:
            state = self.batch.state
            frame = self.game.frame(self.settings, state, 0)
            self.recorder.frame(self.batch.turn, frame, state_hash(self.game, state, 0))

    def ask(self, asks: Asks) -> Answers:
        """The answers of all bots to one question."""
        answers = no_answers(asks, self.batch.nobody_gone())
        if self.others:
            self._ask_the_others(asks, answers)
        else:
            self.panel.ask(asks, answers, self.batch.turn)
        for seat in self.panel.gone:
            answers.gone[0, seat] = True
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
        self.panel.ask(asks, answers, self.batch.turn)
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
