"""Compiled Python, for authors of games: `kernel`, and fast copying and counting inside kernels.

A phase of a game is a plain function over arrays, decorated with `kernel`. The phase is compiled on its first call
and the machine code is cached in a per-user folder, so later starts only load it. With `NUMBA_DISABLE_JIT=1` in the
environment the same functions run as ordinary Python, with the same results.

A kernel is given the state, `settings.numbers`, arrays and numbers: no dicts, strings, objects or exceptions.

* Loop over matches inside a kernel, never around one.
* A kernel that makes arrays or lists, or copies a slice (`seen.x[row] = s.x[m]`), counts references, which costs some
  10 ns for each array that the kernel gets. Put such work into kernels of their own, marked `allocates=True`, or
  write the loop.
* Walk boards row by row, the last axis innermost. Keep squares in small unsigned integers, and give boards with
  windows a halo (`koth.grid.wrap_halo`, `copy_window`, `copy_in_chunks`): remainders for each square are slow.
* `copy_values` copies rows. Write what all bots of a match observe once, and copy it.
* Write kernels in files, not in closures or at a prompt: the cache identifies them by their file. Ruff's SIM110 would
  turn a loop into `any(...)`, which Numba can't compile.
* A first start compiles what other kernels call as functions of their own, and `inline=True` into each caller: mark
  what one kernel calls once, not what is large and called often.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast, overload

from koth.compile import COMPILED as COMPILED

if not COMPILED:
    from koth.compile import uncompiled as copies
else:
    from koth.compile.lazy import Kernel

    try:
        from koth.compile import simd as copies  # type: ignore[no-redef]
    except ImportError:
        from numba.extending import register_jitable

        from koth.compile import uncompiled as copies

        for function in copies.COPIES:
            register_jitable(function)

F = TypeVar("F", bound=Callable[..., object])


@overload
def kernel(function: F, /) -> F: ...


@overload
def kernel(*, allocates: bool = False, inline: bool = False) -> Callable[[F], F]: ...


def kernel(function: F | None = None, /, *, allocates: bool = False, inline: bool = False) -> F | Callable[[F], F]:
    """Compile `function` on its first call (cached on disk, releases the GIL, no fast-math).

    `@kernel(allocates=True)` may create arrays and lists and copy slices. Numba then counts references, two atomic
    additions for each array that is read. A kernel that allocates without the mark is compiled so too, with all that
    it calls; `koth.testing.check` names it. `@kernel(inline=True)` is copied into its callers. Kernels of packages
    check indices and raise IndexError; those in koth's own tree do not.
    """
    if function is None:
        return partial(_mark, allocates=allocates, inline=inline)
    return _mark(function, allocates=False, inline=False)


def _mark(function: F, allocates: bool, inline: bool) -> F:
    return cast(F, Kernel(function, allocates, inline)) if COMPILED else function


copy_values, count_up = copies.copy_values, copies.count_up
low_bytes, mark_equal, mark_values = copies.low_bytes, copies.mark_equal, copies.mark_values
