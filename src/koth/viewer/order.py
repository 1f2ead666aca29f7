"""The order of standings within a match, computed from a frame, as in `standings.js` on the page."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from koth.replay.reader import KEY_EVERY, Moment, Replay


def ranked(
    values: Mapping[str, Sequence[float]],
    until: Sequence[int] | None = None,
    is_over: bool = False,
    bots: int | None = None,
) -> list[tuple[int, int | None]]:
    """Return the rows of the standings in order, each with its rank; rows that nothing distinguishes share a rank.

    The first column counts; then living rows before dead ones, more units before fewer, and later deaths (`until`:
    the last turn in which a unit of the row lived) before earlier ones; then the other columns, which affect the
    order but not the ranks. When the match `is_over`, only the first column makes ranks. Rows that are none of the
    first `bots` have no rank.
    """
    first, *others = values.values()
    alive = values.get("alive", [0] * len(first))

    def living(row: int) -> tuple[float, float]:
        return -alive[row], -until[row] if until and not alive[row] else 0

    def ahead(row: int) -> tuple[float, ...]:
        return (-first[row],) if is_over else (-first[row], *living(row))

    order = sorted(range(len(first)), key=lambda row: (-first[row], living(row), [-other[row] for other in others]))
    contest = [row for row in order if bots is None or row < bots]
    ranks: dict[int, int] = {}
    for place, row in enumerate(contest, 1):
        shares = place > 1 and ahead(contest[place - 2]) == ahead(row)
        ranks[row] = ranks[contest[place - 2]] if shares else place
    return [(row, ranks.get(row)) for row in order]


def is_by_bot(frame: Mapping[str, Any]) -> bool:
    """Return whether the frame's `alive` has a number per bot: a game may use the name for another list."""
    alive = frame.get("alive")
    return isinstance(alive, list) and len(alive) == len(frame.get("score", alive))


class Falls:
    """The turns in which a match's bots lost their last units, by the frames' `alive`, which never grows again."""

    def __init__(self) -> None:
        self._starts: dict[int, Sequence[float]] = {}
        self._pieces: dict[int, dict[int, Sequence[float]]] = {}

    def until(self, replay: Replay, now: Moment) -> list[int] | None:
        """Return the last turn up to this one in which a unit of each row lived; None if the frames don't have it."""
        if not is_by_bot(now.frame):
            return None
        alive = now.frame["alive"]
        return [now.turn if count else self._last(replay, now.turn, row) for row, count in enumerate(alive)]

    def _last(self, replay: Replay, turn: int, row: int) -> int:
        """Return the last turn before this one in which a unit of the row lived; 0 if there was none."""
        later = range(1, turn // KEY_EVERY + 1)
        piece = bisect_left(later, True, key=lambda piece: not self._start(replay, piece)[row])
        rows = self._piece(replay, piece, turn)
        turns = list(rows)
        return turns[max(bisect_left(turns, True, key=lambda turn: not rows[turn][row]) - 1, 0)]

    def _start(self, replay: Replay, piece: int) -> Sequence[float]:
        if piece not in self._starts:
            self._starts[piece] = next(replay.turns(piece * KEY_EVERY)).frame["alive"]
        return self._starts[piece]

    def _piece(self, replay: Replay, piece: int, turn: int) -> dict[int, Sequence[float]]:
        """Return `alive` by turn in a piece of the replay, after an opening; read again for a later turn."""
        start, end = piece * KEY_EVERY, (piece + 1) * KEY_EVERY
        if max(self._pieces.get(piece, ()), default=-1) < min(turn, end - 1):
            moments = takewhile(lambda moment: moment.turn < end, replay.turns(start))
            self._pieces[piece] = {moment.turn: moment.frame["alive"] for moment in moments}
        return self._pieces[piece]
