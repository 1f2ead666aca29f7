"""The laws of `koth.testing`, held against every game on the tiny boards of its goldens."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.errors import KothError
from koth.game import Answers, Array, Buffers, Game, Observations, RowIndex, State, Turn
from koth.games import GAMES, load
from koth.kernel import COMPILED, kernel
from koth.question import dtype_bounds
from koth.rng import draw
from koth.testing import Case, RandomAnswers, seed_where
from koth.testing.laws import (
    LAWS,
    all_is_json,
    batches_do_not_matter,
    check,
    copies_go_on_alike,
    deaths_have_events,
    default_entrants_are_samples,
    dice_are_drawn_once,
    every_match_ends,
    finished_matches_stay,
    garbage_never_raises,
    hash_seeds_do_not_matter,
    kernels_make_no_arrays,
    observations_are_written,
    only_units_in_play_are_asked,
    other_seeds_other_matches,
    portions_do_not_matter,
    questions_keep_their_word,
    same_seed_same_states,
    scratch_may_be_poisoned,
    views_share_nothing,
)
from koth.testing.pictures import letters_keep_the_fog, pictures_are_drawn, pictures_keep_the_fog
from koth.testing.replays import replays_show_the_match
from tests.golden import paths, read_case


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Case], None], path: Path) -> None:
    law(replace(read_case(path), turns=12))


@pytest.mark.parametrize("name", GAMES)
def test_every_ruleset_of_a_game_has_a_golden(name: str) -> None:
    headers = [path.read_text(encoding="utf-8").split("\n\n")[0] for path in paths(name)]
    for ruleset in load(name).rulesets:
        assert any(f"\nruleset {ruleset}\n" in header for header in headers), ruleset


class Broken:
    """A game with one thing wrong: everything else is the real game's."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def turn(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        turn = self._game.turn(settings, state, buffers)
        observations = next(turn)
        while True:
            answers = yield self.altered(observations, state)
            self.look_at(answers)
            try:
                observations = turn.send(answers)
            except StopIteration:
                return

    def altered(self, observations: Observations, state: State) -> Observations:
        return observations

    def look_at(self, answers: Answers) -> None:
        pass


def with_arrays(observations: Observations, match: Any = None, fields: Any = None) -> Observations:
    """The observations with other matches or fields."""
    match, fields = observations.match if match is None else match, fields or observations.fields
    return Observations(observations.question, match, observations.seat, observations.unit, fields)


class ShowsItsState(Broken):
    """Observations with an array of the state itself."""

    def altered(self, observations: Observations, state: State) -> Observations:
        shared = np.broadcast_to(state[0][:1], (len(observations),))
        return with_arrays(observations, fields={**observations.fields, "shared": shared})


class AsksBackwards(Broken):
    """Sorts its rows the wrong way round."""

    def altered(self, observations: Observations, state: State) -> Observations:
        rows = (observations.match, observations.seat, observations.unit)
        return Observations(observations.question, *(array[::-1] for array in rows), observations.fields)


class ShowsAView(Broken):
    """Shows a part of a larger array, whose values do not lie one behind the other."""

    def altered(self, observations: Observations, state: State) -> Observations:
        fields = {name: np.repeat(array, 2, axis=-1)[..., ::2] for name, array in observations.fields.items()}
        return with_arrays(observations, fields=fields)


class Chokes(Broken):
    """Can't stand a fault."""

    def look_at(self, answers: Answers) -> None:
        assert not answers.fault.any(), "a bot has failed"


