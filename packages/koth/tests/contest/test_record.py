"""The record of a run: its secret, its one definition, what is refused, and that all that was doctored is found."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from koth.contest.record import SHAPE, read_record
from koth.contest.results import Results
from koth.contest.run_reader import RunReader
from koth.contest.secret_files import SECRET_FILE, keep_secret, secret_of
from koth.contest.store import Store
from koth.diagnostics.verdict import verify_matches
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.games import load
from koth.replay.reader import Replay
from tests.cli.program import SMALL, Koth, bot_file
from tests.sandbox.zoo import isolation

GAME = load("zombies")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two matches with a drawn secret, over; what koth printed lies beside it."""
    from koth.cli import cli

    home = tmp_path_factory.mktemp("begun")
    bot_file(home, "good")
    from click.testing import CliRunner

    words = ["run", "zombies", str(home / "good.py"), *SMALL, "--matches", "2", "--out", str(home / "out")]
    done = CliRunner().invoke(cli, [*words, "--isolation", "none"])
    assert done.exit_code == 0, done.output
    (home / "printed").write_text(done.output)
    return home / "out"


@pytest.fixture
def run(begun: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(begun, tmp_path / "out"))


def wrong(run: Path) -> list[str]:
    """Return the findings of `koth verify RUN`."""
    return [difference for _, difference in verify_matches(RunReader(run), GAME) if difference is not None]


def rewrite(run: Path, change: Callable[[dict[str, Any]], object]) -> None:
    record = json.loads((run / "run.json").read_text())
    change(record)
    (run / "run.json").write_text(json.dumps(record))


def test_the_commitment_comes_before_and_the_secret_after(run: Path, begun: Path) -> None:
    record = read_record(run)
    assert read_record(begun)["commitment"] == record["commitment"]
    secret = Secret.from_hex(record["secret"])
    assert secret.commitment == record["commitment"]
    assert not (run / SECRET_FILE).exists()
    for number in (1, 2):
        assert Replay(run / f"replays/match-000{number}.koth.gz").key == secret.key(number)
    assert wrong(run) == []


def test_the_secret_is_for_its_host_alone(tmp_path: Path) -> None:
    secret, record = Secret.draw(), {"secret": None, "extensions": []}
    keep_secret(tmp_path, Secret.draw())
    keep_secret(tmp_path, secret)
    assert stat.S_IMODE((tmp_path / SECRET_FILE).stat().st_mode) == 0o600
    assert secret_of(tmp_path, record) == secret
    (tmp_path / SECRET_FILE).write_text("nonsense")
    with pytest.raises(KothError, match="no secret: 32 hex digits are expected"):
        secret_of(tmp_path, record)
    os.unlink(tmp_path / SECRET_FILE)
    with pytest.raises(KothError, match="without its secret the run can't be continued"):
        secret_of(tmp_path, record)


DOCTORED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "the secret": (lambda r: r.update(secret=str(Secret.draw())), "the commitment of the secret is "),
    "the commitment": (lambda r: r.update(commitment="0" * 64), "the commitment of the secret is "),
    "a seed": (lambda r: r.update(seed=7), "the secret does not follow from the seed 7"),
    "a setting": (lambda r: r["settings"].update(players="2"), "has another settings than the run"),
    "a bot's hash": (lambda r: r["bots"][0].update(digest="0"), "has another bots than the run"),
}


@pytest.mark.parametrize("name", DOCTORED)
def test_a_doctored_record_is_found(name: str, run: Path) -> None:
    change, words = DOCTORED[name]
    rewrite(run, change)
    assert words in wrong(run)[0]


