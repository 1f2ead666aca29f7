"""The plain form of a game: one match as a Python object, for games that are written in an afternoon.

    class Gold(Match[Settings]):        # its annotated fields are the state: plain data
        score: list[int]

        def reset(self): ...            # the start of a match
        def observe(self, seat): ...    # what a bot is shown: a value for each field that the question declares
        def step(self, actions): ...    # one turn: what each bot that was asked answers
        def is_over(self): ...

`PlainGame` makes of such a class a `koth.game.Game`, so all of koth works for it. Between two turns nothing
is kept but the state, as canonical JSON: so a match can be copied, hashed and played again. It is not fast.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple, NoReturn, TypeVar

import numpy as np

from koth.engine.cpu_limit import OverLimit, cpu_limit
from koth.engine.guarded import described, folder_of, line_of, place_of, sentence
from koth.engine.plain_data import PlainType, short, types_of
from koth.engine.plain_returns import Check, awaited, json_object, nothing, scores_of, seats_of, truth, truths
from koth.engine.plain_returns import events as checked_events
from koth.errors import GameError, KothError, choices
from koth.events import default_events
from koth.game import Array, Buffers, Event, Field, Observations, Question, Turn
from koth.games.defaults import SIZES, Defaults
from koth.protocol.declared import read, written
from koth.protocol.shapes import lettered
from koth.rng import draw

Settings = TypeVar("Settings")

LIMIT = 60.0
"""Seconds of CPU time that one call of a game's method may take."""
PLACES = ("x", "y", "seat", "reach")
"""Lists of a frame that are arrays, as are all named `..._x` and `..._y`; others may be columns of the standings."""


class Dice:
    """The random numbers of one turn of one match: each has an address, and depends on nothing else."""

    def __init__(self, seed: int, turn: int) -> None:
        self._seed, self._turn = seed, turn
        self._drawn: set[tuple[int, int]] = set()

    def integer(self, phase: int, index: int, n: int) -> int:
        """Return a uniform number below `n`. Raises ValueError for an address that was drawn in this turn before."""
        if (phase, index) in self._drawn:
            raise ValueError(
                f"dice ({phase}, {index}) are drawn twice in a turn: give each draw of a phase its index"
            )
        if not 1 <= n <= 1 << 31:
            raise ValueError(f"dice ({phase}, {index}): n must be in 1..{1 << 31}, not {n}")
        self._drawn.add((phase, index))
        return int(draw(self._seed, self._turn, phase, index, n))

    def shuffled(self, phase: int, items: Iterable[Any]) -> list[Any]:
        """Return the items in a random order; it takes the indices of `phase` from 0 on, one for each item."""
        found = list(items)
        for k in range(len(found) - 1, 0, -1):
            other = self.integer(phase, k, k + 1)
            found[k], found[other] = found[other], found[k]
        return found


@dataclass
class _Context:
    """The context of a call of a match's method; no part of the state."""

    settings: Any
    seats: int
    turn: int = 0
    dice: Dice | None = None
    gone: list[int] = field(default_factory=list)


