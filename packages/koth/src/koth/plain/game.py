"""A game whose matches are Python objects (`koth.game.Game`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from koth.engine.plain_data import PlainType, shorten
from koth.engine.plain_returns import check_events as checked_events
from koth.engine.plain_returns import check_json_object, check_nothing, check_truth, scores_check, seats_check
from koth.errors import choices
from koth.events import default_events
from koth.game import Array, Buffers, Event, Observations, Question, Turn
from koth.games.defaults import SIZES, Defaults
from koth.plain.calls import MatchCalls
from koth.plain.frames import frame_of
from koth.plain.match import CallContext, Dice, Match
from koth.plain.questions import ObservationReader, actions_of

CANONICAL = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


class PlainState(NamedTuple):
    """M matches of K bots; `data` is the game's own state of each."""

    seed: Array  # int64[M]
    turn: Array  # int32[M] turns played
    over: Array  # bool[M]
    alive: Array  # bool[M, K]
    gone: Array  # bool[M, K] bots that are dead for good, as the answers so far have said
    score: Array  # float64[M, K]
    data: Array  # object[M] the fields of the match as canonical JSON: texts, so a copy shares nothing
    kept: Array  # object[M] the objects that the match keeps, by name


class PlainGame(Defaults):
    """A game whose matches are Python objects of the class `match`.

    The attributes are those of any game (`koth.games.defaults`); the `questions` have at most a row for each bot.
    """

    name: str
    match: ClassVar[type[Match[Any]]]
    is_plain = True
    """True if the rules are plain Python: tests also play such games under other hash seeds."""

    def __init__(self) -> None:
        if not isinstance(self.match, type) or not issubclass(self.match, Match):
            raise TypeError(f"{type(self).__name__}.match must be a class on Match, not {shorten(self.match)}")
        if taken := sorted(name for name in (*self._types, *self.match.kept) if hasattr(Match, name)):
            raise TypeError(f"{self.match.__name__}.{taken[0]}: koth defines this name itself; choose another")
        self._calls = MatchCalls(self.name, self.match)
        self._readers: dict[str, ObservationReader] = {}

    @property
    def _types(self) -> Mapping[str, PlainType]:
        return self.match.state_types()

    def scratch(self) -> frozenset[str]:
        return frozenset({"kept"})

    def carried(self) -> frozenset[str]:
        return frozenset({"kept"})

    # --- one match, as tests play it

    def new_match(self, settings: Any, seats: int, seed: int = 0) -> Match[Any]:
        """Return a match at its start."""
        match = self._reset(settings, seats, seed)
        self._encode_match(match)
        return match

    def play(
        self, match: Match[Any], actions: Mapping[int, Mapping[str, Any]], seed: int = 0, gone: Sequence[int] = ()
    ) -> None:
        """Play one turn of a match with these actions; `seed` is the seed of the match's dice."""
        self._step(match, actions, seed, gone)
        self._encode_match(match)

    # --- what every game answers

    def initial_state(self, settings: Any, seats: int, seeds: Sequence[int]) -> PlainState:
        matches, each = len(seeds), (len(seeds), seats)
        state = PlainState(
            seed=np.array(seeds, np.int64),
            turn=np.zeros(matches, np.int32),
            over=np.zeros(matches, np.bool_),
            alive=np.zeros(each, np.bool_),
            gone=np.zeros(each, np.bool_),
            score=np.zeros(each, np.float64),
            data=np.empty(matches, object),
            kept=np.empty(matches, object),
        )
        for m, seed in enumerate(seeds):
            self._write_match(state, m, self._reset(settings, seats, int(seed)))
        return state

    def turn(self, settings: Any, state: PlainState, buffers: Buffers) -> Turn:
        """Ask each question in the matches that have reached it, and play their turn."""
        matches = {m: self._read_match(settings, state, m) for m in range(len(state.seed)) if not state.over[m]}
        names = {m: self._find_question(match, buffers.questions) for m, match in matches.items()}
        for name, question in buffers.questions.items():
            ours = {m: match for m, match in matches.items() if names[m] == name}
            asked = {m: self._find_asked(match, question) for m, match in ours.items()}
            rows = [(m, seat) for m, seats in asked.items() for seat in seats]
            actions: dict[int, dict[int, dict[str, Any]]] = {m: {} for m in ours}
            if rows:
                answers = yield self._fill_observations(buffers, name, ours, asked)
                played = [m for m, seats in asked.items() if seats]  # others learn nothing, as if played alone
                state.gone[played] |= answers.gone[played]
                for (m, seat), action in zip(rows, actions_of(question, answers), strict=True):
                    actions[m][seat] = action
            for m, match in ours.items():
                if self._encode_match(match) != state.data[m]:
                    words = f"question {name}: observe or asked changed the match: only reset and step may"
                    self._calls.fail(match, "observe", words)
                self._step(match, actions[m], int(state.seed[m]), state.gone[m].nonzero()[0].tolist())
                self._write_match(state, m, match)

    def match_info(self, settings: Any, state: PlainState, match: int, seat: int) -> dict[str, Any]:
        """Return the match info from the match's own method."""
        taken = self._read_match(settings, state, match)
        info: dict[str, Any] = self._calls.call(taken, "match_info", check_json_object, seat)
        return info

    def frame(self, settings: Any, state: PlainState, match: int) -> dict[str, Any]:
        """Return the board's size from the settings, scores, `alive` if bots can die, and the match's own frame."""
        taken = self._read_match(settings, state, match)
        frame = {key: getattr(settings, key) for key in SIZES if hasattr(settings, key)}
        frame["score"] = [_to_number(score) for score in state.score[match].tolist()]
        if self._defines("is_alive"):
            frame["alive"] = (state.alive[match] + 0).tolist()
        return {**frame, **self._calls.call(taken, "frame", frame_of)}

    def events(
        self, settings: Any, state: PlainState, match: int, before: Mapping[str, Any], now: Mapping[str, Any]
    ) -> list[Event]:
        """Return the events from the match's own method."""
        if not self._defines("events"):
            return default_events(before, now)
        taken = self._read_match(settings, state, match)
        events: list[Event] = self._calls.call(taken, "events", checked_events, before, now)
        return events

    # --- from the state to a match, and back

    def _make_match(self, settings: Any, seats: int, turn: int = 0) -> Match[Any]:
        match = self.match.__new__(self.match)
        match._context = CallContext(settings, seats, turn)
        return match

    def _reset(self, settings: Any, seats: int, seed: int) -> Match[Any]:
        match = self._make_match(settings, seats)
        match._context.dice = Dice(seed, 0)
        self._calls.call(match, "reset", check_nothing)
        match._context.dice = None
        return match

    def _step(
        self, match: Match[Any], actions: Mapping[int, Mapping[str, Any]], seed: int, gone: Sequence[int]
    ) -> None:
        context = match._context
        context.turn, context.gone = context.turn + 1, list(gone)
        context.dice = Dice(seed, context.turn)
        self._calls.call(match, "step", check_nothing, actions)
        context.dice, context.gone = None, []

    def _read_match(self, settings: Any, state: PlainState, m: int) -> Match[Any]:
        match = self._make_match(settings, state.alive.shape[1], int(state.turn[m]))
        values = json.loads(state.data[m])
        for name, one in self._types.items():
            setattr(match, name, one.read(values[name]))
        vars(match).update(state.kept[m])
        return match

    def _encode_match(self, match: Match[Any]) -> str:
        """Return the state of a match as canonical JSON. Raises GameError if it does not fit its declaration."""
        kind, held, method = type(match).__name__, vars(match), "step" if match.turn else "reset"
        for name in held.keys() - self._types.keys() - {"_context", *self.match.kept}:
            words = f"{kind}.{name} is not declared: annotate it in the class, or keep it in a variable"
            self._calls.fail(match, method, words)
        seen: dict[int, Any] = {}
        values = {}
        for name in (*self._types, *self.match.kept):
            if name not in held:
                self._calls.fail(match, method, f"{kind}.{name} is declared, and reset did not set it")
        for name, one in self._types.items():
            try:
                values[name] = one.write(getattr(match, name), f"{kind}.{name}", seen)
            except (ValueError, RecursionError) as error:
                self._calls.fail(match, method, str(error))
        return CANONICAL.encode(values)

    def _write_match(self, state: PlainState, m: int, match: Match[Any]) -> None:
        calls = self._calls
        state.turn[m], state.data[m] = match.turn, self._encode_match(match)
        state.kept[m] = {name: getattr(match, name) for name in self.match.kept}
        state.over[m] = calls.call(match, "is_over", check_truth)
        state.score[m] = calls.call(match, "scores", scores_check(match.seats))
        state.alive[m] = True
        if self._defines("is_alive"):
            state.alive[m] = [calls.call(match, "is_alive", check_truth, seat) for seat in range(match.seats)]

    def _defines(self, method: str) -> bool:
        """Return whether the author overrides this method, which has a default."""
        return getattr(self.match, method) is not getattr(Match, method)

    # --- questions

    def _find_question(self, match: Match[Any], questions: Mapping[str, Question]) -> str:
        def named(name: Any) -> str:
            if name == "" and len(questions) == 1:
                return next(iter(questions))
            if not isinstance(name, str) or name not in questions:
                there_are = choices(shorten(name).strip("'"), questions)
                raise ValueError(f"question() must name the question of this turn, not {shorten(name)}{there_are}")
            return name

        if len(questions) == 1 and not self._defines("question"):
            return next(iter(questions))
        found: str = self._calls.call(match, "question", named)
        return found

    def _find_asked(self, match: Match[Any], question: Question) -> list[int]:
        asked: list[int] = self._calls.call(match, "asked", seats_check(match.seats, question.name))
        if question.units or len(asked) > question.max_rows:
            words = f"question {question.name} must have max_rows={match.seats} and no units: a row for each bot"
            self._calls.fail(match, "asked", words)
        return asked

    def _fill_observations(
        self, buffers: Buffers, name: str, matches: Mapping[int, Match[Any]], asked: Mapping[int, Sequence[int]]
    ) -> Observations:
        """Return the observations of these matches' bots, in the batch's buffers."""
        reader = self._readers.get(name)
        if reader is None or reader.question is not buffers.questions[name]:
            reader = self._readers[name] = ObservationReader(buffers.questions[name])
        shown = []
        for m, match in matches.items():
            says = self._defines("shared_observation")
            shared = self._calls.call(match, "shared_observation", reader.read_shared) if says else {}
            check = partial(reader.read_whole, shared)
            shown += [self._calls.call(match, "observe", check, seat) for seat in asked[m]]
        counted = {counts: sum(values[counts] for values in shown) for counts in reader.question.counts}
        index, observation = buffers.arrays(name, **counted)
        rows = len(shown)
        index.match[:rows] = [m for m, seats in asked.items() for _ in seats]
        index.seat[:rows] = [seat for seats in asked.values() for seat in seats]
        index.unit[:rows] = 0
        for key in reader.question.observation:
            array = getattr(observation, key)
            if key in reader.question.ragged:
                values = [value for one in shown for value in one[key]]
                array[: len(values)] = values
            else:
                for row, one in enumerate(shown):
                    array[row] = one[key]
        return buffers.observations(name, rows, **counted)


def _to_number(score: float) -> float:
    return int(score) if score.is_integer() else score
