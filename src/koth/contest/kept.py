"""What takes long to reckon, kept among a run's results: scores as arrays, and ranks. It follows from the others."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np

from koth.contest.results import Results
from koth.contest.store import Store
from koth.game import Array, Convention
from koth.standings.ranks import Ranks, ranks
from koth.standings.scores import Blocks, Scores
from koth.standings.table import Standings, standings

WORTH = 2000
"""Matches from which on it is kept: of fewer it is reckoned at once."""


def standings_of(results: Results, convention: Convention, scores: Scores | None = None) -> Standings:
    """The table of what is on record, whose `scores` may be at hand; whoever may write keeps what took long."""
    keeps = results if isinstance(results, Store) and len(results) >= WORTH and not results.reads_only else None
    found = scores_of(results, keeps) if scores is None else scores
    return standings(found, convention, _ranked(results, keeps))


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


def _ranked(results: Results, keeps: Store | None) -> Callable[[Blocks, str, Array], Ranks]:
    def ranked(blocks: Blocks, aggregate: str, group: Array) -> Ranks:
        digest = hashlib.blake2b(aggregate.encode(), digest_size=16)
        for array in (blocks.block, blocks.bot, blocks.total, blocks.games, blocks.value, group):
            digest.update(np.ascontiguousarray(array).tobytes())
        found = _arrays(results.kept("ranks", digest.hexdigest()))
        if found is not None and _are_ranks(found, blocks.bots):
            return Ranks(found["best"], found["worst"], found["first"])
        told = ranks(blocks, aggregate, group)
        if keeps is not None:
            arrays = {"best": told.best, "worst": told.worst, "first": told.first}
            keeps.keep("ranks", digest.hexdigest(), _bytes(arrays))
        return told

    return ranked


def _are_ranks(found: dict[str, Array], bots: int) -> bool:
    return found.keys() == {"best", "worst", "first"} and all(array.shape == (bots,) for array in found.values())


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
