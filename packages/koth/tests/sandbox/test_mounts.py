"""Places of the host that a program misses are found in its words."""

from __future__ import annotations

import shutil
from pathlib import Path

from koth.sandbox.mounts import find_hidden_places


def test_places_that_a_program_misses(tmp_path: Path) -> None:
    """Only those that are there, and can't be seen."""
    place = Path(shutil.copytree(tmp_path, Path.home() / ".koth-test-place", dirs_exist_ok=True))
    try:
        words = f"can't open {place}/x, {place}, /usr/bin/env, /no/such/place"
        assert find_hidden_places(words, []) == [str(place)]
        assert find_hidden_places(words, [place]) == []
    finally:
        place.rmdir()
