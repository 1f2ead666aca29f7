"""Kernels' treatment of variables, and of a state, a NamedTuple of arrays."""

from __future__ import annotations

import sys
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest

from koth.game import Array
from koth.kernel import kernel


class Whole(NamedTuple):
    """Arrays of several shapes, types and layouts."""

    small: Array  # uint8[A]
    square: Array  # int32[A, A]
    truth: Array  # bool[A]
    apart: Array  # float64[A], every other value of something longer
    cube: Array  # int64[A, A, A]


Large: Any = namedtuple("Large", [*Whole._fields, *(f"spare_{i}" for i in range(40))])
"""The same and many more, as a game has them."""


def whole(kind: Any) -> Whole:
    count = 3
    arrays = [
        np.arange(count, dtype=np.uint8),
        np.arange(count**2, dtype=np.int32).reshape(count, count).T,
        np.zeros(count, bool),
        np.arange(2.0 * count)[::2],
        np.arange(count**3).reshape(count, count, count),
    ]
    return kind(*arrays, *(np.full(i, i) for i in range(len(kind._fields) - len(arrays))))


of_both_sizes = pytest.mark.parametrize("kind", [Whole, Large])


@kernel(inline=True)
def step(s: Whole, i: int) -> None:
    s.truth[i] = s.small[i] > 0
    s.apart[i] += s.square[0, i]


@kernel(inline=True)
def add_up(s: Whole) -> float:
    total = 0.0
    for i in range(s.small.size):
        total += s.apart[i] + s.cube[i, 1, 2]
    return total


@kernel
def play(s: Whole, other: Whole, again: bool) -> float:
    for i in range(s.small.size):
        step(s, i)
    if again:
        s = other
        step(s, 1)
    return add_up(s)


@kernel(allocates=True)
def copied(s: Whole) -> Array:
    kept = s.square.copy()
    kept += s.small
    return kept


@of_both_sizes
def test_kernels_read_and_write_the_arrays_of_a_whole(kind: Any) -> None:
    one = whole(kind)
    assert play(one, one, False) == 0 + 2 + 4 + (0 + 3 + 6) + (5 + 14 + 23)
    assert one.truth.tolist() == [False, True, True]
    assert one.apart.tolist() == [0, 5, 10]


@of_both_sizes
def test_a_name_may_stand_for_another_whole_later(kind: Any) -> None:
    one, two = whole(kind), whole(kind)
    assert play(one, two, True) == 0 + (2 + 3) + 4 + (5 + 14 + 23)
    assert two.truth.tolist() == [False, True, False]
    assert one.apart.tolist() == [0, 5, 10]


@of_both_sizes
def test_a_kernel_that_allocates_counts_references_to_arrays_of_a_whole(kind: Any) -> None:
    one = whole(kind)
    before = [sys.getrefcount(array) for array in one]
    for _ in range(3):
        assert copied(one).tolist() == (one.square + one.small).tolist()
    assert [sys.getrefcount(array) for array in one] == before


@kernel
def last_even(numbers: Array, else_this: int) -> int:
    found = else_this
    least = numbers[0]
    for number in numbers:
        double = number * 2
        while double > least:
            double -= 4
            if double == least:
                found = number
    return found


def test_a_variable_has_its_last_assigned_value() -> None:
    assert last_even(np.array([0, 2, 3, 4, 5]), -1) == 4
    assert last_even(np.array([0, 1, 3]), -1) == -1


@kernel
def guarded(numbers: Array, i: int) -> int:
    before = 1
    try:
        if i >= numbers.size:
            raise IndexError("beyond")
        before = numbers[i]
    except Exception:
        return before - 10
    return before


@kernel
def unguarded(s: Whole, i: int) -> int:
    if i >= s.small.size:
        raise IndexError("beyond")
    return s.small[i]


@of_both_sizes
def test_errors_are_caught_in_kernels_and_raised_by_them(kind: Any) -> None:
    assert [guarded(np.array([5, 6]), i) for i in range(3)] == [5, 6, -9]
    assert unguarded(whole(kind), 2) == 2
    with pytest.raises(IndexError, match=r"^beyond$"):
        unguarded(whole(kind), 3)