def test_a_trial_ends_after_its_turns(koth: Koth, tmp_path: Path) -> None:
    bot = bot_file(tmp_path, "good")
    words = ["run", "zombies", bot, *SMALL, "--matches", "2", "--max-turns", "1", "--seed", "8", "--out", "out"]
    begun = koth(*words)  # under these dice somebody lives to be asked in the second turn
    assert begun.code == 0, begun
    assert "zombies: 2 matches, 2 for 1 bot, a trial of 1 turn each" in begun.err
    out = tmp_path / "out"
    with sqlite3.connect(out / "results.sqlite") as database:
        database.execute('DELETE FROM matches WHERE "match" = 2')
    database.close()
    assert koth("resume", out).code == 0
    told = json.loads(koth("standings", out, "--format", "json").out)
    assert (told["matches"], told["max_turns"]) == (2, 1)
    assert [(Replay(file).result or {})["turns"] for file in sorted((out / "replays").iterdir())] == [1, 1]
    assert wrong(out) == []
    assert koth("verify", out / "replays" / "match-0001.koth.gz").code == 0
    rewrite(out, lambda record: record.update(max_turns=None))
    assert "has another turns than the run" in wrong(out)[0]


def test_doctored_replays_and_results_are_found(run: Path) -> None:
    first, second = sorted((run / "replays").iterdir())
    data = second.read_bytes()
    shutil.copy(first, second)
    assert any("is not the file that was written" in words for words in wrong(run))
    second.write_bytes(data[:-30])
    assert any("is not the file that was written" in words for words in wrong(run))
    second.unlink()
    assert "it has no replay" in wrong(run)
    second.write_bytes(data)
    assert wrong(run) == []
    with sqlite3.connect(run / "results.sqlite") as database:
        database.execute('UPDATE scores SET score = score + 1 WHERE "match" = 2')
    database.close()
    assert any("the scores on record are" in words for words in wrong(run))


@pytest.mark.parametrize("form", ["csv", "markdown", ""])
def test_no_record_steers_the_terminal(form: str, run: Path, koth: Koth) -> None:
    odd = "\x1b]0;a title\x07"
    rewrite(run, lambda record: record.update(ruleset=odd))
    name = read_record(run)["bots"][0]["name"]
    with sqlite3.connect(run / "results.sqlite") as database:
        database.execute("INSERT INTO faults VALUES (1, ?, ?, 1, 0, ?, ?, ?, ?)", (name, odd, *[""] * 4))
    database.close()
    told = koth("standings", run, *(["--format", form] if form else []))
    assert told.code == 0, told
    assert all(line.isprintable() for line in told.out.splitlines())
    shown = r"\\x1b\]0;a title\\x07" if form == "markdown" else r"\x1b]0;a title\x07"
    assert shown in told.out


@pytest.mark.parametrize("key", SHAPE)
def test_every_key_of_a_record_is_needed_and_looked_at(key: str, run: Path) -> None:
    rewrite(run, lambda record: record.pop(key))
    with pytest.raises(KothError, match=f"this koth can't read it as the record of a run: it has no '{key}'"):
        read_record(run)
    rewrite(run, lambda record: record.update({key: 1.5j.real if SHAPE[key] != {} else 3}))
    with pytest.raises(KothError, match=f"{key} must be "):
        read_record(run)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000, '{"game": "zombies"}', "\ud800"])
