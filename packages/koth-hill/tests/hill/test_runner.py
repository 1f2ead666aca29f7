"""A hill plays: versions are checked and refused, matches claimed once and put on record, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
from collections import Counter
from pathlib import Path

import pytest
from django.db import DataError

from koth.contest.lock import lock_run
from koth.contest.seating import hill_variant
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.games import load
from koth.replay.reader import Replay
from koth.sandbox.command import Overloaded
from koth.sandbox.isolation import PLAIN
from koth_hill import authors, tries, uploads
from koth_hill.connection import open_hill
from koth_hill.copies import COPIES, BotTools, Copies
from koth_hill.models import AuditEntry, Author, Match, Policy, Runner, Season, Try, Version
from koth_hill.planning import find_spent_budget
from koth_hill.request_server import RequestServer
from tests.build.jvm.arena import java, written
from tests.cli.program import GOOD, Koth, bot_file, finished, program
from tests.contest.folders import wait_until, workers
from tests.hill.conftest import Place

RUN = ("--isolation", "none")
DIES = GOOD.replace("return", "import os; os._exit(3)\n        return")


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every version unseen, so that tests of matches wait for no check."""
    monkeypatch.setattr("koth_hill.checks.find_problem", lambda *_: "")


def states(hill: Place, bot: str) -> list[str]:
    return [version["state"] for version in hill.versions(bot)]


def test_versions_are_checked_and_refused_in_their_authors_words(hill: Place) -> None:
    hill.submit("fox", "anna")
    hill.submit("hen", "ben", "import nothing_of_this_name\n")
    assert hill("run", "--matches", 1, *RUN) == {"matches": 0}
    assert states(hill, "fox") == ["playing"]
    (version,) = hill.versions("hen")
    assert version["state"] == "refused"
    assert "No module named 'nothing_of_this_name'" in version["reason"]


@pytest.mark.needs("javac")
def test_one_of_several_bots_for_the_jvm_in_one_folder_is_refused(hill: Place, tmp_path: Path) -> None:
    folder = written(tmp_path / "two", {"Fox.java": java("Fox"), "Cow.java": java("Cow")})
    told = f"{folder}: several bots for the JVM in one folder see each other: give each a folder"
    assert hill.refused("submit", f"{folder}#Fox") == told
    (folder / "Cow.java").unlink()
    assert hill("submit", folder)["bot"] == "Fox"


def test_a_bot_that_plays_at_another_number_of_seats_is_refused(hill: Place, tmp_path: Path) -> None:
    folder = tmp_path / "owl"
    folder.mkdir()
    bot_file(folder, "owl")
    (folder / "koth.toml").write_text("seats = [3, 4]\n")
    hill("submit", folder)
    assert hill("run", "--matches", 1, *RUN) == {"matches": 0}
    (version,) = hill.versions("owl")
    assert version["state"] == "refused"
    assert version["reason"].endswith("matches of 3 or 4 seats (its koth.toml says so), and these have 2 seats")


