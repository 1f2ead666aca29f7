"""Compiled Python, for authors of games: `kernel`, and fast copying and counting inside kernels.

A phase of a game is a plain function over arrays, decorated with `kernel`. It is compiled on its first call and the
machine code is cached in a per-user folder, so later starts only load it. With `NUMBA_DISABLE_JIT=1` in the
environment the same functions run as ordinary Python, with the same results.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast, overload

from koth.compile import uncompiled
from koth.compile.mode import COMPILED as COMPILED

if COMPILED:
    from koth.compile import simd
    from koth.compile.lazy import Kernel

F = TypeVar("F", bound=Callable[..., object])


@overload
def kernel(function: F, /) -> F: ...


@overload
def kernel(*, allocates: bool = False, inline: bool = False) -> Callable[[F], F]: ...


def kernel(function: F | None = None, /, *, allocates: bool = False, inline: bool = False) -> F | Callable[[F], F]:
    """Compile `function` on its first call (cached on disk, releases the GIL, no fast-math).

    `@kernel(allocates=True)` may create arrays and lists and copy slices. Numba then counts references, two atomic
    additions for each array that is read. Other kernels must not allocate, so passing a state is free; a kernel of a
    package that allocates without the mark is compiled with counts. `@kernel(inline=True)` is inlined into its
    callers. Kernels of packages check indices and raise IndexError; those in koth's own tree do not.
    """
    if function is None:
        return partial(_marked, allocates=allocates, inline=inline)
    return _marked(function, allocates=False, inline=False)


def _marked(function: F, allocates: bool, inline: bool) -> F:
    return cast(F, Kernel(function, allocates, inline)) if COMPILED else function


INT, LONG = "int32", "int64"


def foreign(name: str, result: str, *arguments: str) -> Callable[..., int]:
    """Return a function of the C library that kernels can call, by its types (a pointer is a LONG)."""
    if COMPILED:
        return cast(Callable[..., int], simd.external(name, result, *arguments))
    function = getattr(ctypes.CDLL(None), name)
    function.restype, *function.argtypes = [getattr(ctypes, f"c_{kind}") for kind in (result, *arguments)]
    return cast(Callable[..., int], function)


copy_values, count_up = uncompiled.copy_values, uncompiled.count_up
low_bytes, mark_equal, mark_values = uncompiled.low_bytes, uncompiled.mark_equal, uncompiled.mark_values
if COMPILED:
    copy_values, count_up = simd.copy_values, simd.count_up  # type: ignore[assignment]
    low_bytes, mark_equal, mark_values = simd.low_bytes, simd.mark_equal, simd.mark_values  # type: ignore[assignment]
