"""Faults of a bot in a match, as the database keeps them."""

from __future__ import annotations

import base64
from typing import Any

from koth.hill.host_paths import without_host_paths
from koth.match import BotReport
from koth.session.faults import with_ending


def without_words(faults: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return faults without their texts, which may have a bot's own words."""
    return {kind: {**fault, "text": ""} for kind, fault in faults.items()}


def moments_of(record: BotReport | None) -> dict[str, dict[str, Any]]:
    """Return the moments of a bot's faults as they stand in the database, for its author."""
    found = {} if record is None else record.fault_reports
    return {
        kind: {
            "asked": _packed(fault.asked),
            "said": _packed(fault.said),
            "stderr": _packed(fault.stderr),
            "wall": fault.wall,
            "charged": fault.charged,
        }
        for kind, fault in sorted(found.items())
    }


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def faults_of(record: BotReport | None) -> dict[str, dict[str, Any]]:
    """Return a bot's faults as they stand in the database: how many of each kind, and the first in words."""
    found = {} if record is None else record.fault_reports
    return {
        kind: {
            "count": fault.count,
            "turn": fault.turn,
            "text": without_host_paths(with_ending(kind, fault.text, fault.end)).replace("\0", "\\0"),
        }
        for kind, fault in sorted(found.items())
    }
