"""Faults of a bot in a match, as the database stores them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from koth.match import BotReport
from koth.session.faults import add_ending
from koth_hill.host_paths import remove_all_paths

TEXTS = ("asked", "said", "stderr")
"""The parts of a fault's context that the database stores as base64."""


def remove_words(faults: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Remove the texts of faults, which may contain a bot's own words."""
    return {kind: {**fault, "text": ""} for kind, fault in faults.items()}


def moments_of(record: BotReport | None) -> dict[str, dict[str, Any]]:
    """Return the contexts of a bot's faults as the database stores them, for its author."""
    found = {} if record is None else record.fault_reports
    return {
        kind: {**encode_moment(vars(fault)), "wall": fault.wall, "charged": fault.charged}
        for kind, fault in sorted(found.items())
    }


def decode_moment(moment: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fault's context with its messages as bytes."""
    return {**moment, **{key: base64.b64decode(moment[key]) for key in TEXTS if key in moment}}


def encode_moment(moment: Mapping[str, Any]) -> dict[str, str]:
    """Return the messages of a fault's context in base64, as the database stores them."""
    return {key: base64.b64encode(moment[key]).decode("ascii") for key in TEXTS}


def faults_of(record: BotReport | None) -> dict[str, dict[str, Any]]:
    """Return a bot's faults as the database stores them: for each kind the number, and the first fault in words."""
    found = {} if record is None else record.fault_reports
    return {
        kind: {
            "count": fault.count,
            "turn": fault.turn,
            "text": remove_all_paths(add_ending(kind, fault.text, fault.end)).replace("\0", "\\0"),
        }
        for kind, fault in sorted(found.items())
    }