def test_nonsense_for_a_record(text: str, run: Path) -> None:
    (run / "run.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(KothError, match=r"run\.json: "):
        read_record(run)


def test_a_run_of_other_rules_is_refused(run: Path, koth: Koth) -> None:
    rewrite(run, lambda record: record.update(version=99))
    for words in (("resume", run), ("verify", run)):
        told = koth.refused(*words)
        assert "started with version 99 of zombies (koth " in told
        assert "continue with that one, or start a new run" in told


def test_results_of_another_koth_are_refused(run: Path) -> None:
    with sqlite3.connect(run / "results.sqlite") as database:
        database.execute("PRAGMA user_version = 9")
    database.close()
    for use in (Store, lambda folder: Results(folder).matches()):
        with pytest.raises(KothError, match="results of kind 9 by another koth; this one reads kind 6"):
            use(run)


def test_strangers_and_seeds(koth: Koth, tmp_path: Path) -> None:
    told = koth.refused("run", "zombies", "--untrusted", "--seed", "42")
    assert "--untrusted: the seed 42 can be guessed; give 32 hex digits, or none" in told


def test_who_reads_never_ends_a_contest(run: Path) -> None:
    """A reader in the middle of its work does not keep the writer from committing."""
    writer = Store(run)
    with Results(run)._opened() as (database, _):
        cursor = database.execute("SELECT * FROM scores")
        cursor.fetchone()
        writer.mark_failed(7, 1, "for no reason", "")
        assert [item.match for item in writer.unplayed_matches()] == [7]
        assert cursor.fetchall()
    writer.close()


def test_bots_that_bring_parts_can_be_gone_on_with(koth: Koth, tmp_path: Path) -> None:
    """A file and a folder whose names end like those of half-written replays are the bot's, and stay."""
    bot = tmp_path / "learned"
    (bot / "data.part").mkdir(parents=True)
    (bot / "data.part" / "x.koth.gz.part").write_text("mine")
    (bot / "model.part").write_text("weights")
    shutil.move(bot_file(tmp_path, "bot"), bot / "bot.py")
    words = ["run", "zombies", bot, *SMALL, "--matches", "2", "--seed", "3", "--out", "out"]
    assert koth(*words).code == 0
    with sqlite3.connect(tmp_path / "out" / "results.sqlite") as database:
        database.execute('DELETE FROM matches WHERE "match" = 2')
    database.close()
    (tmp_path / "out" / "replays" / "match-0002.koth.gz.part").write_text("half")
    done = koth("resume", "out")
    assert done.code == 0, done
    copies = sorted(path.name for path in (tmp_path / "out" / "bots").rglob("*.part"))
    assert copies == ["data.part", "model.part", "x.koth.gz.part"]
    assert not list((tmp_path / "out" / "replays").glob("*.part"))
    assert koth("verify", "out").code == 0


def test_a_run_that_is_over_is_one_file_for_its_readers(run: Path) -> None:
    def files() -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in run.iterdir() if file.name.startswith("results")}

    before = files()
    assert list(before) == ["results.sqlite"]
    assert len(Results(run).matches()) == 2
    assert files() == before


TABLE = ["metalman", "@hunter", "@explorer", "@hill_sitter", "@random_steps", "--matches", "4", "--max-turns", "1"]


def test_matches_of_strangers_have_dice_of_their_own(koth: Koth, tmp_path: Path) -> None:
    """A bot can remember what it saw in an earlier match, so the matches of a table share nothing."""
    isolation("strong")
    done = koth("run", *TABLE, "--untrusted", "--out", "out")
    assert done.code == 0, done.err
    assert "can remember" not in done.err
    assert f"commitment to the secret of this run: {read_record(tmp_path / 'out')['commitment']}" in done.err
    assert read_record(tmp_path / "out")["seeds"] == "independent"
    assert len(keys_of(tmp_path / "out")) == 4
    assert koth("resume", "out", "--matches", "8").code == 0
    assert len(keys_of(tmp_path / "out")) == 8
    assert koth("verify", "out").code == 0


def test_a_host_may_share_the_dice(koth: Koth, tmp_path: Path) -> None:
    isolation("strong")
    done = koth("run", *TABLE, "--untrusted", "--dice", "shared", "--out", "out")
    assert done.code == 0, done.err
    assert "koth: bots can remember the dice of a table's first match in its others" in done.err
    assert len(keys_of(tmp_path / "out")) == 1
    own = koth("run", *TABLE, "--out", "own")
    assert own.code == 0
    assert "can remember" not in own.err
    assert read_record(tmp_path / "own")["seeds"] == "shared"


def keys_of(run: Path) -> set[str]:
    """Return the keys of a run's replays."""
    return {str(Replay(file).key) for file in (run / "replays").iterdir()}
