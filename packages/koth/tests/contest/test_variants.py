"""Contests that play several values of a setting: each group of bots plays each of them equally often."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import koth
from koth.contest.run_reader import RunReader
from koth.errors import KothError
from koth.replay.reader import Replay
from koth.services.verify import verify

SMALL = {"players": 3, "vision": 2, "shoot_range": 2}


def still(obs: Any) -> str:
    return "STAY"


def shoots(obs: Any) -> str:
    return "SHOOT 0 1"


def settings_played(folder: Path) -> Counter[tuple[str, float]]:
    """The number of matches by the names of their bots and by the density, as the replays have them."""
    headers = [Replay(path).header for path in (folder / "replays").iterdir()]
    return Counter((" ".join(sorted(bot["name"] for bot in h["bots"])), h["settings"]["density"]) for h in headers)


def test_a_contest_in_variants_goes_on_is_verified_and_counted_by_variant(tmp_path: Path) -> None:
    bots, folder = {"a": still, "b": shoots, "c": still}, tmp_path / "run"
    density = {"density": "0.02,0.04"}
    options: dict[str, Any] = {"seats": 2, "seed": 3, "max_turns": 2, "jobs": 1}
    run = koth.run("zombies", bots, settings=SMALL | density, matches=3, out=folder, **options)
    assert run.record["settings"] == {**SMALL, "density": {"each": [0.02, 0.04]}}
    first = settings_played(folder)
    assert len(first) >= 4
    for pair, _ in first:
        assert first[pair, 0.02] == first[pair, 0.04] > 0
    koth.resume(folder, bots, matches=7, jobs=1)
    both = settings_played(folder)
    assert all(both[pair, 0.02] == both[pair, 0.04] > 0 for pair in ("a b", "a c", "b c"))
    done = koth.open_run(folder)
    assert verify(RunReader(folder)).ok
    half = done.standings_with(density="0.02")
    assert (half.matches, len(done.matches)) == (both.total() // 2, both.total())
    assert half.title == f"zombies (published, density=0.02), {half.matches} matches, a trial of 2 turns each, median"
    with pytest.raises(KothError, match=r"no match has the settings density=0\.5 .*density=0\.02 or 0\.04"):
        done.standings_with(density=0.5)


def test_a_replay_of_another_variant_is_found_out(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    koth.run(
        "zombies", {"a": still, "b": still}, settings={**SMALL, "density": [0.02, 0.04]}, matches=2, seats=2,
        seed=3, max_turns=2, jobs=1, out=folder,
    )  # fmt: skip
    record = folder / "run.json"
    text = record.read_text()
    assert '"each": [\n        0.02,\n        0.04\n      ]' in text
    record.write_text(text.replace("0.02,\n        0.04", "0.04,\n        0.02"))
    differences = verify(RunReader(folder)).differences
    assert {one.difference.split(" has ")[1] for one in differences} == {"another settings than the run"}


def test_a_comparison_plays_the_variants_in_turn(tmp_path: Path) -> None:
    out = tmp_path / "both"
    koth.compare(
        "@gunner", "@runner", game="zombies", settings={**SMALL, "density": "0.02,0.04"}, matches=3, max_turns=2,
        against=["@stand_still"], seed=1, jobs=1, out=out,
    )  # fmt: skip
    for side in ("old", "new"):
        assert len(RunReader(out / side).matches()) == 4, "as many of both"
        assert sorted(settings_played(out / side).values()) == [2, 2]
