"""Compiled Python, for authors of games: `kernel`, and fast copying and counting inside kernels.

A phase of a game is a plain function over arrays, decorated with `kernel`. It is compiled on its first call and the
machine code is cached in a per-user folder, so later starts only load it. With `NUMBA_DISABLE_JIT=1` in the
environment the same functions run as ordinary Python, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast, overload

from koth.compile.mode import COMPILED as COMPILED

if not COMPILED:
    from koth.compile import uncompiled as copies
else:
    from koth.compile.lazy import Kernel

    try:
        from koth.compile import simd as copies  # type: ignore[no-redef]
    except ImportError:
        from koth.compile import loops as copies  # type: ignore[no-redef]

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


copy_values, count_up = copies.copy_values, copies.count_up
low_bytes, mark_equal, mark_values = copies.low_bytes, copies.mark_equal, copies.mark_values
