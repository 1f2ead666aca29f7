"""Evaluation of policies in the contest's own matches against the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from koth.engine.settings import choose
from koth.errors import KothError
from koth.game import Array, Game, Observations, default_answers
from koth.games import load
from koth.match import Entrant, Hosting, play
from koth.replay.names import replay_name
from koth.rng import derive
from koth.session.local import InlineBot
from koth.standings.difference import mean_interval
from koth.standings.paired import ALPHA
from koth_learn.encodings import encode
from koth_learn.opponents import PATIENT, built_bot
from koth_learn.policies import Policy, check_actions
from koth_learn.seat_policy import SeatPolicy


@dataclass(frozen=True)
class Evaluation:
    """Scores of policies and of their opponents: `scores` is float64[policies, matches, 1 + opponents]."""

    game: str
    opponents: list[str]
    scores: Array

    @property
    def score(self) -> tuple[float, float]:
        """Return the mean score and half of its 95 % interval: over policies (seeds), or one policy's matches."""
        return _mean(self.scores[:, :, 0])

    @property
    def margin(self) -> tuple[float, float]:
        """Return the mean lead over the opponents' mean score in a match, and half of the lead's 95 % interval."""
        return _mean(self.scores[:, :, 0] - self.scores[:, :, 1:].mean(axis=2))

    def __str__(self) -> str:
        count, matches, _ = self.scores.shape
        (score, half), (margin, wide) = self.score, self.margin
        over = f"over {count} policies of {matches} matches each" if count > 1 else f"over {matches} matches"
        return (
            f"{self.game} against {', '.join(self.opponents)}: score {score:.1f}{_half_text(half)}, "
            f"{margin:+.1f}{_half_text(wide)} to their mean ({'95 %, ' * (half == half)}{over})"
        )


def _half_text(half: float) -> str:
    """Return half of an interval as text; empty for one value, which has none."""
    return "" if half != half else f" ±{half:.1f}"


def _mean(values: Array) -> tuple[float, float]:
    """Return the mean of float64[policies, matches], and half of Student's interval (nan for a single value)."""
    values = values.mean(axis=1) if len(values) > 1 else values[0]
    if len(values) < 2:
        return float(values.mean()), float("nan")
    low, high = mean_interval(values, 0.0, ALPHA)
    return float(values.mean()), (high - low) / 2


def evaluate(
    policy: Policy | str | Sequence[Policy | str],
    game: str,
    *,
    opponents: Sequence[str] = (),
    matches: int = 12,
    seed: int = 0,
    ruleset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    replays: str | Path | None = None,
    **options: Any,
) -> Evaluation:
    """Play matches of a policy against samples, as contests do; several policies are training seeds of one method.

    A policy is a function of observations and masks, or a bot as on a command line (an exported folder, `"@greedy"`).
    `opponents` are bots; by default they are the samples of `koth run GAME`, as many as have a seat. The policy's
    seat rotates, and the boards follow from `seed` alone, so that all policies play the same boards. `options` go to
    the encoding. `replays` is a folder for the replays. Raises KothError for an invalid option.
    """
    loaded = load(game)
    name, chosen = choose(loaded, ruleset, settings or {})
    table = loaded.contest_defaults.seats or loaded.seats.stop - 1
    words = list(opponents) or [f"@{sample}" for sample in loaded.default_entrants[: table - 1]]
    policies = [policy] if isinstance(policy, str) or callable(policy) else list(policy)
    if matches < 1 or not policies or len(words) + 1 not in loaded.seats:
        raise KothError(
            f"evaluate takes 1 match or more, {loaded.seats[0]} to {loaded.seats[-1]} seats and 1 policy or more, "
            f"not {matches}, {len(words) + 1} and {len(policies)}"
        )
    with TemporaryDirectory(prefix="koth-evaluate-") as place:

        def entrant(one: Policy | str, title: str) -> Entrant:
            if not isinstance(one, str):
                return InlineBot(title, _act(loaded, chosen, len(words) + 1, one, options))
            return replace(built_bot(loaded, one, Path(place)), name=title)

        rivals = [
            entrant(word, f"{word.strip('@/').rpartition('/')[2]}-{k}")
            for k, word in enumerate(words, len(policies) + 1)
        ]
        scores = np.zeros((len(policies), matches, len(words) + 1))
        for number, one in enumerate(policies):
            title = f"policy-{number + 1}"
            entrants = [entrant(one, title), *rivals]
            for match in range(matches):
                file = None if replays is None else Path(replays) / f"{title}-{replay_name(match + 1)}"
                shift = match % len(entrants)
                order = [*entrants[-shift:], *entrants[:-shift]] if shift else entrants
                if file is not None:
                    file.parent.mkdir(parents=True, exist_ok=True)
                hosting = Hosting(ruleset=name, time_control=PATIENT, replay=file)
                result = play(loaded, chosen, order, derive(seed, "match", match), hosting)
                scores[number, match] = [result.scores[bot.name] for bot in entrants]
    return Evaluation(game, words, scores)


def _act(
    game: Game, settings: Any, seats: int, policy: Policy, options: Mapping[str, Any]
) -> Callable[[Observations, Mapping[str, Any]], Mapping[str, Any]]:
    """Return the function of an inline bot that acts by the policy, in one match after another."""
    seated: dict[int, tuple[Mapping[str, Any], SeatPolicy]] = {}

    def checked(observations: Mapping[str, Array], mask: Array) -> Array:
        choices = np.array(seated[0][1].encoding.choices)
        return check_actions(policy(observations, mask), len(mask), choices)

    def act(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        if not seated or seated[0][0] is not match_info:
            seated[0] = match_info, SeatPolicy(match_info, encode(game, settings, seats, 1, options), checked)
        own = replace(observations, match=np.zeros_like(observations.match))
        fields = default_answers(own.question, len(own))
        seated[0][1].fill(own, fields)
        return fields

    return act
