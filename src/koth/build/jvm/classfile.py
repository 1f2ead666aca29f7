"""A reader of class files: the names of the class and of its source."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path

from koth.build.jvm.jdk import JvmError
from koth.files.bounded_read import read_plain

MOST_BYTES = 16 << 20
"""The largest size in bytes of a class file that is read; real class files have some hundred thousand at most."""
CLASS_NAME = re.compile(r"[^./;\[\\:\0]+(/[^./;\[\\:\0]+)*")
TEXT, CLASS = 1, 7
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
"""Bytes of a constant by its kind."""
WIDE = (5, 6)
"""Kinds of constants that take two entries of the table."""


@dataclass(frozen=True)
class ClassFile:
    """A class: its name with slashes, and the name of its source without folders (empty if not in the file)."""

    name: str
    source: str


def read_class(file: Path) -> ClassFile:
    """Read a class file. Raises JvmError."""
    try:
        return _ClassFileReader(read_plain(file, MOST_BYTES)).read()
    except OSError as error:
        raise JvmError(f"{file}: {error.strerror}") from None
    except (ValueError, KeyError, IndexError, struct.error) as error:
        raise JvmError(f"{file}: not a class file: {error}") from None


class _ClassFileReader:
    """A reading position in a class file. All methods raise the errors that `read_class` catches."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _number(self, kind: str) -> int:
        (number,) = struct.unpack_from(f">{kind}", self._data, self._at)
        self._at += struct.calcsize(f">{kind}")
        return int(number)

    def read(self) -> ClassFile:
        """Return the class and its source."""
        if self._data[:4] != b"\xca\xfe\xba\xbe":
            raise ValueError("the first bytes differ")
        self._at = 8
        texts, classes = self._constants()
        self._at += 2
        name = texts[classes[self._number("H")]]
        if not CLASS_NAME.fullmatch(name):
            raise ValueError(f"the class is called {name[:80]!r}")
        self._at += 2
        interfaces = self._number("H")
        self._at += 2 * interfaces
        for _ in range(2):  # fields and methods
            for _ in range(self._number("H")):
                self._at += 6
                self._attributes(texts)
        return ClassFile(name, self._attributes(texts))

    def _constants(self) -> tuple[dict[int, str], dict[int, int]]:
        """Read the constants: the texts, and the indices of the names of classes."""
        texts: dict[int, str] = {}
        classes: dict[int, int] = {}
        count, index = self._number("H"), 1
        while index < count:
            kind = self._number("B")
            if kind == TEXT:
                length = self._number("H")
                texts[index] = self._data[self._at : self._at + length].decode("utf-8", "replace")
                self._at += length
            else:
                if kind == CLASS:
                    (classes[index],) = struct.unpack_from(">H", self._data, self._at)
                self._at += SIZES[kind]
            index += 2 if kind in WIDE else 1
        return texts, classes

    def _attributes(self, texts: dict[int, str]) -> str:
        """Skip attributes; return the source file, if an attribute names it, else ""."""
        source = ""
        for _ in range(self._number("H")):
            name, length = texts.get(self._number("H"), ""), self._number("I")
            if name == "SourceFile":
                (index,) = struct.unpack_from(">H", self._data, self._at)
                source = texts[index]
            self._at += length
        return source
