"""The proof of a season's final: the season's committed secret, and the digests that are mixed into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.contest.record import RunRecord
from koth.engine.secret import Secret
from koth.files.shape import find_mismatch, read_json

SHAPE: Mapping[str, Any] = {"secret": str, "commitment": str, "bots": [{"name": str, "digest": str}]}


def find_season_problem(text: str, record: RunRecord, secret: Secret | None) -> str | None:
    """Return why a season's final was not played with the season's committed secret; None if it was.

    The hash of the committed secret must be the commitment; mixed with the bots' digests, the committed secret must
    give the final's secret.
    """
    try:
        season = read_json(text)
        if wrong := find_mismatch(season, SHAPE):
            raise ValueError(wrong)
        committed, commitment = Secret.from_hex(season["secret"]), season["commitment"]
    except ValueError as error:
        return f"the proof can't be read: {error}"
    digests = {bot["name"]: bot["digest"] for bot in season["bots"]}
    if committed.commitment != commitment:
        return f"the commitment of the season's secret is {committed.commitment}, not {commitment}"
    played = {bot["name"]: bot["digest"] for bot in record["bots"]}
    if digests != played:
        others = sorted(name for name in {*digests, *played} if digests.get(name) != played.get(name))
        return f"the bots of the season are not those of the final: {', '.join(others[:8])}"
    if secret != committed.mix(digests.values()):
        return "the final's secret is not the season's, mixed with the digests of the bots"
    return None
