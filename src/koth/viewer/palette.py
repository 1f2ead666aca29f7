"""The colours of bots: the same in all of a contest's matches, on its page, and in drawings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from koth.diagnostics.rerun import run_of
from koth.errors import KothError
from koth.viewer.page_data import ContestTitle

Rgb = tuple[int, int, int]

COLOURS: Sequence[Rgb] = (
    (73, 146, 242), (222, 38, 0), (143, 83, 157), (224, 121, 23), (83, 118, 14), (252, 74, 147),
    (61, 104, 202), (180, 132, 191), (18, 147, 144), (128, 94, 249), (170, 122, 97), (171, 73, 96),
)  # fmt: skip
"""Bots' colours in sRGB, those of `colors.js`; further bots reuse them in patterns."""


def read_field(replay: Path) -> list[str]:
    """Return the bots of the contest to whose folder a replay belongs, in its order; none if it belongs to none."""
    try:
        run = run_of(replay)
    except KothError:
        return []  # not koth's run.json: the replay can still be watched
    return [bot["name"] for bot in run["bots"]] if run else []


def read_contest(replay: Path) -> ContestTitle | None:
    """Return name and start of the contest to whose folder a replay belongs; None if it belongs to none."""
    try:
        run = run_of(replay)
    except KothError:
        return None
    return {"name": replay.absolute().parent.parent.name, "started": str(run.get("started", ""))} if run else None


def team_colour(place: int) -> Rgb:
    """Return the colour of this number."""
    return COLOURS[place % len(COLOURS)]
