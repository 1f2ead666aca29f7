"""Whatever happens to a bot while a runner handles it, and whatever koth does wrong with it, the hill goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from koth.contest.private import read_stderr
from koth.errors import KothError
from koth.sandbox.failures import ArenaError
from koth_hill import authors, registry, uploads
from koth_hill.connection import Hill
from koth_hill.models import AuditEntry, Author, Bot, Match, Runner, Season, Seat, Version
from koth_hill.retention import remove_leftovers
from tests.cli.program import GOOD
from tests.hill.conftest import Place

RUN = ("--isolation", "none")
LOUD = GOOD.replace("return", "import sys; print('private', file=sys.stderr)\n        return")


@pytest.fixture
def busy(hill: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A hill with a version in play of each of three authors, and two to be checked."""
    monkeypatch.setattr("koth_hill.checks.find_problem", lambda *_: "")
    for name, author in (("fox", "anna"), ("hen", "ben"), ("owl", "carl")):
        hill.submit(name, author, LOUD)
    Version.objects.update(state="playing")
    anna = Author.objects.get(name="anna")
    uploads.receive(anna, "cat.py", GOOD.encode())
    hill.submit("fox", "anna", f"{LOUD}# 2\n")
    return hill


def delete(hill: Hill) -> None:
    authors.delete(Author.objects.get(name="anna"), hill)


def suspend(hill: Hill) -> None:
    authors.suspend(Author.objects.get(name="anna"), "for a reason")


def withdraw(hill: Hill) -> None:
    registry.withdraw("fox")


def go_back(hill: Hill) -> None:
    with suppress(KothError):  # where version 1 still plays
        uploads.go_back(Bot.objects.get(name="fox"), 1)


def publish(hill: Hill) -> None:
    registry.publish()


MOMENTS = {
    "a request is claimed": "koth_hill.claims.claim_request",
    "a file is read": "koth_hill.uploads.find_only",
    "a version is checked": "koth_hill.checks.find_problem",
    "a bot is built": "koth_hill.checks.build_bot",
    "a match is played": "koth_hill.recording.write_replay",
}


def do_at(monkeypatch: pytest.MonkeyPatch, place: str, act: Callable[[], None]) -> list[str]:
    """Do something once, right after koth has called the function at this place."""
    module, _, name = place.rpartition(".")
    real: Any = getattr(__import__(module, fromlist=[name]), name)
    done: list[str] = []

    def called(*args: Any, **more: Any) -> Any:
        result = real(*args, **more)
        if not done:
            done.append(place)
            act()
        return result

    monkeypatch.setattr(place, called)
    return done


EACH = [(delete, moment) for moment in MOMENTS] + [
    (act, moment)
    for act in (suspend, withdraw, go_back, publish)
    for moment in ("a version is checked", "a match is played")
]


@pytest.mark.slow
@pytest.mark.parametrize(("act", "moment"), EACH)
def test_no_act_at_any_moment_ends_a_runner(
    busy: Place, monkeypatch: pytest.MonkeyPatch, act: Callable[[Hill], None], moment: str
) -> None:
    done = do_at(monkeypatch, MOMENTS[moment], lambda: act(Hill(busy.folder, "zombies")))
    busy("run", "--matches", 2, *RUN)
    assert done
    assert not AuditEntry.objects.filter(action="bug").exists()
    assert not Version.objects.filter(state__in=("received", "checking")).exists()
    if act is not publish:
        assert Match.objects.filter(state="played").count() == 2
    if act is delete:
        files = [path for path in busy.folder.rglob("*") if path.is_file() and "fox" in path.name]
        assert not files, "no log of a deleted account, and no copy of its bots"
        assert not Version.objects.filter(bot__author__is_deleted=True).exclude(archive=b"").exists()


def last_line(hill: Place) -> str:
    """Return the line with which a runner ends that fails."""
    done = hill.koth("hill", "run", hill.folder, *RUN)
    assert done.code == 2
    return str(done.err.splitlines()[-1])


