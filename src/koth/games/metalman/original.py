"""What the ruleset `original` does differently: the phase that stands in for its namesake in `rules`."""

from __future__ import annotations

from koth.game import Array
from koth.games.metalman.rules import walk_piece
from koth.games.metalman.state import State
from koth.kernel import kernel


@kernel
def walk(s: State, match: Array, seat: int, piece: int, steps: Array) -> None:
    """Rule 4, original. The living pieces of one player walk; a dead partner's last square is in the way too."""
    for i in range(match.size):
        m = match[i]
        if s.alive[m, seat, piece]:
            walk_piece(s, m, seat, piece, steps[i], s.row[m, seat, 1 - piece], s.column[m, seat, 1 - piece])
