"""Compiled Python: the one file that knows Numba.

A phase of a game is a plain function over arrays, decorated with `kernel`. It is compiled on its first
call and the machine code is kept in a per-user folder, so later starts only load it. With
`NUMBA_DISABLE_JIT=1` in the environment the same functions run as ordinary Python, with the same results.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from koth import __version__

F = TypeVar("F", bound=Callable[..., object])


HERE = Path(__file__).resolve().parent
GROUND = ("kernel.py", "rng.py", "grid.py")
"""Core modules whose kernels others call."""


def _cache_folder() -> Path:
    """The folder for machine code: per user, version of koth and of Python, and processor."""
    base = os.environ.get("KOTH_CACHE_DIR")
    root = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "koth"
    python = f"py{sys.version_info.major}{sys.version_info.minor}-{platform.machine()}"
    folder = root / f"kernels-{__version__}-{python}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass  # a read-only home: a folder of this user's in the temporary directory serves as well
    fallback = Path(tempfile.gettempdir()) / f"koth-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    folder = fallback / folder.name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if hasattr(os, "getuid") and fallback.stat().st_uid != os.getuid():
        raise PermissionError(f"{fallback} belongs to somebody else; set KOTH_CACHE_DIR to a folder of yours")
    return folder


CACHE = _cache_folder()
"""Where compiled kernels are kept (set `KOTH_CACHE_DIR` to move it)."""

os.environ["NUMBA_CACHE_DIR"] = str(CACHE)

import numba  # noqa: E402  (its configuration is read from the environment at import)

COMPILED = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""False when `NUMBA_DISABLE_JIT=1` asked for plain Python."""


@cache
def _cache_of(folder: Path) -> Path:
    """The cache for kernels defined in this folder, by the content of all that they may call.

    Numba notices a change in a function's own file, not in the kernels it calls from other files.
    """
    files = [HERE / name for name in GROUND] + (sorted(folder.glob("*.py")) if folder != HERE else [])
    digest = hashlib.blake2b(numba.__version__.encode(), digest_size=6)
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return CACHE / f"{folder.name}-{digest.hexdigest()}"


def kernel(function: F) -> F:
    """Compile `function` on its first call (cached on disk, releases the GIL, no fast-math)."""
    folder = Path(function.__code__.co_filename).resolve().parent
    numba.config.CACHE_DIR = str(_cache_of(folder))  # type: ignore[attr-defined]
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


INT, LONG = "int32", "int64"


def foreign(name: str, result: str, *arguments: str) -> Callable[..., int]:
    """A function of the C library that kernels can call, compiled or not, by its types (a pointer is a LONG)."""
    if COMPILED:
        types = [getattr(numba.types, kind) for kind in (result, *arguments)]
        return cast(Callable[..., int], numba.types.ExternalFunction(name, types[0](*types[1:])))
    function = getattr(ctypes.CDLL(None), name)
    function.restype, *function.argtypes = [getattr(ctypes, f"c_{kind}") for kind in (result, *arguments)]
    return cast(Callable[..., int], function)


@contextmanager
def compiling(game: Path) -> Iterator[bool]:
    """Hold the cache's lock for the first compilation of the game in this folder; yields True when it is to be done.

    Numba's cache is not made for two processes that write it at once, so the first start of a game
    compiles all of its kernels under this lock and leaves a mark; later starts neither wait nor write.
    """
    mark = _cache_of(game) / "compiled"
    if not COMPILED or mark.exists():
        yield False
        return
    with open(CACHE / "lock", "w") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        except ImportError:  # no advisory locks on this system: two first starts may both compile
            pass
        if mark.exists():
            yield False
            return
        yield True
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
