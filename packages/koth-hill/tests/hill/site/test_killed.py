"""A site that is killed while bots are sent to it keeps those that it has confirmed."""

from __future__ import annotations

import random
from pathlib import Path

from tests.hill.site.killing import kill_site


def test_no_confirmed_upload_is_lost(tmp_path: Path) -> None:
    assert kill_site(2, random.Random(1), tmp_path, lambda text: None) >= 2
