"""`season.json` in the folder of a season's final: the committed secret, and the digests mixed into it."""

from __future__ import annotations

import json

from koth.contest.record import RunRecord
from koth.engine.secret import Secret

SEASON_FILE = "season.json"
"""The file's name; its keys are `commitment`, `secret`, and `bots` with `name` and `digest`."""
LARGEST_SEASON_FILE = 1 << 24
"""The largest size of `season.json` in bytes."""


def find_season_problem(text: str, record: RunRecord, secret: Secret | None) -> str | None:
    """Return why a season's final was not played with the season's committed secret; None if it was.

    The hash of the committed secret must be the commitment; mixed with the bots' digests, the committed secret must
    give the final's secret.
    """
    try:
        season = json.loads(text)
        committed, commitment = Secret.from_hex(season["secret"]), season["commitment"]
        digests = {bot["name"]: bot["digest"] for bot in season["bots"]}
    except (ValueError, TypeError, KeyError) as error:
        return f"{SEASON_FILE} can't be read: {error}"
    if committed.commitment != commitment:
        return f"the commitment of the season's secret is {committed.commitment}, not {commitment}"
    played = {bot["name"]: bot["digest"] for bot in record["bots"]}
    if digests != played:
        wrong = sorted(name for name in {*digests, *played} if digests.get(name) != played.get(name))
        return f"the bots of the season are not those of the final: {', '.join(wrong[:8])}"
    if secret != committed.mix(digests.values()):
        return "the final's secret is not the season's, mixed with the digests of the bots"
    return None
