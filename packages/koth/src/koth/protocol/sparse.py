"""Sparse arrays: the form in which arrays of mostly zeros are sent to bots."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from koth.game import Array
from koth.kernel import kernel


class SparseField(NamedTuple):
    """The non-zero numbers of some rows.

    `counts` (uint16 per row) has the number of entries of each row, `places` (uint16) their indices in the row,
    ascending, and `numbers` (uint32) their values, row after row.
    """

    counts: Array
    places: Array
    numbers: Array

    @classmethod
    def of(cls, rows: Array) -> SparseField:
        """Return the sparse form of a C-contiguous uint32 array (rows first)."""
        counts = np.empty(len(rows), np.uint16)
        places, numbers = np.empty(rows.size + 1, np.uint16), np.empty(rows.size + 1, np.uint32)
        found = leave_out_zeros(rows.reshape(-1), counts, places, numbers)
        return cls(counts, places[:found], numbers[:found])


@kernel
def leave_out_zeros(rows: Array, counts: Array, places: Array, numbers: Array) -> int:
    """Fill `counts`, `places` and `numbers` (one longer than `rows` in all); return the number of entries."""
    found = np.uint32(0)
    size = rows.size // max(1, counts.size)
    for i in range(counts.size):
        before = found
        first = np.uint32(i * size)
        for at in range(size):
            # Each entry is written, and overwritten by the next if it is 0: several times as fast as a branch.
            number = rows[first + np.uint32(at)]
            places[found] = at
            numbers[found] = number
            found += np.uint32(number != 0)
        counts[i] = found - before
    return int(found)