def test_a_bug_of_koths_ends_no_hill(hill: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    hill.submit("fox", "anna")
    sent = Version.objects.create(author=Author.objects.get(), archive=b"x", sent="hen.py")

    def breaks(*_: object) -> None:
        raise ZeroDivisionError("deep within")

    monkeypatch.setattr("koth_hill.checks.find_problem", breaks)
    monkeypatch.setattr("koth_hill.uploads.find_only", breaks)
    assert hill("run", "--matches", 1, *RUN) == {"matches": 0}
    sent.refresh_from_db()
    (version,) = hill.versions("fox")
    assert [sent.state, version["state"]] == ["refused", "refused"]
    assert "a bug in koth (ZeroDivisionError)" in sent.reason
    bugs = [entry.text for entry in AuditEntry.objects.filter(action="bug")]
    assert [text.splitlines()[-1] for text in bugs] == ["ZeroDivisionError: deep within"] * 2


def test_a_check_on_a_busy_machine_is_put_off(hill: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    hill.submit("fox", "anna")
    ends = [Overloaded("waited 61 of 64 s for other processes of this machine", 0)]

    def overloads(*_: object) -> str:
        if ends:
            raise ends.pop()
        return ""

    monkeypatch.setattr("koth_hill.checks.find_problem", overloads)
    assert hill("run", "--matches", 1, *RUN) == {"matches": 0}
    (version,) = hill.versions("fox")
    assert (ends, version["state"]) == ([], "playing")


def test_a_text_that_no_database_takes_ends_no_hill(hill: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    hill.submit("fox", "anna")

    def breaks(*_: object) -> None:
        raise DataError("text fields cannot contain this")

    monkeypatch.setattr("koth_hill.checks.find_problem", breaks)
    assert hill("run", "--matches", 1, *RUN) == {"matches": 0}
    assert states(hill, "fox") == ["refused"]


def test_a_bot_that_a_later_runner_can_not_build_is_suspended(hill: Place, tmp_path: Path) -> None:
    for name in ("hen", "owl"):
        hill.submit(name, "ben")
    fox = tmp_path / "fox"
    fox.mkdir()
    (fox / "bot.py").write_text(GOOD)
    (fox / "koth.toml").write_text('build = ["sh build.sh"]')
    (fox / "build.sh").write_text(f"test -e {tmp_path}/works || exit 3")
    (tmp_path / "works").touch()
    hill("submit", fox, "--author", "anna")
    hill("run", "--matches", 1, *RUN)
    assert states(hill, "fox") == ["playing"], "what was checked plays: it is built once"
    (tmp_path / "works").unlink()
    shutil.rmtree(hill.folder / "bots")
    assert hill("run", "--matches", 1, *RUN) == {"matches": 1}
    (version,) = hill.versions("fox")
    assert version["state"] == "suspended"
    assert version["reason"].startswith("the bot can't be built: its build failed (exit status 3)")


@pytest.mark.usefixtures("checked")
def test_matches_are_played_and_a_new_version_takes_the_place_of_the_old(hill: Place) -> None:
    hill.submit("fox", "anna")
    hill.submit("hen", "ben")
    assert hill("run", "--matches", 2, *RUN) == {"matches": 2}
    found = hill.matches()
    assert [match["state"] for match in found] == ["played", "played"]
    assert [seat["bot"] for seat in found[0]["seats"]] == ["hen", "fox"]
    assert all(seat["score"] is not None for match in found for seat in match["seats"])
    key = Secret.from_hex(Season.objects.get().secret).key(found[0]["match"])
    assert Replay(hill.folder / "replays" / f"match-{found[0]['match']:04d}.koth.gz").key == key
    hill.submit("fox", "anna", GOOD + "\n")
    assert hill("run", "--matches", 1, *RUN) == {"matches": 1}
    assert states(hill, "fox") == ["playing", "superseded"]
    assert {(seat["bot"], seat["version"]) for seat in hill.matches()[0]["seats"]} == {("fox", 2), ("hen", 1)}


@pytest.mark.slow
def test_threads_serve_what_authors_wait_for_beside_the_matches(hill: Place) -> None:
    with open_hill(hill.folder) as one:
        anna, game = authors.invite("anna"), load("zombies")
        copies = Copies(hill.folder / COPIES)
        server = RequestServer(one, BotTools(game, Interpreters(), PLAIN, copies), lambda _: None, lambda _: None)
        with server.open():
            version = uploads.receive(anna, "fox.py", GOOD.encode())
            attempt = tries.ask(game, anna, "fox", [("bot.py", GOOD)], Try.Kind.MATCH, [], Policy())
            ended = Try.objects.filter(pk=attempt.pk, state="over")
            wait_until(
                lambda: server.error or (version.refresh_from_db() or (version.state == "playing" and ended.exists()))
            )
        assert (server.error, ended.get().now["state"]) == (None, "played")
        assert copies.bots[version.pk].folder == copies.folder.absolute() / version.digest, "what was checked plays"


@pytest.mark.slow
@pytest.mark.usefixtures("checked")
def test_a_version_that_dies_again_and_again_is_suspended_and_the_hill_goes_on(hill: Place) -> None:
    for name, source in (("fox", GOOD), ("hen", GOOD), ("mayfly", DIES)):
        hill.submit(name, name, source)
    assert hill("run", "--matches", 12, *RUN) == {"matches": 12}
    (version,) = hill.versions("mayfly")
    assert (version["state"], version["matches"]) == ("suspended", 5)
    assert "the bot died in each of its last 5 matches" in version["reason"]
    assert "crash" in version["reason"]


@pytest.mark.usefixtures("checked")
def test_there_are_no_more_matches_a_day_than_the_host_wants(hill: Place) -> None:
    record = hill.folder / "hill.json"
    record.write_text(record.read_text().replace('"matches_a_day": null', '"matches_a_day": 3'))
    hill.submit("fox", "anna")
    hill.submit("hen", "ben")
    assert hill("run", "--matches", 5, *RUN) == {"matches": 3}
    with hill.opened() as one:
        assert find_spent_budget(one) == "the 3 matches of these 24 hours are played"


@pytest.mark.usefixtures("checked")
def test_a_match_that_can_not_be_played_is_tried_again_and_then_left(
    hill: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    hill.submit("fox", "anna")
    hill.submit("hen", "ben")
    monkeypatch.setattr("koth.contest.match_runner.play", lambda *_: 1 / 0)
    hill("run", "--matches", 3, *RUN)
    (match,) = Match.objects.all()
    assert (match.state, match.tries) == ("unplayed", 3)
    assert "ZeroDivisionError" in match.reason
    line = hill.koth("hill", "run", hill.folder, *RUN).err.splitlines()[-1]
    assert line.startswith("koth: 10 matches in a row could not be played")


@pytest.mark.usefixtures("checked")
def test_a_table_is_played_from_every_seat_each_time_with_new_dice(koth: Koth, tmp_path: Path) -> None:
    assert koth("hill", "init", "metalman", tmp_path / "den").code == 0
    den = Place(koth, tmp_path / "den")
    for name in ("hunter", "explorer", "hill_sitter", "random_steps"):
        den("submit", f"@{name}")
    assert den("run", "--matches", 2, *RUN) == {"matches": 2}
    matches = list(reversed(den.matches()))
    assert [match["state"] for match in matches] == [*["played"] * 2, *["scheduled"] * 2]
    assert {match["block"] for match in matches} == {1}
    assert all(len({match["seats"][place]["bot"] for match in matches}) == 4 for place in range(4))
    keys = [Replay(den.folder / "replays" / f"match-{match['match']:04}.koth.gz").key for match in matches[:2]]
    assert None not in keys
    assert keys[0] != keys[1], "bots may remember the first"


@pytest.mark.usefixtures("checked")
def test_a_hill_plays_the_variants_of_its_settings(koth: Koth, tmp_path: Path) -> None:
    rules = ("--set", "players=2", "--set", "density=0.02,0.04")
    assert koth("hill", "init", "zombies", tmp_path / "den", *rules).code == 0
    den = Place(koth, tmp_path / "den")
    for name in ("gunner", "runner"):
        den("submit", f"@{name}")
    assert den("run", "--matches", 6, *RUN) == {"matches": 6}
    played = [match for match in den.matches() if match["state"] == "played"]
    replays = [Replay(den.folder / "replays" / f"match-{match['match']:04}.koth.gz") for match in played]
    density = [replay.header["settings"]["density"] for replay in replays]
    assert set(density) == {0.02, 0.04}
    assert density == [(0.02, 0.04)[hill_variant(match["block"]) % 2] for match in played]
    assert koth("verify", den.folder).code == 0


def test_nothing_to_play_is_said(hill: Place) -> None:
    done = hill.koth("hill", "run", hill.folder, "--matches", 1, *RUN)
    assert (done.code, done.err.splitlines()[-1]) == (0, "nothing to play: a match needs 2 bots, but only 0 play")
    assert "is not a time" in hill.refused("run", "--for", "soon")


def test_a_second_runner_is_refused(hill: Place) -> None:
    with lock_run(hill.folder):
        assert hill.refused("run", *RUN) == f"{hill.folder}: another koth is running this contest"


@pytest.fixture
def playing(hill: Place) -> Place:
    """A hill on which two bots play."""
    for name in ("fox", "hen"):
        hill.submit(name, name)
    Version.objects.update(state=Version.State.PLAYING)
    return hill


@pytest.mark.slow
def test_a_match_whose_worker_is_killed_is_played_again(playing: Place) -> None:
    running = program("hill", "run", playing.folder, *RUN, "--jobs", 2, "--matches", 6, cwd=playing.folder)
    wait_until(lambda: Match.objects.filter(state="played").count() >= 2)
    os.kill(workers(running.pid)[0], signal.SIGKILL)
    done = finished(running)
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    playing("run", "--matches", 1, *RUN)
    assert set(Match.objects.values_list("state", flat=True)) == {"played"}
    assert not list(playing.folder.rglob("*.part"))


@pytest.mark.slow
def test_a_full_disk_ends_in_words_and_the_hill_goes_on(playing: Place) -> None:
    done = finished(program("hill", "run", playing.folder, *RUN, cwd=playing.folder, largest=150_000))
    assert done.code == 2, done.err
    assert done.err.splitlines()[-1].startswith(f"koth: {playing.folder / 'hill.sqlite'}: ")
    before = set(Match.objects.filter(state="played").values_list("pk", "digest"))
    playing("run", "--matches", 2, *RUN)
    assert before <= set(Match.objects.filter(state="played").values_list("pk", "digest"))
    assert set(Match.objects.values_list("state", flat=True)) == {"played"}


@pytest.mark.slow_but
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_runner_that_is_ended_loses_nothing(playing: Place, number: int) -> None:
    hill = playing
    running = program("hill", "run", hill.folder, *RUN, cwd=hill.folder)
    wait_until(lambda: Match.objects.filter(state="played").count() >= 2)
    running.send_signal(number)
    done = finished(running)
    assert done.code == (-9 if number == signal.SIGKILL else 130)
    before = list(Match.objects.filter(state="played").values_list("pk", "digest"))
    assert bool(Runner.objects.get().ended) == (number != signal.SIGKILL)
    assert hill("run", "--matches", 2, *RUN) == {"matches": 2}
    assert set(before) <= set(Match.objects.filter(state="played").values_list("pk", "digest"))
    counts = Counter(Match.objects.values_list("state", flat=True))
    assert counts == {"played": len(before) + 2}
    assert not Match.objects.filter(has_key=False).exists()
