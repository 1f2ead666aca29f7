"""How Python calls kernels: kernel.py says what else knows Numba.

At every call Numba finds out the types of all arrays of a state anew, which takes longer than many a kernel. Here
they are found out once for each NamedTuple. It is known again by its identity, so it is kept alive meanwhile; what
its arrays are (dtype, dimensions, layout, whether they can be written) must not be changed in place. All else that a
kernel is called with is looked at every time. Whatever is not plain goes Numba's own way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from sys import getrefcount
from typing import Any

import numpy as np
from numba.core import types
from numba.core.registry import CPUDispatcher as CPUDispatcher

ndarray = np.ndarray
NUMBERS = frozenset((int, bool, float, *(np.dtype(kind).type for kind in "?bBhHiIlLfd")))
"""Classes whose name tells all that Numba knows of a number's type."""
ARRAYS = "biuf"
"""The kinds of arrays whose dtype tells all."""
LARGE = 1 << 24
"""Bytes of a NamedTuple that is not kept alive: what kernels do with it takes longer than to find out its types."""
FEW, MUCH = 8, 1 << 26
"""NamedTuples, and their bytes, that may be dead before they are looked for."""

_codes: dict[tuple[Any, ...], Callable[..., Any]] = {}
"""Compiled code, by a kernel and what it is called with: NamedTuples by their identity."""
_codes_of_kinds: dict[tuple[Any, ...], Callable[..., Any]] = {}
"""The same, all by their types."""
_tuples: dict[int, tuple[Any, Any]] = {}
"""The NamedTuples that are known, and their types, by their identities."""
_most, _bytes_since = FEW, 0
"""How many of them are looked through next, and the bytes of those that have come since they were last."""


class Direct(CPUDispatcher):
    """A kernel that takes tuples of arrays."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        key: list[Any] = [self]
        for one in given:
            kind = type(one)
            if kind is ndarray:
                key += one.dtype, one.ndim, one.flags.num
            elif kind in NUMBERS:
                key.append(kind)
            else:
                key.append(_kind(one) if kind is tuple else id(one))
        code = None if named else _codes.get(tuple(key))
        if code is None:
            return self._found(key, given, named)(*given, **named)
        return code(*given)

    def _found(self, key: list[Any], given: tuple[Any, ...], named: dict[str, Any]) -> Callable[..., Any]:
        """The code for a call that has not been made before, or Numba's own way."""
        general = super().__call__
        kinds = (self, *map(_known_kind, given))
        if named or None in kinds:
            return general
        code = _codes_of_kinds.get(kinds)
        if code is None:
            return partial(self._called_first, kinds, general)
        _codes[tuple(key)] = code
        return code

    def _called_first(self, kinds: tuple[Any, ...], general: Callable[..., Any], *given: Any) -> Any:
        """Call Numba's way, and remember the code that it has made for exactly these types."""
        result = general(*given)
        made: Any = self.overloads.get(tuple(map(self.typeof_pyval, given)))
        _codes_of_kinds[kinds] = general if made is None else made.entry_point
        return result


def _kind(one: Any) -> Any:
    """All that Numba knows of a value's type; None of what is not plain."""
    kind = type(one)
    if kind is ndarray:
        return (one.dtype, one.ndim, one.flags.num) if one.dtype.kind in ARRAYS else None
    if kind in NUMBERS:
        return kind
    if not isinstance(one, tuple):
        return None
    kinds = (kind, *map(_kind, one))
    return None if None in kinds else kinds


def _known_kind(one: Any) -> Any:
    """The same; a NamedTuple is known from now on."""
    global _bytes_since
    if type(one) is tuple or not isinstance(one, tuple):
        return _kind(one)
    if id(one) not in _tuples:
        size = _bytes(one)
        kind = _kind(one) if size < LARGE else None
        if kind is None:
            return None
        _tuples[id(one)] = one, kind
        _bytes_since += size
        if len(_tuples) > _most or _bytes_since > MUCH:
            _forget_the_dead()
    return _tuples[id(one)][1]


def _bytes(several: tuple[Any, ...]) -> int:
    return sum(_bytes(one) if isinstance(one, tuple) else getattr(one, "nbytes", 0) for one in several)


def _owners(known: list[tuple[int, tuple[Any, Any]]]) -> list[int]:
    return [getrefcount(one) for _, (one, _) in known]


ALONE = _owners([(0, (tuple(range(1)), None))])[0]
"""What is counted of a tuple that nobody else has: fewer from Python 3.14 on."""


def _forget_the_dead() -> None:
    """Let go the NamedTuples that nobody else has."""
    global _most, _bytes_since
    known = list(_tuples.items())  # while these are here, no other tuple can be where one of them is
    counts = _owners(known)
    dead = [(key, entry) for (key, entry), count in zip(known, counts, strict=True) if count <= ALONE]
    if dead:
        _codes.clear()
    for key, entry in dead:
        if _tuples.get(key) is entry:  # (threads may be at this together)
            _tuples.pop(key, None)
    _most, _bytes_since = FEW + 2 * len(_tuples), 0


def call_directly(dispatcher: Any, add_overload: Callable[[Any], None], made: Any) -> None:
    """In place of a dispatcher's `add_overload`: a kernel that takes tuples is called directly from now on."""
    add_overload(made)
    several: Any = types.BaseTuple
    if any(isinstance(kind, several) for kind in made.signature.args):
        dispatcher.__class__ = Direct