def breaks(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("deep within")


def test_a_bot_that_can_not_be_built_for_a_bug_is_suspended(busy: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from koth_hill import checks

    real = checks.find_bot

    def found(game: Any, version: Version, *more: Any) -> Any:
        return breaks() if version.bot.name == "hen" else real(game, version, *more)

    monkeypatch.setattr("koth_hill.checks.find_bot", found)
    assert busy("run", "--matches", 1, *RUN) == {"matches": 1}
    hen = Version.objects.get(bot__name="hen")
    assert (hen.state, hen.reason.partition(",")[0]) == (
        "suspended", "the bot can't be built: a bug in koth (ZeroDivisionError)",
    )  # fmt: skip


def test_a_match_that_can_not_be_recorded_is_tried_again_and_then_left(
    busy: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from koth_hill import recording

    real = recording.add_rows
    broken: list[int] = []

    def add_rows(hill: Any, job: Any, report: Any) -> bool:
        broken.append(job.match)
        return bool(breaks() if job.match == broken[0] else real(hill, job, report))

    monkeypatch.setattr("koth_hill.recording.add_rows", add_rows)
    busy("run", "--matches", 6, *RUN)
    first = Match.objects.get(pk=broken[0])
    assert (first.state, first.tries) == ("unplayed", 3)
    assert "a bug in koth (ZeroDivisionError)" in first.reason
    assert Match.objects.filter(state="played").count() == 3


@pytest.mark.slow
def test_a_bot_with_which_no_match_can_be_played_is_suspended_and_the_host_is_told(
    busy: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from koth.contest import match_runner

    real = match_runner._play

    def played(runner: Any, on_progress: Any, job: Any, *more: Any) -> Any:
        return breaks() if "fox" in [bot.name for bot in job.seats] else real(runner, on_progress, job, *more)

    monkeypatch.setattr(match_runner, "_play", played)
    monkeypatch.setattr("koth_hill.guard.STUCK", 4)
    busy("run", "--matches", 60, "--for", "60s", *RUN)
    version = Version.objects.get(bot__name="fox", number=2)
    assert version.state == "suspended"
    assert "could not be played: ZeroDivisionError: deep within" in version.reason
    assert AuditEntry.objects.filter(action="stuck").count() == 1
    assert AuditEntry.objects.filter(action="bug", text__contains="deep within").exists()
    assert Match.objects.filter(state="played").exists()


def test_a_mistake_with_every_match_ends_the_run_in_words(busy: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most one bot is blamed for it, however often the runner is started again."""
    monkeypatch.setattr("koth.contest.match_runner._play", breaks)
    monkeypatch.setattr("koth_hill.guard.STUCK", 4)
    for _ in range(2):
        assert "matches in a row could not be played; the last one" in last_line(busy)
    assert Version.objects.filter(state="suspended").count() == 1
    assert "could not be played" in AuditEntry.objects.filter(action="run").latest("pk").text


def test_what_ends_runner_after_runner_is_refused_at_last(busy: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure of the machine in a thread, which is no bot's, ends the runner in words."""

    def fails(*_: Any) -> Any:
        raise ArenaError("no room")

    Version.objects.filter(bot=None).delete()  # one is left to be checked
    monkeypatch.setattr("koth_hill.checks.find_problem", fails)
    for _ in range(3):
        assert last_line(busy) == "koth: no room"
    assert busy("run", "--matches", 1, *RUN) == {"matches": 1}
    reason = Version.objects.get(state="refused").reason
    assert reason.startswith("3 runners of the hill ended while they checked this")
    assert AuditEntry.objects.filter(text__endswith="ends: no room").count() == 3


def test_a_sweep_removes_what_a_dead_runner_left_of_a_deleted_account(busy: Place) -> None:
    Version.objects.exclude(state="playing").delete()  # so that fox plays in the first matches
    busy("run", "--matches", 4, *RUN)
    hill = Hill(busy.folder, "zombies")
    seat = Seat.objects.filter(version__bot__name="fox").first()
    assert seat is not None
    assert read_stderr(hill.folder, seat.match_id, "fox")
    Author.objects.filter(name="anna").update(is_deleted=True)
    remove_leftovers(hill)
    assert not read_stderr(hill.folder, seat.match_id, "fox")
    assert read_stderr(hill.folder, seat.match_id, Seat.objects.filter(match=seat.match_id).exclude(pk=seat.pk)
                   .get().version.bot.name)  # fmt: skip
    assert Runner.objects.count() == 1
    assert Season.objects.get().state == "open"
