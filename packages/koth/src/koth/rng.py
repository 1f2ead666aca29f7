"""Random numbers with addresses.

Every random number of a match is a pure function of `(seed, turn, phase, index)`: there is no generator to advance,
so the numbers do not depend on the order, the batch or the machine in which they are drawn. The function is
Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
"""

from __future__ import annotations

import hashlib

from koth.kernel import kernel

MASK = 0xFFFFFFFF


@kernel
def philox(key0: int, key1: int, c0: int, c1: int, c2: int, c3: int) -> int:
    """Return the first 32-bit word of a Philox4x32-10 block.

    All values stay in signed 64 bits: products may wrap there, and the masked halves are still exact.
    """
    for _ in range(10):
        p0 = 0xD2511F53 * c0
        p1 = 0xCD9E8D57 * c2
        c0 = ((p1 >> 32) & MASK) ^ c1 ^ key0
        c1 = p1 & MASK
        c2 = ((p0 >> 32) & MASK) ^ c3 ^ key1
        c3 = p0 & MASK
        key0 = (key0 + 0x9E3779B9) & MASK
        key1 = (key1 + 0xBB67AE85) & MASK
    return c0


@kernel
def word(seed: int, turn: int, phase: int, index: int) -> int:
    """Return a uniform 32-bit word, as a non-negative int, for this address."""
    s = int(seed)
    i = int(index)
    return philox(s & MASK, (s >> 32) & MASK, i & MASK, (i >> 32) & MASK, int(turn) & MASK, int(phase) & MASK)


@kernel
def draw(seed: int, turn: int, phase: int, index: int, n: int) -> int:
    """Return a uniform integer in [0, n) for this address; n is at most 2**31 (bias below n / 2**32)."""
    return (word(seed, turn, phase, index) * int(n)) >> 32


def derive(seed: int, *path: int | str) -> int:
    """Return a new seed in [0, 2**63), derived from `seed` for the part that `path` names (a match, a bot, a map)."""
    text = "/".join(str(part) for part in (seed, *path))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") >> 1
