"""The sign test of two bots on the blocks that both played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from koth.game import Array
from koth.kernel import kernel


@dataclass(frozen=True)
class SignDifferences:
    """The differences of scores, row minus column, and the number of blocks that the row won: [bots, bots] each.

    The bot with the higher score in a block wins the block.
    """

    difference: Array
    more: Array

    @property
    def is_ahead(self) -> Array:
        """Return bool[bots, bots], True if the row has the better score and won more blocks."""
        return np.asarray((self.difference > 0) & (self.more > self.more.T))

    def p_values(self, pairs: tuple[Array, ...], factor: Array | float = 1.0) -> Array:
        """Return two-sided p-values of pairs (rows, columns), extrapolated to `factor` times as many blocks."""
        won, lost = self.more[pairs], self.more.T[pairs]
        wins, decided = (np.floor(factor * count).astype(np.int64) for count in (np.maximum(won, lost), won + lost))
        return sign_test(wins, decided)


def sign_test(wins: Array, decided: Array) -> Array:
    """Return the two-sided p-value of `wins`, the better bot's count, in `decided` blocks (won or lost)."""
    from scipy import special

    return np.asarray(np.minimum(1.0, 2 * special.bdtrc(wins - 1.0, decided, 0.5)))


@kernel(allocates=True)
def meetings(bot: Array, value: Array, bots: int) -> tuple[Array, Array]:
    """Count how often bots a and b meet in rows of `bot[row, seat]` (-1: empty), and how often a has more."""
    met = np.zeros((bots, bots), np.int64)
    more = np.zeros((bots, bots), np.int64)
    for row in range(bot.shape[0]):
        for i in range(bot.shape[1]):
            a = bot[row, i]
            if a < 0:
                continue
            for j in range(bot.shape[1]):
                b = bot[row, j]
                if b >= 0 and i != j:
                    met[a, b] += 1
                    more[a, b] += value[row, i] > value[row, j]
    return met, more
