"""The laws that every game keeps, for whoever writes a game: `check(game)`.

A law takes a `Case`: a game, its settings, and how far to play. It plays with answers drawn from the
questions' own specifications (`RandomAnswers`), so it needs no bot, and fails with an AssertionError that
says what was broken. Choose settings with a small board: a law plays the same matches many times.
"""

from __future__ import annotations

import copy
import itertools
import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from koth.game import (
    FAULT,
    FAULTS,
    Answers,
    Array,
    Asks,
    Batch,
    Game,
    State,
    copy_state,
    default_answers,
    state_hash,
)
from koth.rng import derive, word

SMALL = 12
"""Most random integers are below this: the actions of a game are few."""


def seed_where(*claims: Callable[[int], object], tries: int = 1_000_000) -> int:
    """The first seed from 0 on for which all claims hold: how a test gets the dice it needs.

        seed_where(lambda seed: draw(seed, 0, SPAWN, 0, 81) == 40)

    Raises LookupError when none of the first `tries` seeds will do.
    """
    for seed in range(tries):
        if all(claim(seed) for claim in claims):
            return seed
    raise LookupError(f"no seed below {tries} fits")


class RandomAnswers:
    """A policy that needs no knowledge of the game: it draws each answer from the question's fields.

    Integers are mostly small, or values that the body sees in a field of the same dtype; one in sixteen is
    anything that the dtype can hold. With `wild=True` all values are like that, rows carry faults, and bots
    die. A match gets the same answers in every batch: they depend on its seed, on how many questions it has
    been asked, and on seat and body.
    """

    def __init__(self, seeds: Sequence[int], seats: int, *, wild: bool = False) -> None:
        self.keys = [derive(seed, "answers") for seed in seeds]
        self.wild = wild
        self.asked = [0] * len(self.keys)
        self.gone = np.zeros((len(self.keys), seats), dtype=np.bool_)

    def __call__(self, asks: Asks) -> Answers:
        for match in np.unique(asks.match):
            self.asked[match] += 1
        fields = default_answers(asks.question, len(asks))
        fault = np.zeros(len(asks), dtype=np.uint8)
        for row in range(len(asks)):
            fault[row] = self._fault(int(asks.match[row]), int(asks.seat[row]), int(asks.body[row]))
            if not fault[row]:
                self._fill(asks, row, fields)
        return Answers(fields, fault, self.gone.copy())

    def _word(self, match: int, use: int, seat: int, body: int, place: int = 0) -> int:
        return int(word(self.keys[match], self.asked[match], use, seat << 48 | body << 16 | place))

    def _fault(self, match: int, seat: int, body: int) -> int:
        if not self.wild:
            return 0
        if self._word(match, 0, seat, 0) % 64 == 0:
            self.gone[match, seat] = True
        if self.gone[match, seat]:
            return FAULT["crash"]
        roll = self._word(match, 1, seat, body)
        return roll % len(FAULTS) if roll >> 30 == 0 else 0

    def _fill(self, asks: Asks, row: int, fields: dict[str, Array]) -> None:
        match, seat, body = int(asks.match[row]), int(asks.seat[row]), int(asks.body[row])
        for number, array in enumerate(fields.values(), 1):
            seen = _seen(asks, row, array.dtype)
            cells = array.reshape(len(asks), -1)[row]
            for place in range(len(cells)):
                kind = self._word(match, 2 * number, seat, body, place)
                value = self._word(match, 2 * number + 1, seat, body, place)
                cells[place] = _value(array.dtype, seen, 0 if self.wild else kind % 16, kind >> 8, value)


def _seen(asks: Asks, row: int, dtype: np.dtype[Any]) -> Array:
    """The different values, 0 apart, of one row's view fields with this dtype."""
    view = asks.rows(row, row + 1).view
    alike = [array.ravel() for array in view.values() if array.dtype == dtype]
    values = np.unique(np.concatenate(alike)) if alike else np.zeros(0, dtype)
    seen: Array = values[values != 0]
    return seen


