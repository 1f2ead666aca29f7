"""Baselines of every game: a random policy, the best of three samples, and PPO by self-play with three seeds.

    python examples/learn/baselines.py --out build/baselines

Needs `pip install 'packages/koth-learn[onnx]' torch onnx matplotlib`. One network plays all agents of all seats of a
training. Then each policy plays the same boards against the same samples, at every seat alike
(`koth_learn.evaluate`); the best sample is the one with the highest mean score beside the random policy, and plays in
that policy's place. Writes a file of results for each game, bots of the trained policies, `table.md` and
`curves.png`. A game whose results are there is not trained again.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from ppo import Plan, Trainer, export

import koth_learn
from koth.games.pacman.learn import GHOSTS
from koth_learn import Evaluation, Policy, evaluate

mpl.use("agg")
import matplotlib.pyplot as plt

SEEDS = (1, 2, 3)
MATCHES = 12


@dataclass(frozen=True)
class Baseline:
    """A training (`make` has the options of `koth_learn.make`), and the samples that it is evaluated against."""

    opponents: tuple[str, ...]
    plan: Plan
    make: dict[str, Any]
    options: dict[str, Any]
    """Of the encoding."""
    settings: dict[str, Any]
    """Of the matches in which policies are evaluated."""


def is_ghost(observations: Any) -> np.ndarray:
    """Return bool[agents]: agents that are ghosts now (the window's middle has one), and score no more."""
    planes = observations["planes"]
    centre = planes.shape[-1] // 2
    return planes[:, GHOSTS, centre, centre] > 0


BASELINES = {
    "zombies": Baseline(
        ("@gunner", "@wanderer", "@coward"),
        Plan(1_000_000, steps=16, gamma=0.97, scale=0.1),
        {"matches": 4, "seats": 4, "limit": 400, "reward": "unit"},
        {},
        {},
    ),
    "pacman": Baseline(
        ("@random_walk", "@greedy", "@forager"),
        Plan(1_000_000, steps=64, gamma=0.97, epochs=4, minibatch=512, scale=0.02, idle=is_ghost),
        {"matches": 16, "seats": 4},
        {"window": 4},
        {},
    ),
    "metalman": Baseline(
        ("@random_steps", "@hunter", "@storm_runner"),
        Plan(120_000, steps=128, gamma=0.99, minibatch=512, centred=False),
        {"matches": 16, "seats": 4, "reward": "zero_sum"},
        {},
        {},
    ),
    "aliens": Baseline(
        ("@wanderer", "@grazer", "@bully"),
        Plan(500_000, steps=16, gamma=0.97, scale=0.1),
        {"matches": 1, "seats": 4, "reward": "unit"},
        {},
        {"rounds": 200},
    ),
}


def at_random(name: str, options: dict[str, Any]) -> Policy:
    """Return a policy that draws each possible choice with the same chance."""
    env, random = koth_learn.make(name, **options), np.random.default_rng(1)

    def act(observations: Any, masks: np.ndarray) -> np.ndarray:
        drawn = random.random(masks.shape) * masks
        return np.stack([drawn[:, first:last].argmax(1) for first, last in pairwise(env.encoding.places)], 1)

    return act


def trained(name: str, seed: int, share: float, out: Path) -> tuple[Policy, list[tuple[int, float, float]]]:
    """Train one policy and make a bot of it; return it and its curve."""
    how = BASELINES[name]
    env = koth_learn.make(name, **how.make, **how.options)
    plan = Plan(**{**vars(how.plan), "decisions": int(how.plan.decisions * share)})
    trainer, curve = Trainer(env, plan, seed), []
    for point in trainer.train():
        curve.append(point)
        if len(curve) % 20 == 0:
            print(
                f"{name}, seed {seed}: {point[0]:,} decisions, {point[1]:.2f} min, score {point[2]:.2f}", flush=True
            )
    export(trainer.policy.eval(), out / f"{name}_{seed}", env)
    return trainer.policy.best, curve


def measured(name: str, share: float, matches: int, out: Path) -> dict[str, Any]:
    """Train and evaluate; return the results of a game as its file has them."""
    how = BASELINES[name]
    policies, curves = zip(*(trained(name, seed, share, out) for seed in SEEDS), strict=True)

    def played(title: str, policy: Any) -> Evaluation:
        found = evaluate(policy, name, opponents=how.opponents, matches=matches, settings=how.settings, **how.options)
        print(f"{title}: {found}", flush=True)
        return found

    random = played("random", at_random(name, how.options))
    best = how.opponents[int(random.scores[0, :, 1:].mean(axis=0).argmax())]
    rows = {"random": random, best: played(best, best), "PPO": played("PPO", policies)}
    return {
        "opponents": how.opponents,
        "matches": matches,
        "scores": {title: (*found.score, *found.margin) for title, found in rows.items()},
        "decisions": [curve[-1][0] for curve in curves],
        "minutes": [curve[-1][1] for curve in curves],
        "curves": curves,
    }


def table(results: dict[str, Any]) -> str:
    """Return the table of the documents."""
    lines = [
        "| game, against | policy | score | less the opponents' mean | learnt from, for each seed |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    for name, one in results.items():
        for title, (score, half, margin, wide) in one["scores"].items():
            where = f"{name}: {', '.join(f'`{word}`' for word in one['opponents'])}" if title == "random" else ""
            cost = f"{one['decisions'][0]:,} decisions, {np.mean(one['minutes']):.1f} processor minutes"
            digits = 1 if max(abs(score), abs(margin)) >= 10 else 2
            shown = f"{score:.{digits}f} ± {half:.{digits}f} | {margin:+.{digits}f} ± {wide:.{digits}f}"
            named = f"`{title}`" if title.startswith("@") else title
            lines.append(f"| {where} | {named} | {shown} | {cost if title == 'PPO' else ''} |")
    return "\n".join(lines) + "\n"


def draw(results: dict[str, Any], file: Path) -> None:
    """Draw the curve of each seed: the mean score of a seat in self-play, by decisions."""
    figure, axes = plt.subplots(1, len(results), figsize=(3.2 * len(results), 2.8), squeeze=False)
    for axis, (name, one) in zip(axes[0], results.items(), strict=True):
        for curve in one["curves"]:
            axis.plot([point[0] / 1000 for point in curve], [point[2] for point in curve], linewidth=1)
        axis.set(title=name, xlabel="thousand decisions")
    axes[0][0].set_ylabel("score of a seat, last 50 matches")
    figure.tight_layout()
    figure.savefig(file, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", choices=BASELINES, default=list(BASELINES))
    parser.add_argument("--share", type=float, default=1.0, help="the part of the decisions that is learnt from")
    parser.add_argument("--matches", type=int, default=MATCHES, help="matches of each policy (default %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("build/baselines"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.games:
        if not (given.out / f"{name}.json").exists():
            found = measured(name, given.share, given.matches, given.out)
            (given.out / f"{name}.json").write_text(json.dumps(found))
    files = {name: given.out / f"{name}.json" for name in BASELINES}
    results = {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}
    (given.out / "table.md").write_text(table(results))
    draw(results, given.out / "curves.png")
    print(table(results))


if __name__ == "__main__":
    main()
