"""Old replays go, and what bots left; matches, versions and new replays stay."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from koth_hill import retention
from koth_hill.models import Match, Seat, Version
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
    hill("run", "--matches", 4, *RUN)
    scores = {1: (0, 9), 2: (5, 8), 3: (4, 4), 4: (4, 4)}
    for match, pair in scores.items():
        for place, score in enumerate(pair):
            Seat.objects.filter(match=match, place=place).update(score=score)
    Match.objects.update(ended=timezone.now() - timedelta(days=8))
    hill("run", "--matches", 1, *RUN)
    assert len(names(hill, "replays")) == 5, "for ever, if nothing is said"
    size = hill.status()["replay_bytes"]
    record = hill.folder / "hill.json"
    record.write_text(record.read_text().replace('"keep_days": null', '"keep_days": 7'))
    hill("run", "--matches", 1, *RUN)
    left = ["match-0001", "match-0003", "match-0005", "match-0006"]
    assert names(hill, "replays") == [f"{name}.koth.gz" for name in left], "the first, the closest, and new ones"
    assert names(hill, "stderr") == left
    assert retention.find_memorable() == {1, 3, 6}, "the first, the closest, the newest"
    assert Match.objects.filter(state="played").count() == 6
    assert all(version.archive for version in Version.objects.all())
    told = hill.status()
    assert told["keep_days"] == 7
    assert 0 < told["replay_bytes"] < 4 * size
