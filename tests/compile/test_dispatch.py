"""Kernels that take a state: whatever they are called with, they do what Numba's own way of calling would do."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

from koth.compile.mode import COMPILED, HOOKS
from koth.kernel import kernel

if HOOKS:
    from koth.compile.numba_hooks import dispatch

compiled = pytest.mark.skipif(not COMPILED, reason="uncompiled there are plain functions only")
hooked = pytest.mark.skipif(not HOOKS, reason="without hooks Numba calls its own way")


class Pair(NamedTuple):
    first: Any
    second: Any


class Other(NamedTuple):
    second: Any
    first: Any


@kernel
def weighed(pair: Pair, by: Any, least: float = 0) -> float:
    """The first array, each value by its place, times `by`, and twice the second."""
    total = 0.0
    for i in range(pair.first.shape[0]):
        total += (i + 1) * pair.first[i] * by + 2 * pair.second[i]
    return max(total, least)


@kernel
def put_in(pair: Pair, values: Any) -> None:
    for i in range(pair.first.shape[0]):
        pair.first[i] = values[i]


def of(first: Any, second: Any = (0, 0, 0)) -> Pair:
    return Pair(np.array(first), np.array(second))


def told(pair: Any, by: Any = 1) -> float:
    """Return the kernel's result, the same at each call: the first call is Numba's, which determines the types."""
    said = {float(weighed(pair, by)) for _ in range(4)}
    assert len(said) == 1
    return said.pop()


@hooked
def test_what_is_called_again_is_called_directly() -> None:
    pair = of([1, 2, 3])
    for _ in range(3):
        weighed(pair, 2, 0.0)
    codes: Any = dispatch._codes
    kernel_object: Any = weighed
    made = kernel_object.dispatcher
    (code,) = [code for (one, place, *_), code in codes.items() if one is made and place == id(pair)]
    assert code is made.overloads[tuple(map(made.typeof_pyval, (pair, 2, 0.0)))].entry_point


@pytest.mark.parametrize("dtype", ["i4", "i8", "u1", "?", "f4", "f8"])
def test_other_dtypes(dtype: str) -> None:
    first = np.array([1, 0, 1], dtype)
    assert told(of([1, 0, 1])) == told(Pair(first, np.zeros(3, int))) == 4


def test_types_in_another_order_and_tuples_of_another_class() -> None:
    whole, parts = np.array([1, 2, 3]), np.array([0.5, 0.25, 0.125])
    assert told(Pair(whole, parts)) == 14 + 1.75
    assert told(Pair(parts, whole)) == 0.5 + 0.5 + 0.375 + 12
    assert told(Other(whole, parts)) == told(Pair(parts, whole))
    for _ in range(3):
        assert both((whole, parts), of([1, 1, 1])) == both((parts, whole), of([1, 1, 1])) == 6.875 + 3


@kernel
def both(several: tuple[Any, Any], pair: Pair) -> float:
    """The sum of three arrays."""
    total = 0.0
    for i in range(pair.first.shape[0]):
        total += several[0][i] + several[1][i] + pair.first[i]
    return total


def test_tuples_without_names_are_not_kept() -> None:
    pair, numbers = of([1, 1, 1]), np.array([1, 2, 3])
    gone = weakref.ref(numbers)
    for _ in range(3):
        assert both((numbers, numbers), pair) == 15
        assert both((numbers, numbers / 2), pair) == 12
    del numbers
    assert gone() is None


def test_other_layouts() -> None:
    many = np.arange(12)
    for array in (many[:3], many[::4], many[::-4], many.reshape(3, 4)[:, 1], np.asfortranarray(many[3:6])):
        assert told(Pair(array, array)) == sum((i + 3) * int(value) for i, value in enumerate(array))


@pytest.mark.parametrize("by", [3, True, 2.5, np.int8(3), np.uint64(3), np.float32(2.5), np.bool_(True)])
def test_numbers_of_every_class(by: Any) -> None:
    pair = of([1, 2, 3])
    for first in (3, True, 2.5):  # whatever it was called with before
        told(pair, first)
    assert told(pair, by) == 14 * float(by)


def test_named_and_omitted_arguments() -> None:
    pair = of([1, 2, 3])
    for _ in range(3):
        assert weighed(pair, 1, 20.0) == weighed(pair, least=20.0, by=1) == weighed(pair, 1, least=20.0) == 20
        assert weighed(pair, 1) == weighed(pair, by=1) == weighed(by=1, pair=pair) == 14
        wrong: Any = weighed
        for arguments in ((), (pair,), (pair, 1, 20.0, 4)):
            with pytest.raises(TypeError):
                wrong(*arguments)
        with pytest.raises(TypeError):
            wrong(pair, 1, 20.0, least=3.0)


@compiled
def test_what_numba_does_not_take_is_still_not_taken() -> None:
    pair = of([1, 2, 3])
    told(pair)
    wrong: Any = weighed
    for first, by in ((pair, None), (pair.first, 1)):
        for _ in range(2):
            with pytest.raises(Exception, match=r"(?s)."):
                wrong(first, by)


def test_arrays_that_can_not_be_written_are_not_written() -> None:
    values = np.array([4, 5, 6])
    pair, sealed = of([1, 2, 3]), of([1, 2, 3])
    sealed.first.flags.writeable = False
    for _ in range(3):
        put_in(pair, values)
        with pytest.raises(Exception, match=r"(?i)read-?only"):
            put_in(sealed, values)
    assert pair.first.tolist() == [4, 5, 6]
    assert sealed.first.tolist() == [1, 2, 3]
    values = values[::-1].copy()
    values.flags.writeable = False
    for _ in range(3):
        put_in(pair, values)
    assert pair.first.tolist() == [6, 5, 4]


def test_tuples_where_others_have_been() -> None:
    """A new tuple often lies where one was that has just gone."""
    arrays = [np.array([1, 2, 3], dtype) for dtype in ("i4", "i8", "f4", "f8")]
    nothing = np.zeros(3, int)
    for i in range(200):
        assert weighed(Pair(arrays[i % 4], nothing), 1) == 14
        assert weighed(Pair(nothing, arrays[i % 3]), 1) == 12


@hooked
def test_unreferenced_tuples_are_released() -> None:
    pair = of([1, 2, 3])
    told(pair)
    gone = weakref.ref(pair.first)
    del pair
    for _ in range(3 * dispatch._most):
        told(of([1, 2, 3]))
    gc.collect()
    assert gone() is None
    large = Pair(np.zeros(dispatch.LARGE, np.uint8), np.zeros(dispatch.LARGE, np.uint8))
    assert told(large) == 0
    gone = weakref.ref(large.first)
    del large
    assert gone() is None


def test_threads_call_together() -> None:
    said: list[float] = []

    def calls(seed: int) -> None:
        mine = of([seed, 1.5, 1])
        for i in range(300):
            for value in (weighed(mine, 1), weighed(of([seed, i, 1]), 1) - 2 * i):
                said.append(float(value) - seed - 3)

    threads = [threading.Thread(target=calls, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 2400
    assert set(said) == {0.0, 3.0}


@compiled
def test_a_kernel_is_pickled_by_its_name_and_has_its_function() -> None:
    told(of([1, 2, 3]))
    made: Any = weighed
    assert pickle.loads(pickle.dumps(made)) is made
    assert made.py_func(of([1, 2, 3]), 1) == 14
    assert made.__name__ == "weighed"
    assert repr(made) == "<kernel tests.compile.test_dispatch.weighed>"


@kernel
def heavier(one: Pair, other: Pair) -> bool:
    return bool(weighed(one, 1, 0.0) > weighed(other, 1, 0.0))


def test_kernels_call_it_as_before() -> None:
    pair, other = of([1, 2, 3]), of([0.5, 1, 1.5])
    for _ in range(3):
        assert heavier(pair, other)
        assert not heavier(other, pair)
        assert not heavier(pair, pair)


@hooked
def test_where_a_tuple_is_being_forgotten_no_other_comes_to_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread may forget the same ones, and call with new ones, before the first is done."""
    dead = of([1, 2, 3])
    told(dead)
    place = id(dead)
    del dead
    there: list[bool] = []

    class Codes(dict[Any, Any]):
        def clear(self) -> None:
            super().clear()
            monkeypatch.undo()
            dispatch._release_dead()
            several = [of([4, 5, 6]) for _ in range(300)]
            there.append(place in map(id, several))

    monkeypatch.setattr(dispatch, "_codes", Codes(dispatch._codes))
    dispatch._release_dead()
    assert there == [False]
    assert place not in dispatch._tuples
