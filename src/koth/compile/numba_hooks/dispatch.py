# mypy: disable-error-code="no-untyped-call"
"""Calls of kernels by Python and by other kernels.

At every call Numba determines the types of all arrays of a state, which takes longer than many kernels. Here the
types are determined once for each NamedTuple. A NamedTuple is recognised by its identity, so koth keeps it alive; the
attributes of its arrays (dtype, dimensions, layout, writability) must not be changed in place. All other arguments
are examined at every call. Calls with unusual arguments are left to Numba.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from sys import getrefcount
from typing import Any

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError, TypingError
from numba.core.registry import CPUDispatcher

from koth.compile.numba_hooks.pipeline import InnerCompiler, OuterCompiler

ndarray = np.ndarray
NUMBERS = frozenset((int, bool, float, *(np.dtype(kind).type for kind in "?bBhHiIlLfd")))
"""Classes of numbers whose name determines Numba's type."""
ARRAYS = "biuf"
"""The kinds of arrays whose dtype determines Numba's type."""
LARGE = 1 << 24
"""Size in bytes above which a NamedTuple is not kept alive: its kernels take longer than determining the types."""
FEW, MUCH = 8, 1 << 26
"""The number of new NamedTuples, and of their bytes, after which unused NamedTuples are found and released."""

_codes: dict[tuple[Any, ...], Callable[..., Any]] = {}
"""Compiled code, by kernel and arguments (NamedTuples by their identity)."""
_codes_of_kinds: dict[tuple[Any, ...], Callable[..., Any]] = {}
"""Compiled code, by kernel and types of arguments."""
_tuples: dict[int, tuple[Any, Any]] = {}
"""Each known NamedTuple, with its type, by its `id`."""
_most, _bytes_since = FEW, 0
"""The number of known NamedTuples at which unused ones are next released, and the bytes added since the last
search."""


class KernelDispatcher(CPUDispatcher):
    """A kernel, compiled without reference counts for arrays if the kernel creates no arrays.

    With reference counts everywhere, 2,048 matches of Metal Man took 4.2 times as long, a single match 1.35 times.
    """

    _compiler: Any
    may_allocate = False
    """True if the kernel may create arrays although it is not marked."""

    def compile(self, signature: Any) -> Any:
        """Compile the kernel for these types; raise TypingError, in plain words, if it allocates but may not.

        A kernel of a package that allocates is compiled again, with reference counts.
        """
        if self.targetoptions["_nrt"]:
            try:
                return super().compile(signature)
            except NumbaError as error:
                if self.may_allocate:  # Numba remembers that one of its own functions could not be compiled before
                    self._say_plainly(error)
                raise
        try:
            return super().compile(signature)
        except Exception as error:  # (for a kernel that allocates, Numba raises errors of many types)
            if not self.may_allocate:
                self._say_plainly(error)
                raise
        self.targetoptions["_nrt"] = True
        self._compiler._failed_cache.clear()
        try:
            return super().compile(signature)
        except NumbaError as error:
            self._say_plainly(error)  # an inline kernel that it calls allocates
            raise

    def _say_plainly(self, error: Exception) -> None:
        """Raise TypingError in plain words, if this is Numba's error for a kernel that allocates but may not."""
        within = UNMARKED.search(str(error))  # a kernel that it calls is the cause
        if within or any(words in str(error) for words in ALLOCATES):
            name = self.py_func.__qualname__
            unmarked = f"the kernel {name} makes arrays or lists, or copies a slice: mark it @kernel(allocates=True)"
            raise TypingError(within[0] if within else unmarked) from error


class InnerDispatcher(KernelDispatcher):
    """A kernel as called by other kernels, never from Python: whole numbers are passed as 64 bits, as Python does.

    So each kernel is compiled once, whatever its arguments are. Without this class the first start of a game took
    21 % longer.
    """

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        wide = tuple(map(_widen, arguments)), {key: _widen(kind) for key, kind in named.items()}
        return super().get_call_template(*wide)


def _widen(kind: Any) -> Any:
    """Return the type as which an argument of this type is passed. Large unsigned numbers keep their type."""
    integer: Any = types.Integer
    whole = isinstance(kind, integer) and (kind.signed or kind.bitwidth < 32)
    return types.int64 if whole else kind


class OuterDispatcher(KernelDispatcher):
    """A kernel that Python calls; if it takes tuples, calls after the first skip Numba's type checks."""

    def add_overload(self, made: Any) -> None:
        super().add_overload(made)
        several: Any = types.BaseTuple
        if any(isinstance(kind, several) for kind in made.signature.args):
            self.__class__ = DirectDispatcher


