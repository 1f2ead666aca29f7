"""Matches of one game in lockstep: what all agents observe, what they may do, and what it brings them."""

from __future__ import annotations

import copy
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from koth.encoding import Encoding
from koth.engine.batch import Batch
from koth.engine.plain_data import short
from koth.engine.settings import choose
from koth.errors import KothError, choices
from koth.game import Agents, Answers, Array, Game, Observations, State, default_answers, no_answers
from koth.games import load, part
from koth.learn.arrays import FINAL, OBSERVATION, Arrays
from koth.learn.rows import add_gains, begin_step, count_turns, find_agents, mark_agents, note_changes
from koth.learn.spec import PolicySpec
from koth.rng import derive

if TYPE_CHECKING:
    from gymnasium import spaces

    from koth.learn.opponents import Opponents

Shaping = Callable[[State, Array], None]
"""Changes the rewards (float32[matches, agents]) in place, given the state after a turn."""

Step = tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]


def make(
    name: str,
    matches: int = 1,
    seats: int | None = None,
    *,
    opponents: Mapping[int, str] | None = None,
    ruleset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    limit: int | None = None,
    shaping: Shaping | None = None,
    copies: bool = False,
    **options: Any,
) -> Environment:
    """Return matches of a game by its name, `seats` bots in each (else the game's usual table, or the fewest).

    `opponents` are bots that play some of the seats, named as on a command line: `{1: "@greedy"}`. `settings` are
    single constants, as `koth run --set` takes them. After `limit` turns a match is truncated. With `copies`, `copy`
    works. `options` are the game's encoding's (docs/learning.md). Raises KothError for what can't be.
    """
    game = load(name)
    ruleset_name, chosen = choose(game, ruleset, settings or {})
    seats = game.contest_defaults.table or game.seats.start if seats is None else seats
    if matches < 1 or seats not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        raise KothError(f"{name} is learnt in 1 match or more of {least} to {most} seats, not {matches} of {seats}")
    if limit is not None and limit < 1:
        raise KothError(f"limit={limit}: limit must be a whole number from 1 on, or None")
    kind = encoding_of(game)
    known = [key for key, p in inspect.signature(kind).parameters.items() if p.kind is p.KEYWORD_ONLY]
    for word in options:
        if word not in known:
            raise KothError(f"make has no option {word!r}{choices(word, [*MAKE, *known])}")
    encoding = encode(game, chosen, seats, matches, options)
    spec = PolicySpec.of(name, encoding, ruleset, settings, options)
    others = None
    if opponents:
        others = _opponents(game, chosen, ruleset_name, seats, opponents, copies)
    return Environment(
        game, chosen, seats, encoding, matches, spec, limit=limit, shaping=shaping, copies=copies, opponents=others
    )


CURE = (
    "this environment can't be copied or pickled in a match: make it with copies=True (or copy it before its reset)"
)
PROCESSES = (
    "an environment with opponents can't be copied or pickled in a match, as their processes can't: copy it before "
    "its first reset"
)

MADE_OF = (
    "game", "settings", "seats", "encoding", "matches", "spec", "limit", "shaping", "copies", "opponents",
)  # fmt: skip
"""The arguments of `Environment`, which it keeps."""
SPACES = ("observation_space", "action_space")
POINT = ("_last_actions", "_scores", "_restarted", "_gone")
"""Arrays that say where its matches are, beside those that a step returns."""

MAKE = [word for word in inspect.signature(make).parameters if word != "options"]
"""What `make` takes beside the options of a game's encoding."""


def checked_seed(seed: Any) -> int:
    """Return a seed as a number. Raises KothError for what is none."""
    if not isinstance(seed, int | np.integer) or not 0 <= seed < 1 << 63:
        raise KothError(f"seed={short(seed)}: a seed must be a whole number from 0 to 2**63 - 1")
    return int(seed)


def shaped(actions: Any, shape: tuple[int, ...], whose: str = "actions", *, exactly: bool = False) -> Array:
    """Return whole numbers in this shape; unless `exactly`, as many in another one will do. Raises KothError."""
    try:
        found = np.asarray(actions)
    except ValueError:  # lists of several lengths
        found = np.empty(0)
    fits = found.shape == shape if exactly else found.size == math.prod(shape)
    if found.dtype.kind not in "iu" or not fits:
        kind = f"{found.dtype}{list(found.shape)}" if found.ndim else short(actions)
        wanted = f"whole numbers{list(shape)}" if math.prod(shape) > 1 else "a whole number"
        raise KothError(f"{whose} must be {wanted}, not {kind}")
    return found.reshape(shape)


