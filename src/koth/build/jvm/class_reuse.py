"""Reuse of one bot's classes that were compiled together with other bots but do not depend on the other bots."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from koth.build.bot_files import BEGINNING
from koth.build.jvm.claims import CLASS
from koth.build.jvm.sources import SourceSet
from koth.sandbox.copies import list_files

SIMPLE = re.compile(rb"[\t\n\f\r -~]*")
"""Text without characters that Java ignores in names."""


def is_independent(source_set: SourceSet, makers: Mapping[str, Sequence[str]]) -> bool:
    """Return whether no source names a class of a file outside the set, so that no class depends on such a file.

    Only Java's compiler runs no code of the sources that it reads. Raises OSError.
    """
    if any(len(files) != 1 for files in makers.values()):
        return False
    names = {source_set.name(file) for file in source_set.sources}
    others = [name for name, files in makers.items() if not names.issuperset(files)]
    words = {name.rpartition("/")[2].partition("$")[0].encode() for name in others}
    for file in source_set.sources:
        text = file.read_bytes() if file.stat().st_size < BEGINNING else b""
        if file.suffix != ".java" or not text or b"\\u" in text or not SIMPLE.fullmatch(text):
            return False
        if not words.isdisjoint(re.findall(rb"\w+", text)):
            return False
    return True


def copy_classes(source_set: SourceSet, makers: Mapping[str, Sequence[str]], whole: Path, classes: Path) -> None:
    """Copy the classes of these sources from the folder `whole` to the folder `classes`. Raises OSError."""
    names = {source_set.name(file) for file in source_set.sources}
    for place, _ in list_files(whole):
        if place.endswith(CLASS) and names.issuperset(makers[place.removesuffix(CLASS)]):
            (classes / place).parent.mkdir(parents=True, exist_ok=True)
            (classes / place).write_bytes((whole / place).read_bytes())
