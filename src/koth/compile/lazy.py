"""Kernels that meet Numba only when they are first called: importing a game makes no folder and sets nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from pathlib import Path
from typing import Any, ClassVar

import numba
from numba.extending import typeof_impl

from koth.compile.code_cache import code_folder, digest_of_module
from koth.compile.mode import HOOKS

njit: Any = numba.njit
typeof: Any = numba.typeof

OWN = "koth."
"""The beginning of the modules whose kernels the laws of this tree hold to their arrays: all others check indices."""

Listener = Callable[[str, int, int], None]
"""Called with the name of a kernel that is compiled now, its number, and how many kernels there are."""

BEYOND = ("index is out of bounds", "values beyond the end of an array")
"""What Numba and `simd` say where indices are checked."""

_setting = threading.Lock()


class Kernel:
    """A function over arrays, compiled (or loaded) on its first call from Python or from another kernel."""

    __name__: str
    __qualname__: str
    count: ClassVar = 0
    """How many kernels have been imported."""
    listener: ClassVar[Callable[[str], None] | None] = None

    def __init__(self, function: Callable[..., Any], allocates: bool = False, inline: bool = False) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.allocates = allocates
        self.inline = inline
        self.is_own = function.__module__.startswith(OWN)
        Kernel.count += 1

    def __call__(self, *given: Any, **named: Any) -> Any:
        try:
            return self.dispatcher(*given, **named)
        except IndexError as error:
            if str(error) not in BEYOND:  # one that a kernel raises by itself
                raise
            more = "NUMBA_DISABLE_JIT=1 shows the line"
            raise IndexError(f"the kernel {self.name}, or one that it calls: {error} ({more})") from None

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def name(self) -> str:
        """The module's and the function's name."""
        return f"{self.py_func.__module__}.{self.__qualname__}"

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's function that Python calls; its machine code is kept."""
        options = self._begin()
        with _cached_in(digest_of_module(Path(self.py_func.__code__.co_filename).resolve())):
            if HOOKS:
                from koth.compile.numba_hooks.dispatch import outer

                return outer(self.py_func, self.allocates, not (self.is_own or self.inline), **options)
            return njit(nogil=True, error_model="numpy", cache=True, **options)(self.py_func)

    @cached_property
    def part(self) -> Any:
        """Numba's function that other kernels call."""
        if not HOOKS:
            return self.dispatcher
        from koth.compile.numba_hooks.dispatch import inner

        options = self._begin()
        return inner(
            self.py_func, self.allocates, not (self.is_own or self.inline), forceinline=self.inline, **options
        )

    def _begin(self) -> dict[str, bool]:
        """Tell the listener which kernel is compiled, and return the options of Numba that follow from its module."""
        if Kernel.listener is not None:
            Kernel.listener(self.name)
        return {} if self.is_own else {"boundscheck": True}


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Tell the listener of each kernel that is compiled meanwhile."""
    names: dict[str, None] = {}

    def begin(name: str) -> None:
        names[name] = None
        if listener is not None:
            listener(name, len(names), Kernel.count)

    Kernel.listener = begin
    try:
        yield
    finally:
        Kernel.listener = None


@typeof_impl.register(Kernel)
def _type_of(kernel: Kernel, _context: Any) -> Any:
    """Return what Numba takes a kernel for where compiled code names it."""
    return typeof(kernel.part)


@contextmanager
def _cached_in(name: str) -> Iterator[None]:
    """Have Numba keep what is decorated meanwhile in a folder of this name among koth's, and nothing else there."""
    folder, config = str(code_folder() / name), numba.config
    with _setting:
        before = config.CACHE_DIR  # type: ignore[attr-defined]
        config.CACHE_DIR = folder  # type: ignore[attr-defined]
        try:
            yield
        finally:
            config.CACHE_DIR = before  # type: ignore[attr-defined]