def _value(dtype: np.dtype[Any], seen: Array, roll: int, kind: int, value: int) -> Any:
    if dtype.kind == "b":
        return value & 1
    if dtype.kind == "f":
        if roll == 0:
            edges = (np.nan, np.inf, -np.inf, np.finfo(dtype).max, np.finfo(dtype).min, -0.0, -1.5)
            return edges[kind % len(edges)]
        return value % SMALL if roll < 8 else value * SMALL / 2**32
    if roll == 0:
        info = np.iinfo(dtype)
        low, high = int(info.min), int(info.max)
        return (low, high, low + (value * (high - low + 1) >> 32))[kind % 3]
    if len(seen) and roll < 12:
        return seen[value % len(seen)]
    return value % SMALL


@dataclass(frozen=True)
class Case:
    """What the laws play: they watch `turns` turns closely; within `cap` turns a match must have ended."""

    game: Game
    settings: Any
    seats: int
    seed: int = 1
    turns: int = 20
    cap: int = 5_000


UNASKED = 10_000
"""So many turns in which nobody is asked are one match too long."""

Policy = Callable[[Asks], Answers]


def play(batch: Batch, policy: Policy, turns: int, on_turn: Callable[[list[int]], None]) -> None:
    """Play on for so many turns; after each, `on_turn` is told the matches that were played in it."""
    over = batch.game.over(batch.state).copy()
    stop = batch.turn + turns

    def note() -> None:
        assert batch.turn < stop + UNASKED, f"nobody is asked for {UNASKED} turns, and the match goes on"
        if batch.turn <= stop:
            on_turn(np.flatnonzero(~over).tolist())
        over[:] = batch.game.over(batch.state)

    batch.on_turn = note
    while batch.asks is not None and batch.turn < stop:
        batch.answer(policy(batch.asks))
    batch.on_turn = None


def trail(batch: Batch, policy: Policy, turns: int) -> list[list[str]]:
    """Each match's state hashes, one per turn it was played in (and one for an opening that asks)."""
    hashes: list[list[str]] = [[] for _ in range(batch.matches)]

    def note(matches: list[int]) -> None:
        for match in matches:
            hashes[match].append(state_hash(batch.game, batch.state, match))

    play(batch, policy, turns, note)
    return hashes


def begin(case: Case, seeds: Sequence[int], **options: Any) -> Batch:
    """A new batch of the case's matches."""
    return Batch(case.game, case.settings, case.seats, seeds, **options)


def go_on(case: Case, state: State) -> Batch:
    """A batch that goes on from a copy of this state."""
    return Batch.of_state(case.game, case.settings, case.seats, copy_state(state))


def policy_of(case: Case, *seeds: int) -> RandomAnswers:
    """The random answers for matches of these seeds."""
    return RandomAnswers(seeds, case.seats)


def states(case: Case, turns: int) -> list[State]:
    """Copies of one match's states between turns: after the opening, if it asks, and every turn."""
    batch = begin(case, [case.seed])
    found: list[State] = []
    play(batch, policy_of(case, case.seed), turns, lambda _: found.append(copy_state(batch.state)))
    return found


def same_seed_same_states(case: Case) -> None:
    """Two runs with one seed go through the same states."""
    first, again = (trail(begin(case, [case.seed]), policy_of(case, case.seed), case.turns) for _ in range(2))
    assert first == again, f"two runs with seed {case.seed} differ at step {_differ(first[0], again[0])}"


def every_match_ends(case: Case) -> None:
    """Random answers, and silence too, come to an end within `cap` turns."""
    silent = Silence(case.seats)
    for policy in (policy_of(case, case.seed), silent):
        batch = begin(case, [case.seed])
        play(batch, policy, case.cap, lambda _: None)
        assert batch.asks is None, f"not over after {case.cap} turns"
        assert case.game.over(batch.state).all(), "nothing is asked any more, but the match is not over"


class Silence:
    """A policy that never answers: defaults, each row with the fault "missing"; bots may be gone."""

    def __init__(self, seats: int, *, gone: bool = False) -> None:
        self.seats = seats
        self.gone = gone

    def __call__(self, asks: Asks) -> Answers:
        matches = int(asks.match.max()) + 1
        fault = np.full(len(asks), FAULT["crash" if self.gone else "missing"], dtype=np.uint8)
        gone = np.full((matches, self.seats), self.gone)
        return Answers(default_answers(asks.question, len(asks)), fault, gone)


