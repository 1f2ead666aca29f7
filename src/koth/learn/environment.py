"""Matches of one game in lockstep: what all agents observe, what they may do, and what it brings them."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from koth.encoding import Encoding
from koth.engine.batch import Batch
from koth.engine.secret import key_of
from koth.errors import KothError
from koth.game import Agents, Answers, Array, Game, Observations, State, default_answers, no_answers
from koth.learn.arrays import FINAL, OBSERVATION, Arrays
from koth.learn.copies import CURE, parts, restore
from koth.learn.global_state import GlobalState
from koth.learn.inputs import checked_seed, out_of_range
from koth.learn.rewards import Rewards
from koth.learn.rows import add_gains, begin_step, count_turns, find_agents, free_masks, mark_agents, note_changes
from koth.learn.spec import PolicySpec
from koth.rng import derive

if TYPE_CHECKING:
    from gymnasium import spaces

    from koth.learn.opponents import BotOpponents
    from koth.learn.policies import PolicyOpponents
    from koth.learn.recorder import EpisodeRecorder

Shaping = Callable[[State, Array], None]
"""Changes the rewards (float32[matches, agents]) in place, given the state after a turn."""

Step = tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]


class Environment:
    """Matches of a game; every array has an axis for the matches, then one for the agents of a match.

    A step is one question: agents that are `asked` must act, actions of the others are ignored, and their
    observations stay as they were. After a match that is over, or truncated, the next one begins in the same step;
    `ended` marks this, and `final_observations` have what its agents would have observed next (of an end: what they
    observed last). Without `autoreset` the match stays as it ended, and these are its observations.
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
        reward: str = "score",
        shaping: Shaping | None = None,
        copies: bool = False,
        autoreset: bool = True,
        bots: BotOpponents | None = None,
        policies: PolicyOpponents | None = None,
        recorder: EpisodeRecorder | None = None,
    ) -> None:
        self.game, self.settings, self.seats = game, settings, seats
        self.encoding, self.matches, self.spec = encoding, matches, spec
        self.limit, self.shaping, self.copies, self.autoreset = limit, shaping, copies, autoreset
        self.reward, self.rewards = reward, Rewards.of(game, settings, seats, reward)
        self.bots, self.policies, self.recorder = bots, policies, recorder
        self.opponents = np.zeros(seats, np.bool_)
        """bool[seats]: the seats that bots or policies play."""
        for others in (bots, policies):
            self.opponents |= False if others is None else others.seats
        whole = game.agents(self.settings, self.seats)
        self.units_of_a_seat = int(np.bincount(whole.seat).max())
        theirs = self.opponents[whole.seat]
        self._order = np.argsort(theirs, kind="stable") if theirs.any() else None
        self._everybody = whole if self._order is None else Agents(whole.seat[self._order], whole.unit[self._order])
        self._column = self.rewards.column if self._order is None else self.rewards.column[self._order]
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
        self._seed: int | None = None

    def _set_arrays(self) -> None:
        everybody = len(self._everybody)
        sizes = self.encoding.places[-1], self.matches, everybody, self.seats
        self._whole = Arrays(self.encoding.observations, *sizes)
        self._shown = self._whole.flat_part(OBSERVATION)
        self._final = self._whole.flat_part(FINAL)
        self._last_actions = np.zeros((self.matches * everybody, len(self.choices)), np.int64)
        self._given = np.zeros_like(self._last_actions)
        self._chosen = np.zeros_like(self._last_actions)
        self._most, self._edges = np.array(self.choices), np.array(self.encoding.places)
        self._restarted = np.zeros(self.matches, np.bool_)
        self._brought = self._whole["rewards"], self._whole["terminated"], self._whole["truncated"]
        self._of_a_step = *self._brought, self._whole["ended"], self._restarted, self._whole.flat("impossible")
        self._alive = self._whole["alive"]
        self._asked, self._mask = self._whole.flat("asked"), self._whole.flat("mask")
        self._room = np.zeros(self._most_rows, np.int64)
        whole = np.arange(self.matches * everybody).reshape(self.matches, everybody)
        self._places_of_agents = np.ascontiguousarray(whole[:, : self.agents]).reshape(-1)
        self._ended = np.zeros(self.matches, np.int64)
        self._worth = np.zeros((self.matches, self.rewards.columns))
        self._large = {"mask", *(name for name in self._whole.all if name.startswith((OBSERVATION, FINAL)))}
        self.arrays = self._whole if self._order is None else self._whole.of_first(self.agents)
        """The arrays that a step returns: of the agents that no opponent has."""
        named = ("mask", "asked", "alive", "impossible", "ended", "turn", "final_scores")
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
        from koth.learn.spaces import dict_space

        return dict_space(self)

    @cached_property
    def state_space(self) -> spaces.Box:
        """The space of one match's global state. Needs the extra `learn`."""
        from koth.learn.spaces import state_space

        return state_space(self)

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
        """Return bool[matches, agents, choices]: the possible choices of each agent, of all its actions in a row.

        An agent that is not asked has the first choice of each action: no row is without a choice.
        """
        return self.masks_of(self._places_of_agents).reshape(self.matches, self.agents, -1)

    def masks_of(self, places: Array) -> Array:
        """Return the same of the agents in some places of the whole arrays, bool[places, choices]."""
        masks = np.empty((places.size, self.encoding.places[-1]), np.bool_)
        free_masks(self._mask, self._asked, self._edges, places, masks)
        return masks

    @cached_property
    def _global_state(self) -> GlobalState:
        return GlobalState.of(self.game, self.settings, self.seats)

    def global_state(self) -> Array:
        """Return the whole state of each match, float32[matches, size], which no bot observes: for critics."""
        return self._global_state.vectors(self.state)

    def random_actions(self, random: np.random.Generator) -> Array:
        """Return possible actions for all who are asked, each as likely as the others; 0 for the rest."""
        drawn = random.random(self.arrays["mask"].shape, np.float32) * self.arrays["mask"]
        best = [drawn[..., first:last].argmax(-1) for first, last in pairwise(self.encoding.places)]
        return best[0] if len(best) == 1 else np.stack(best, -1)

    def reset(self, seed: int | Sequence[int] | None = None) -> tuple[dict[str, Array], dict[str, Any]]:
        """Begin all matches: match m with a seed that follows from `seed` and m, or with `seed[m]`.

        Without a seed they follow from the last reset's seed, or are drawn by the system at the first reset. Seeds of
        later matches in one place follow from the first one's. A match has the boards of `koth.play_match` with its
        seed.
        """
        seeds = self._drawn(seed)
        for array in self._whole.all.values() if self._batch is None else self._written():
            array[...] = 0
        dice = [key_of(one).dice for one in seeds]
        self._attach(self._new_batch(dice) if self._batch is None else self._batch.reset_all(dice))
        self._seeds, self._episodes = seeds, np.zeros(self.matches, np.int64)
        self._restarted.fill(True)
        if self.recorder is not None:
            self.recorder.begin(self.batch, seeds[0])
        self._begin(dict(enumerate(seeds)))
        self._play_on()
        self._look()
        if len(silent := np.flatnonzero(~self._asked)):
            for array in (self._mask, *self._shown.values()):
                array[silent] = 0
        return self.arrays.observations, self._infos

    def _drawn(self, seed: int | Sequence[int] | None) -> list[int]:
        """Return the seed of each match, and note the one that the next reset's follow from. Raises KothError."""
        if isinstance(seed, Sequence | np.ndarray):
            seeds = [checked_seed(one) for one in seed]
            if len(seeds) != self.matches:
                raise KothError(f"{len(seeds)} seeds for {self.matches} matches: give one for each")
            self._seed = seeds[0]
            return seeds
        if seed is None:
            seed = secrets.randbits(62) if self._seed is None else derive(self._seed, "next")
        self._seed = checked_seed(seed)
        return [derive(self._seed, m) for m in range(self.matches)]

    def _new_batch(self, seeds: Sequence[int]) -> Batch:
        boards = self.encoding.boards if self.bots is None else {}  # bots are sent all of it
        return Batch(self.game, self.settings, self.seats, seeds, copies=self.copies, whole=True, boards=boards)

    def _written(self) -> list[Array]:
        """Return the arrays that a reset must clear: all that are not written for each asked agent."""
        final = self._whole.final_observations.values() if self._episodes.any() else ()
        return [*(array for name, array in self._whole.all.items() if name not in self._large), *final]

    def _begin(self, seeds: Mapping[int, int]) -> None:
        """Begin new matches in these places: pass their match info to the encoding, and start the opponents."""
        if type(self.encoding).begin is not Encoding.begin:
            for match in seeds:
                self.encoding.begin(match, self.game.match_info(self.settings, self.state, match, 0))
        self._gone[list(seeds)] = False
        if self.bots is not None:
            self.bots.begin(self.batch, seeds)
        if self.policies is not None:
            self.policies.begin(seeds)

    def _attach(self, batch: Batch) -> None:
        self._batch, self._turn = batch, batch.turn
        batch.on_turn = self._after_turn

    def step(self, actions: Array) -> Step:
        """Let those who are asked act: int[matches, agents], with a last axis where an agent's actions are several.

        Returns observations, rewards, terminated, truncated and infos: the same arrays every time, overwritten.
        Raises KothError for an action out of range, for another shape or dtype, and at the end of a match without
        autoreset.
        """
        observations, rows = self.batch.observations, self._rows
        if observations is None:
            raise KothError("the match is over: reset comes before the next step")
        given = self._taken(actions)
        if self.policies is not None:
            self.policies.act(observations, rows, self._shown, self._mask, given)
        chosen, checks = self._chosen[: rows.size], (self._most, self._edges, self._mask)
        if not begin_step(given, rows, *checks, chosen, self._last_actions, *self._of_a_step):
            raise KothError(out_of_range(given, rows, self.choices, len(self._everybody)))
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
        if self._order is None:
            return np.ascontiguousarray(actions, np.int64).reshape(self._given.shape)
        parts = self._given.reshape(self.matches, len(self._everybody), -1)
        parts[:, : self.agents] = actions.reshape(self.matches, self.agents, -1)
        return self._given

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
        if self.bots is not None:
            fault = np.zeros(len(observations), np.uint8)
            self.bots.answer(observations, fields, fault, self._gone)
        answers = Answers(fields, fault, self._gone)
        if self.recorder is not None:
            self.recorder.asked(observations, answers)
        self.batch.answer(answers)

    def _play_on(self) -> None:
        """Play on to the next question for agents that are not opponents', or to the end."""
        while (observations := self.batch.observations) is not None and not self._is_step(observations):
            fields = self._defaults(observations)
            if observations.question.name not in self.encoding.steps:
                self.encoding.script(observations, self._last_actions[self._places(observations)], fields)
            elif self.policies is not None:
                places = self._places(observations)
                self.encoding.look(observations, places, self._shown, self._mask)
                self.policies.act(observations, places, self._shown, self._mask, self._given)
                self._last_actions[places] = self._given[places]
                self.encoding.answer(observations, self._given[places], fields)
            self._say(observations, fields)

    def _is_step(self, observations: Observations) -> bool:
        if observations.question.name not in self.encoding.steps:
            return False
        return self._order is None or not self.opponents[observations.seat].all()

    def _places(self, observations: Observations) -> Array:
        """Return int64[rows]: the place of each row's agent among all of all matches, until this is asked again."""
        places = self._room[: len(observations)]
        find_agents(*self._who(observations), places)
        return places

    def _who(self, observations: Observations) -> tuple[Array, Array, Array, Array, int]:
        return observations.match, observations.seat, observations.unit, self._everybody.table, len(self._everybody)

    def _look(self) -> None:
        """Write what the open question shows, and the rewards and ends of the last step."""
        observations = self.batch.observations
        if observations is None:
            self._rows = self._room[:0]
            self._asked.fill(False)
        else:
            self._rows = self._room[: observations.seat.size]
            mark_agents(*self._who(observations), self._rows, self._asked)
            self.encoding.look(observations, self._rows, self._shown, self._mask)
        rewards, terminated, _ = self._brought
        alive, worth = self._living(), self._values()
        note_changes(worth, self._worth, alive, self._alive, self._restarted, self._column, rewards, terminated)

    def _find_rows(self) -> None:
        """Find the places of the open question's rows again, in a copy."""
        observations = self.batch.observations
        self._rows = self._room[:0] if observations is None else self._places(observations)

    def _values(self) -> Array:
        """Return the values whose gains are rewards, float64[matches, columns]."""
        return self.rewards.values(self.settings, self.state, self._worth)

    def _living(self) -> Array:
        """Return bool[matches, all agents]: the agents that can still be asked, in this environment's order."""
        alive = self.game.alive(self.settings, self.state)
        return alive if self._order is None else np.ascontiguousarray(alive[:, self._order])

    def _reward(self) -> None:
        """Reward all living agents with the gains since the last look."""
        lived, rewards = self._alive, self._whole["rewards"]
        add_gains(self._values(), self._restarted, lived, self._column, self._worth, rewards)

    def _after_turn(self) -> None:
        """Begin the next matches after those that have ended. (An opening ends here, too, and is no turn.)"""
        batch = self.batch
        if self.recorder is not None:
            self.recorder.turn_over()
        if batch.turn == self._turn:
            return
        self._turn = batch.turn
        over = self.game.over(batch.state)
        if self._order is not None:  # the match ends with the last agent that learns
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
        """Keep what is final of these matches, and begin the next ones, or stay at the end."""
        arrays, alive = self._whole, self._living()
        arrays["ended"][places] = True
        arrays["terminated"][places] |= self._alive[places] & ~alive[places]
        arrays["truncated"][places] = alive[places]
        arrays["final_scores"][places] = self.game.scores(self.settings, self.state)[places]
        for name, array in arrays.observations.items():
            arrays.final_observations[name][places] = array[places]
            array[places] = 0
        if len(cut := places[~over[places]]):
            self._look_ahead(cut)
        arrays["mask"][places] = False
        if self.autoreset:
            self._begin_next(places)
            return
        for name, array in arrays.observations.items():
            array[...] = arrays.final_observations[name]
        if self.recorder is not None:
            self.recorder.end()
        self.batch.max_turns = self.batch.turn

    def _begin_next(self, places: Array) -> None:
        """Begin the next matches in these places."""
        self._whole["turn"][places] = 0
        self._restarted[places] = True
        self._episodes[places] += 1
        seeds = {m: derive(self._seeds[m], "again", int(self._episodes[m])) for m in places.tolist()}
        self.batch.reset(places, [key_of(seed).dice for seed in seeds.values()])
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
        return _restored(*copy.deepcopy(parts(self), memo))

    def __copy__(self) -> Environment:
        return copy.deepcopy(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, parts(self)

    def close(self) -> None:
        """End the processes of bots; a match that is not over is not recorded."""
        if self.bots is not None:
            self.bots.close()
        if self.recorder is not None:
            self.recorder.abandon()


def _restored(made: dict[str, Any], spaces: dict[str, Any], point: dict[str, Any] | None) -> Environment:
    """Return an environment of these parts."""
    env = Environment(**made)
    restore(env, spaces, point)
    return env
