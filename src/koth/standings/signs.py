"""Sign test of bots on the blocks that both played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from koth.game import Array
from koth.kernel import kernel


@dataclass(frozen=True)
class SignDifferences:
    """The differences of scores, row minus column, and the numbers of blocks that the row won: [bots, bots] each.

    A bot wins a block here if it scores more.
    """

    difference: Array
    more: Array

    @property
    def is_ahead(self) -> Array:
        """Return bool[bots, bots]: whether the row has the better score and won more of the blocks."""
        return np.asarray((self.difference > 0) & (self.more > self.more.T))

    def p_values(self, pairs: tuple[Array, ...], factor: Array | float = 1.0) -> Array:
        """Return the two-sided p-values of these pairs (rows, columns) after `factor` times as many equal blocks."""
        won, lost = self.more[pairs], self.more.T[pairs]
        wins, decided = (np.floor(factor * count).astype(np.int64) for count in (np.maximum(won, lost), won + lost))
        return sign_test(wins, decided)


def sign_test(wins: Array, decided: Array) -> Array:
    """Return the two-sided p-value of the larger of two counts of wins among `decided` blocks."""
    from scipy import special

    return np.asarray(np.minimum(1.0, 2 * special.bdtrc(wins - 1.0, decided, 0.5)))


@kernel(allocates=True)
def meetings(bot: Array, value: Array, bots: int) -> tuple[Array, Array]:
    """Count how often two bots meet in rows of `bot[row, seat]` (-1: empty), and how often the first has more."""
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