def garbage_never_raises(case: Case) -> None:
    """Whatever the fields' dtypes can hold, whoever fails or dies: no error, no warning, a state to show."""
    seeds = range(case.seed, case.seed + 3)
    for policy in (RandomAnswers(seeds, case.seats, wild=True), Silence(case.seats, gone=True)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            batch = begin(case, seeds) if isinstance(policy, RandomAnswers) else begin(case, [case.seed])
            play(batch, policy, 3 * case.turns, lambda _: None)
            for match in range(batch.matches):
                _to_json(case.game.frame(case.settings, batch.state, match))


def questions_keep_their_word(case: Case) -> None:
    """Rows are sorted, nobody is asked twice or after the end, arrays are as the question declares."""
    questions = case.game.questions(case.settings, case.seats)
    seeds = [case.seed, case.seed + 1]
    batch, policy = begin(case, seeds), policy_of(case, *seeds)
    for _ in itertools.takewhile(lambda _: batch.asks is not None, range(4 * case.turns)):
        asks = batch.asks
        assert asks is not None
        _check_asks(asks, questions, case, case.game.over(batch.state))
        batch.answer(policy(asks))


def _check_asks(asks: Asks, questions: Any, case: Case, over: Array) -> None:
    question = questions[asks.question.name]
    rows = list(zip(asks.match.tolist(), asks.seat.tolist(), asks.body.tolist(), strict=True))
    assert rows == sorted(set(rows)), f"{question.name}: rows not sorted by match, seat, body, or one twice"
    assert all(0 <= seat < case.seats for _, seat, _ in rows), f"{question.name}: no such seat"
    assert not over[asks.match].any(), f"{question.name}: asked of a match that is over"
    most = np.bincount(asks.match).max()
    assert most <= question.most, f"{question.name}: {most} rows in a match, declared {question.most}"
    assert list(asks.view) == list(question.view), f"{question.name}: fields {list(asks.view)}"
    for name, spec in question.view.items():
        counts = asks.view[spec.ragged] if spec.ragged else None
        shape = (len(asks), *spec.shape) if counts is None else (int(counts.sum()),)
        array = asks.view[name]
        assert array.shape == shape, f"{question.name}.{name}: shape {array.shape}, declared {shape}"
        assert array.dtype == np.dtype(spec.dtype), f"{question.name}.{name}: dtype {array.dtype}"


def views_share_nothing(case: Case) -> None:
    """No view lies in the state's memory; scribbling over it changes nothing."""
    clean = trail(begin(case, [case.seed]), policy_of(case, case.seed), case.turns)
    batch, policy = begin(case, [case.seed]), policy_of(case, case.seed)

    def scribble(asks: Asks) -> Answers:
        answers = policy(asks)
        for name, view in asks.view.items():
            for field, array in zip(batch.state._fields, batch.state, strict=True):
                assert not np.shares_memory(view, array), f"view field {name} lies in state.{field}"
            view[...] = 1
        return answers

    assert trail(batch, scribble, case.turns) == clean, "rules read the views that a bot may have changed"


def finished_matches_stay(case: Case) -> None:
    """A finished match in a batch is not touched, and the others go on as they would alone."""
    middle = states(case, 2)[0]
    batch = begin(case, [case.seed])
    play(batch, policy_of(case, case.seed), case.cap, lambda _: None)
    assert batch.asks is None, f"not over after {case.cap} turns"
    final, scratch = copy_state(batch.state), case.game.scratch()
    seeds = [case.seed, case.seed, case.seed]
    parts = zip(final, middle, final, strict=True)
    both = go_on(case, type(final)(*(np.concatenate(arrays) for arrays in parts)))
    alone = trail(go_on(case, middle), policy_of(case, case.seed), case.turns)
    assert trail(both, policy_of(case, *seeds), case.turns) == [[], alone[0], []]
    for name, array, ended in zip(final._fields, both.state, final, strict=True):
        if name not in scratch:
            assert array[0].tobytes() == array[2].tobytes() == ended[0].tobytes(), (
                f"state.{name} of a finished match was changed"
            )


def batches_do_not_matter(case: Case) -> None:
    """Every match of a batch is played as it is alone."""
    seeds, turns = range(case.seed, case.seed + 33), min(case.turns, 8)
    together = trail(begin(case, seeds), policy_of(case, *seeds), turns)
    for seed, hashes in zip(seeds, together, strict=True):
        alone = trail(begin(case, [seed]), policy_of(case, seed), turns)[0]
        assert hashes == alone, f"seed {seed} plays otherwise in a batch from step {_differ(hashes, alone)} on"


def portions_do_not_matter(case: Case) -> None:
    """A batch that is asked match by match is played as one that is asked whole."""
    seeds, turns = range(case.seed, case.seed + 3), min(case.turns, 8)
    whole, parts = (
        trail(begin(case, seeds, whole=whole, portion=1), policy_of(case, *seeds), turns) for whole in (True, False)
    )
    for seed, one, other in zip(seeds, whole, parts, strict=True):
        assert one == other, f"seed {seed} plays otherwise in portions from step {_differ(one, other)} on"


def other_seeds_other_matches(case: Case) -> None:
    """With the same answers, matches of other seeds look otherwise: the dice hang on the seed.

    Settings under which a match has no dice say so by an attribute `dice`, which is False.
    """
    if not getattr(case.settings, "dice", True):
        return
    seen = set()
    for seed in range(case.seed, case.seed + 5):
        batch = begin(case, [seed])
        play(batch, policy_of(case, case.seed), case.turns, lambda _: None)
        seen.add(_to_json(case.game.frame(case.settings, batch.state, 0)))
    assert len(seen) > 1, f"seeds {case.seed} to {case.seed + 4} all come to the same"


POISON = 3
"""What scratch is filled with: a number that means something nearly everywhere, and the wrong thing."""


def scratch_may_be_poisoned(case: Case) -> None:
    """What scratch fields held before a turn changes nothing, those apart that are carried from turn to turn."""
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
    assert hashes == clean, f"one of {sorted(poisoned)} is no scratch: step {_differ(hashes, clean)}"


def copies_go_on_alike(case: Case) -> None:
    """A copy at any question asks the same and goes on identically, without touching the original."""
    asked: list[bytes] = []
    given: list[Answers] = []
    policy = policy_of(case, case.seed)

    def record(asks: Asks) -> Answers:
        asked.append(_bytes(asks))
        given.append(copy.deepcopy(policy(asks)))
        return given[-1]

    trail(begin(case, [case.seed]), record, case.turns)
    batch = begin(case, [case.seed], copies=True)
    for step, answers in enumerate(given):
        other = batch.copy()
        for ahead in range(step, min(step + 4, len(given))):
            assert other.asks is not None, f"the copy at question {step} is over, the match is not"
            assert _bytes(other.asks) == asked[ahead], f"the copy at question {step} differs at {ahead}"
            other.answer(given[ahead])
        assert batch.asks is not None
        assert _bytes(batch.asks) == asked[step], f"a copy changed the match it was taken from ({step})"
        batch.answer(answers)


def _bytes(asks: Asks) -> bytes:
    arrays = (asks.match, asks.seat, asks.body, *asks.view.values())
    return asks.question.name.encode() + b"".join(array.tobytes() for array in arrays)


def all_is_json(case: Case) -> None:
    """Frames, facts and scores can be written as JSON, and looking at them changes nothing."""
    game, settings = case.game, case.settings
    for state in (game.start(settings, case.seats, [case.seed]), *states(case, case.turns)):
        before = copy_state(state)
        _to_json(game.frame(settings, state, 0))
        json.dumps(game.extra_scores(settings, state, 0), allow_nan=False)
        for seat in range(case.seats):
            json.dumps(game.facts(settings, state, 0, seat), allow_nan=False)
        scores = game.scores(settings, state)
        assert scores.shape == (1, case.seats), f"scores of shape {scores.shape}"
        assert scores.dtype == np.float64, f"scores are {scores.dtype}"
        assert np.isfinite(scores).all(), f"scores {scores}"
        for name, array, old in zip(state._fields, state, before, strict=True):
            assert array.tobytes() == old.tobytes(), f"looking at the match changed state.{name}"


def _to_json(frame: dict[str, Any]) -> str:
    for name, value in frame.items():
        if isinstance(value, np.ndarray):
            assert value.dtype.kind in "iu", f"frame[{name!r}] is an array of {value.dtype}, not of integers"
            assert value.ndim == 1, f"frame[{name!r}] has {value.ndim} dimensions, a replay's arrays have one"
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in frame.items()}
    return json.dumps(plain, allow_nan=False)


