"""Philox is Philox, and draws are uniform and independent of each other's addresses."""

from __future__ import annotations

import numpy as np
import pytest

from koth.rng import derive, draw, philox, word

ONES = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("key", "counter", "first"),
    [
        ((0, 0), (0, 0, 0, 0), 0x6627E8D5),
        ((ONES, ONES), (ONES, ONES, ONES, ONES), 0x408F276D),
        ((0xA4093822, 0x299F31D0), (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), 0xD16CFE09),
    ],
    ids=["zeros", "ones", "digits of pi"],
)
def test_philox_gives_the_published_answers(
    key: tuple[int, int], counter: tuple[int, int, int, int], first: int
) -> None:
    assert philox(*key, *counter) == first


def plain_philox(key: list[int], counter: list[int]) -> int:
    """Philox4x32-10 in unlimited integers."""
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * counter[0], 2**32)
        high1, low1 = divmod(0xCD9E8D57 * counter[2], 2**32)
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return counter[0]


def test_the_whole_address_counts() -> None:
    dice = np.random.default_rng(1)
    for _ in range(300):
        seed, index = (int(value) for value in dice.integers(0, 2**63, 2))
        turn, phase = (int(value) for value in dice.integers(0, 2**31, 2))
        expected = plain_philox([seed % 2**32, seed >> 32], [index % 2**32, index >> 32, turn, phase])
        assert word(seed, turn, phase, index) == expected
        assert draw(seed, turn, phase, index, 1000) == expected * 1000 >> 32


def test_arguments_may_be_numpy_integers() -> None:
    plain = draw(2**62 + 5, 7, 2, 2**40 + 1, 9)
    assert draw(np.int64(2**62 + 5), np.int32(7), 2, np.int64(2**40 + 1), 9) == plain


@pytest.mark.parametrize("n", [1, 2, 9, 1000, 2**31])
def test_draws_stay_in_range(n: int) -> None:
    drawn = [draw(3, 0, 0, index, n) for index in range(2_000)]
    assert min(drawn) >= 0
    assert max(drawn) < n
    assert max(drawn) >= n * 0.99 - 1


@pytest.mark.parametrize("which", range(4), ids=["seed", "turn", "phase", "index"])
def test_draws_are_uniform_along_every_part_of_the_address(which: int) -> None:
    counts = np.zeros(16, int)
    for k in range(8_000):
        address = [11, 5, 3, 2]
        address[which] = k
        counts[draw(*address, 16)] += 1
    chi_square = ((counts - 500) ** 2 / 500).sum()
    assert chi_square < 45  # 15 degrees of freedom: one in 10,000


def test_neighbouring_addresses_are_not_alike() -> None:
    """Pairs of neighbours fill a 16 x 16 table evenly."""
    counts = np.zeros((16, 16), int)
    for k in range(12_800):
        counts[draw(1, k, 0, 0, 16), draw(1, k + 1, 0, 0, 16)] += 1
    assert ((counts - 50) ** 2 / 50).sum() < 350  # 255 degrees of freedom


def test_derived_seeds_are_fixed_and_named_by_their_path() -> None:
    assert derive(1, "match", 2) == derive(1, "match", 2)
    seeds = [derive(seed, *path) for seed in (0, 1) for path in (("a",), ("b",), ("a", 1), ("a", 2), ())]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert derive(42, "bot", 3) == 1046792853730705116
