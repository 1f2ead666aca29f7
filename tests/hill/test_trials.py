"""Trials are played, and count for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.contest.private import read_notes, read_stderr
from koth.contest.results import replay_place
from koth.errors import KothError
from koth.games import load
from koth.hill import authors, trials
from koth.hill.connection import open_hill
from koth.hill.models import AuditEntry, Author, Match, Policy, Runner, Seat, Version
from koth.replay.reader import Replay
from tests.cli.program import GOOD
from tests.hill.conftest import Place

RUN = ("--isolation", "none")
LOUD = GOOD.replace("return", "import sys; print('here', file=sys.stderr)\n        return")


@pytest.fixture
def bots(hill: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A hill with two versions of anna's fox and one of ben's hen."""
    monkeypatch.setattr("koth.hill.checks.find_problem", lambda *_: "")
    hill.submit("fox", "anna")
    hill("run", "--matches", 1, *RUN)
    hill.submit("fox", "anna", LOUD)
    hill.submit("hen", "ben")
    hill("run", "--matches", 1, *RUN)
    return hill


def ask(hill: Place, author: str, *bots: str) -> Match:
    """Have an author ask for a trial of NAME/NUMBER versions."""
    found = [Version.objects.get(bot__name=bot.split("/")[0], number=bot.split("/")[1]) for bot in bots]
    return trials.ask(load("zombies"), Author.objects.get(name=author), [v.pk for v in found], Policy())


def replay_of(hill: Place, trial: Match) -> Path:
    """Return the file of a trial's replay."""
    return hill.folder / replay_place(trial.pk)


def test_a_trial_is_played_and_nothing_that_counts_sees_it(bots: Place) -> None:
    with open_hill(bots.folder) as hill:
        ask(bots, "anna", "fox/2", "fox/1", "hen/1")
    assert bots("run", "--matches", 1, *RUN) == {"matches": 1}
    trial = Match.trials.get()
    assert (trial.state, trial.reason) == ("played", "")
    assert [(seat.name, seat.score is not None) for seat in Seat.every.filter(match=trial)] == [
        ("fox 2", True), ("fox 1", True), ("hen 1", True),
    ]  # fmt: skip
    assert (Match.objects.count(), Seat.objects.count(), bots.status()["today"]) == (2, 4, 2), "without the trial"
    assert {(line["version"], line["matches"]) for line in bots.standings()["standings"]} == {(2, 2), (1, 2)}
    replay = Replay(replay_of(bots, trial))
    assert replay.key is not None
    assert [bot["name"] for bot in replay.header["bots"]] == ["fox 2", "fox 1", "hen 1"]
    assert b"here" in b"".join(text for _, text in read_stderr(hill.folder, trial.pk, "fox 2"))
    assert read_notes(hill.folder, trial.pk, "hen 1") == []


def test_a_trial_has_ones_own_bot_in_it_and_others_as_they_play(bots: Place) -> None:
    with open_hill(bots.folder):
        with pytest.raises(KothError, match="choose at least one bot of yours"):
            ask(bots, "ben", "fox/2")
        with pytest.raises(KothError, match="only versions that play now or are yours"):
            ask(bots, "ben", "hen/1", "fox/1")
        with pytest.raises(KothError, match="name each version once"):
            ask(bots, "ben", "hen/1", "hen/1")
        for _ in range(10):
            ask(bots, "ben", "hen/1", "fox/2")
        with pytest.raises(KothError, match="10 trials in 24 hours"):
            ask(bots, "ben", "hen/1", "fox/2")


def test_a_trial_of_a_bot_that_can_not_be_built_fails_in_words_and_the_hill_goes_on(bots: Place) -> None:
    with open_hill(bots.folder):
        ask(bots, "ben", "hen/1", "fox/2")
    Version.objects.filter(bot__name="hen").update(digest="0" * 64, state="withdrawn")
    bots("run", "--matches", 1, *RUN)
    trial = Match.trials.get()
    assert (trial.state, trial.reason[:22]) == ("unplayed", "hen 1 can't be built: ")
    Version.objects.filter(bot__name="hen").update(state="playing")
    with open_hill(bots.folder):
        ask(bots, "anna", "fox/2", "hen/1")
    Version.objects.filter(bot__name="hen").update(state="withdrawn")
    bots("run", "--matches", 1, *RUN)
    assert Match.trials.latest("pk").reason == "hen 1 can't be built now"
    assert AuditEntry.objects.get(what="build").text.startswith("hen 1 can't be built in a match for anna: ")


def test_a_trial_of_a_runner_that_died_is_played_by_the_next_one(bots: Place) -> None:
    with open_hill(bots.folder):
        ask(bots, "ben", "hen/1", "fox/2")
    Match.trials.update(state="playing", runner=Runner.objects.create(host="here", pid=1))
    bots("run", "--matches", 1, *RUN)
    assert Match.trials.get().state == "played"


def test_who_deletes_an_account_leaves_matches_and_nothing_else(bots: Place) -> None:
    with open_hill(bots.folder) as hill:
        trial = ask(bots, "anna", "fox/2", "hen/1")
        bots("run", "--matches", 1, *RUN)
    with open_hill(bots.folder) as hill:
        anna = Author.objects.get(name="anna")
        match = Match.objects.latest("pk").pk
        assert read_stderr(hill.folder, match, "fox")
        authors.delete(anna, hill)
        anna.refresh_from_db()
        assert (anna.name, anna.is_active, anna.has_usable_password()) == (f"deleted author {anna.pk}", False, False)
        assert not Match.trials.exists()
        assert not replay_of(bots, trial).exists()
        assert not read_stderr(hill.folder, match, "fox")
        states = {(v.state, bytes(v.archive)) for v in Version.objects.filter(bot__name="fox")}
        assert states == {("withdrawn", b""), ("superseded", b"")}
        assert Match.objects.get(pk=match).state == "played"
        with pytest.raises(KothError, match="suspended"):
            authors.invite(anna.name)
    assert [line["bot"] for line in bots.standings()["standings"]] == ["hen"]
