"""Valid JSON values of a field: as a JSON Schema made from its declaration, and as text made from that schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # `koth new` reads schemas too, and must start without importing Numba
    from koth.game import Field

WIDEST = 2**31 - 1
"""The least bound that a number's type implies, so that texts leave it out."""


def is_lettered(spec: Field) -> bool:
    """Return whether rows of this field's values are written as texts, a letter for each value."""
    return isinstance(spec.names, str) and bool(spec.names)


def field_schema(spec: Field) -> dict[str, Any]:
    """Return the JSON Schema of one row's value."""
    one: dict[str, Any]
    if spec.names:
        one = {"enum": list(spec.names)}
    elif spec.kind == "b":
        one = {"type": "boolean"}
    else:
        one = {"type": "number" if spec.kind == "f" else "integer"}
        least, most = spec.bounds
        if spec.kind != "f" or spec.low is not None:
            one["minimum"] = least
        if spec.kind != "f" or spec.high is not None:
            one["maximum"] = most
    lengths: list[tuple[int | None, int | None]] = [(length, length) for length in spec.shape]
    if spec.ragged:
        lengths[:1] = [(None, spec.shape[0] if spec.shape else None)]
    if is_lettered(spec) and lengths:
        one = {"type": "string", "pattern": f"^[{_escape(spec.names)}]*$"}
        one |= _length_keywords("Length", *lengths.pop())
    for bounds in reversed(lengths):
        one = {"type": "array", "items": one, **_length_keywords("Items", *bounds)}
    description = "; ".join(part for part in (spec.doc, spec.rule) if part)
    return {"description": description, **one} if description else one


def _length_keywords(of: str, least: int | None, most: int | None) -> dict[str, Any]:
    bounds = {f"min{of}": least, f"max{of}": most}
    return {key: bound for key, bound in bounds.items() if bound is not None}


def _escape(letters: Any) -> str:
    return "".join(f"\\{letter}" if letter in "^-]\\" else letter for letter in letters)


def open_object(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with at least these keys."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these keys."""
    return {**open_object(properties), "additionalProperties": False}


def by_number_schema(value: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has this value for each unit's number."""
    return {"type": "object", "patternProperties": {"^[0-9]+$": value}, "additionalProperties": False}


# --- as text


def meaning(node: Mapping[str, Any]) -> str:
    """Return the description of a value, or of the values in a list or object."""
    inner: Mapping[str, Any] = node.get("items") or next(iter(node.get("patternProperties", {}).values()), {})
    return str(node.get("description") or (meaning(inner) if inner else ""))


def describe_values(node: Mapping[str, Any]) -> str:
    """Return the values that a schema allows, as text."""
    if "const" in node:
        return json.dumps(node["const"])
    if "enum" in node:
        return "one of " + ", ".join(v if isinstance(v, str) else json.dumps(v) for v in node["enum"])
    if "anyOf" in node:
        keys = (", ".join(one.get("properties", {})) for one in node["anyOf"])
        parts = zip(node["anyOf"], keys, strict=True)
        return ", or ".join(describe_values(one) + f" with {inner}" * bool(inner) for one, inner in parts)
    if "patternProperties" in node:
        return "an object, by number: " + describe_values(next(iter(node["patternProperties"].values())))
    if node.get("type") == "array":
        return _describe_list(node)
    if node.get("type") in ("integer", "number"):
        one = "a whole number" if node["type"] == "integer" else "a number"
        bounds = (node.get("minimum"), node.get("maximum"))
        least, most = (bound if bound is not None and abs(bound) < WIDEST else None for bound in bounds)
        if most is not None and least is not None:
            return f"{one} in {least:.10g}..{most:.10g}"
        if least is not None:
            return f"{one} from {least:.10g} on"
        return f"{one} up to {most:.10g}" if most is not None else one
    letters = re.fullmatch(r"\^\[(.*)\]\*\$", node.get("pattern", ""))
    if letters:
        count = _format_length(node, "Length")
        return f"a text of {f'{count} of ' if count else ''}the letters {letters[1]}"
    if "type" not in node:
        return "anything"
    plain = {"boolean": "true or false", "string": "a text", "object": "an object", "null": "null"}
    return plain[node["type"]]


def _describe_list(node: Mapping[str, Any]) -> str:
    if "prefixItems" in node:
        return f"[{', '.join(map(describe_values, node['prefixItems']))}]"
    count = _format_length(node, "Items")
    return f"a list{f' of {count}' if count else ''}, each {describe_values(node['items'])}"


def _format_length(node: Mapping[str, Any], of: str) -> str:
    """Return a length as text; empty if none is declared."""
    least, most = node.get(f"min{of}"), node.get(f"max{of}")
    if least is None:
        return "" if most is None else f"at most {most}"
    return str(least) if most in (None, least) else f"{least} to {most}"
