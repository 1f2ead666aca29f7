"""A season: open, frozen, its final, published, and proved from what was published."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from koth.errors import KothError
from koth_hill import registry, uploads
from koth_hill.models import Author, Fit, Match, Policy, Season, Seat, Version
from tests.cli.program import GOOD
from tests.hill.conftest import Place

RUN = ("--isolation", "none")


@pytest.fixture
def frozen(hill: Place) -> Place:
    """A hill whose season takes no bots any more; four play."""
    for name in ("fox", "hen", "cat", "owl"):
        hill.submit(name, name, GOOD + f"# {name}\n")
    Version.objects.update(state="playing")
    assert hill("season", "freeze") == "season 1 accepts no more bots\n"
    return hill


def play_final(hill: Place, *options: object) -> None:
    """Begin a final, and let a runner play it to its end."""
    assert hill("season", "final", *options).startswith("the final of season 1 begins: ")
    hill("run", "--matches", 100, *RUN)
    assert Season.objects.latest("pk").final_ended is not None


def test_a_freeze_is_taken_back_until_the_final(frozen: Place) -> None:
    assert frozen("season", "unfreeze") == "season 1 accepts bots again\n"
    assert frozen.refused("season", "unfreeze") == "season 1 is open, not frozen"
    assert frozen.submit("fox", "fox", GOOD + "# 2\n")


def test_a_final_is_matches_of_the_season_and_proved_by_its_address(frozen: Place) -> None:
    frozen("run", "--matches", 3, *RUN)
    commitment = frozen.status()["season"]["commitment"]
    assert frozen.refused("submit", "fox.py", "--author", "fox") == "season 1 is frozen: no more bots are accepted"
    play_final(frozen, "--matches", 2, "--knockout", 4)
    season, names = Season.objects.get(), {"fox", "hen", "cat", "owl"}
    assert {version.bot.name for version in season.find_finalists()} == names
    table = Seat.objects.filter(match__round=0)
    assert Counter(table.values_list("version__bot__name", flat=True)) == dict.fromkeys(names, 2)
    assert [Match.objects.filter(round=number).count() for number in (None, 1, 2, 3)] == [3, 4, 2, 0]
    first = Match.objects.filter(round=1).earliest("scheduled")
    assert Fit.objects.filter(is_final=True).latest("at").at < first.scheduled, "the seeds of the knockout stay"
    assert "prove the final: " in frozen("season", "publish")
    told = frozen.status()["season"]
    assert (told["state"], told["commitment"], len(told["secret"])) == ("published", commitment, 32)
    assert {(bot["name"], bot["author"], bot["version"]) for bot in told["finalists"]} == {(n, n, 1) for n in names}
    final, before = frozen.folder / "seasons/1/final", frozen.folder / "seasons/1"
    shown = frozen.koth("verify", final)
    assert "verified, 10 matches" in shown.out
    assert "the season" not in shown.err
    assert "verified, 3 matches" in frozen.koth("verify", before).out
    assert {
        line["bot"] for line in json.loads(frozen.koth("standings", final, "--format", "json").out)["standings"]
    } == names
    Version.objects.filter(bot__name="fox").update(digest="f" * 64)
    changed = frozen.koth("verify", final)
    assert (changed.code, "has a key that does not follow" in changed.out) == (1, True)


def test_a_host_ends_a_final(frozen: Place) -> None:
    assert frozen.refused("season", "end") == "season 1 has no final that is being played"
    frozen("season", "final", "--matches", 50)
    assert frozen.refused("season", "publish").startswith("the final of season 1 is not over")
    frozen("run", "--matches", 4, *RUN)
    frozen("season", "end")
    states = Counter(Match.objects.filter(round=0).values_list("state", flat=True))
    assert states["played"] == 4
    assert set(states) == {"played", "void"}
    assert frozen("run", "--matches", 9, *RUN) == {"matches": 0}
    frozen("season", "publish")
    assert "verified, 4 matches" in frozen.koth("verify", frozen.folder / "seasons/1/final").out


def test_a_final_waits_for_the_checks_of_bots_that_were_sent_in_time(hill: Place) -> None:
    hill.submit("fox", "fox", GOOD)
    Version.objects.update(state="playing")
    hill.submit("hen", "hen", GOOD + "# hen\n")
    hill("season", "freeze")
    play_final(hill, "--matches", 1)
    assert len(Season.objects.get().finalists) == 2


def test_a_final_goes_on_with_a_bot_that_its_author_withdraws(frozen: Place) -> None:
    """Its sources stay for the next runner, although the author's others need their place."""
    frozen("season", "final", "--matches", 4)
    frozen("run", "--matches", 2, *RUN)
    registry.withdraw("fox")
    with pytest.raises(KothError, match="the most are 0"):
        uploads.make_room(Author.objects.get(name="fox"), Policy(kept_bytes=0))
    assert frozen("run", "--matches", 100, *RUN) == {"matches": 6}
    assert Season.objects.get().final_ended is not None


def test_a_match_from_which_a_round_of_the_knockout_follows_is_not_made_void(frozen: Place) -> None:
    play_final(frozen, "--matches", 1, "--knockout", 4)
    for number in (0, 1):
        with pytest.raises(KothError, match="counts: a later round of the final follows from it"):
            registry.void(Match.objects.filter(round=number)[0].pk, "the machine")
    registry.void(Match.objects.filter(round=2)[0].pk, "the machine")


def test_what_is_played_while_a_season_is_published_does_not_count(frozen: Place) -> None:
    """Else the published standings would not be those of the matches, or a match would wait for ever."""
    frozen("season", "final", "--matches", 2)
    frozen("run", "--matches", 2, *RUN)
    Match.objects.filter(pk=Match.objects.filter(state="scheduled")[0].pk).update(state="playing")
    frozen("season", "end")
    frozen("season", "publish")
    assert frozen("run", "--matches", 9, *RUN) == {"matches": 0}
    assert Counter(Match.objects.values_list("state", flat=True)) == {"played": 2, "void": 2}


def test_the_next_season_begins_anew_with_a_secret_of_its_own(frozen: Place) -> None:
    first = frozen.status()["season"]
    assert frozen.refused("season", "open") == "publish season 1 first: it is frozen"
    frozen("season", "publish")
    frozen("season", "open", "--set", "players=2")
    second = frozen.status()["season"]
    assert (second["number"], second["state"], second["settings"]) == (2, "open", {"players": 2})
    assert second["commitment"] != first["commitment"]
    assert frozen.status()["versions"]["playing"] == 4
    assert frozen("run", "--matches", 1, *RUN) == {"matches": 1}
    assert frozen.standings()["season"] == 2


def test_steps_are_taken_in_order(hill: Place) -> None:
    assert hill.refused("season", "final") == "season 1 is open, not frozen"
    hill.submit("fox")
    hill("season", "freeze")
    assert hill.refused("season", "freeze") == "season 1 is frozen, not open"
    for step, option, value in (
        ("freeze", "ruleset", "original"),
        ("open", "matches", 3),
        ("publish", "knockout", 2),
    ):
        takes = {"ruleset": "open"}.get(option, "final")
        refused = hill.refused("season", step, f"--{option}", value)
        assert refused == f"leave out --{option}, which is for the step {takes}"


def test_nobody_is_told_the_secret_of_a_season_that_goes_on(hill: Place) -> None:
    assert hill.status()["season"]["secret"] is None
