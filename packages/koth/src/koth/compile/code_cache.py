"""The folder of cached machine code, and the marker file and the lock of a game's first compilation."""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numba
from llvmlite import binding

from koth import __version__
from koth.compile import COMPILED
from koth.compile.sources import digest
from koth.files.cache import cache_folder

PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}-{platform.machine()}"


def code_folder() -> Path:
    """Return the folder of machine code for this version, processor and mode, made if it does not exist.

    Numba keeps code for several processors in one index file, which machines with a common home folder would
    overwrite.
    """
    return cache_folder(f"kernels-{__version__}-{PYTHON}-{_processor()}")


@cache
def _processor() -> str:
    """Return the processor's model and a digest of its features and of all settings that change code."""
    config = numba.config
    name = config.CPU_NAME or binding.get_host_cpu_name()  # type: ignore[attr-defined]
    features = config.CPU_FEATURES  # type: ignore[attr-defined]
    if features is None:
        features = binding.get_host_cpu_features().flatten()
    parts = [
        name,
        features,
        numba.__version__,
        os.environ.get("NUMBA_OPT", ""),
        os.environ.get("NUMBA_BOUNDSCHECK", ""),
    ]
    return f"{name}-{hashlib.blake2b(repr(parts).encode(), digest_size=4).hexdigest()}"


@cache
def digest_of_module(file: Path) -> str:
    """Return a name for the code of a module's kernels, which changes with any file that the kernels depend on."""
    return f"{file.parent.name}-{file.stem}-{digest([file])}"


def is_compiled(name: str, modules: Iterable[Path]) -> bool:
    """Return whether this machine has compiled the current kernels of these modules, or runs without a compiler."""
    return not COMPILED or _mark(name, modules).exists()


def _mark(name: str, modules: Iterable[Path]) -> Path:
    return code_folder() / f"{name}-{digest(modules)}"


@contextmanager
def compiling(name: str, modules: Iterable[Path]) -> Iterator[bool]:
    """Hold the code folder's lock for the first compilation of these modules; yield whether it is needed.

    Numba's cache does not support two concurrent writers, so the first start of a game compiles all of its kernels
    while it holds this lock, and leaves a marker file; later starts neither wait nor write.
    """
    modules = list(modules)
    if is_compiled(name, modules):
        yield False
        return
    mark = _mark(name, modules)
    with open(code_folder() / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if mark.exists():
            yield False
            return
        with _without_collecting():
            yield True
        mark.touch()


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Disable garbage collection in this context: scanning a compiler's growing tables finds almost no garbage."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
