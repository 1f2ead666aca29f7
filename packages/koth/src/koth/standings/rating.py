"""Ratings: bots' strengths given the opponents' strengths, for contests in which not all bots met.

The model is Plackett and Luce's, with Efron's formula (1977) for ties: bots with equal scores share ranks, so the
order of names or matches has no influence. All matches are fitted at once.
"""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.standings.looks import widening
from koth.standings.scores import Scores

PRIOR = 0.5
"""The number of wins, and of losses, against an average bot added to each bot's matches to keep ratings finite."""
SCALE = 400 / float(np.log(10))
"""Rating points for a factor of e in strength: 400 points are odds of ten to one to be ahead."""
MEAN = 1000.0
MIXTURE = 1.0
"""The information (on log strengths) at which intervals that hold at all looks are narrowest."""


def ratings(scores: Scores, bots: Array) -> Array:
    """Return float64[len(bots)], the ratings of `bots`, 1000 on average. Matches must connect all these bots."""
    strength = _fit(*_rank_matches(scores, bots), np.zeros(len(bots)))
    return np.asarray(MEAN + SCALE * (strength - strength.mean()))


def ratings_with_margins(
    scores: Scores, bots: Array, current: Array, start: Array | None = None
) -> tuple[Array, Array]:
    """Return two float64[len(bots)]: the ratings, 1000 on average over `current` (bool[len(bots)]), and margins.

    A margin is half the width of a 95 % interval that holds at all looks together, however many matches are added (a
    normal mixture, Robbins 1970). `start`: ratings of an earlier fit.
    """
    bot, group = _rank_matches(scores, bots)
    strength = _fit(bot, group, np.zeros(len(bots)) if start is None else (start - MEAN) / SCALE)
    covariance = np.linalg.inv(_information(strength, bot, group))
    to_mean = covariance[:, current].mean(axis=1)  # ratings are relative to the mean of the current bots
    variance = np.diag(covariance) - 2 * to_mean + to_mean[current].mean()
    error = np.sqrt(np.maximum(variance, 1e-12))
    margin = error * widening(1 / (MIXTURE * error**2))
    margin = margin + variance * np.abs(_prior_pull(strength))  # the largest shift that the prior may cause
    return MEAN + SCALE * (strength - strength[current].mean()), SCALE * margin


def _fit(bot: Array, group: Array, start: Array) -> Array:
    """Return float64[bots], the log strengths that maximise the likelihood of the ranks and prior."""
    from scipy.optimize import minimize

    found = minimize(
        _loss, start, (bot, group), method="trust-exact", jac=True, hess=_information, options={"gtol": 1e-7}
    )
    return np.asarray(found.x)


def _information(strength: Array, bot: Array, group: Array) -> Array:
    """Return float64[bots, bots], the second derivatives of `_loss`, prior included.

    Each rank adds diag(p) - p p^T, where p is the bots' probabilities to get the rank.
    """
    seated, size = bot >= 0, (group[:, :, None] == group[:, None, :]).sum(axis=2)
    weight = np.where(seated, np.exp(strength)[bot], 0.0)
    left = 1 - (np.arange(bot.shape[1]) - group) / size
    same, later = group[:, :, None] == group[:, None, :], group[:, None, :] > group[:, :, None]
    counts = weight[:, None, :] * np.where(same, left[:, :, None], later)  # [match, rank, bot]
    total = counts.sum(axis=2, keepdims=True)
    share = np.divide(counts, total, out=np.zeros_like(counts), where=seated[:, :, None] & (total > 0))
    pairs = -np.einsum("mrj,mrk->mjk", share, share)
    diagonal = np.arange(bot.shape[1])
    pairs[:, diagonal, diagonal] += share.sum(axis=1)
    both = seated[:, :, None] & seated[:, None, :]
    cells = (bot[:, :, None] * len(strength) + bot[:, None, :])[both]
    found: Array = np.bincount(cells, pairs[both], len(strength) ** 2).reshape(len(strength), len(strength))
    chance = 1 / (1 + np.exp(-strength))
    found[np.diag_indices(len(strength))] += 2 * PRIOR * chance * (1 - chance)
    return found


def _rank_matches(scores: Scores, bots: Array) -> tuple[Array, Array]:
    """Return `bot[match, rank]`, best first (-1: empty), and `group[match, rank]`, the first of equal ranks."""
    index = np.full(len(scores.names) + 1, -1)
    index[bots] = np.arange(len(bots))
    bot = index[scores.bot]
    score = np.where(bot >= 0, scores.score, -np.inf)
    order = np.lexsort((bot, -score))
    bot, score = np.take_along_axis(bot, order, axis=1), np.take_along_axis(score, order, axis=1)
    new = np.pad(score[:, 1:] != score[:, :-1], ((0, 0), (1, 0)), constant_values=True)
    group = np.maximum.accumulate(np.where(new, np.arange(bot.shape[1]), 0), axis=1)
    rows = np.lexsort((*group.T, *bot.T))  # the order of matches must not change the last bits of sums
    return bot[rows], group[rows]


def _loss(strength: Array, bot: Array, group: Array) -> tuple[float, Array]:
    """Return the negative log-likelihood of log strengths, with the prior, and the gradient.

    Each rank, the l-th (from 0) of d equal ranks, has a factor: the bot's weight over the sum of weights from the
    first of the equal ranks on, where weights of the equal ranks count 1 - l / d.
    """
    seated = bot >= 0
    weight = np.where(seated, np.exp(strength)[bot], 0.0)
    size = (group[:, :, None] == group[:, None, :]).sum(axis=2)
    share = (np.arange(bot.shape[1]) - group) / size
    from_here = np.cumsum(weight[:, ::-1], axis=1)[:, ::-1]
    first = np.take_along_axis(from_here, group, axis=1)
    after = np.pad(from_here, ((0, 0), (0, 1)))[np.arange(len(bot))[:, None], group + size]
    chosen_from = np.where(seated, first - share * (first - after), 1.0)
    inverse = np.where(seated, 1 / chosen_from, 0.0)
    until_here = np.pad(np.cumsum(inverse, axis=1), ((0, 0), (1, 0)))
    ends = np.take_along_axis(until_here, group + size, axis=1)
    lost = np.pad(np.cumsum(inverse * share, axis=1), ((0, 0), (1, 0)))
    own = np.take_along_axis(lost, group + size, axis=1) - np.take_along_axis(lost, group, axis=1)
    pull = weight * (ends - own) - seated
    gradient: Array = np.bincount(bot[seated], pull[seated], len(strength)) + _prior_pull(strength)
    likelihood = strength[bot[seated]].sum() - np.log(chosen_from).sum()
    prior = PRIOR * (strength - 2 * np.logaddexp(0, strength)).sum()
    return -(likelihood + prior), gradient


def _prior_pull(strength: Array) -> Array:
    """Return float64[bots], the prior's part of the gradient."""
    return np.asarray(PRIOR * (2 / (1 + np.exp(-strength)) - 1))
