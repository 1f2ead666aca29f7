"""Jobs and reports: any executor will do, and of two reports of a match the first one counts."""

from __future__ import annotations

import io
import socket
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from koth.contest.bundle import Bundle
from koth.contest.contest import Contest
from koth.contest.job import Report
from koth.contest.match_runner import LocalRunner, play_job
from koth.contest.run import ONE_AT_A_TIME, run
from koth.contest.store import Store
from koth.contest.workers import MatchExecutor
from koth.discovery.digest import content_digest
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.errors import BotError
from koth.games import load as load_game
from tests.cli.program import bot_file
from tests.contest.folders import replays, rows
from tests.contest.small import small_contest, still


def contest() -> Contest:
    return small_contest(still("a", "b"), 4)


def test_any_executor_will_do(tmp_path: Path) -> None:
    """Two threads, somebody else's folder: the same rows and replays."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    @contextmanager
    def threads(requirements: Any, runner: LocalRunner, on_progress: Any) -> Iterator[MatchExecutor]:
        with ThreadPoolExecutor(2) as executor:
            yield MatchExecutor(
                executor, partial(play_job, replace(runner, replays=elsewhere), on_progress), lambda: 2
            )

    for name, make_executor in (("one", ONE_AT_A_TIME), ("other", threads)):
        store = Store(tmp_path / name)
        run(contest(), store, make_executor=make_executor)
        store.close()
    assert rows(tmp_path / "one") == rows(tmp_path / "other")
    assert replays(tmp_path / "one") == replays(tmp_path / "other")


def test_the_first_report_counts_and_one_that_differs_is_an_alarm(tmp_path: Path) -> None:
    played = contest()
    pairing = played.draw_schedule()[0]
    runner = LocalRunner(played.isolation, tmp_path, {bot.name: bot for bot in played.bots})
    report = play_job(runner, lambda news: None, played.job(pairing))
    assert isinstance(report, Report)
    assert report.job == played.job(pairing).id
    store = Store(tmp_path / "out")
    assert store.add(pairing, {"a": 0, "b": 1}, report, 0) is not None
    before = rows(tmp_path / "out"), replays(tmp_path / "out")
    assert store.add(pairing, {"a": 0, "b": 1}, report, 0) is None
    assert store.alarms() == []
    other = replace(report, result=replace(report.result, scores={"a": 99.0, "b": 0.0}), replay=b"else")
    assert store.compare(other)
    assert [(match, name) for match, name, _ in store.alarms()] == [(1, socket.gethostname())]
    assert "scores: " in store.alarms()[0][2]
    assert (rows(tmp_path / "out"), replays(tmp_path / "out")) == before
    store.close()


def test_what_a_job_s_name_hangs_on() -> None:
    one = contest()
    jobs = [one.job(pairing) for pairing in one.draw_schedule()]
    assert len({job.id for job in jobs}) == len(jobs)
    first = one.draw_schedule()[0]
    assert one.job(first).id == contest().job(first).id
    for other in (replace(one, secret=Secret.from_seed(6)), replace(one, overrides={}), replace(one, max_turns=3)):
        assert other.job(first).id != one.job(first).id
    assert str(one.secret) not in repr(jobs)
    assert one.secret.data not in [job.key.data for job in jobs]


def test_bots_are_sent_by_digest(tmp_path: Path) -> None:
    file = bot_file(tmp_path, "a")
    bot = load_bot(load_game("zombies"), file, Interpreters())
    bundle = Bundle.of(bot.path, bot.content)
    there = bundle.write(tmp_path / "there")
    assert load_bot(load_game("zombies"), there, Interpreters()).digest == bot.digest
    folder = tmp_path / "f"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "run").write_text("#!/bin/sh\n")
    (folder / "deep" / "run").chmod(0o755)
    file.rename(folder / "bot.py")
    bot = load_bot(load_game("zombies"), folder, Interpreters())
    there = Bundle.of(bot.path, bot.content).write(tmp_path / "there")
    assert load_bot(load_game("zombies"), there, Interpreters()).digest == bot.digest
    assert (there / "deep" / "run").stat().st_mode & 0o111
    with pytest.raises(BotError, match="its files were damaged on the way"):
        replace(bundle, content="0" * 16).write(tmp_path / "again")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("../../../../out", "")
    with pytest.raises(BotError):
        replace(bundle, archive=data.getvalue()).write(tmp_path / "again")
    assert not list(tmp_path.rglob("out"))
    with pytest.raises(BotError, match="is not the name of a bot's folder or file"):
        replace(bundle, name="../out").write(tmp_path / "again")
    (folder / "bot.py").write_text("")
    with pytest.raises(BotError, match="has changed since the run began"):
        Bundle.of(folder, bot.content)


def test_a_bot_at_the_limits_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deepest = tmp_path / "f" / "/".join(["d"] * 64)
    deepest.mkdir(parents=True)
    (deepest / "narrow\u202fspace").touch()
    monkeypatch.setattr("koth.sandbox.copies.FILES", 65)
    content = content_digest(tmp_path / "f")
    there = Bundle.of(tmp_path / "f", content).write(tmp_path / "there")
    assert content_digest(there) == content
    (tmp_path / "f" / "more").touch()
    with pytest.raises(BotError, match="more than 65 files"):
        content_digest(tmp_path / "f")


def test_a_stranger_s_packed_bot_has_the_limits_of_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = Bundle.of(bot_file(tmp_path, "a"), content_digest(tmp_path / "a.py"))
    monkeypatch.setattr("koth.discovery.archives.BYTES", len((tmp_path / "a.py").read_bytes()) - 1)
    with pytest.raises(BotError, match="more than 20000 files or 0 MB"):
        bundle.write(tmp_path / "there")
    data = io.BytesIO(bundle.archive)
    with zipfile.ZipFile(data, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.py", "")
    with pytest.raises(BotError, match="a file is in it twice"):
        replace(bundle, archive=data.getvalue()).write(tmp_path / "there")
