"""Matches of one game in lockstep: what all agents observe, what they may do, and what it brings them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from koth.encoding import Encoding
from koth.engine.batch import Batch
from koth.engine.settings import choose
from koth.errors import KothError
from koth.game import Answers, Array, Game, Observations, State, default_answers, no_answers
from koth.games import load, part
from koth.learn.arrays import FINAL, OBSERVATION, Arrays
from koth.learn.purpose import Purpose
from koth.learn.rows import add_gains, begin_step, count_turns, find_agents, mark_agents, note_changes
from koth.rng import derive

Shaping = Callable[[State, Array], None]
"""Changes the rewards (float32[matches, agents]) in place, told the state after a turn."""

Step = tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]


def make(
    name: str,
    matches: int = 1,
    seats: int | None = None,
    *,
    ruleset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    limit: int | None = None,
    shaping: Shaping | None = None,
    copies: bool = False,
    arrays: Mapping[str, Array] | None = None,
    **options: Any,
) -> Environment:
    """Matches of a game by its name, `seats` bots in each (else the game's usual table, or the fewest).

    `settings` are single constants, as `koth run --set` takes them. After `limit` turns a match is truncated. With
    `copies`, `copy` works. `arrays` are the caller's own, by name (`Environment.arrays.spec`). `options` are the
    game's encoding's (docs/learning.md). Raises KothError for what can't be.
    """
    game = load(name)
    chosen = choose(game, ruleset, settings or {})[1]
    seats = seats or game.contest_defaults.table or game.seats.start
    if matches < 1 or seats not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        raise KothError(f"{name} is learnt in 1 match or more of {least} to {most} seats, not {matches} of {seats}")
    match_info = game.match_info(chosen, game.initial_state(chosen, seats, [0]), 0, 0)
    own = part(game, "learn")
    kind: type[Encoding] = Encoding if own is None else own.Encoding
    encoding = kind(match_info, game.questions(chosen, seats), matches, **options)
    purpose = Purpose.of(name, seats, encoding, ruleset, settings, options)
    return Environment(
        game, chosen, seats, encoding, matches, purpose, limit=limit, shaping=shaping, copies=copies, arrays=arrays
    )


class Environment:
    """Matches of a game; every array has an axis for the matches, then one for the agents of a match.

    A step is one question: who is `asked` must act, what the others are said to do is not looked at. What is told
    of who is not asked stays as it was. A match that is over, or truncated, begins anew in the same step; `ended`
    says so, and `final_observations` have what its agents would have been shown (of an end: what they were last).
    """

    def __init__(
        self,
        game: Game,
        settings: Any,
        seats: int,
        encoding: Encoding,
        matches: int,
        purpose: Purpose,
        *,
        limit: int | None = None,
        shaping: Shaping | None = None,
        copies: bool = False,
        arrays: Mapping[str, Array] | None = None,
    ) -> None:
        self.game, self.settings, self.seats = game, settings, seats
        self.encoding, self.matches, self.purpose = encoding, matches, purpose
        self.limit, self.shaping, self.copies = limit, shaping, copies
        self.units = game.agents(self.settings, self.seats)
        """Whose each agent is: `seat` and `body`, int32[agents] each."""
        self.agents = len(self.units)
        self.choices = encoding.choices
        """How many values each of an agent's actions can take."""
        self._most_rows = max(question.max_rows for question in encoding.questions.values()) * matches
        self._set_arrays(arrays or {})
        self._fields = {
            name: default_answers(question, question.max_rows * matches)
            for name, question in encoding.questions.items()
        }
        self._no_fault = np.zeros(self._most_rows, np.uint8)
        self._nobody_gone = np.zeros((matches, self.seats), np.bool_)
        self._batch: Batch | None = None

    def _set_arrays(self, given: Mapping[str, Array]) -> None:
        sizes = self.encoding.places[-1], self.matches, self.agents, self.seats
        self.arrays = Arrays(self.encoding.observations, *sizes, given)
        self._shown = self.arrays.flat_part(OBSERVATION)
        self._final = self.arrays.flat_part(FINAL)
        self._last_actions = np.zeros((self.matches * self.agents, len(self.choices)), np.int64)
        self._chosen = np.zeros_like(self._last_actions)
        self._most = np.array(self.choices)
        self._restarted = np.zeros(self.matches, np.bool_)
        self._brought = self.arrays["rewards"], self.arrays["terminated"], self.arrays["truncated"]
        self._of_a_step = *self._brought, self.arrays["ended"], self._restarted
        self._alive = self.arrays["alive"]
        self._asked, self._mask = self.arrays.flat("asked"), self.arrays.flat("mask")
        self._room = np.zeros(self._most_rows, np.int64)
        self._ended = np.zeros(self.matches, np.int64)
        self._scores = np.zeros((self.matches, self.seats))
        self._large = {"mask", *(name for name in self.arrays.all if name.startswith((OBSERVATION, FINAL)))}
        told = ("mask", "asked", "alive", "ended", "turn", "final_scores")
        self._infos: dict[str, Any] = {name: self.arrays[name] for name in told}
        self._infos["final_observations"] = self.arrays.final_observations

    @property
    def action_shape(self) -> tuple[int, ...]:
        """Of the array that `step` takes: an axis for an agent's actions only where they are several."""
        several = (len(self.choices),) if len(self.choices) > 1 else ()
        return self.matches, self.agents, *several

    @property
    def batch(self) -> Batch:
        """The matches themselves. Raises KothError before the first reset."""
        if self._batch is None:
            raise KothError("reset comes before everything else")
        return self._batch

    @property
    def state(self) -> State:
        """The game's own arrays: not to be changed."""
        return self.batch.state

    def reset(self, seed: int | Sequence[int] = 0) -> tuple[dict[str, Array], dict[str, Any]]:
        """All matches begin anew: match m with a seed that follows from `seed` and m, or with `seed[m]`.

        The matches that come after the first in one place have seeds that follow from the first one's.
        """
        seeds = [derive(seed, m) for m in range(self.matches)] if isinstance(seed, int) else [int(s) for s in seed]
        if len(seeds) != self.matches:
            raise KothError(f"{len(seeds)} seeds for {self.matches} matches")
        for array in self.arrays.all.values() if self._batch is None else self._written():
            array[...] = 0
        self._attach(self._new_batch(seeds) if self._batch is None else self._batch.reset_all(seeds))
        self._seeds, self._episodes = seeds, np.zeros(self.matches, np.int64)
        self._restarted.fill(True)
        self._begin(range(self.matches))
        self._play_on()
        self._look()
        if len(silent := np.flatnonzero(~self._asked)):
            for array in (self._mask, *self._shown.values()):
                array[silent] = 0
        return self.arrays.observations, self._infos

    def _new_batch(self, seeds: Sequence[int]) -> Batch:
        told = self.game, self.settings, self.seats, seeds
        return Batch(*told, copies=self.copies, whole=True, boards=self.encoding.boards)

    def _written(self) -> list[Array]:
        """What a new beginning has to wipe out: all that is not written for who is asked, if it was ever written."""
        final = self.arrays.final_observations.values() if self._episodes.any() else ()
        return [*(array for name, array in self.arrays.all.items() if name not in self._large), *final]

    def _begin(self, matches: Iterable[int]) -> None:
        """New matches begin in these places: the encoding is told what their bots are."""
        for match in matches:
            self.encoding.begin(match, self.game.match_info(self.settings, self.state, match, 0))

    def _attach(self, batch: Batch) -> None:
        self._batch, self._turn = batch, batch.turn
        batch.on_turn = self._after_turn

    def step(self, actions: Array) -> Step:
        """Those who are asked act: int[matches, agents], with a last axis where an agent's actions are several.

        Returns observations, rewards, terminated, truncated and infos: the same arrays every time, written anew.
        Raises ValueError for an action that there is none of.
        """
        observations, rows = self._observations(), self._rows
        given = np.ascontiguousarray(actions, np.int64).reshape(self._last_actions.shape)
        chosen = self._chosen[: rows.size]
        if not begin_step(given, rows, self._most, chosen, self._last_actions, *self._of_a_step):
            raise ValueError(f"an agent's actions must be from 0 to below {list(self.choices)}")
        fields = self._defaults(observations)
        self.encoding.answer(observations, chosen, fields)
        self._say(observations, fields)
        self._play_on()
        self._look()
        rewards, terminated, truncated = self._brought
        return self.arrays.observations, rewards, terminated, truncated, self._infos

    def _observations(self) -> Observations:
        observations = self.batch.observations
        assert observations is not None, "finished matches begin anew"
        return observations

    def _defaults(self, observations: Observations) -> dict[str, Array]:
        """The question's answer fields at their defaults: buffers, or new arrays where copies want to keep them."""
        if self.copies:
            return default_answers(observations.question, len(observations))
        rows, question = len(observations), observations.question
        fields = {name: array[:rows] for name, array in self._fields[question.name].items()}
        for name, spec in question.answer.items():
            fields[name].fill(spec.default)
        return fields

    def _say(self, observations: Observations, fields: dict[str, Array]) -> None:
        self.batch.answer(Answers(fields, self._no_fault[: len(observations)], self._nobody_gone))

    def _play_on(self) -> None:
        """To the next question that is agents' own."""
        while (observations := self._observations()).question.name not in self.encoding.steps:
            fields = self._defaults(observations)
            self.encoding.script(observations, self._last_actions[self._places(observations)], fields)
            self._say(observations, fields)

    def _places(self, observations: Observations) -> Array:
        """int64[rows]: the place of each row's agent among all agents of all matches, until this is asked again."""
        places = self._room[: len(observations)]
        find_agents(*self._who(observations), places)
        return places

    def _who(self, observations: Observations) -> tuple[Array, Array, Array, Array, int]:
        return observations.match, observations.seat, observations.unit, self.units.table, self.agents

    def _look(self) -> None:
        """Write what is told of the open question, and what the last step has brought."""
        observations = self._observations()
        self._rows = self._room[: observations.seat.size]
        mark_agents(*self._who(observations), self._rows, self._asked)
        self.encoding.look(observations, self._rows, self._shown, self._mask)
        told, (rewards, terminated, _) = (self.settings, self.state), self._brought
        scores, alive = self.game.scores(*told), self.game.alive(*told)
        seat = self.units.seat
        note_changes(scores, self._scores, alive, self._alive, self._restarted, seat, rewards, terminated)

    def _reward(self) -> None:
        """What every seat's score has gained since the last look is a reward of all its agents."""
        scores = self.game.scores(self.settings, self.state)
        add_gains(scores, self._restarted, self.units.seat, self._scores, self.arrays["rewards"])

    def _after_turn(self) -> None:
        """Between turns: who has ended begins anew. (An opening ends here, too, and is no turn.)"""
        batch = self.batch
        if batch.turn == self._turn:
            return
        self._turn = batch.turn
        over = self.game.over(batch.state)
        limit = -1 if self.limit is None else self.limit
        ended = self._ended[: count_turns(self.arrays["turn"], over, limit, self._ended)]
        if self.shaping is not None or ended.size:
            self._reward()
        if self.shaping is not None:
            self.shaping(batch.state, self.arrays["rewards"])
        if ended.size:
            self._end(ended, over)

    def _end(self, places: Array, over: Array) -> None:
        """These matches have ended: keep what is final of them and begin anew."""
        arrays, alive = self.arrays, self.game.alive(self.settings, self.state)
        arrays["ended"][places] = True
        arrays["terminated"][places] |= self._alive[places] & ~alive[places]
        arrays["truncated"][places] = alive[places]
        arrays["final_scores"][places] = self._scores[places]
        for name, array in arrays.observations.items():
            arrays.final_observations[name][places] = array[places]
            array[places] = 0
        if len(cut := places[~over[places]]):
            self._look_ahead(cut)
        arrays["mask"][places] = False
        arrays["turn"][places] = 0
        self._restarted[places] = True
        self._episodes[places] += 1
        seeds = [derive(self._seeds[m], "again", int(self._episodes[m])) for m in places.tolist()]
        self.batch.reset(places, seeds)
        self._begin(places.tolist())

    def _look_ahead(self, places: Array) -> None:
        """Write what agents of truncated matches would be shown next: play a turn of theirs in which nobody acts."""
        state = type(self.state)(*(array[places] for array in self.state))
        ahead = Batch.from_state(self.game, self.settings, self.seats, state)
        while (observations := ahead.observations) is not None and ahead.turn == 0:
            if observations.question.name in self.encoding.steps:
                own = Observations(
                    observations.question,
                    places[observations.match],
                    observations.seat,
                    observations.unit,
                    observations.fields,
                )
                self.encoding.observe(own, self._places(own), self._final)
            ahead.answer(no_answers(observations, ahead.nobody_gone()))

    def copy(self) -> Environment:
        """An independent environment at the same point, with arrays of its own; needs `copies`.

        Raises KothError where it was not made with `copies=True`.
        """
        if not self.copies:
            raise KothError("this environment can't be copied: make it with copies=True")
        other = copy.copy(self)
        other.encoding = copy.deepcopy(self.encoding)
        other._set_arrays({})
        for name, array in self.arrays.all.items():
            other.arrays[name][...] = array
        for name in ("_last_actions", "_scores", "_restarted"):
            getattr(other, name)[...] = getattr(self, name)
        other._episodes = self._episodes.copy()
        other._seeds = list(self._seeds)
        other._fields = copy.deepcopy(self._fields)
        other._attach(self.batch.copy())
        other._rows = other._places(other._observations())
        return other
