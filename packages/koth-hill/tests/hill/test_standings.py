"""The standings: versions that play, rated by the season's matches, without void ones."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from koth.errors import KothError
from koth.games import load
from koth_hill import fits, ratings, registry
from koth_hill.models import AuditEntry, Fit, Match, Season, Seat, Version
from tests.hill.conftest import Place


def play(season: Season, scores: dict[str, float]) -> Match:
    """Put a match on record; bots by name, their newest versions."""
    versions = {name: Version.objects.filter(bot__name=name).latest("pk") for name in scores}
    focus = next(iter(versions.values()))
    match = Match.objects.create(season=season, focus=focus, state="played", has_key=True, ended=timezone.now())
    Match.objects.filter(pk=match.pk).update(block=match.pk)
    for place, (name, score) in enumerate(scores.items()):
        Seat.objects.create(match=match, place=place, version=versions[name], score=score)
    ratings.catch_up(load("zombies"))
    return match


@pytest.fixture
def season(hill: Place) -> Season:
    """The season of a hill on which four bots play."""
    for name in ("fox", "hen", "owl", "cat"):
        hill.submit(name, name)
    Version.objects.update(state="playing")
    return Season.objects.get()


def test_who_wins_stands_first_with_the_contests_own_score_beside_it(hill: Place, season: Season) -> None:
    for _ in range(10):
        play(season, {"hen": 3.0, "fox": 1.0})
    play(season, {"fox": 5.0, "owl": 0.0})
    told = hill.standings()
    assert [line["bot"] for line in told["standings"]] == ["hen", "fox", "owl", "cat"]
    hen, fox, _, cat = told["standings"]
    assert (hen["score"], fox["score"], fox["matches"], cat["rating"]) == (3.0, 1.0, 11, None)
    assert hen["rating"] > fox["rating"]
    rated = [line["rating"] for line in told["standings"] if line["rating"] is not None]
    assert sum(rated) / len(rated) == pytest.approx(1000)
    done = hill.koth("standings", hill.folder)
    assert done.code == 0
    assert "11 matches" in done.out


@pytest.fixture
def by_score(season: Season) -> Season:
    """The same season, in which a match only adds to the score."""
    season.layout["rank_by"] = "score"
    season.save()
    return season


def test_where_matches_add_to_the_score_who_loses_none_may_stand_last(hill: Place, by_score: Season) -> None:
    for more in (0.0, 0.2) * 12:
        play(by_score, {"fox": 1.5 + more, "hen": 1.0})
        play(by_score, {"owl": 3.0 + more, "hen": 3.1})
    told = hill.standings()
    owl, hen, fox, cat = told["standings"]
    assert (told["rank_by"], [owl["bot"], hen["bot"], fox["bot"]]) == ("score", ["owl", "hen", "fox"])
    assert [line["rating"] for line in told["standings"]] == [None] * 4
    assert (cat["score"], cat["margin"], owl["placed"], owl["margin"] > 0) == (None, None, True, True)
    heads = hill.koth("standings", hill.folder).out.splitlines()[1].split()
    assert heads == ["rank", "bot", "author", "version", "score", "interval", "matches"]
    assert [version["score"] for version in hill.versions("fox")] == [pytest.approx(1.6)]


def test_a_score_counts_matches_between_versions_that_play(hill: Place, by_score: Season) -> None:
    play(by_score, {"hen": 9.0, "fox": 1.0})
    old = Version.objects.get(bot__name="fox")
    hill.submit("fox", "fox", "class Bot: pass\n")
    old.state = "superseded"
    old.save()
    Version.objects.filter(state="received").update(state="playing")
    play(by_score, {"hen": 2.0, "fox": 3.0})
    lines = {line["bot"]: (line["score"], line["matches"]) for line in hill.standings()["standings"]}
    assert (lines["hen"], lines["fox"]) == ((2.0, 1), (3.0, 1))
    assert fits.latest_ratings(by_score)[old.pk].score == 1.0


def test_a_host_says_what_a_hill_ranks_by(hill: Place) -> None:
    assert Season.objects.get().layout["rank_by"] == "rating"
    other = hill.folder.parent / "other"
    assert hill.koth("hill", "init", "zombies", other, "--rank-by", "score").code == 0
    assert json.loads(hill.koth("standings", other, "--format", "json").out)["rank_by"] == "score"


def test_a_void_match_counts_no_more_and_stays_on_record(hill: Place, season: Season) -> None:
    match = play(season, {"hen": 3.0, "fox": 1.0})
    play(season, {"fox": 3.0, "owl": 1.0})
    registry.void(match.pk, "the machine")
    table = hill.standings()
    assert (table["matches"], table["rated"], table["is_stale"]) == (1, 2, True)
    assert "A match was made void later" in hill.koth("standings", hill.folder).out
    ratings.catch_up(load("zombies"))
    table = hill.standings()
    assert (table["rated"], table["is_stale"]) == (1, False)
    assert [line["matches"] for line in hill.standings()["standings"] if line["bot"] == "hen"] == [0]
    assert hill.matches()[1]["reason"] == "the machine"
    assert AuditEntry.objects.latest("pk").text == f"match {match.pk}: the machine"
    for number, refusal in ((match.pk, f"match {match.pk} is void"), (999, "there is no match 999")):
        with pytest.raises(KothError, match=refusal):
            registry.void(number, "again")
    assert fits.latest_ratings(season).keys() == {seat.version_id for seat in Seat.objects.exclude(match=match)}
    registry.void(match.pk + 1, "the machine")
    ratings.catch_up(load("zombies"))
    assert {(line["rating"], line["score"]) for line in hill.standings()["standings"]} == {(None, None)}


def test_an_old_version_is_history_with_its_curve(hill: Place, season: Season) -> None:
    for score in (1.0, 2.0, 3.0):
        play(season, {"hen": score, "fox": 1.5})
    old = Version.objects.get(bot__name="fox")
    hill.submit("fox", "fox", "class Bot: pass\n")
    old.state = "superseded"
    old.save()
    Version.objects.filter(state="received").update(state="playing")
    play(season, {"hen": 1.0, "fox": 2.0})
    lines = hill.standings()["standings"]
    assert [(line["bot"], line["version"]) for line in lines if line["bot"] == "fox"] == [("fox", 2)]
    now, before = hill.versions("fox")
    assert (now["matches"], before["matches"]) == (1, 3)
    assert now["rating"] > before["rating"]


def test_standings_say_after_how_many_matches_ratings_were_computed(hill: Place, season: Season) -> None:
    play(season, {"hen": 3.0, "fox": 1.0})
    assert hill.standings()["rated"] == 1
    assert "1 match," in hill.koth("standings", hill.folder).out
    unrated = Match.objects.get()
    seats = list(unrated.seats.all())
    unrated.pk = None
    unrated.save()
    for seat in seats:
        seat.pk, seat.match = None, unrated
        seat.save()
    told = hill.standings()
    assert (told["matches"], told["rated"]) == (2, 1)
    assert "2 matches (ratings after 1)" in hill.koth("standings", hill.folder).out


def test_ratings_are_what_the_matches_give(season: Season) -> None:
    for score in range(8):
        play(season, {"hen": float(score % 3), "fox": 1.0, "owl": 0.5})
    kept = {pk: rating.rating for pk, rating in fits.latest_ratings(season).items()}
    Fit.objects.all().delete()
    ratings.rate(load("zombies"), season)
    again = {pk: rating.rating for pk, rating in fits.latest_ratings(season).items()}
    assert again == pytest.approx(kept, abs=1e-3)


def test_the_same_source_under_two_names_is_shown(hill: Place, season: Season) -> None:
    assert sorted(hill.standings()["same"]) == []
    hill("submit", "vixen=fox.py", "--author", "ben")
    Version.objects.update(state="playing")
    assert hill.standings()["same"] == [["fox", "vixen"]]
    assert "Byte for byte the same bot: fox, vixen." in hill.koth("standings", hill.folder).out


def test_a_bot_is_suspended_for_a_reason(hill: Place, season: Season) -> None:
    registry.suspend("fox", "it was rude")
    (version,) = hill.versions("fox")
    assert (version["state"], version["reason"]) == ("suspended", "it was rude")
    assert hill.submit("fox", "fox")["version"] == 2
