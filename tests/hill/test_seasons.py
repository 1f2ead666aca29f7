"""A season: open, frozen, its final, published, and proved from what was published."""

from __future__ import annotations

import json

import pytest

from koth.hill.models import Version
from tests.cli.program import GOOD
from tests.hill.conftest import Place

RUN = ("--isolation", "none")


@pytest.fixture
def frozen(hill: Place) -> Place:
    """A hill whose season takes no bots any more; two play."""
    for name in ("fox", "hen"):
        hill.submit(name, name, GOOD + f"# {name}\n")
    Version.objects.update(state="playing")
    assert hill("season", "freeze")["state"] == "frozen"
    return hill


def test_a_final_is_proved_from_what_was_published(frozen: Place) -> None:
    commitment = frozen.status()["season"]["commitment"]
    assert frozen.refused("submit", "fox.py", "--author", "fox") == "season 1 is frozen: no more bots are accepted"
    assert "its final is not over" not in frozen.refused("season", "open")
    final = frozen("season", "final", "--matches", 2, "--knockout", 2, *RUN)
    assert final["knockout"]["winner"] in {"fox", "hen"}
    assert {line["bot"] for line in final["standings"]} == {"fox", "hen"}
    told = frozen("season", "publish")
    assert (told["state"], told["commitment"], len(told["secret"])) == ("published", commitment, 32)
    folder = frozen.folder / "season-1"
    assert "verified, 4 matches" in frozen.koth("verify", folder).out
    file = folder / "season.json"
    season = json.loads(file.read_text())
    assert {bot["name"]: bot["author"] for bot in season["bots"]} == {"fox": "fox", "hen": "hen"}
    file.write_text(json.dumps({**season, "secret": "f" * 32}))
    done = frozen.koth("verify", folder)
    assert (done.code, "the commitment of the season's secret is" in done.out) == (1, True)
    file.write_text(json.dumps({**season, "bots": season["bots"][:1]}))
    assert "the bots of the season are not those of the final: hen" in frozen.koth("verify", folder).out


def test_the_next_season_begins_anew_with_a_secret_of_its_own(frozen: Place) -> None:
    first = frozen.status()["season"]
    assert frozen.refused("season", "open") == "publish season 1 first: it is frozen"
    frozen("season", "publish")
    second = frozen("season", "open", "--set", "players=2")
    assert (second["number"], second["state"], second["settings"]) == (2, "open", {"players": 2})
    assert second["commitment"] != first["commitment"]
    assert frozen.status()["versions"]["playing"] == 2
    assert frozen("run", "--matches", 1, *RUN) == {"matches": 1}
    assert frozen.standings()["season"] == 2


def test_steps_are_taken_in_order(hill: Place) -> None:
    assert hill.refused("season", "final", *RUN) == "season 1 is open, not frozen"
    hill.submit("fox")
    hill("season", "freeze")
    assert hill.refused("season", "final", *RUN) == "check 1 bot first: koth hill run"
    assert hill.refused("season", "freeze") == "season 1 is frozen, not open"
    assert (
        hill.refused("season", "freeze", "--ruleset", "original")
        == "leave out --ruleset and --set, which are for the step open"
    )


def test_nobody_is_told_the_secret_of_a_season_that_goes_on(hill: Place) -> None:
    assert hill.status()["season"]["secret"] is None