def notation_goes_both_ways(case: Case) -> None:
    """What `show` wrote, `parse` reads: the same text again, and a state that goes on in the same way."""
    game, settings = case.game, case.settings
    for turn, state in enumerate(states(case, case.turns)):
        text = game.show(settings, state, 0)
        read = game.parse(text, settings)
        assert game.show(settings, read, 0) == text, f"step {turn}: shown again, it reads otherwise"
        assert state_hash(game, read, 0) == state_hash(game, game.parse(text, settings), 0)
        assert game.over(read)[0] == game.over(state)[0], f"step {turn}: over is lost in the notation"
        assert _shows(case, read) == _shows(case, state), f"step {turn}: the state read goes on otherwise"


def _shows(case: Case, state: State) -> list[str]:
    batch = go_on(case, state)
    texts: list[str] = []

    def note(_: list[int]) -> None:
        texts.append(case.game.show(case.settings, batch.state, 0))

    play(batch, policy_of(case, case.seed), 3, note)
    return texts


def _differ(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(itertools.zip_longest(one, other))
    return next((k for k, (a, b) in pairs if a != b), -1)


def playthrough(case: Case) -> str:
    """A match as text, to be kept and compared: each turn's answers, the state's hash, the board.

    A block begins with `start`, `opening` or `turn N`. A line per question and seat has its bodies with the
    answer fields that differ from the default.
    """
    game, settings = case.game, case.settings
    fresh = game.start(settings, case.seats, [case.seed])
    lines = ["start", *_board(case, fresh)]
    batch, policy = begin(case, [case.seed]), policy_of(case, case.seed)
    asked: list[str] = []

    def answer(asks: Asks) -> Answers:
        answers = policy(asks)
        for seat, rows in asks.of_match(0):
            picked = np.flatnonzero(asks.seat == seat).tolist()
            bodies = (f"{body}{_said(asks, answers, row)}" for body, row in zip(rows.body, picked, strict=True))
            asked.append(f"{asks.question.name} {seat}: {'; '.join(bodies)}")
        return answers

    def note(_: list[int]) -> None:
        lines.extend([f"turn {batch.turn}" if batch.turn else "opening", *asked, *_board(case, batch.state)])
        asked.clear()

    play(batch, answer, case.turns, note)
    if batch.asks is None:
        scores = game.scores(settings, batch.state)[0].tolist()
        lines.append(f"over, scores {' '.join(f'{score:g}' for score in scores)}")
    return "\n".join(lines) + "\n"


def _board(case: Case, state: State) -> list[str]:
    return [f"hash {state_hash(case.game, state, 0)}", *case.game.show(case.settings, state, 0).splitlines(), ""]


def _said(asks: Asks, answers: Answers, row: int) -> str:
    words = ""
    for name, spec in asks.question.answer.items():
        value = answers[name][row]
        if (value != np.dtype(spec.dtype).type(spec.default)).any():
            words += f" {name}={','.join(str(cell) for cell in value.ravel())}"
    return words


LAWS: tuple[Callable[[Case], None], ...] = (
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
    notation_goes_both_ways,
)
"""Every law that needs no processes."""


def check(game: Game, settings: Any = None, seats: int | None = None, **limits: int) -> None:
    """Hold a game against every law; raises AssertionError at the first that is broken.

    Without settings the first ruleset is played, without seats the fewest that the game allows. `limits`
    are the numbers of `Case`: seed, turns, cap.
    """
    if settings is None:
        settings = next(iter(game.rulesets.values()))
    case = Case(game, settings, game.seats[0] if seats is None else seats, **limits)
    for law in LAWS:
        law(case)
