"""The files that a module's compiled code depends on, and their digest.

Numba notices a change in a function's own file, not in kernels of other files that the function calls.
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
    """Return a module's file and, recursively, the files of imported modules of koth and of the module's own package.

    An `__init__` file counts only if a game's package defines an imported name there. Modules in `without` are left
    out, and so are modules that only these modules import.
    """
    found, todo = {file}, [file]
    while todo:
        new = _find_imported(todo.pop()) - found - without
        found |= new
        todo += new
    return frozenset(found)


def package_root(file: Path) -> Path:
    """Return the folder that contains a module's outermost package; without a package, the module's folder."""
    root = file.parent
    while (root / "__init__.py").exists():
        root = root.parent
    return root


@cache
def _find_imported(file: Path) -> frozenset[Path]:
    """Return the files of the modules that a module imports or from which it imports names.

    Absolute names count if they begin with koth or with the module's own package: the folder of an installed package
    also contains all other installed packages, such as NumPy and Numba.
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
    """Return a module's imports, of modules and of names, as pairs: a relative import's dots, and a dotted name.

    The text is searched, not parsed: parsing the files of all modules takes a fifth of a second at every start. Text
    that only looks like an import does no harm to the digest.
    """
    found: list[tuple[str, str]] = []
    for dots, module, several, one in IMPORT.findall(COMMENT.sub("", file.read_text("utf-8", "replace"))):
        names = IMPORTED_NAME.findall(several or one)
        found += [(dots, f"{module}.{name}" if module else name) for name in names]
    return tuple(found)