class CountsCalls(Broken):
    """Remembers something outside the state."""

    calls = 0

    def turn(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        self.calls += 1
        state.seed[:] += self.calls
        return super().turn(settings, state, buffers)


class MixesMatches(Broken):
    """Gives all matches of a batch the same dice."""

    def initial_state(self, settings: Any, seats: int, seeds: Sequence[int]) -> State:
        return self._game.initial_state(settings, seats, [seeds[0] for _ in seeds])


class DrawsFractions(Broken):
    """Has a frame with an array that a replay can't hold."""

    def frame(self, settings: Any, state: State, match: int) -> dict[str, Any]:
        return {**self._game.frame(settings, state, match), "odd": np.zeros(3)}


class CountsLooks(Broken):
    """Has a frame that does not follow from the state."""

    looks = 0

    def frame(self, settings: Any, state: State, match: int) -> dict[str, Any]:
        self.looks += 1
        return {**self._game.frame(settings, state, match), "looks": self.looks}


class TouchesTheFinished(Broken):
    """Goes on changing matches that are over."""

    def turn(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        state.seed[self._game.over(state)] += 1
        return super().turn(settings, state, buffers)


class NeverEnds(Broken):
    """Is not over when it is over."""

    def over(self, state: State) -> Any:
        return np.zeros(len(state[0]), np.bool_)


class MistakesItsPortions(Broken):
    """Numbers the matches of every portion after the first from 0 on."""

    asked = 0

    def turn(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        self.asked = 0
        return super().turn(settings, state, buffers)

    def altered(self, observations: Observations, state: State) -> Observations:
        self.asked += 1
        first = observations.match[0] if self.asked > 1 and len(observations) else 0
        return with_arrays(observations, match=observations.match - first)


class TakesAPortionForAMatch(Broken):
    """Numbers all rows of a portion as those of its first match."""

    whole = False

    def turn(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        self.whole = all(buffers.portion(name) == buffers.matches for name in buffers.questions)
        return super().turn(settings, state, buffers)

    def altered(self, observations: Observations, state: State) -> Observations:
        if self.whole or not len(observations):
            return observations
        return with_arrays(observations, match=np.full_like(observations.match, observations.match[0]))


class HasOneMatchOnly(Broken):
    """Plays the same match whatever the seed."""

    def initial_state(self, settings: Any, seats: int, seeds: Sequence[int]) -> State:
        return self._game.initial_state(settings, seats, [7 for _ in seeds])


class HidesItsNumbers(Broken):
    """Calls scratch what the rules read a turn later."""

    def scratch(self) -> frozenset[str]:
        return self._game.scratch() | {"next_number"}


class AsksTheDead(Broken):
    """Asks units that it says are asked no more."""

    def alive(self, settings: Any, state: State) -> Any:
        return np.zeros_like(self._game.alive(settings, state))


class ForgetsAField(Broken):
    """Has a kernel that never writes the first field of its observation."""

    def turn(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        arrays = type(buffers).arrays

        class Forgetful(type(buffers)):  # type: ignore[misc]
            def arrays(self, name: str, matches: int | None = None, **counted: int) -> tuple[RowIndex, Any]:
                index, observation = arrays(buffers, name, matches, **counted)
                return index, observation._replace(**{observation._fields[0]: observation[0].copy()})

        forgetful = Forgetful.__new__(Forgetful)
        vars(forgetful).update(vars(buffers))
        return super().turn(settings, state, forgetful)


class TellsNothing(Broken):
    """Has no events."""

    def events(self, *_: Any) -> list[Any]:
        return []


class DrawsTwice(Broken):
    """Draws all its numbers from one address."""

    def look_at(self, answers: Answers) -> None:
        draw(7, 0, 0, 0, 6)


class ShowsWhatIsNotDeclared(Broken):
    """Observes a value beyond the names or bounds of its field."""

    def altered(self, observations: Observations, state: State) -> Observations:
        for name, spec in observations.question.observation.items():
            if spec.bounds[1] < dtype_bounds(spec.dtype)[1]:
                observations.fields[name][:1] = spec.bounds[1] + 1
        return observations


class ReadsOn(Broken):
    """Looks answers up in a table that is too short: uncompiled Python does not read what lies behind it."""

    def look_at(self, answers: Answers) -> None:
        values = next(iter(answers.fields.values())).ravel()
        look_up(np.zeros(1 << 16, np.int64)[:8], values.astype(np.int64) & 0xFF)


@kernel
def look_up(table: Array, places: Array) -> int:
    total = 0
    for place in places:
        total += table[place]
    return total


class NamesStrangers(Broken):
    """Has a default entrant that is not a sample."""

    default_entrants = ("greedy", "nobody")


def with_game(case: Case, mutant: type[Broken]) -> Case:
    return replace(case, game=cast(Game, mutant(case.game)))


MUTANTS = {
    same_seed_same_states: CountsCalls,
    every_match_ends: NeverEnds,
    garbage_never_raises: Chokes,
    questions_keep_their_word: AsksBackwards,
    views_share_nothing: ShowsItsState,
    finished_matches_stay: TouchesTheFinished,
    batches_do_not_matter: MixesMatches,
    portions_do_not_matter: MistakesItsPortions,
    other_seeds_other_matches: HasOneMatchOnly,
    scratch_may_be_poisoned: HidesItsNumbers,
    copies_go_on_alike: CountsCalls,
    all_is_json: DrawsFractions,
    replays_show_the_match: CountsLooks,
    deaths_have_events: TellsNothing,
    default_entrants_are_samples: NamesStrangers,
    only_units_in_play_are_asked: AsksTheDead,
    observations_are_written: ForgetsAField,
    dice_are_drawn_once: DrawsTwice,
}


PICTURES = (letters_keep_the_fog, pictures_are_drawn, pictures_keep_the_fog)
"""Laws of draw.js and glyphs.py."""


def test_every_law_has_a_mutant() -> None:
    elsewhere = {hash_seeds_do_not_matter, kernels_make_no_arrays, *PICTURES}  # test_plain, _kernel and _pictures
    assert {*MUTANTS, *elsewhere} == set(LAWS)


@pytest.mark.parametrize("law", MUTANTS, ids=lambda law: law.__name__)
def test_every_law_finds_a_game_that_breaks_it(law: Callable[[Case], None]) -> None:
    if COMPILED and law is dice_are_drawn_once:
        pytest.skip("draws can be watched with NUMBA_DISABLE_JIT=1 only")
    case = replace(read_case(paths()[-1]), turns=8, cap=300)
    law(case)
    with pytest.raises((AssertionError, KothError)):  # a match that does not end is refused by its batch
        law(with_game(case, MUTANTS[law]))


class DrawsElsewhere(Broken):
    """Draws a number that changes nothing."""

    def look_at(self, answers: Answers) -> None:
        random.random()


@pytest.mark.parametrize(
    ("law", "mutant", "words"),
    [
        (questions_keep_their_word, ShowsAView, "a view on a larger array, which koth copies for each bot"),
        (questions_keep_their_word, ShowsWhatIsNotDeclared, r" in an observation, declared (0 to|one of)"),
        (same_seed_same_states, DrawsElsewhere, "draws from `random`"),
        (portions_do_not_matter, TakesAPortionForAMatch, "plays otherwise in portions"),
    ],
)
def test_laws_name_what_is_wrong(law: Callable[[Case], None], mutant: type[Broken], words: str) -> None:
    golden = paths("pacman")[0] if mutant is ShowsWhatIsNotDeclared else paths()[-1]
    with pytest.raises(AssertionError, match=words):
        law(with_game(replace(read_case(golden), turns=8, cap=300), mutant))


def test_check_plays_the_first_ruleset_with_the_fewest_bots() -> None:
    case = read_case(paths()[0])
    seen = []

    class Watched(Broken):
        def initial_state(self, settings: Any, seats: int, seeds: Sequence[int]) -> State:
            seen.append((settings, seats))
            raise AssertionError("seen enough")

    with pytest.raises(AssertionError, match="seen enough"):
        check(with_game(case, Watched).game)
    assert seen == [(next(iter(case.game.rulesets.values())), case.game.seats[0])]


def test_garbage_is_found_where_indices_are_checked() -> None:
    """Also in compiled kernels of other packages than koth; `test_processes` runs this uncompiled, too."""
    with pytest.raises(IndexError):
        garbage_never_raises(with_game(replace(read_case(paths()[-1]), turns=4), ReadsOn))


def test_seed_where_is_the_first_that_fits() -> None:
    assert seed_where(lambda seed: seed % 7 == 3, lambda seed: seed > 5) == 10
    with pytest.raises(LookupError, match="no seed below 50 fits"):
        seed_where(lambda seed: False, tries=50)


def test_random_answers_vary_and_fit_their_fields() -> None:
    case = read_case(paths()[0])
    batch = Batch(case.game, case.settings, case.seats, [5])
    observations = batch.observations
    plain, other = (RandomAnswers([seed], case.seats) for seed in (5, 6))
    wild = RandomAnswers([5], case.seats, wild=True)

    def fields(answers: Answers) -> list[bytes]:
        return [answers[name].tobytes() for name in observations.question.answer]

    first = plain(observations)
    assert fields(first) == fields(RandomAnswers([5], case.seats)(observations))
    assert fields(first) != fields(other(observations)) != fields(wild(observations))
    assert fields(first) != fields(plain(observations)), "the next question has the same answers"
    for name, spec in observations.question.answer.items():
        assert first[name].dtype == np.dtype(spec.dtype)
        assert first[name].shape == (len(observations), *spec.shape)
