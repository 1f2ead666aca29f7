"""Laws that every game must keep."""

from __future__ import annotations

import copy
import itertools
import json
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import SkipTest

import numpy as np

from koth import rng
from koth.buffers import UNLIMITED
from koth.compile import COMPILED
from koth.discovery.samples import sample_names
from koth.engine.contract import find_frame_problem
from koth.events import own_copy, ways_out
from koth.game import Answers, Array, Buffers, Event, Game, Observations, RowIndex, State, copy_state, state_hash
from koth.games import names
from koth.testing.cases import Case, begin, go_on, play, policy_of, states, trail
from koth.testing.hash_seeds import hash_seeds_do_not_matter
from koth.testing.pictures import letters_keep_the_fog, pictures_are_drawn, pictures_keep_the_fog
from koth.testing.policies import RandomAnswers, Silence
from koth.testing.replays import replays_show_the_match


def same_seed_same_states(case: Case) -> None:
    """Check that two runs with one seed go through the same states."""
    before = random.getstate()
    first, again = (trail(begin(case, [case.seed]), policy_of(case, case.seed), case.turns) for _ in range(2))
    assert random.getstate() == before, "the game draws from `random`: derive its dice from the match's seed"
    assert first == again, f"two runs with seed {case.seed} differ at step {_differ(first[0], again[0])}"


def every_match_ends(case: Case) -> None:
    """Check that matches with random answers, and without answers, end within `cap` turns."""
    silent = Silence(case.seats)
    for policy in (policy_of(case, case.seed), silent):
        batch = begin(case, [case.seed])
        play(batch, policy, case.cap, lambda _: None)
        assert batch.observations is None, f"not over after {case.cap} turns"
        assert case.game.over(batch.state).all(), "nothing is asked any more, but the match is not over"


