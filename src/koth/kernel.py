"""Compiled Python: with compile/, what knows Numba.

A phase of a game is a plain function over arrays, decorated with `kernel`. It is compiled on its first
call and the machine code is kept in a per-user folder, so later starts only load it. With
`NUMBA_DISABLE_JIT=1` in the environment the same functions run as ordinary Python, with the same results.
"""

from __future__ import annotations

import ctypes
import gc
import hashlib
import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast, overload

from koth import __version__
from koth.compile import uncompiled
from koth.files.cache import cache_folder

F = TypeVar("F", bound=Callable[..., object])


HERE = Path(__file__).resolve().parent


PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}-{platform.machine()}"
CACHE = cache_folder(f"kernels-{__version__}-{PYTHON}")
"""Where compiled kernels are kept, by version of koth and of Python, and processor."""

os.environ["NUMBA_CACHE_DIR"] = str(CACHE)

import numba  # noqa: E402  (its configuration is read from the environment at import)
from llvmlite.binding import ffi  # noqa: E402

COMPILED = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""False when `NUMBA_DISABLE_JIT=1` asked for plain Python."""
if COMPILED:
    from koth.compile import simd
    from koth.compile.numba_hooks import dispatch, pipeline


@cache
def sources(file: Path, without: frozenset[Path] = frozenset()) -> frozenset[Path]:
    """A module's file and those of all modules of koth and of its own package that it imports, and so on.

    Packages themselves are left out, and `without` these modules whatever they alone import.
    """
    root = package_root(file)
    found, todo = {file}, [file]
    while todo:
        for name in _imports(todo.pop()):
            at = (HERE.parent if name.split(".")[0] == "koth" else root).joinpath(*name.split("."))
            module = at.with_suffix(".py") if at.with_suffix(".py").exists() else at.parent.with_suffix(".py")
            if module.exists() and module not in found | without:
                found.add(module)
                todo.append(module)
    return frozenset(found)


def package_root(file: Path) -> Path:
    """The folder in which a module's outermost package lies; the module's own, if it is in none."""
    root = file.parent
    while (root / "__init__.py").exists():
        root = root.parent
    return root


IMPORT = re.compile(r"(?:\bfrom\s+\.*([\w.]+)\s+)?\bimport\b\s*(?:\(([^)]*)\)|((?:\\\r?\n|[^\n;])*))")
NAME = re.compile(r"(?:^|,)[\s\\]*(\w[\w.]*)")
COMMENT = re.compile("#.*")


@cache
def _imports(file: Path) -> tuple[str, ...]:
    """What a module imports, as dotted names: modules, and names out of modules.

    Its text is looked through: to parse all that hosting rests on takes a fifth of a second at every start. What only
    looks like an import does no harm.
    """
    found: list[str] = []
    for module, several, one in IMPORT.findall(COMMENT.sub("", file.read_text("utf-8", "replace"))):
        found += [f"{module}.{name}" if module else name for name in NAME.findall(several or one)]
    return tuple(found)


def _key(files: Iterable[Path]) -> str:
    """A digest of these files and of everything their kernels may call or read.

    Numba notices a change in a function's own file, not in the kernels that it calls from other files.
    """
    digest = hashlib.blake2b(numba.__version__.encode(), digest_size=6)
    for file in sorted(frozenset().union(*map(sources, files))):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


@cache
def _cache_of(file: Path) -> Path:
    """The cache for kernels defined in this file: another one whenever something they rest on is changed."""
    return CACHE / f"{file.parent.name}-{file.stem}-{_key([file])}"


@overload
def kernel(function: F, /) -> F: ...


@overload
def kernel(*, allocates: bool = False, inline: bool = False) -> Callable[[F], F]: ...


def kernel(function: F | None = None, /, *, allocates: bool = False, inline: bool = False) -> F | Callable[[F], F]:
    """Compile `function` on its first call (cached on disk, releases the GIL, no fast-math).

    `@kernel(allocates=True)` may create arrays and lists and copy slices. Numba then counts references, two atomic
    additions for each array that is read. Other kernels must not allocate, so passing a state is free; one of a
    package that allocates is compiled so without being marked. `@kernel(inline=True)` becomes a part of its callers.
    """
    if function is None:
        return partial(_marked, allocates=allocates, inline=inline)
    return _marked(function, allocates=False, inline=False)


def _marked(function: F, allocates: bool, inline: bool) -> F:
    may_make = not (allocates or inline or function.__module__.startswith("koth."))
    options = {"forceinline": True} if inline else {}
    return _compiled(function, may_make, _nrt=allocates, **options)


def _compiled(function: F, may_make: bool, **options: object) -> F:
    if not COMPILED:
        return function
    folder = _cache_of(Path(function.__code__.co_filename).resolve())
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    dispatcher = _dispatcher(function, may_make, cache=True, pipeline_class=pipeline.Outer, _nrt=options["_nrt"])
    # The folder's name stands for the content: when a file was written does not matter.
    dispatcher._cache._cache_file._source_stamp = folder.name
    dispatcher.get_call_template = partial(_called, dispatcher, may_make, options)
    dispatcher.add_overload = partial(dispatch.call_directly, dispatcher, dispatcher.add_overload)
    return cast(F, dispatcher)


def _dispatcher(function: Callable[..., object], may_make: bool, **options: object) -> Any:
    njit: Any = numba.njit  # some of its options are not in its types
    dispatcher = njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)(function)
    if COMPILED and not options["_nrt"]:
        dispatcher.compile = partial(_made_of_nothing, dispatcher, may_make, dispatcher.compile)
    return dispatcher


MAKES = ("NRT required but not enabled", "_ol_array_allocate", "Only accept returning of array passed")
"""What Numba says of a function that makes an array or a list and may not."""
UNMARKED = re.compile(r"the kernel \S+ makes arrays or lists.*")


def _made_of_nothing(dispatcher: Any, may_make: bool, compiles: Callable[[Any], object], signature: Any) -> object:
    """Compile a kernel that makes no arrays; one that does, if it may, as one that allocates.

    Raises TypingError, in plain words, where one makes some and may not.
    """
    try:
        return compiles(signature)
    except Exception as error:  # (of one that makes some Numba says many things, not all as errors of its own)
        if not may_make:
            _say_plainly(dispatcher, error)
            raise
    dispatcher.targetoptions["_nrt"] = True
    dispatcher._compiler._failed_cache.clear()
    try:
        return compiles(signature)
    except numba.core.errors.NumbaError as error:
        _say_plainly(dispatcher, error)  # of an inline kernel that it calls
        raise


def _say_plainly(dispatcher: Any, error: Exception) -> None:
    """Raise TypingError in plain words, if this is what Numba says of one that may make nothing and does."""
    within = UNMARKED.search(str(error))  # one that it calls was found already
    if within or any(words in str(error) for words in MAKES):
        name = dispatcher.py_func.__qualname__
        unmarked = f"the kernel {name} makes arrays or lists, or copies a slice: mark it @kernel(allocates=True)"
        raise numba.core.errors.TypingError(within[0] if within else unmarked) from error


def _called(
    dispatcher: Any, may_make: bool, options: dict[str, Any], arguments: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """How one kernel calls another: see `Dispatcher.get_call_template` of Numba.

    It calls a second compilation, which can't be called from Python: what Python needs to unpack a state's arrays
    would take longer to compile than most kernels. Whole numbers are handed on as 64 bits, as Python hands them:
    each kernel is compiled once, whatever it is called with.
    """
    within = dispatcher.__dict__.get("within")
    if within is None:
        part: dict[str, Any] = {"no_cpython_wrapper": True, "pipeline_class": pipeline.Inner, **options}
        within = _dispatcher(dispatcher.py_func, may_make, **part)
        dispatcher.within, dispatcher.get_overload = within, within.get_overload
    return within.get_call_template(tuple(map(_wide, arguments)), {key: _wide(kind) for key, kind in named.items()})


def _wide(kind: Any) -> Any:
    """The type as which an argument of this one is handed on. Large unsigned numbers stay what they are."""
    integer: Any = numba.types.Integer
    whole = isinstance(kind, integer) and (kind.signed or kind.bitwidth < 32)
    return numba.types.int64 if whole else kind


INT, LONG = "int32", "int64"


def foreign(name: str, result: str, *arguments: str) -> Callable[..., int]:
    """A function of the C library that kernels can call, compiled or not, by its types (a pointer is a LONG)."""
    if COMPILED:
        types = [getattr(numba.types, kind) for kind in (result, *arguments)]
        return cast(Callable[..., int], numba.types.ExternalFunction(name, types[0](*types[1:])))
    function = getattr(ctypes.CDLL(None), name)
    function.restype, *function.argtypes = [getattr(ctypes, f"c_{kind}") for kind in (result, *arguments)]
    return cast(Callable[..., int], function)


copy_values, count_up = uncompiled.copy_values, uncompiled.count_up
low_bytes, mark_equal, mark_values = uncompiled.low_bytes, uncompiled.mark_equal, uncompiled.mark_values
if COMPILED:
    copy_values, count_up = simd.copy_values, simd.count_up  # type: ignore[assignment]
    low_bytes, mark_equal, mark_values = simd.low_bytes, simd.mark_equal, simd.mark_values  # type: ignore[assignment]


def is_compiled(game: Path) -> bool:
    """Whether this machine has compiled the game in this folder, as it is now (or compiles nothing)."""
    return not COMPILED or _mark(game).exists()


def _mark(game: Path) -> Path:
    kernels = [file for file in game.glob("*.py") if b"koth.kernel" in file.read_bytes()]
    return CACHE / f"{game.name}-{_key([HERE / 'rng.py', *kernels])}"


@contextmanager
def compiling(game: Path) -> Iterator[bool]:
    """Hold the cache's lock for the first compilation of the game in this folder; yields True when it is to be done.

    Numba's cache is not made for two processes that write it at once, so the first start of a game
    compiles all of its kernels under this lock and leaves a mark; later starts neither wait nor write.
    """
    if is_compiled(game):
        yield False
        return
    mark = _mark(game)
    with open(CACHE / "lock", "w") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        except ImportError:  # no advisory locks on this system: two first starts may both compile
            pass
        if mark.exists():
            yield False
            return
        with _without_collecting(), _without_timing():
            yield True
        mark.touch()


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Look for no garbage meanwhile: a compiler's tables grow, and each look at all of them finds next to nothing.

    Nor right afterwards: what there is now counts as old.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            if gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
            gc.enable()


@contextmanager
def _without_timing() -> Iterator[None]:
    """Have nobody told, twice at each of a compiler's many thousand calls of LLVM, that it begins and ends."""
    told = ffi.lib._lock._cblist
    kept = told[:]
    told.clear()
    try:
        yield
    finally:
        told[:] = kept
