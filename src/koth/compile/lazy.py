"""Kernels that use Numba only when they are first called: importing a game makes no folder and changes no setting."""

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

KOTHS_PREFIX = "koth."
"""The prefix of koth's own modules; kernels of other modules check their indices at run time."""

Listener = Callable[[str, int, int], None]
"""A function that is called with a compiled kernel's name, its number, and the number of all kernels."""

BEYOND = ("index is out of bounds", "values beyond the end of an array")
"""The messages with which Numba and `simd` report indices out of bounds."""

_setting = threading.Lock()


class Kernel:
    """A function over arrays, compiled (or loaded) on its first call from Python or from another kernel."""

    __name__: str
    __qualname__: str
    count: ClassVar = 0
    """The number of imported kernels."""
    listener: ClassVar[Callable[[str], None] | None] = None

    def __init__(self, function: Callable[..., Any], allocates: bool = False, inline: bool = False) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.allocates = allocates
        self.inline = inline
        self.is_own = function.__module__.startswith(KOTHS_PREFIX)
        Kernel.count += 1

    def __call__(self, *given: Any, **named: Any) -> Any:
        try:
            return self.dispatcher(*given, **named)
        except IndexError as error:
            if str(error) not in BEYOND:  # raised by the kernel's own code
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
        """Numba's function that Python calls; its machine code is cached."""
        options = self._begin()
        with _use_cache(digest_of_module(Path(self.py_func.__code__.co_filename).resolve())):
            if HOOKS:
                from koth.compile.numba_hooks.dispatch import make_outer

                return make_outer(self.py_func, self.allocates, not (self.is_own or self.inline), **options)
            return njit(nogil=True, error_model="numpy", cache=True, **options)(self.py_func)

    @cached_property
    def part(self) -> Any:
        """Numba's function that other kernels call."""
        if not HOOKS:
            return self.dispatcher
        from koth.compile.numba_hooks.dispatch import make_inner

        options = self._begin()
        return make_inner(
            self.py_func, self.allocates, not (self.is_own or self.inline), forceinline=self.inline, **options
        )

    def _begin(self) -> dict[str, bool]:
        """Call the listener with this kernel's name, and return the options of Numba that depend on the module."""
        if Kernel.listener is not None:
            Kernel.listener(self.name)
        return {} if self.is_own else {"boundscheck": True}


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Call the listener with each kernel that is compiled in this context."""
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
    return typeof(kernel.part)


@contextmanager
def _use_cache(name: str) -> Iterator[None]:
    """Make Numba cache functions decorated in this context in a folder of this name, and no other functions."""
    folder, config = str(code_folder() / name), numba.config
    with _setting:
        before = config.CACHE_DIR  # type: ignore[attr-defined]
        config.CACHE_DIR = folder  # type: ignore[attr-defined]
        try:
            yield
        finally:
            config.CACHE_DIR = before  # type: ignore[attr-defined]
