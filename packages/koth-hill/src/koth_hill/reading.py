"""The entry point of `koth.readers`: koth reads a hill's folder by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from koth.contest.reading import Audience, MatchReader
from koth_hill.connection import open_hill


@contextmanager
def open_folder(folder: Path, season: int | None, is_final: bool, audience: Audience) -> Iterator[MatchReader]:
    """Yield the reader of a season (None: the newest), or of its final, in a hill's folder. Raises KothError."""
    with open_hill(folder) as hill:
        from koth_hill.season_reader import SeasonReader  # its models need Django set up

        yield SeasonReader.of(hill, season, audience, is_final)