def garbage_never_raises(case: Case) -> None:
    """Check that any value of the dtypes, faults and deaths cause no error or warning, and states can be shown."""
    seeds = range(case.seed, case.seed + 3)
    for policy in (RandomAnswers(seeds, case.seats, wild=True), Silence(case.seats, gone=True)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            batch = begin(case, seeds) if isinstance(policy, RandomAnswers) else begin(case, [case.seed])
            play(batch, policy, 3 * case.turns, lambda _: None)
            for match in range(batch.matches):
                _to_json(case.game.frame(case.settings, batch.state, match))


def questions_keep_their_word(case: Case) -> None:
    """Check that rows are sorted, no unit is asked twice or after the end, and arrays fit their declaration."""
    questions = case.game.questions(case.settings, case.seats)
    seeds = [case.seed, case.seed + 1]
    batch, policy = begin(case, seeds), policy_of(case, *seeds)
    for _ in itertools.takewhile(lambda _: batch.observations is not None, range(4 * case.turns)):
        observations = batch.observations
        assert observations is not None
        _check_asks(observations, questions, case, case.game.over(batch.state))
        batch.answer(policy(observations))


def _check_asks(observations: Observations, questions: Any, case: Case, over: Array) -> None:
    question = questions[observations.question.name]
    rows = list(zip(observations.match.tolist(), observations.seat.tolist(), observations.unit.tolist(), strict=True))
    assert rows == sorted(set(rows)), f"{question.name}: rows not sorted by match, seat, unit, or one twice"
    assert all(0 <= seat < case.seats for _, seat, _ in rows), f"{question.name}: no such seat"
    assert not over[observations.match].any(), f"{question.name}: asked of a match that is over"
    most = np.bincount(observations.match).max()
    assert most <= question.max_rows, f"{question.name}: {most} rows in a match, declared {question.max_rows}"
    assert list(observations.fields) == list(question.observation), (
        f"{question.name}: fields {list(observations.fields)}"
    )
    for name, spec in question.observation.items():
        counts = observations.fields[spec.ragged] if spec.ragged else None
        shape = (len(observations), *spec.shape) if counts is None else (int(counts.sum()),)
        array = observations.fields[name]
        assert array.shape == shape, f"{question.name}.{name}: shape {array.shape}, declared {shape}"
        assert array.dtype == np.dtype(spec.dtype), f"{question.name}.{name}: dtype {array.dtype}"
        assert array.flags.c_contiguous, (
            f"{question.name}.{name}: a view on a larger array, which koth copies for each bot: use an own array"
        )
        least, most = spec.bounds
        wrong = array[~spec.allows(array)]
        meant = f"one of {len(spec.names)} names" if spec.names else f"{least:g} to {most:g}"
        assert not wrong.size, f"{question.name}.{name}: {wrong[0]} in an observation, declared {meant}"


def only_units_in_play_are_asked(case: Case) -> None:
    """Check that asked units are in `agents`, and in `alive` when the turn begins or when they are asked.

    Openings may ask all agents.
    """
    game, settings = case.game, case.settings
    agents = game.agents(settings, case.seats)
    table, before = agents.table, np.ones(len(agents), np.bool_)
    batch, policy = begin(case, [case.seed]), policy_of(case, case.seed)

    def look(observations: Observations) -> Answers:
        alive = before | game.alive(settings, batch.state)[0]
        for seat, unit in zip(observations.seat.tolist(), observations.unit.tolist(), strict=True):
            agent = table[seat, unit] if 0 <= unit < table.shape[1] else -1
            asked = f"turn {batch.turn + 1}: {observations.question.name} is asked of unit {unit} of seat {seat}"
            assert agent >= 0, f"{asked}, and `agents` has no such unit"
            assert alive[agent], f"{asked}, and `alive` says that it is asked no more"
        return policy(observations)

    def keep(_: list[int]) -> None:
        before[:] = game.alive(settings, batch.state)[0]

    play(batch, look, 4 * case.turns, keep)


class _Filled(Buffers):
    """Buffers that contain one number wherever a kernel has not written yet."""

    number = 0

    def arrays(self, name: str, matches: int | None = None, **counted: int) -> tuple[RowIndex, Any]:
        index, observation = super().arrays(name, matches, **counted)
        for array in observation:
            array[...] = self.number
        return index, observation


def observations_are_written(case: Case) -> None:
    """Check that every value of an observation is written for its question: no earlier content of buffers is left."""
    questions = case.game.questions(case.settings, case.seats)
    batches = [begin(case, [case.seed]) for _ in range(2)]
    for number, batch in enumerate(batches):
        batch.buffers = _Filled(questions, batch.matches)
        batch.buffers.number = number
    policies = [policy_of(case, case.seed) for _ in batches]
    for _ in range(4 * case.turns):
        seen = [batch.observations for batch in batches]
        if seen[0] is None or seen[1] is None:
            break
        for name, array in seen[0].fields.items():
            assert array.tobytes() == seen[1].fields[name].tobytes(), (
                f"{seen[0].question.name}.{name}: turn {batches[0].turn + 1} shows the buffer's old content; "
                "its kernel must write every value of every row"
            )
        for batch, policy, observations in zip(batches, policies, seen, strict=True):
            assert observations is not None
            batch.answer(policy(observations))


def dice_are_drawn_once(case: Case) -> None:
    """Check that no random number of a match is drawn twice: each address (turn, phase, index) belongs to one event.

    A game that draws numbers again on purpose, for example for observations, names the phases in an attribute
    `redrawn`. The law looks at kernels in plain Python: with `NUMBA_DISABLE_JIT=1`.
    """
    if COMPILED:
        return
    seen = set[tuple[int, ...]]()
    redrawn, philox = getattr(case.game, "redrawn", ()), rng.philox

    def watch(*address: int) -> int:
        *_, turn, phase = address
        words = f"draw(seed, turn={turn}, phase={phase}, index={address[3] << 32 | address[2]})"
        assert phase in redrawn or address not in seen, f"{words} gives the same number a second time"
        seen.add(address)
        return philox(*address)

    rng.philox = watch  # type: ignore[assignment]
    try:
        play(begin(case, [case.seed]), policy_of(case, case.seed), min(case.turns, 8), lambda _: None)
    finally:
        rng.philox = philox


def views_share_nothing(case: Case) -> None:
    """Check that observations share no memory with the state; overwriting one changes nothing."""
    clean = trail(begin(case, [case.seed]), policy_of(case, case.seed), case.turns)
    batch, policy = begin(case, [case.seed]), policy_of(case, case.seed)

    def scribble(observations: Observations) -> Answers:
        answers = policy(observations)
        for name, observation in observations.fields.items():
            for field, array in zip(batch.state._fields, batch.state, strict=True):
                assert not np.shares_memory(observation, array), f"observation {name} lies in state.{field}"
            observation[...] = 1
        return answers

    assert trail(batch, scribble, case.turns) == clean, "rules read the observations that a bot may have changed"


def finished_matches_stay(case: Case) -> None:
    """Check that a finished match in a batch does not change, and that the others go on as they would alone."""
    middle = states(case, 2)[0]
    batch = begin(case, [case.seed])
    play(batch, policy_of(case, case.seed), case.cap, lambda _: None)
    assert batch.observations is None, f"not over after {case.cap} turns"
    final, scratch = copy_state(batch.state), case.game.scratch()
    seeds = [case.seed, case.seed, case.seed]
    parts = zip(final, middle, final, strict=True)
    both = go_on(case, type(final)(*(np.concatenate(arrays) for arrays in parts)))
    alone = trail(go_on(case, middle), policy_of(case, case.seed), case.turns)
    assert trail(both, policy_of(case, *seeds), case.turns) == [[], alone[0], []]
    for name, array, ended in zip(final._fields, both.state, final, strict=True):
        if name not in scratch:
            assert array[:1].tobytes() == array[2:].tobytes() == ended[:1].tobytes(), (
                f"state.{name} of a finished match was changed"
            )


def batches_do_not_matter(case: Case) -> None:
    """Check that every match of a batch is played as it is alone."""
    seeds, turns = range(case.seed, case.seed + 33), min(case.turns, 8)
    together = trail(begin(case, seeds), policy_of(case, *seeds), turns)
    for seed, hashes in zip(seeds, together, strict=True):
        alone = trail(begin(case, [seed]), policy_of(case, seed), turns)[0]
        assert hashes == alone, f"seed {seed} plays otherwise in a batch from step {_differ(hashes, alone)} on"


def portions_do_not_matter(case: Case) -> None:
    """Check that a batch asked match by match, or by twos, is played like a batch asked as a whole."""
    seeds, turns = range(case.seed, case.seed + 3), min(case.turns, 8)
    whole = trail(begin(case, seeds, portion=UNLIMITED), policy_of(case, *seeds), turns)
    questions = case.game.questions(case.settings, case.seats).values()
    for portion in (1, *(2 * q.max_rows * sum(field.size for field in q.observation.values()) for q in questions)):
        parts = trail(begin(case, seeds, portion=portion), policy_of(case, *seeds), turns)
        for seed, one, other in zip(seeds, whole, parts, strict=True):
            assert one == other, f"seed {seed} plays otherwise in portions from step {_differ(one, other)} on"


def other_seeds_other_matches(case: Case) -> None:
    """Check that matches with other seeds but the same answers differ: the dice depend on the seed.

    A game without dice has an attribute `dice` that is False, or its settings have; then all seeds play the same.
    """
    has_dice = getattr(case.game, "dice", True) and getattr(case.settings, "dice", True)
    seen = set()
    for seed in range(case.seed, case.seed + 5):
        batch = begin(case, [seed])
        play(batch, policy_of(case, case.seed), case.turns, lambda _: None)
        seen.add(_to_json(case.game.frame(case.settings, batch.state, 0)))
    seeds = f"seeds {case.seed} to {case.seed + 4}"
    assert has_dice or len(seen) == 1, f"{seeds} come to different ends, but `dice` is False"
    assert not has_dice or len(seen) > 1, (
        f"{seeds} all come to the same; for a game without dice set `dice = False` in its class (or in its settings)"
    )


POISON = 3
"""The number that fills scratch arrays: a valid but wrong value nearly everywhere."""


def scratch_may_be_poisoned(case: Case) -> None:
    """Check that values of scratch fields from before a turn have no effect, except in fields that are carried."""
    clean = trail(begin(case, [case.seed]), policy_of(case, case.seed), case.turns)[0]
    batch, poisoned = begin(case, [case.seed]), case.game.scratch() - case.game.carried()
    hashes: list[str] = []

    def poison(_: list[int]) -> None:
        hashes.append(state_hash(case.game, batch.state, 0))
        for name in poisoned:
            getattr(batch.state, name)[...] = POISON

    for name in poisoned:
        getattr(batch.state, name)[...] = POISON
    play(batch, policy_of(case, case.seed), case.turns, poison)
    assert hashes == clean, f"one of {sorted(poisoned)} is not scratch: step {_differ(hashes, clean)}"


def copies_go_on_alike(case: Case) -> None:
    """Check that a copy taken at any question goes on like the original, and leaves the original unchanged.

    So do frames, which are made of the original after each turn.
    """
    asked: list[bytes] = []
    answered: list[Answers] = []
    policy = policy_of(case, case.seed)

    def record(observations: Observations) -> Answers:
        asked.append(_bytes(observations))
        answered.append(copy.deepcopy(policy(observations)))
        return answered[-1]

    trail(begin(case, [case.seed]), record, case.turns)
    batch, json_frames = begin(case, [case.seed], copies=True), list[str]()
    batch.on_turn = lambda: json_frames.append(_to_json(case.game.frame(case.settings, batch.state, 0)))
    for step, answers in enumerate(answered):
        other = batch.copy()
        for ahead in range(step, min(step + 4, len(answered))):
            assert other.observations is not None, f"the copy at question {step} is over, the match is not"
            assert _bytes(other.observations) == asked[ahead], f"the copy at question {step} differs at {ahead}"
            other.answer(answered[ahead])
        assert batch.observations is not None
        assert _bytes(batch.observations) == asked[step], f"a copy changed the match it was taken from ({step})"
        batch.answer(answers)


def _bytes(observations: Observations) -> bytes:
    arrays = (observations.match, observations.seat, observations.unit, *observations.fields.values())
    return observations.question.name.encode() + b"".join(array.tobytes() for array in arrays)


def all_is_json(case: Case) -> None:
    """Check that frames, match info and scores can be written as JSON, and that reading them changes nothing."""
    game, settings = case.game, case.settings
    for state in (game.initial_state(settings, case.seats, [case.seed]), *states(case, case.turns)):
        before = copy_state(state)
        _to_json(game.frame(settings, state, 0))
        json.dumps(game.extra_scores(settings, state, 0), allow_nan=False)
        for seat in range(case.seats):
            match_info = game.match_info(settings, state, 0, seat)
            json.dumps(match_info, allow_nan=False)
            strange = sorted(set(game.match_info_meanings) - set(match_info))
            assert not strange, f"match_info_meanings: no keys of the match info: {strange}"
        over, alive = game.over(state), game.alive(settings, state)
        for name, array, wanted in (
            ("over", over, (1,)),
            ("alive", alive, (1, len(game.agents(settings, case.seats)))),
        ):
            assert array.dtype == np.bool_, f"{name} is {array.dtype}, not bool"
            assert array.shape == wanted, f"{name} of shape {array.shape}, not {wanted}"
        scores = game.scores(settings, state)
        assert scores.shape == (1, case.seats), f"scores of shape {scores.shape}"
        assert scores.dtype == np.float64, f"scores are {scores.dtype}"
        assert np.isfinite(scores).all(), f"scores {scores}"
        for name, array, old in _comparable(case, state, before):
            assert array.tobytes() == old.tobytes(), f"looking at the match changed state.{name}"


def _comparable(case: Case, state: State, other: State) -> Iterator[tuple[str, Array, Array]]:
    """Yield name, array and other array of each field whose bytes can be compared: not objects of the game's own."""
    for name, array, old in zip(state._fields, state, other, strict=True):
        if array.dtype != object or name not in case.game.scratch():
            yield name, array, old


def deaths_have_events(case: Case) -> None:
    """Check that each unit that a frame's `alive` loses has a declared event; reading events changes nothing."""
    game, settings, seats = case.game, case.settings, case.seats
    fresh = game.initial_state(settings, seats, [case.seed])
    teams = seats + len(game.extra_scores(settings, fresh, 0))
    for seed in range(case.seed, case.seed + 4):  # until a unit has died
        if _hold_deaths(case, seed, teams) or "alive" not in game.frame(settings, fresh, 0):
            return


def _hold_deaths(case: Case, seed: int, teams: int) -> int:
    """Check the events of one match against its frames; return how many units were lost."""
    game, settings, deaths = case.game, case.settings, 0
    before = own_copy(game.frame(settings, game.initial_state(settings, case.seats, [seed]), 0))
    batch = begin(case, [seed])

    def look(_: list[int]) -> None:
        nonlocal before, deaths
        state = copy_state(batch.state)
        now = own_copy(game.frame(settings, batch.state, 0))
        found = game.events(settings, batch.state, 0, before, now)
        for name, array, old in _comparable(case, batch.state, state):
            assert array.tobytes() == old.tobytes(), f"looking at the events changed state.{name}"
        for event in found:
            _check_event(event, game, teams)
        lost = {team: lost for team, lost, _ in ways_out(before, now)}
        events_out = Counter(event.of.team for event in found if event.out)
        assert events_out == lost, (
            f"turn {batch.turn}: units lost by team {lost}, events with `out` {dict(events_out)}"
        )
        units = [event.of[:2] for event in found if event.out and event.of.unit is not None]
        assert len(units) == len(set(units)), f"turn {batch.turn}: a unit is out twice"
        before, deaths = now, deaths + sum(lost.values())

    play(batch, policy_of(case, seed), case.cap, look)
    return deaths


def _check_event(event: Event, game: Game, teams: int) -> None:
    """Check one event against the description of its class."""
    assert event.kind in game.event_kinds, f"an event of kind {event.kind!r}, declared are {sorted(game.event_kinds)}"
    assert event.weight in range(4), f"{event.kind}: weight {event.weight}, not 0 to 3"
    assert len(event.mark) == 1, f"{event.kind}: its mark {event.mark!r} is not one character"
    assert ("{by}" in event.text) == (event.by is not None), f"{event.kind}: {event.text!r}, by {event.by}"
    for party in (event.of, event.by):
        assert party is None or party.team is None or 0 <= party.team < teams, f"{event.kind}: no team {party.team}"
    json.dumps(event.as_json(), allow_nan=False)


def kernels_make_no_arrays(case: Case) -> None:
    """Check that no kernel is compiled with counts of references but those marked as allocating."""
    if COMPILED:
        from koth.compile.lazy import Kernel

        own = _package_of(type(case.game))
        kernels = [one for one in Kernel.imported if _package_of(one) == own or one.name.startswith("koth.")]
        found = [one.name for one in kernels if one.counts_unmarked]
        assert not found, (
            f"these kernels, or kernels that they call, make arrays or lists, or copy a slice: {', '.join(found)}: "
            "mark a kernel that does @kernel(allocates=True), or write a loop"
        )


def _package_of(code: Any) -> str:
    module: str = code.__module__
    return module.rpartition(".")[0] or module


def default_entrants_are_samples(case: Case) -> None:
    """Check that every name in `default_entrants` is a sample bot's."""
    if case.game.name in names():  # a game that is not installed has no folder of samples
        samples = sample_names(case.game.name)
        unknown = [name for name in case.game.default_entrants if name not in samples]
        assert not unknown, f"default_entrants: no samples {', '.join(unknown)}; there are {', '.join(samples)}"


def _to_json(frame: dict[str, Any]) -> str:
    trouble = find_frame_problem(frame)
    assert trouble is None, trouble
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in frame.items()}
    return json.dumps(plain, allow_nan=False)


