"""Old replays go, and what bots left; matches, versions and new replays stay."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from koth.hill.models import Match, Version
from tests.cli.program import GOOD
from tests.hill.conftest import Place

RUN = ("--isolation", "none")
NOISY = GOOD.replace("return", "import sys; print('here', file=sys.stderr)\n        return")


def names(hill: Place, folder: str) -> list[str]:
    return sorted(path.name for path in (hill.folder / folder).iterdir())


def test_replays_go_after_the_days_that_the_host_wants(hill: Place) -> None:
    for name in ("fox", "hen"):
        hill.submit(name, name, NOISY)
    Version.objects.update(state="playing")
    hill("run", "--matches", 2, *RUN)
    Match.objects.filter(pk=1).update(ended=timezone.now() - timedelta(days=8))
    hill("run", "--matches", 1, *RUN)
    assert len(names(hill, "replays")) == 3, "for ever, if nothing is said"
    size = hill("status")["replay_bytes"]
    record = hill.folder / "hill.json"
    record.write_text(record.read_text().replace('"keep_days": null', '"keep_days": 7'))
    hill("run", "--matches", 1, *RUN)
    assert names(hill, "replays") == [f"match-000{number}.koth.gz" for number in (2, 3, 4)]
    assert names(hill, "stderr") == ["match-0002", "match-0003", "match-0004"]
    assert Match.objects.filter(state="played").count() == 4
    assert all(version.archive for version in Version.objects.all())
    told = hill("status")
    assert told["keep_days"] == 7
    assert 0 < told["replay_bytes"] < 4 * size
    assert "MB, kept for 7 days" in hill.koth("hill", "status", hill.folder).out
