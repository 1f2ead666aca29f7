"""Secrets of runs, the keys of seed groups, the dice and seeds derived from these keys, and commitments.

A run has a secret. Each group of matches that share their dice has a key, derived from the secret; the dice, and the
seed sent to each bot, are derived from the key. Every step is a keyed hash (BLAKE2b): a bot's seed does not reveal
the dice, and a group's key does not reveal other groups. The commitment, published before the first match, proves
afterwards that the secret was not changed.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

SIZE = 16
"""Bytes of a secret and of a key."""
DIGITS = 2 * SIZE
"""Hex digits of a secret and of a key."""


def _from_hex(text: str) -> bytes:
    if len(text) != DIGITS or not set(text) <= set("0123456789abcdef"):
        raise ValueError(f"{DIGITS} hex digits are expected (0 to 9, a to f)")
    return bytes.fromhex(text)


def _hash(key: bytes, *path: int | str, size: int = SIZE) -> bytes:
    text = "/".join(str(part) for part in path)
    return hashlib.blake2b(text.encode(), digest_size=size, key=key, person=b"koth").digest()


def _address(number: int) -> int:
    """Return the address of a seed group or a match in the dice: addresses of dice count from 0, numbers from 1."""
    return number - 1


def _number(key: bytes, *path: int | str) -> int:
    """Return a seed in [0, 2**63)."""
    return int.from_bytes(_hash(key, *path, size=8), "little") >> 1


@dataclass(frozen=True)
class Key:
    """The key of one seed group; as text, 32 hex digits."""

    data: bytes = field(repr=False)

    @classmethod
    def from_hex(cls, text: str) -> Key:
        """Return the key with these digits. Raises ValueError."""
        return cls(_from_hex(text))

    def __str__(self) -> str:
        return self.data.hex()

    @property
    def dice(self) -> int:
        """The seed of the group's matches, in [0, 2**63)."""
        return _number(self.data, "dice")

    def bot(self, match: int, seat: int) -> int:
        """Return the seed that is sent to a bot, in [0, 2**63)."""
        return _number(self.data, "bot", _address(match), seat)


@dataclass(frozen=True)
class Secret:
    """The secret of one run; as text, 32 hex digits."""

    data: bytes = field(repr=False)

    @classmethod
    def draw(cls) -> Secret:
        """Draw a new secret from the system's randomness."""
        return cls(secrets.token_bytes(SIZE))

    @classmethod
    def from_hex(cls, text: str) -> Secret:
        """Return the secret with these digits. Raises ValueError."""
        return cls(_from_hex(text))

    @classmethod
    def from_seed(cls, seed: int) -> Secret:
        """Derive a secret from a seed: repeatable, and as easily guessed as the seed."""
        return cls(_hash(b"", "seed", seed))

    @classmethod
    def from_option(cls, seed: int | str | None) -> Secret:
        """Return the secret for a host's seed: derived from a number, decoded from digits, or newly drawn."""
        if seed is None:
            return cls.draw()
        return cls.from_seed(seed) if isinstance(seed, int) else cls.from_hex(seed.lower())

    def __str__(self) -> str:
        return self.data.hex()

    def key(self, seed_group: int) -> Key:
        """Return the key of a seed group, by its number."""
        return Key(_hash(self.data, "block", _address(seed_group)))

    def branch(self, number: int) -> Secret:
        """Return the secret of a contest's extension with this number, derived from the contest's first secret."""
        return Secret(_hash(self.data, "extension", number))

    @property
    def tables(self) -> int:
        """The seed with which the groups of bots that play together are drawn."""
        return _number(self.data, "tables")

    @property
    def commitment(self) -> str:
        """The hash to publish beforehand: 64 hex digits that do not reveal the secret."""
        return hashlib.blake2b(self.data, digest_size=32, person=b"koth commitment").hexdigest()

    def mix(self, digests: Iterable[str]) -> Secret:
        """Return a secret that neither the host nor an author chose, for a contest of bots with these digests.

        The host commits to this secret before the deadline; then the bots are frozen; the contest uses the mixture,
        which nobody could know while secret or bots could still be chosen. The order of the digests does not matter.
        """
        return Secret(_hash(self.data, "bots", *sorted(digests)))


def key_of(seed: int | Key | None) -> Key:
    """Return a key unchanged; for a seed, the first key of a run with that seed; for None, a new key."""
    return seed if isinstance(seed, Key) else Secret.from_option(seed).key(1)
