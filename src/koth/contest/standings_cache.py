"""Cache of the scores of a large contest as arrays, among its results; all of it follows from the other tables."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from koth.contest.results import Results
from koth.contest.store import Store
from koth.game import Array, ContestDefaults
from koth.standings.scores import Scores
from koth.standings.table import Standings, standings

WORTH = 2000
"""Matches from which on it is kept: of fewer it is reckoned at once."""


def standings_of(
    results: Results, contest_defaults: ContestDefaults, asked: int, scores: Scores | None = None
) -> Standings:
    """Return the table of all matches that count; `asked` is the number asked for of each bot."""
    keeps = results if isinstance(results, Store) and len(results) >= WORTH and not results.reads_only else None
    return standings(scores_of(results, keeps) if scores is None else scores, contest_defaults, asked)


def scores_of(results: Results, keeps: Store | None = None) -> Scores:
    """The scores of all matches that count."""
    stamp = f"{len(results)} matches, {len(results.fields())} stages"
    found = _arrays(results.kept("scores", stamp))
    if found is not None and found.keys() == {"names", "block", "bot", "score"}:
        scores = Scores(tuple(found["names"].tolist()), found["block"], found["bot"], found["score"])
        if scores.makes_sense():
            return scores
    scores = results.scores()
    if keeps is not None:
        names = np.array(scores.names, dtype=np.str_)
        told = {"names": names, "block": scores.block, "bot": scores.bot, "score": scores.score}
        keeps.keep("scores", stamp, _bytes(told))
    return scores


def _bytes(arrays: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _arrays(data: bytes | None) -> dict[str, Array] | None:
    """What was kept; None where it is nothing, or nonsense."""
    if data is None:
        return None
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (ValueError, OSError, EOFError, KeyError):
        return None