def _opponents(
    game: Game, settings: Any, ruleset: str, seats: int, named: Mapping[int, str], copies: bool
) -> Opponents:
    from koth.learn.opponents import Opponents  # whoever plays all seats needs no processes

    if set(named) - set(range(seats)) or len(named) == seats:
        raise KothError(f"opponents take some of the seats 0 to {seats - 1}, and leave one, not {sorted(named)}")
    if copies:
        raise KothError("an environment with opponents can't be copied: their processes can't; leave one of both out")
    return Opponents(game, settings, ruleset, [named.get(seat) for seat in range(seats)])


def encoding_of(game: Game) -> type[Encoding]:
    """Return the class that encodes a game: its own, or the one that follows from what is declared."""
    own = part(game, "learn")
    kind: type[Encoding] = Encoding if own is None else own.Encoding
    return kind


def encode(game: Game, settings: Any, seats: int, matches: int, options: Mapping[str, Any]) -> Encoding:
    """Return the encoding of so many matches of so many seats. Raises KothError for what can't be."""
    match_info = game.match_info(settings, game.initial_state(settings, seats, [0]), 0, 0)
    return encoding_of(game)(match_info, game.questions(settings, seats), matches, **options)


class Environment:
    """Matches of a game; every array has an axis for the matches, then one for the agents of a match.

    A step is one question: agents that are `asked` must act, actions of the others are ignored, and their
    observations stay as they were. A match that is over, or truncated, begins anew in the same step; `ended`
    says so, and `final_observations` have what its agents would have been shown (of an end: what they were last).
    """

    def __init__(
        self,
        game: Game,
        settings: Any,
        seats: int,
        encoding: Encoding,
        matches: int,
        spec: PolicySpec,
        *,
        limit: int | None = None,
        shaping: Shaping | None = None,
        copies: bool = False,
        opponents: Opponents | None = None,
    ) -> None:
        self.game, self.settings, self.seats = game, settings, seats
        self.encoding, self.matches, self.spec = encoding, matches, spec
        self.limit, self.shaping, self.copies = limit, shaping, copies
        self.opponents = opponents
        whole = game.agents(self.settings, self.seats)
        theirs = np.zeros(len(whole), np.bool_) if opponents is None else opponents.seats[whole.seat]
        self._order = None if opponents is None else np.argsort(theirs, kind="stable")
        self._everybody = whole if self._order is None else Agents(whole.seat[self._order], whole.unit[self._order])
        """All agents, those of opponents behind the others: the arrays of the others are a part of all."""
        self.agents = int(np.count_nonzero(~theirs))
        self.units = Agents(self._everybody.seat[: self.agents], self._everybody.unit[: self.agents])
        """The unit of each agent: `seat` and `unit`, int32[agents] each."""
        self.choices = encoding.choices
        """How many values each of an agent's actions can take."""
        self._most_rows = max(question.max_rows for question in encoding.questions.values()) * matches
        self._set_arrays()
        self._fields = {
            name: default_answers(question, question.max_rows * matches)
            for name, question in encoding.questions.items()
        }
        self._no_fault = np.zeros(self._most_rows, np.uint8)
        self._gone = np.zeros((matches, self.seats), np.bool_)
        self._batch: Batch | None = None

    def _set_arrays(self) -> None:
        everybody = len(self._everybody)
        sizes = self.encoding.places[-1], self.matches, everybody, self.seats
        self._whole = Arrays(self.encoding.observations, *sizes)
        self._shown = self._whole.flat_part(OBSERVATION)
        self._final = self._whole.flat_part(FINAL)
        self._last_actions = np.zeros((self.matches * everybody, len(self.choices)), np.int64)
        self._given = np.zeros_like(self._last_actions)
        self._chosen = np.zeros_like(self._last_actions)
        self._most = np.array(self.choices)
        self._restarted = np.zeros(self.matches, np.bool_)
        self._brought = self._whole["rewards"], self._whole["terminated"], self._whole["truncated"]
        self._of_a_step = *self._brought, self._whole["ended"], self._restarted
        self._alive = self._whole["alive"]
        self._asked, self._mask = self._whole.flat("asked"), self._whole.flat("mask")
        self._room = np.zeros(self._most_rows, np.int64)
        self._ended = np.zeros(self.matches, np.int64)
        self._scores = np.zeros((self.matches, self.seats))
        self._large = {"mask", *(name for name in self._whole.all if name.startswith((OBSERVATION, FINAL)))}
        self.arrays = self._whole if self.opponents is None else self._whole.of_first(self.agents)
        """The arrays that a step returns: of the agents that no opponent has."""
        named = ("mask", "asked", "alive", "ended", "turn", "final_scores")
        self._infos: dict[str, Any] = {name: self.arrays[name] for name in named}
        self._infos["final_observations"] = self.arrays.final_observations
        self._told = self.arrays["rewards"], self.arrays["terminated"], self.arrays["truncated"]

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {field.dtype}{field.shape}" for name, field in self.encoding.observations.items())
        several = (
            f"{self.matches} match{'es' * (self.matches != 1)} of {self.seats} seats, {self.agents} agents in each"
        )
        return f"<{self.game.name}: {several}; observations {shapes}; choices {self.choices}>"

    @cached_property
    def observation_space(self) -> spaces.Dict:
        """The space of one agent's observations. Needs the extra `learn`."""
        from koth.learn.spaces import observation_space

        return observation_space(self)

    @cached_property
    def action_space(self) -> spaces.Discrete | spaces.MultiDiscrete:
        """The space of one agent's actions. Needs the extra `learn`."""
        from koth.learn.spaces import action_space

        return action_space(self)

    @property
    def action_shape(self) -> tuple[int, ...]:
        """The shape of the array that `step` takes: an axis for an agent's actions only where they are several."""
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

    def action_masks(self) -> Array:
        """Return bool[matches, agents, choices]: what each agent may do, of all its actions one after another.

        Where an agent is not asked, the first choice of each action: no row is without a choice.
        """
        from koth.learn.spaces import full_masks

        flat = self.arrays["mask"].reshape(-1, self.encoding.places[-1]), self.arrays["asked"].reshape(-1)
        return full_masks(self, *flat).reshape(self.arrays["mask"].shape)

    def random_actions(self, random: np.random.Generator) -> Array:
        """Return possible actions for all who are asked, each as likely as the others; 0 for the rest."""
        drawn = random.random(self.arrays["mask"].shape, np.float32) * self.arrays["mask"]
        best = [drawn[..., first:last].argmax(-1) for first, last in pairwise(self.encoding.places)]
        return best[0] if len(best) == 1 else np.stack(best, -1)

    def reset(self, seed: int | Sequence[int] = 0) -> tuple[dict[str, Array], dict[str, Any]]:
        """Begin all matches: match m with a seed that follows from `seed` and m, or with `seed[m]`.

        The matches that come after the first in one place have seeds that follow from the first one's.
        """
        if isinstance(seed, Sequence | np.ndarray):
            seeds = [checked_seed(one) for one in seed]
        else:
            seeds = [derive(checked_seed(seed), m) for m in range(self.matches)]
        if len(seeds) != self.matches:
            raise KothError(f"{len(seeds)} seeds for {self.matches} matches")
        for array in self._whole.all.values() if self._batch is None else self._written():
            array[...] = 0
        self._attach(self._new_batch(seeds) if self._batch is None else self._batch.reset_all(seeds))
        self._seeds, self._episodes = seeds, np.zeros(self.matches, np.int64)
        self._restarted.fill(True)
        self._begin(dict(enumerate(seeds)))
        self._play_on()
        self._look()
        if len(silent := np.flatnonzero(~self._asked)):
            for array in (self._mask, *self._shown.values()):
                array[silent] = 0
        return self.arrays.observations, self._infos

    def _new_batch(self, seeds: Sequence[int]) -> Batch:
        boards = self.encoding.boards if self.opponents is None else {}  # opponents are shown all of it
        return Batch(self.game, self.settings, self.seats, seeds, copies=self.copies, whole=True, boards=boards)

    def _written(self) -> list[Array]:
        """Return the arrays that a reset must clear: all that are not written for each asked agent."""
        final = self._whole.final_observations.values() if self._episodes.any() else ()
        return [*(array for name, array in self._whole.all.items() if name not in self._large), *final]

    def _begin(self, seeds: Mapping[int, int]) -> None:
        """Begin new matches in these places: pass their match info to the encoding, and start the opponents."""
        for match in seeds:
            self.encoding.begin(match, self.game.match_info(self.settings, self.state, match, 0))
        self._gone[list(seeds)] = False
        if self.opponents is not None:
            self.opponents.begin(self.batch, seeds)

    def _attach(self, batch: Batch) -> None:
        self._batch, self._turn = batch, batch.turn
        batch.on_turn = self._after_turn

    def step(self, actions: Array) -> Step:
        """Let those who are asked act: int[matches, agents], with a last axis where an agent's actions are several.

        Returns observations, rewards, terminated, truncated and infos: the same arrays every time, written anew.
        Raises KothError for an action that there is none of, and for another shape or dtype.
        """
        observations, rows = self._observations(), self._rows
        given = self._taken(actions)
        chosen = self._chosen[: rows.size]
        if not begin_step(given, rows, self._most, chosen, self._last_actions, *self._of_a_step):
            raise KothError(self._wrong(given))
        fields = self._defaults(observations)
        self.encoding.answer(observations, chosen, fields)
        self._say(observations, fields)
        self._play_on()
        self._look()
        rewards, terminated, truncated = self._told
        return self.arrays.observations, rewards, terminated, truncated, self._infos

    def _taken(self, actions: Array) -> Array:
        """Return the actions of everybody, int64[all agents of all matches, actions]. Raises KothError."""
        actions = np.asarray(actions)
        if actions.shape != self.action_shape or actions.dtype.kind not in "iu":
            found = f"{actions.dtype}{list(actions.shape)}"
            raise KothError(f"actions must be whole numbers{list(self.action_shape)}, not {found}: {self!r}")
        if self.opponents is None:
            return np.ascontiguousarray(actions, np.int64).reshape(self._given.shape)
        parts = self._given.reshape(self.matches, len(self._everybody), -1)
        parts[:, : self.agents] = actions.reshape(self.matches, self.agents, -1)
        return self._given

    def _wrong(self, given: Array) -> str:
        """Return what is wrong with the first action that there is none of."""
        rows = self._rows
        wrong = (given[rows] < 0) | (given[rows] >= self._most)
        row, action = np.argwhere(wrong)[0].tolist()
        match, agent = divmod(int(rows[row]), len(self._everybody))
        which = f" {action}" if len(self.choices) > 1 else ""
        said, most = given[rows[row], action], self.choices[action] - 1
        return f"match {match}, agent {agent}: its action{which} must be from 0 to {most}, not {said}"

    def _observations(self) -> Observations:
        observations = self.batch.observations
        assert observations is not None, "finished matches begin anew"
        return observations

    def _defaults(self, observations: Observations) -> dict[str, Array]:
        """Return the answer fields at their defaults: in buffers, or in new arrays that copies can keep."""
        if self.copies:
            return default_answers(observations.question, len(observations))
        rows, question = len(observations), observations.question
        fields = {name: array[:rows] for name, array in self._fields[question.name].items()}
        for name, spec in question.answer.items():
            fields[name].fill(spec.default)
        return fields

    def _say(self, observations: Observations, fields: dict[str, Array]) -> None:
        fault = self._no_fault[: len(observations)]
        if self.opponents is not None:
            fault = np.zeros(len(observations), np.uint8)
            self.opponents.answer(observations, fields, fault, self._gone)
        self.batch.answer(Answers(fields, fault, self._gone))

    def _play_on(self) -> None:
        """Go on to the next question that is put to agents, and not to those of opponents alone."""
        while not self._is_step(observations := self._observations()):
            fields = self._defaults(observations)
            if observations.question.name not in self.encoding.steps:
                self.encoding.script(observations, self._last_actions[self._places(observations)], fields)
            self._say(observations, fields)

    def _is_step(self, observations: Observations) -> bool:
        if observations.question.name not in self.encoding.steps:
            return False
        return self.opponents is None or not self.opponents.seats[observations.seat].all()

    def _places(self, observations: Observations) -> Array:
        """Return int64[rows]: the place of each row's agent among all of all matches, until this is asked again."""
        places = self._room[: len(observations)]
        find_agents(*self._who(observations), places)
        return places

    def _who(self, observations: Observations) -> tuple[Array, Array, Array, Array, int]:
        return observations.match, observations.seat, observations.unit, self._everybody.table, len(self._everybody)

    def _look(self) -> None:
        """Write what the open question shows, and the rewards and ends of the last step."""
        observations = self._observations()
        self._rows = self._room[: observations.seat.size]
        mark_agents(*self._who(observations), self._rows, self._asked)
        self.encoding.look(observations, self._rows, self._shown, self._mask)
        rewards, terminated, _ = self._brought
        scores, alive, seat = self.game.scores(self.settings, self.state), self._living(), self._everybody.seat
        note_changes(scores, self._scores, alive, self._alive, self._restarted, seat, rewards, terminated)

    def _living(self) -> Array:
        """Return bool[matches, all agents]: who can still be asked, in the order of this environment's."""
        alive = self.game.alive(self.settings, self.state)
        return alive if self._order is None else np.ascontiguousarray(alive[:, self._order])

    def _reward(self) -> None:
        """Reward all agents of a seat with what its score has gained since the last look."""
        scores = self.game.scores(self.settings, self.state)
        add_gains(scores, self._restarted, self._everybody.seat, self._scores, self._whole["rewards"])

    def _after_turn(self) -> None:
        """Begin matches anew that have ended. (An opening ends here, too, and is no turn.)"""
        batch = self.batch
        if batch.turn == self._turn:
            return
        self._turn = batch.turn
        over = self.game.over(batch.state)
        if self.opponents is not None:  # nobody is left who learns
            over = over | ~self._living()[:, : self.agents].any(axis=1)
        limit = -1 if self.limit is None else self.limit
        ended = self._ended[: count_turns(self._whole["turn"], over, limit, self._ended)]
        if self.shaping is not None or ended.size:
            self._reward()
        if self.shaping is not None:
            self.shaping(batch.state, self.arrays["rewards"])
        if ended.size:
            self._end(ended, over)

    def _end(self, places: Array, over: Array) -> None:
        """Keep what is final of these matches, and begin anew."""
        arrays, alive = self._whole, self._living()
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
        seeds = {m: derive(self._seeds[m], "again", int(self._episodes[m])) for m in places.tolist()}
        self.batch.reset(places, list(seeds.values()))
        self._begin(seeds)

    def _look_ahead(self, places: Array) -> None:
        """Write the next observations of truncated matches, computed as if all agents had sent no-ops."""
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
        """Return an independent environment at the same point, with arrays of its own.

        Raises KothError where this one was not made with `copies=True`.
        """
        if not self.copies:
            raise KothError(CURE)
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Environment:
        """Return the environment as `copy` does; before the first reset any can be copied."""
        memo |= {id(shared): shared for shared in (self.game, self.settings, self.spec)}
        return _restored(*copy.deepcopy(self._parts(), memo))

    def __copy__(self) -> Environment:
        return copy.deepcopy(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._parts()

    def _parts(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]:
        """Return what makes the environment, its spaces, and its point in the matches (None before a reset).

        Raises KothError where it can't be copied.
        """
        made = {name: getattr(self, name) for name in MADE_OF}
        spaces: dict[str, Any] = {name: vars(self)[name] for name in SPACES if name in vars(self)}
        if self._batch is None:
            return made, spaces, None
        if not self.copies:
            raise KothError(CURE if self.opponents is None else PROCESSES)
        point: dict[str, Any] = {
            "shown": self._whole.all,
            "arrays": {name: getattr(self, name) for name in POINT},
            "seeds": self._seeds,
            "episodes": self._episodes,
            "batch": self._batch,
        }
        return made, spaces, point

    def _restore(self, spaces: Mapping[str, Any], point: Mapping[str, Any] | None) -> None:
        """Go to a point that `_parts` gave, with the spaces that were made already."""
        vars(self).update(spaces)
        if point is None:
            return
        for name, array in point["shown"].items():
            self._whole[name][...] = array
        for name, array in point["arrays"].items():
            getattr(self, name)[...] = array
        self._seeds, self._episodes = list(point["seeds"]), point["episodes"]
        self._attach(point["batch"])
        self._rows = self._places(self._observations())

    def close(self) -> None:
        """End the processes of opponents."""
        if self.opponents is not None:
            self.opponents.close()


def _restored(made: dict[str, Any], spaces: dict[str, Any], point: dict[str, Any] | None) -> Environment:
    """Return an environment of these parts."""
    env = Environment(**made)
    env._restore(spaces, point)
    return env