class Match(Generic[Settings]):
    """One match: a class of the game's own, whose annotated fields are its state.

    `reset` sets all of them. Methods may change nothing but these fields, and only `reset` and `step` may do so.
    """

    _context: _Context

    @property
    def settings(self) -> Settings:
        """The settings that the match is played with."""
        settings: Settings = self._context.settings
        return settings

    @property
    def seats(self) -> int:
        """The number of bots; they are called by their seats, from 0 on."""
        return self._context.seats

    @property
    def turn(self) -> int:
        """The number of turns; in `step`, the one that is being played counts."""
        return self._context.turn

    @property
    def dice(self) -> Dice:
        """The random numbers of this turn. Raises RuntimeError where nothing may be drawn."""
        if self._context.dice is None:
            raise RuntimeError("dice are drawn in reset and step only: keep what they said in the state")
        return self._context.dice

    @property
    def gone(self) -> Sequence[int]:
        """The seats of bots that are dead for good; in `step` only. Their answers are the defaults."""
        return self._context.gone

    def reset(self) -> None:
        """Set every field of the state to what it is at the start."""
        raise NotImplementedError

    def observe(self, seat: int) -> Mapping[str, Any]:
        """Return what a bot is shown: for each field of the question the value that JSON has."""
        raise NotImplementedError

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        """Play one turn with the answers of the bots that were asked, by seat, each by the names of its fields.

        Values are as declared, names are texts; an answer that is missing or wrong holds the defaults.
        """
        raise NotImplementedError

    def is_over(self) -> bool:
        """Return whether the match is over."""
        raise NotImplementedError

    def scores(self) -> Sequence[float]:
        """Return the score of each seat so far: the field `score`, unless said otherwise."""
        scores: Sequence[float] = self.score  # type: ignore[attr-defined]
        return scores

    def is_alive(self, seat: int) -> bool:
        """Return whether this bot can still be asked in the match: every bot, unless said otherwise."""
        return True

    def question(self) -> str:
        """Return the name of the question that this turn asks; needed where the game has several."""
        return ""

    def asked(self) -> Collection[int]:
        """Return the seats that are asked in this turn: all that are alive, unless said otherwise."""
        return [seat for seat in range(self.seats) if self.is_alive(seat)]

    def match_info(self, seat: int) -> Mapping[str, Any]:
        """Return what the hello of this bot holds: all settings, unless overridden."""
        return asdict(self.settings)  # type: ignore[call-overload,no-any-return]

    def events(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> Sequence[Event]:
        """Return what happened in the turn that is over, between these frames: who is out, unless said otherwise."""
        return default_events(before, now)

    def frame(self) -> Mapping[str, Any]:
        """Return what pictures get, as JSON: the state, unless said otherwise.

        A `list[tuple[int, int]]` of places `(x, y)` becomes two lists: those of `gold` are `gold_x` and `gold_y`. A
        list of dataclasses with fields `x` and `y` becomes a list for each field: `gold_x`, `gold_y`, `gold_value`.
        The first one whose items have a field `seat`, too, are the pieces: `x`, `y`, `seat`, and their other fields.
        """
        types = types_of(type(self), Match)
        found: dict[str, Any] = {}
        for name, one in types.items():
            value = getattr(self, name)
            if one.words == "list[tuple[int, int]]":
                found[f"{name}_x"], found[f"{name}_y"] = [x for x, _ in value], [y for _, y in value]
            elif "x" in one.item_fields and "y" in one.item_fields:
                fields = one.item_fields
                prefix = "" if "seat" in fields and fields.keys().isdisjoint({*found, *types}) else f"{name}_"
                for key, part in fields.items():
                    found[prefix + key] = [part.write(getattr(item, key), key, {}) for item in value]
            else:
                found[name] = one.write(value, name, {})
        return found


class State(NamedTuple):
    """M matches of K bots; what the game itself remembers is `data`."""

    seed: Array  # int64[M]
    turn: Array  # int32[M] turns played
    over: Array  # bool[M]
    alive: Array  # bool[M, K]
    score: Array  # float64[M, K]
    data: Array  # object[M] the fields of the match as canonical JSON: texts, so a copy shares nothing


class PlainGame(Defaults):
    """A game of matches that are Python objects, as the arena knows it: `match` is their class.

    It says what every game says (`koth.games.defaults`), and its `questions`, which have at most a row for each bot.
    """

    name: str
    match: ClassVar[type[Match[Any]]]
    is_plain = True
    """Whether the rules are Python: laws play such games under other hash seeds, too."""

    def __init__(self) -> None:
        if not isinstance(self.match, type) or not issubclass(self.match, Match):
            raise TypeError(f"{type(self).__name__}.match must be a class on Match, not {short(self.match)}")
        if taken := sorted(name for name in self._types if hasattr(Match, name)):
            raise TypeError(f"{self.match.__name__}.{taken[0]}: every match has this itself; choose another name")
        self._frame_arrays: dict[tuple[Any, int], list[str]] = {}

    @property
    def _types(self) -> Mapping[str, PlainType]:
        """The declared fields of the state."""
        return types_of(self.match, Match)

    # --- one match, as tests play it

    def new_match(self, settings: Any, seats: int, seed: int = 0) -> Match[Any]:
        """Return a match at its start."""
        match = self._reset(settings, seats, seed)
        self._written(match)
        return match

    def play(
        self, match: Match[Any], actions: Mapping[int, Mapping[str, Any]], seed: int = 0, gone: Sequence[int] = ()
    ) -> None:
        """Play one turn of a match with these actions; `seed` is that of its dice."""
        self._step(match, actions, seed, gone)
        self._written(match)

    # --- what every game answers

    def initial_state(self, settings: Any, seats: int, seeds: Sequence[int]) -> State:
        matches, each = len(seeds), (len(seeds), seats)
        state = State(
            seed=np.array(seeds, np.int64),
            turn=np.zeros(matches, np.int32),
            over=np.zeros(matches, np.bool_),
            alive=np.zeros(each, np.bool_),
            score=np.zeros(each, np.float64),
            data=np.empty(matches, object),
        )
        for m, seed in enumerate(seeds):
            self._put(state, m, self._reset(settings, seats, int(seed)))
        return state

    def turn(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        """Ask each question of the matches that are at it, and play their turn."""
        matches = {m: self._taken(settings, state, m) for m in range(len(state.seed)) if not state.over[m]}
        questions = {m: self._question(match, buffers.questions) for m, match in matches.items()}
        for name in buffers.questions:
            ours = {m: match for m, match in matches.items() if questions[m] == name}
            rows = [(m, seat) for m, match in ours.items() for seat in self._asked(match, buffers.questions[name])]
            actions: dict[int, dict[int, dict[str, Any]]] = {m: {} for m in ours}
            gone = np.zeros(state.alive.shape, np.bool_)
            if rows:
                answers = yield self._observations(buffers, name, ours, rows)
                gone = answers.gone
                fields = buffers.questions[name].answer
                for row, (m, seat) in enumerate(rows):
                    actions[m][seat] = {key: _said(spec, answers[key][row]) for key, spec in fields.items()}
            for m, match in ours.items():
                if self._written(match) != state.data[m]:
                    words = f"question {name}: observe or asked changed the match: only reset and step may"
                    self._fail(match, "observe", words)
                self._step(match, actions[m], int(state.seed[m]), np.flatnonzero(gone[m]).tolist())
                self._put(state, m, match)

    def match_info(self, settings: Any, state: State, match: int, seat: int) -> dict[str, Any]:
        """Return the answer of the match."""
        info: dict[str, Any] = self._answer(self._taken(settings, state, match), "match_info", json_object, seat)
        return info

    def frame(self, settings: Any, state: State, match: int) -> dict[str, Any]:
        """Return the board's size from the settings, scores, `alive` if bots can die, and the match's own frame."""
        taken = self._taken(settings, state, match)
        frame = {key: getattr(settings, key) for key in SIZES if hasattr(settings, key)}
        frame["score"] = [_short(score) for score in state.score[match].tolist()]
        if self.match.is_alive is not Match.is_alive:
            frame["alive"] = (state.alive[match] + 0).tolist()
        frame |= self._answer(taken, "frame", json_object)
        arrays = [key for key in frame if key in PLACES or key.endswith(("_x", "_y"))]
        known = self._frame_arrays.setdefault((settings, taken.seats), arrays)
        for key in sorted(set(known) ^ set(arrays)):
            words = f"frame has {key} in some turns only: give an empty list where there is nothing"
            self._fail(taken, "frame", words)
        for key in arrays:
            try:
                if not all(isinstance(number, int | np.integer) for number in frame[key]):
                    raise TypeError
                frame[key] = np.array(frame[key], np.int64).reshape(len(frame[key]))
            except (TypeError, ValueError, OverflowError):
                words = f"frame: {key} must be a list of whole numbers, not {short(frame[key])}"
                self._fail(taken, "frame", words)
        return frame

    def events(
        self, settings: Any, state: State, match: int, before: Mapping[str, Any], now: Mapping[str, Any]
    ) -> list[Event]:
        """Return the answer of the match."""
        taken = self._taken(settings, state, match)
        events: list[Event] = self._answer(taken, "events", checked_events, before, now)
        return events

    # --- from the state to a match, and back

    def _made(self, settings: Any, seats: int, turn: int = 0) -> Match[Any]:
        match = self.match.__new__(self.match)
        match._context = _Context(settings, seats, turn)
        return match

    def _reset(self, settings: Any, seats: int, seed: int) -> Match[Any]:
        match = self._made(settings, seats)
        match._context.dice = Dice(seed, 0)
        self._answer(match, "reset", nothing)
        match._context.dice = None
        return match

    def _step(
        self, match: Match[Any], actions: Mapping[int, Mapping[str, Any]], seed: int, gone: Sequence[int]
    ) -> None:
        context = match._context
        context.turn, context.gone = context.turn + 1, list(gone)
        context.dice = Dice(seed, context.turn)
        self._answer(match, "step", nothing, actions)
        context.dice, context.gone = None, []

    def _taken(self, settings: Any, state: State, m: int) -> Match[Any]:
        """Return one match of a batch as an object of its own."""
        match = self._made(settings, state.alive.shape[1], int(state.turn[m]))
        values = json.loads(state.data[m])
        for name, one in self._types.items():
            setattr(match, name, one.read(values[name]))
        return match

    def _written(self, match: Match[Any]) -> str:
        """Return the state of a match as canonical JSON. Raises GameError where it is not as declared."""
        kind, held, method = type(match).__name__, vars(match), "step" if match.turn else "reset"
        for name in held.keys() - self._types.keys() - {"_context"}:
            words = f"{kind}.{name} is not declared: annotate it in the class, or keep it in a variable"
            self._fail(match, method, words)
        seen: dict[int, str] = {}
        values = {}
        for name, one in self._types.items():
            if name not in held:
                self._fail(match, method, f"{kind}.{name} is declared, and reset did not set it")
            try:
                values[name] = one.write(getattr(match, name), f"{kind}.{name}", seen)
            except (ValueError, RecursionError) as error:
                self._fail(match, method, str(error))
        return json.dumps(values, separators=(",", ":"), allow_nan=False)

    def _put(self, state: State, m: int, match: Match[Any]) -> None:
        """Write a match into its place of the batch."""
        state.turn[m], state.data[m] = match.turn, self._written(match)
        state.over[m] = self._answer(match, "is_over", truth)
        state.score[m] = self._answer(match, "scores", scores_of(match.seats))
        alive = [self._call(match, "is_alive", seat) for seat in range(match.seats)]
        state.alive[m] = self._checked(match, "is_alive", truths, alive)

    # --- questions and answers

    def _question(self, match: Match[Any], questions: Mapping[str, Question]) -> str:
        def named(name: Any) -> str:
            if name == "" and len(questions) == 1:
                return next(iter(questions))
            if not isinstance(name, str) or name not in questions:
                there_are = choices(short(name).strip("'"), questions)
                raise ValueError(f"question() must name the question of this turn, not {short(name)}{there_are}")
            return name

        found: str = self._answer(match, "question", named)
        return found

    def _asked(self, match: Match[Any], question: Question) -> list[int]:
        """Return the seats that are asked, in order."""
        value = self._call(match, "asked")
        asked: list[int] = self._checked(match, "asked", seats_of(match.seats, question.name), value)
        if question.units or len(asked) > question.max_rows:
            words = f"question {question.name} must have max_rows={match.seats} and no units: a row for each bot"
            self._fail(match, "asked", words)
        return asked

    def _observations(
        self, buffers: Buffers, name: str, matches: Mapping[int, Match[Any]], rows: Sequence[tuple[int, int]]
    ) -> Observations:
        """Return what the bots of these rows (match, seat) are shown, in the batch's buffers."""
        question = buffers.questions[name]
        shown = [self._observed(matches[m], question, seat) for m, seat in rows]
        counted = {counts: sum(values[counts] for values in shown) for counts in question.counts}
        index, observation = buffers.arrays(name, **counted)
        for row, (m, seat) in enumerate(rows):
            index.match[row], index.seat[row], index.unit[row] = m, seat, 0
        for key in question.observation:
            array = getattr(observation, key)
            if key in question.ragged:
                values = [value for one in shown for value in one[key]]
                array[: len(values)] = values
            else:
                for row, one in enumerate(shown):
                    array[row] = one[key]
        return buffers.observations(name, len(rows), **counted)

    def _observed(self, match: Match[Any], question: Question, seat: int) -> dict[str, Any]:
        """Return a bot's observation as the question declares it: names as their numbers."""
        found: dict[str, Any] = self._answer(match, "observe", observation_of(question), seat)
        return found

    # --- what is wrong with the game

    def _answer(self, match: Match[Any], method: str, check: Check, *arguments: Any) -> Any:
        """Return what a method of the game's own returns, checked. Raises GameError, one line."""
        return self._checked(match, method, check, self._call(match, method, *arguments))

    def _checked(self, match: Match[Any], method: str, check: Check, value: Any) -> Any:
        try:
            return check(value)
        except ValueError as error:
            words = str(error)
            self._fail(match, method, words if words.startswith("question") else sentence(method, words))
        except Exception as error:  # such as a list that contains itself
            self._fail(match, method, f"{method} returned {short(value)}: {type(error).__name__}: {error}")

    def _call(self, match: Match[Any], method: str, *arguments: Any) -> Any:
        """Call a method of the game's own. Raises GameError, one line, where it fails or does not end."""
        try:
            with cpu_limit(LIMIT):
                value = getattr(match, method)(*arguments)
        except (KothError, KeyboardInterrupt):
            raise
        except OverLimit as error:
            words = f"{method} took more than {LIMIT:g} s of CPU time: a loop in it does not end"
            raise GameError(f"{self._at(match)}: {words}{self._place(match, method, error)}") from error
        except NotImplementedError as error:
            self._fail(match, method, f"{method} must be written", error)
        except BaseException as error:
            words = f"{method}: {described(error)}{self._place(match, method, error)}"
            raise GameError(f"{self._at(match)}, {words}") from error
        return self._checked(match, method, awaited, value)

    def _fail(self, match: Match[Any], method: str, words: str, cause: BaseException | None = None) -> NoReturn:
        place = self._place(match, method, cause)
        raise GameError(f"{self._at(match)}: {' '.join(words.split())}{place}") from cause

    def _place(self, match: Match[Any], method: str, error: BaseException | None) -> str:
        """Return file and line of a mistake: where the author's code raised an exception, else the method's own."""
        raised = "" if error is None else line_of(error, folder_of(self.match))
        return raised or place_of(getattr(match, method), self.match)

    def _at(self, match: Match[Any]) -> str:
        return f"the game {self.name}, turn {match.turn}"


def observation_of(question: Question) -> Check:
    """Return the check of what `observe` returns; it gives the numbers of names, and counts ragged fields."""
    where = f"question {question.name}"

    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise ValueError(f"{where}: observe must return a dict of its fields, not {short(value)}")
        given = {key: _listed(one) for key, one in value.items()}
        for key in given.keys() - question.observation.keys():
            words = f"{where}: observe returned {short(key)}, which it does not declare"
            raise ValueError(words + choices(str(key), question.observation))
        found = {}
        for key, spec in question.observation.items():
            if key in given:
                try:
                    found[key] = _shown(key, spec, given[key])
                except ValueError as error:
                    raise ValueError(f"{where}, observe: {error}") from None
            elif key not in question.counts:
                raise ValueError(f"{where}: observe left out its field {key}")
        for key, counts in question.ragged.items():
            if found.setdefault(counts, len(found[key])) != len(found[key]):
                words = f"{key} has {len(found[key])} values, {counts} says {found[counts]}"
                raise ValueError(f"{where}, observe: {words}")
        return found

    return check


def _listed(value: Any) -> Any:
    """Return a value with lists in place of tuples, at every depth."""
    return [_listed(one) for one in value] if isinstance(value, list | tuple) else value


def _shown(key: str, spec: Field, value: Any) -> Any:
    """Return the numbers of a field's value. Raises ValueError with what would be right."""
    if spec.ragged is None:
        return read(key, spec, value)
    if lettered(spec) and isinstance(value, str):
        value = list(value)
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list, not {short(value)}")
    return [read(key, spec, one) for one in value]


def _said(spec: Field, value: Array) -> Any:
    """Return an answer's value as JSON has it: the default where it is not as declared."""
    low, high = spec.bounds
    fits = bool(((value >= low) & (value <= high)).all())
    return written(spec, value if fits else np.full(spec.shape, spec.default, spec.dtype))


def _short(score: float) -> float:
    """Return a score as a whole number if it is one."""
    return int(score) if score.is_integer() else score
