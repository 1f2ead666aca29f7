"""Matches of one game in lockstep: observations, possible actions and rewards of all agents."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from koth.buffers import UNLIMITED
from koth.encoding import Encoding
from koth.engine.batch import Batch
from koth.engine.secret import key_of
from koth.engine.settings import choose
from koth.errors import KothError
from koth.game import Agents, Answers, Array, Game, Observations, State, default_answers, no_answers
from koth.rng import derive
from koth_learn.agent_arrays import AgentArrays
from koth_learn.arrays import FINAL, OBSERVATION
from koth_learn.copies import Copyable
from koth_learn.encodings import encode, space_shapes
from koth_learn.inputs import check_seed, out_of_range, whole_numbers
from koth_learn.rewards import Rewards
from koth_learn.rows import add_gains, begin_step, count_turns, find_agents, mark_agents, note_changes
from koth_learn.spec import PolicySpec

if TYPE_CHECKING:
    from koth_learn.opponents import BotOpponents
    from koth_learn.policies import PolicyOpponents

Shaping = Callable[[State, Array], None]
"""A function that changes the rewards (float32[matches, agents]) in place, given the state after a turn."""

MOST_SKIPPED = 1000
"""The most matches that a reset plays until one has a question."""

Step = tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]


class Environment(AgentArrays, Copyable):
    """Matches of a game; every array has an axis for the matches, then one for the agents of a match.

    A step is one question: agents that are `asked` must act, actions of the others are ignored, and their
    observations do not change. After a match that is over, or truncated, the next one begins in the same step;
    `ended` marks this, and `final_observations` are what its agents would have observed next (after an end: their
    last observations). Without `autoreset` the match stays at its end, and its observations are `final_observations`.
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
    ) -> None:
        self.game, self.seats, self.matches, self.spec = game, seats, matches, spec
        self.limit, self.shaping, self.copies, self.autoreset = limit, shaping, copies, autoreset
        self.reward, self.bots, self.policies = reward, bots, policies
        self.opponents = np.zeros(seats, np.bool_)
        """bool[seats]: the seats that bots or policies play."""
        for others in (bots, policies):
            self.opponents |= False if others is None else others.seats
        whole = game.agents(settings, seats)
        self.units_of_a_seat = int(np.bincount(whole.seat).max())
        theirs = self.opponents[whole.seat]
        self._order = np.argsort(theirs, kind="stable") if theirs.any() else None
        self._everybody = whole if self._order is None else Agents(whole.seat[self._order], whole.unit[self._order])
        """All agents, opponents' agents last, so that the others' arrays are a part of all."""
        self.agents = int(np.count_nonzero(~theirs))
        self.units = Agents(self._everybody.seat[: self.agents], self._everybody.unit[: self.agents])
        """The unit of each agent: `seat` and `unit`, int32[agents] each."""
        self.choices = encoding.choices
        """The number of values of each of an agent's actions."""
        self._set_rules(settings, encoding)
        self._set_arrays(len(self._everybody))
        self._set_results()
        self._seed: int | None = None

    def _set_rules(self, settings: Any, encoding: Encoding) -> None:
        """Set the settings and the encoding of the next matches, and make the buffers of their questions."""
        self.settings, self.encoding = settings, encoding
        self.rewards = Rewards.of(self.game, settings, self.seats, self.reward)
        self._column = self.rewards.column if self._order is None else self.rewards.column[self._order]
        sizes = {name: question.max_rows * self.matches for name, question in encoding.questions.items()}
        self._fields = {name: default_answers(encoding.questions[name], size) for name, size in sizes.items()}
        self._no_fault = np.zeros(max(sizes.values()), np.uint8)
        self._room = np.zeros(max(sizes.values()), np.int64)
        self._batch = None

    def _set_results(self) -> None:
        """Make the arrays that a step writes, apart from the agents'."""
        whole = self._whole
        self._shown, self._final = whole.flat_part(OBSERVATION), whole.flat_part(FINAL)
        self._last_actions = np.zeros((self.matches * len(self._everybody), len(self.choices)), np.int64)
        self._given, self._chosen = np.zeros_like(self._last_actions), np.zeros_like(self._last_actions)
        self._restarted = np.zeros(self.matches, np.bool_)
        self._gone = np.zeros((self.matches, self.seats), np.bool_)
        self._ended = np.zeros(self.matches, np.int64)
        self._worth = np.zeros((self.matches, self.rewards.columns))
        self._brought = whole["rewards"], whole["terminated"], whole["truncated"]
        self._of_a_step = *self._brought, whole["ended"], self._restarted, whole.flat("impossible")
        self._large = {"mask", *(name for name in whole.all if name.startswith((OBSERVATION, FINAL)))}
        named = ("mask", "asked", "alive", "impossible", "ended", "turn", "final_scores")
        self._infos: dict[str, Any] = {name: self.arrays[name] for name in named}
        self._infos["final_observations"] = self.arrays.final_observations
        self._told = self.arrays["rewards"], self.arrays["terminated"], self.arrays["truncated"]

    def reset(
        self, seed: int | Sequence[int] | None = None, settings: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Begin all matches: match m with a seed that follows from `seed` and m, or with `seed[m]`.

        Without a seed they follow from the last reset's seed, or are drawn by the system at the first reset. Seeds of
        later matches at the same index follow from the first one's. A match has the boards of `koth.play_match` with
        its seed. A match that is over before an agent is asked is replaced by the next at its index.

        `settings` (as in `make`, whose settings they replace) apply to all matches until a reset with other
        `settings`. Raises KothError if shapes of observations, actions or agents would change.
        """
        seeds = self._match_seeds(seed)
        if settings is not None:
            self._change(settings)
        for episode in range(MOST_SKIPPED):
            self._begin_all([derive(one, "again", episode) for one in seeds] if episode else seeds)
            if self.batch.observations is not None:
                break
        else:
            raise KothError(f"{MOST_SKIPPED} matches of {self!r} were over before a question: change its settings")
        for array in (*self._brought, self._whole["ended"]):  # of matches that were over
            array.fill(0)
        self._look()
        if len(silent := np.flatnonzero(~self._asked)):
            for array in (self._mask, *self._shown.values()):
                array[silent] = 0
        return self.arrays.observations, self._infos

    def _begin_all(self, seeds: list[int]) -> None:
        """Begin all matches with these seeds, and play to the first question, or to the end."""
        for array in self._whole.all.values() if self._batch is None else self._arrays_to_clear():
            array[...] = 0
        dice = [key_of(one).dice for one in seeds]
        self._attach(self._new_batch(dice) if self._batch is None else self._batch.reset_all(dice))
        self._seeds, self._episodes = seeds, np.zeros(self.matches, np.int64)
        self._restarted.fill(True)
        self._begin(dict(enumerate(seeds)))
        self._play_on()

    def _change(self, settings: Mapping[str, Any]) -> None:
        chosen = choose(self.game, self.spec.ruleset, settings)[1]
        encoding = encode(self.game, chosen, self.seats, self.matches, self.spec.options)
        same = space_shapes(encoding) == space_shapes(self.encoding) and len(
            self.game.agents(chosen, self.seats)
        ) == len(self._everybody)
        if not same:
            raise KothError(
                f"settings={dict(settings)}: matches would have other shapes than {self!r}; make another environment"
            )
        self.spec = replace(self.spec, settings=dict(settings))
        if self.bots is not None:
            self.bots.close()
            self.bots = self.bots.with_settings(chosen)
        self._set_rules(chosen, encoding)

    def _match_seeds(self, seed: int | Sequence[int] | None) -> list[int]:
        """Return the seed of each match, and store the seed of the next reset. Raises KothError."""
        if isinstance(seed, Sequence | np.ndarray):
            seeds = [check_seed(one) for one in seed]
            if len(seeds) != self.matches:
                raise KothError(f"{len(seeds)} seeds for {self.matches} matches: give one for each")
            self._seed = seeds[0]
            return seeds
        if seed is None:
            seed = secrets.randbits(62) if self._seed is None else derive(self._seed, "next")
        self._seed = check_seed(seed)
        return [derive(self._seed, m) for m in range(self.matches)]

    def _new_batch(self, seeds: Sequence[int]) -> Batch:
        boards = self.encoding.boards if self.bots is None else {}  # bots are sent all of it
        return Batch(
            self.game, self.settings, self.seats, seeds, copies=self.copies, portion=UNLIMITED, boards=boards
        )

    def _arrays_to_clear(self) -> list[Array]:
        """Return the arrays that a reset must clear: those that are not written for each asked agent."""
        final = self._whole.final_observations.values() if self._episodes.any() else ()
        return [*(array for name, array in self._whole.all.items() if name not in self._large), *final]

    def _begin(self, seeds: Mapping[int, int]) -> None:
        """Begin new matches at these indices: pass their match info to the encoding, and start the opponents."""
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
        """Apply the actions of asked agents: int[matches, agents], with a last axis if an agent has several actions.

        Returns observations, rewards, terminated, truncated and infos: the same arrays every time, overwritten.
        Raises KothError for an action out of range, for another shape or dtype, and at the end of a match without
        autoreset.
        """
        observations, rows = self.batch.observations, self._rows
        if observations is None:
            raise KothError("the match is over: call reset before the next step")
        given = self._actions_of_all(actions)
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

    def _actions_of_all(self, actions: Array) -> Array:
        """Return the actions of all agents, int64[agents of all matches, actions]. Raises KothError."""
        actions = whole_numbers(actions, self.action_shape, exactly=True)
        if self._order is None:
            return np.ascontiguousarray(actions, np.int64).reshape(self._given.shape)
        parts = self._given.reshape(self.matches, len(self._everybody), -1)
        parts[:, : self.agents] = actions.reshape(self.matches, self.agents, -1)
        return self._given

    def _defaults(self, observations: Observations) -> dict[str, Array]:
        """Return the answer fields with their defaults: in buffers, or in new arrays that copies can keep."""
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
        """Return int64[rows]: the flat index of each row's agent; overwritten by the next call."""
        places = self._room[: len(observations)]
        find_agents(*self._agent_keys(observations), places)
        return places

    def _agent_keys(self, observations: Observations) -> tuple[Array, Array, Array, Array, int]:
        return observations.match, observations.seat, observations.unit, self._everybody.table, len(self._everybody)

    def _look(self) -> None:
        """Write the observations of the open question, and the rewards and ends of the last step."""
        observations = self.batch.observations
        if observations is None:
            self._rows = self._room[:0]
            self._asked.fill(False)
        else:
            self._rows = self._room[: observations.seat.size]
            mark_agents(*self._agent_keys(observations), self._rows, self._asked)
            self.encoding.look(observations, self._rows, self._shown, self._mask)
        rewards, terminated, _ = self._brought
        alive, worth = self._living(), self._values()
        note_changes(worth, self._worth, alive, self._alive, self._restarted, self._column, rewards, terminated)

    def _find_rows(self) -> None:
        """Find the flat indices of the open question's rows, for a copy."""
        observations = self.batch.observations
        self._rows = self._room[:0] if observations is None else self._places(observations)

    def _values(self) -> Array:
        """Return the values whose increases are rewards, float64[matches, columns]."""
        return self.rewards.values(self.settings, self.state, self._worth)

    def _living(self) -> Array:
        """Return bool[matches, all agents]: the agents that can still be asked, in this environment's order."""
        alive = self.game.alive(self.settings, self.state)
        return alive if self._order is None else np.ascontiguousarray(alive[:, self._order])

    def _reward(self) -> None:
        """Add the gains since the last call to the rewards of all living agents."""
        lived, rewards = self._alive, self._whole["rewards"]
        add_gains(self._values(), self._restarted, lived, self._column, self._worth, rewards)

    def _after_turn(self) -> None:
        """Begin the next matches after those that have ended. (An opening, which is not a turn, ends here, too.)"""
        batch = self.batch
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
        """Store the final values of these matches, and begin the next matches, or stay at the end."""
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
        self.batch.max_turns = self.batch.turn

    def _begin_next(self, places: Array) -> None:
        """Begin the next matches at these indices."""
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
                own = replace(observations, match=places[observations.match])
                self.encoding.observe(own, self._places(own), self._final)
            ahead.answer(no_answers(observations, ahead.nobody_gone()))

    def close(self) -> None:
        """End the processes of bots."""
        if self.bots is not None:
            self.bots.close()
