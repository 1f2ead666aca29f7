"""What the ruleset `original` does differently: the phase that stands in for its namesake in `rules`."""

from __future__ import annotations

from koth.game import Array
from koth.games.metalman.rules import walk_piece
from koth.games.metalman.state import State
from koth.kernel import kernel


@kernel
def walk(s: State, match: Array, seat: int, piece: int, steps: Array) -> None:
    """Rule 4, original. The living pieces of one player walk; a dead partner's last square is in the way too."""
    columns = s.terrain.shape[2]
    for i in range(match.size):
        m = match[i]
        if not s.alive[m, seat, piece]:
            continue
        partner_row = s.row[m, seat, 1 - piece]
        partner_column = s.column[m, seat, 1 - piece]
        trail = s.trail[m, seat, piece]
        row = s.row[m, seat, piece]
        column = s.column[m, seat, piece]
        walk_piece(s.terrain[m], row, column, steps[i], trail, partner_row, partner_column)
        s.row[m, seat, piece] = trail[trail.size - 1] // columns
        s.column[m, seat, piece] = trail[trail.size - 1] % columns
