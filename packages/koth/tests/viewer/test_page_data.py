"""The shapes of the pages' JSON are the same for Python's type checker and for JavaScript's."""

from __future__ import annotations

import inspect
import os
import re
from types import NoneType, UnionType
from typing import Any, NotRequired, TypedDict, get_args, get_origin, get_type_hints

from koth.viewer import page_data
from koth.viewer.server import static_files

NAMES = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any"}
HEAD = "// The JSON that Python hands to pages: written from koth/viewer/page_data.py, which says what it means.\n"


def named(hint: Any) -> str:
    """Return a type in TypeScript."""
    kind, parts = get_origin(hint), [named(part) for part in get_args(hint)]
    if kind is list:
        return f"({parts[0]})[]" if "|" in parts[0] else f"{parts[0]}[]"
    if kind is dict:
        return f"Record<{', '.join(parts)}>"
    if kind is tuple:
        return f"[{', '.join(parts)}]"
    if kind is UnionType:
        return " | ".join(parts)
    return NAMES[hint] if hint in NAMES else str(hint.__name__)


BASES = dict(re.findall(r"^class (\w+)\((\w+)", inspect.getsource(page_data), re.M))
"""The bases of classes: Python 3.11 forgets those of a TypedDict."""


def declared(shape: Any) -> str:
    """Return the interface of a class of `page_data`, without what it inherits."""
    base = getattr(page_data, BASES[shape.__name__])
    inherited, lines = {} if base is TypedDict else base.__annotations__, []
    for key, hint in get_type_hints(shape, include_extras=True).items():
        if key in inherited:
            continue
        is_optional = get_origin(hint) is NotRequired or not shape.__total__
        plain = get_args(hint)[0] if get_origin(hint) is NotRequired else hint
        lines.append(f"  {key}{'?' * is_optional}: {named(plain)};\n")
    extends = "" if base is TypedDict else f" extends {base.__name__}"
    return f"\nexport interface {shape.__name__}{extends} {{\n{''.join(lines)}}}\n"


def test_page_data_is_declared_in_typescript_as_in_python() -> None:
    shapes = [shape for shape in vars(page_data).values() if isinstance(shape, type(TypedDict("X", {})))]
    text = HEAD + "".join(declared(shape) for shape in shapes)
    file = static_files()["main.js"].with_name("page-data.d.ts")
    if os.environ.get("KOTH_UPDATE"):
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text, "KOTH_UPDATE=1 writes it"
