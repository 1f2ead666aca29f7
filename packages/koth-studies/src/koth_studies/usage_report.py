"""The usage report of an author's program: tokens, cost, turns of a model, or other quantities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from koth.files.beneath import read_beneath

USAGE_FILE = "usage.json"
"""The report's file name, in an author's folder."""
LARGEST_REPORT = 1 << 16
"""The largest size of a report in bytes."""
MOST_QUANTITIES = 32
"""The largest number of quantities in a report."""
QUANTITY_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
LARGEST_VALUE = 1e15
"""The largest value of a quantity."""


def read_usage(folder: Path) -> tuple[dict[str, float], str]:
    """Return the quantities in a folder's report, and the mistake in the report, or "".

    Without a report, or with a mistake, there are no quantities.
    """
    try:
        found = orjson.loads(read_beneath(folder, USAGE_FILE, LARGEST_REPORT))
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        return {}, f"{USAGE_FILE}: {error.strerror}"
    except ValueError:
        return {}, f"{USAGE_FILE}: no JSON"
    mistake = find_mistake(found)
    return ({}, f"{USAGE_FILE}: {mistake}") if mistake else (found, "")


def find_mistake(found: Any) -> str:
    """Return the mistake in quantities by name, as text, or ""."""
    if not isinstance(found, Mapping) or len(found) > MOST_QUANTITIES or not all(map(QUANTITY_NAME.fullmatch, found)):
        names = 'such as {"tokens": 1200, "cost": 0.04, "turns": 7}'
        return f"not an object of at most {MOST_QUANTITIES} quantities with names of letters a-z, {names}"
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST_VALUE:
            return f"{name} is not a number from 0 to {LARGEST_VALUE:g}"
    return ""


def add_usage(reports: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the sum of each quantity."""
    listed = list(reports)
    names = dict.fromkeys(name for report in listed for name in report)
    return {name: sum(report.get(name, 0) for report in listed) for name in names}