ALLOCATES = ("NRT required but not enabled", "_ol_array_allocate", "Only accept returning of array passed")
"""Numba's errors for a function that creates an array or a list but may not."""
UNMARKED = re.compile(r"the kernel \S+ makes arrays or lists.*")


def make_outer(function: Callable[..., Any], allocates: bool, may_allocate: bool, **options: object) -> Any:
    """Return Numba's function that Python calls; its code is cached in the folder that Numba's settings name."""
    made = _make_dispatcher(OuterDispatcher, function, allocates, may_allocate, OuterCompiler, options)
    made.enable_caching()
    return made


def make_inner(function: Callable[..., Any], allocates: bool, may_allocate: bool, **options: object) -> Any:
    """Return Numba's function that other kernels call, without a wrapper for Python, which would take longest to
    compile.
    """
    options = {"no_cpython_wrapper": True, **options}
    return _make_dispatcher(InnerDispatcher, function, allocates, may_allocate, InnerCompiler, options)


def _make_dispatcher(
    kind: type[KernelDispatcher],
    function: Callable[..., Any],
    allocates: bool,
    may_allocate: bool,
    compiler: type[OuterCompiler],
    options: dict[str, object],
) -> Any:
    common = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "boundscheck": None}
    made = kind(function, targetoptions={**common, **options, "_nrt": allocates}, pipeline_class=compiler)
    made.may_allocate = may_allocate and not allocates
    return made


class DirectDispatcher(OuterDispatcher):
    """A kernel that takes tuples of arrays. Without this class a match of Metal Man took 1.19 times as long."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        key: list[Any] = [self]
        for one in given:
            kind = type(one)
            if kind is ndarray:
                key += one.dtype, one.ndim, one.flags.num
            elif kind in NUMBERS:
                key.append(kind)
            else:
                key.append(_find_kind(one) if kind is tuple else id(one))
        code = None if named else _codes.get(tuple(key))
        if code is None:
            return self._find_code(key, given, named)(*given, **named)
        return code(*given)

    def _find_code(self, key: list[Any], given: tuple[Any, ...], named: dict[str, Any]) -> Callable[..., Any]:
        general = super().__call__
        kinds = (self, *map(_remember_kind, given))
        if named or None in kinds:
            return general
        code = _codes_of_kinds.get(kinds)
        if code is None:
            return partial(self._call_first, kinds, general)
        _codes[tuple(key)] = code
        return code

    def _call_first(self, kinds: tuple[Any, ...], general: Callable[..., Any], *given: Any) -> Any:
        """Call in Numba's way, and store the code that Numba has compiled for exactly these types."""
        result = general(*given)
        made: Any = self.overloads.get(tuple(map(self.typeof_pyval, given)))
        _codes_of_kinds[kinds] = general if made is None else made.entry_point
        return result


def _find_kind(one: Any) -> Any:
    """Return the attributes that determine Numba's type of a value; None for an unusual value."""
    kind = type(one)
    if kind is ndarray:
        return (one.dtype, one.ndim, one.flags.num) if one.dtype.kind in ARRAYS else None
    if kind in NUMBERS:
        return kind
    if not isinstance(one, tuple):
        return None
    kinds = (kind, *map(_find_kind, one))
    return None if None in kinds else kinds


def _remember_kind(one: Any) -> Any:
    """Return the result of `_find_kind`, and store the result for a NamedTuple."""
    global _bytes_since
    if type(one) is tuple or not isinstance(one, tuple):
        return _find_kind(one)
    if id(one) not in _tuples:
        size = _bytes(one)
        kind = _find_kind(one) if size < LARGE else None
        if kind is None:
            return None
        _tuples[id(one)] = one, kind
        _bytes_since += size
        if len(_tuples) > _most or _bytes_since > MUCH:
            _release_dead()
    return _tuples[id(one)][1]


def _bytes(several: tuple[Any, ...]) -> int:
    return sum(_bytes(one) if isinstance(one, tuple) else getattr(one, "nbytes", 0) for one in several)


def _count_references(known: list[tuple[int, tuple[Any, Any]]]) -> list[int]:
    return [getrefcount(one) for _, (one, _) in known]


ALONE = _count_references([(0, (tuple(range(1)), None))])[0]
"""The reference count of a tuple without other owners: lower from Python 3.14 on."""


def _release_dead() -> None:
    global _most, _bytes_since
    known = list(_tuples.items())  # while they are alive, no other tuple can have their identities
    counts = _count_references(known)
    dead = [(key, entry) for (key, entry), count in zip(known, counts, strict=True) if count <= ALONE]
    if dead:
        _codes.clear()
    for key, entry in dead:
        if _tuples.get(key) is entry:  # (another thread may have removed it)
            _tuples.pop(key, None)
    _most, _bytes_since = FEW + 2 * len(_tuples), 0