def _differ(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(itertools.zip_longest(one, other))
    return next((k for k, (a, b) in pairs if a != b), -1)


LAWS: tuple[Callable[[Case], object], ...] = (
    same_seed_same_states,
    every_match_ends,
    garbage_never_raises,
    questions_keep_their_word,
    views_share_nothing,
    finished_matches_stay,
    batches_do_not_matter,
    portions_do_not_matter,
    other_seeds_other_matches,
    scratch_may_be_poisoned,
    copies_go_on_alike,
    all_is_json,
    deaths_have_events,
    replays_show_the_match,
    kernels_make_no_arrays,
    default_entrants_are_samples,
    only_units_in_play_are_asked,
    observations_are_written,
    dice_are_drawn_once,
    letters_keep_the_fog,
    pictures_are_drawn,
    pictures_keep_the_fog,
    hash_seeds_do_not_matter,
)
"""Every law; the laws on pictures start Node.js, the last one two processes for a game in the plain form."""


def check(game: Game, settings: Any = None, seats: int | None = None, **limits: int) -> None:
    """Check a game against every law; raise AssertionError at the first violation.

    Without settings the first ruleset is played, without seats the fewest that the game allows. `limits` are the
    numbers of `Case`: seed, turns, cap. Warns of laws that were skipped because Node.js is missing.
    """
    if settings is None:
        settings = next(iter(game.rulesets.values()))
    case = Case(game, settings, game.seats[0] if seats is None else seats, **limits)
    skipped = {}
    for law in LAWS:
        try:
            law(case)
        except SkipTest as missing:
            skipped[law.__name__] = missing
    if skipped:
        warnings.warn(f"not tried: {', '.join(skipped)}: {next(iter(skipped.values()))}", stacklevel=2)
