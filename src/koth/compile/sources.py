"""The files that a module's compiled code depends on, and their digest.

Numba notices a change in a function's own file, not in the kernels that it calls from other files.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

KOTH = Path(__file__).resolve().parents[1]
"""The folder of the package koth."""

IMPORT = re.compile(r"(?:\bfrom\s+(\.*)\s*([\w.]*?)\s*)?\bimport\b\s*(?:\(([^)]*)\)|((?:\\\r?\n|[^\n;])*))")
IMPORTED_NAME = re.compile(r"(?:^|,)[\s\\]*(\w[\w.]*)")
COMMENT = re.compile("#.*")


def digest(files: Iterable[Path]) -> str:
    """Return a digest of these files and of everything that they import."""
    found = hashlib.blake2b(digest_size=6)
    for file in sorted(frozenset().union(*map(find_sources, files))):
        found.update(file.name.encode() + b"\0" + _digest_of(file))
    return found.hexdigest()


@cache
def _digest_of(file: Path) -> bytes:
    return hashlib.blake2b(file.read_bytes(), digest_size=32).digest()


@cache
def find_sources(file: Path, without: frozenset[Path] = frozenset()) -> frozenset[Path]:
    """Return a module's file and, recursively, those of all modules of koth and of its own package that it imports.

    An `__init__` file counts only if a game's package defines an imported name in its own. Modules in `without` are
    left out, with all modules that only they import.
    """
    found, todo = {file}, [file]
    while todo:
        new = _find_imported(todo.pop()) - found - without
        found |= new
        todo += new
    return frozenset(found)


def package_root(file: Path) -> Path:
    """Return the folder that contains a module's outermost package; the module's own, if it is in none."""
    root = file.parent
    while (root / "__init__.py").exists():
        root = root.parent
    return root


@cache
def _find_imported(file: Path) -> frozenset[Path]:
    """Return the files of the modules that a module imports, or imports names from.

    Absolute names count if they begin with koth or with the module's own package: the folder of an installed package
    contains all others, NumPy and Numba among them.
    """
    root = package_root(file)
    is_loose, package = file.parent == root, file.relative_to(root).parts[0]
    found: set[Path] = set()
    for dots, name in read_imports(file):
        first, *_ = name.split(".")
        if dots:
            start = file.parents[len(dots) - 1] if len(dots) <= len(file.parents) else root
        elif first == "koth":
            start = KOTH.parent
        elif is_loose or first == package:
            start = root
        else:
            continue
        at = start.joinpath(*name.split("."))
        own_name = [at.parent / "__init__.py"] if dots and root != KOTH.parent else []
        modules = (at.with_suffix(".py"), at.parent.with_suffix(".py"), *own_name)
        found.update(itertools.islice(filter(Path.exists, modules), 1))
    return frozenset(found)


@cache
def read_imports(file: Path) -> tuple[tuple[str, str], ...]:
    """Return the imports of a module, of modules and of names: the dots of a relative import, and a dotted name.

    The text is searched, not parsed: parsing the files of all modules takes a fifth of a second at every start. Text
    that only looks like an import does no harm.
    """
    found: list[tuple[str, str]] = []
    for dots, module, several, one in IMPORT.findall(COMMENT.sub("", file.read_text("utf-8", "replace"))):
        names = IMPORTED_NAME.findall(several or one)
        found += [(dots, f"{module}.{name}" if module else name) for name in names]
    return tuple(found)
