"""Kernels that use Numba only when they are first called: importing a game makes no folder and changes no setting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial, update_wrapper
from pathlib import Path
from typing import Any, ClassVar

import numba
from numba import types
from numba.extending import typeof_impl

from koth.compile.code_cache import code_folder, digest_of_module

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
    """A function over arrays, compiled (or loaded) on its first call from Python or from another kernel.

    Numba counts no references (`_nrt=False`): counts cost two atomic additions for each array that a kernel gets. A
    kernel that can't be compiled so, or that returns arrays, is compiled with counts, as are all kernels that it
    calls, and by documented options only. So is every kernel if Numba does not know these options.
    """

    __name__: str
    __qualname__: str
    imported: ClassVar[list[Kernel]] = []
    listener: ClassVar[Callable[[str], None] | None] = None
    is_counting: ClassVar = False
    """True while a kernel is compiled with counts that is not marked as allocating."""

    def __init__(self, function: Callable[..., Any], allocates: bool = False, inline: bool = False) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = {"inline": "always"} if inline else {}
        """The attribute of a called function by which Numba decides to copy its code into the caller's."""
        self._options = {"nogil": True, "error_model": "numpy"}
        if not function.__module__.startswith(KOTHS_PREFIX):
            self._options["boundscheck"] = True
        self._fast_options = {**self._options, "_nrt": allocates, "no_cfunc_wrapper": True}
        Kernel.imported.append(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.dispatcher(*args, **kwargs)
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

    @property
    def counts_unmarked(self) -> bool:
        """Whether this machine has compiled the kernel with counts although it is not marked as allocating."""
        return any(self._folder(counts=True).glob("*"))

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's function that Python calls; its machine code is cached."""
        return self._make_dispatcher(self.counts_unmarked)

    @cached_property
    def inner_dispatcher(self) -> Any:
        """Numba's function that other kernels call, without a wrapper for Python, which takes long to compile."""
        self._report()
        return _with_wide_numbers(njit(**self._fast_options, no_cpython_wrapper=True)(self.py_func))

    @cached_property
    def counting_inner_dispatcher(self) -> Any:
        """The same for kernels that count references unmarked."""
        return _with_wide_numbers(njit(**self._options)(self.py_func))

    def _make_dispatcher(self, counts: bool) -> Any:
        self._report()
        with _use_cache(self._folder(counts)):
            made = njit(cache=True, **(self._options if counts else self._fast_options))(self.py_func)
        made.compile = partial(self._compile, counts, made.compile)
        return made

    def _folder(self, counts: bool) -> Path:
        """Return the folder of the module's code; with counts a kernel's own: Numba would not tell the two apart."""
        digest = digest_of_module(Path(self.py_func.__code__.co_filename).resolve())
        return code_folder() / (f"{digest}-counts-{self.__qualname__}" if counts else digest)

    def _compile(self, counts: bool, compile: Any, signature: Any) -> Any:
        """Compile in the dispatcher whose method `compile` this replaces, or in one that counts references."""
        if counts:
            Kernel.is_counting = True
            try:
                return compile(signature)
            finally:
                Kernel.is_counting = False
        with suppress(Exception):  # for a kernel that allocates, Numba raises errors of many types
            code = compile(signature)
            if self._fast_options["_nrt"] or not _has_array(compile.__self__.nopython_signatures[-1].return_type):
                return code
        counting = self._make_dispatcher(counts=True)
        code = counting.compile(signature)
        self.dispatcher = counting
        return code

    def _report(self) -> None:
        if Kernel.listener is not None:
            Kernel.listener(self.name)


def _with_wide_numbers(made: Any) -> Any:
    """Let kernels pass whole numbers to this function as 64 bits, so that it is compiled once whatever they are."""
    template = made.get_call_template
    made.get_call_template = lambda args, kwargs: template(
        tuple(map(_widen, args)), {name: _widen(kind) for name, kind in kwargs.items()}
    )
    return made


def _widen(kind: Any) -> Any:
    """Return the type as which an argument of this type is passed. Large unsigned numbers keep their type."""
    integer: Any = types.Integer
    is_whole = isinstance(kind, integer) and (kind.signed or kind.bitwidth < 32)
    return types.int64 if is_whole else kind


def _has_array(kind: Any) -> bool:
    """Return whether a type of Numba is an array, or a tuple with one."""
    return isinstance(kind, types.Array) or any(map(_has_array, getattr(kind, "types", ())))


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Call the listener with each kernel that is compiled in this context."""
    names: dict[str, None] = {}

    def begin(name: str) -> None:
        names[name] = None
        if listener is not None:
            listener(name, len(names), len(Kernel.imported))

    Kernel.listener = begin
    try:
        yield
    finally:
        Kernel.listener = None


@typeof_impl.register(Kernel)
def _type_of(kernel: Kernel, _context: Any) -> Any:
    return typeof(kernel.counting_inner_dispatcher if Kernel.is_counting else kernel.inner_dispatcher)


@contextmanager
def _use_cache(folder: Path) -> Iterator[None]:
    """Make Numba cache functions decorated in this context in this folder, and no other functions."""
    config = numba.config
    with _setting:
        before = config.CACHE_DIR  # type: ignore[attr-defined]
        config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
        try:
            yield
        finally:
            config.CACHE_DIR = before  # type: ignore[attr-defined]
