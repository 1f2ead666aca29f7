"""Faults of a bot in a match, as the database keeps them."""

from __future__ import annotations

from typing import Any

from koth.hill.host_paths import without_host_paths
from koth.match import BotReport
from koth.session.faults import with_ending


def without_words(faults: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return faults without their texts, which may have a bot's own words."""
    return {kind: {**fault, "text": ""} for kind, fault in faults.items()}


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
