"""A contest that goes on with more games, new bots and new versions: what counts stays, what is missing is played."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from koth.contest.record import read_record, write_record
from koth.contest.results import Results
from koth.contest.run_reader import RunReader
from koth.diagnostics import habits
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.replay.names import match_number
from koth.viewer.contest import Dashboard
from tests.cli.program import SMALL, Koth, bot_file
from tests.contest.folders import rows

OTHER = """
from koth.games.zombies.bot import Move

class Other:
    def do_turn(self, context):
        return Move.values()[(3 * context.game_clock + context.id.number) % 9]
"""

STILL = """
from koth.games.zombies.bot import Move

class Still:
    def do_turn(self, context):
        return Move.STAY
"""


@pytest.fixture
def begun(koth: Koth, tmp_path: Path) -> Path:
    """A run of two bots in two matches, over."""
    a, b = bot_file(tmp_path, "a"), bot_file(tmp_path, "b")
    words = [*SMALL, "--matches", 2, "--seed", 7, "--isolation", "none", "--out", tmp_path / "out"]
    assert koth("run", "zombies", a, b, *words).code == 0
    return tmp_path / "out"


def on(koth: Koth, run: Path, *words: object) -> Any:
    done = koth("resume", run, *words, "--isolation", "none")
    assert done.code == 0, done
    assert koth("verify", run).code == 0
    return done


def test_more_games_count_with_those_there_are(begun: Path, koth: Koth) -> None:
    before = rows(begun)
    done = on(koth, begun, "--matches", 5)
    assert "5 matches, median" in done.out
    after = rows(begun)
    assert [row for row in after["matches"] if row in before["matches"]] == before["matches"]
    assert [row[-1] for row in after["matches"]] == [0, 0, 1, 1, 1]
    record = json.loads((begun / "run.json").read_text())
    assert record["matches"] == 5
    assert record["extensions"][0]["secret"] == str(Secret.from_seed(7).branch(1))
    assert sorted(file.name for file in begun.glob("secret*")) == []
    assert "has 5 already; more can be added" in koth.refused("resume", begun, "--matches", 2)


def test_bots_with_which_no_match_would_count_take_a_new_run(begun: Path, koth: Koth, tmp_path: Path) -> None:
    """All play in one match: a newcomer, and one that leaves, would change the rivals of every score."""
    c = bot_file(tmp_path, "c", OTHER)
    before = rows(begun), read_record(begun)
    for words in ((c,), ("--exclude", "a")):
        told = koth.refused("resume", begun, *words, "--isolation", "none")
        assert told.startswith("with these bots none of the 2 matches played so far counts any more")
        assert "--seats N" in told
    assert (rows(begun), read_record(begun)) == before
    bot_file(tmp_path, "a", OTHER)
    done = on(koth, begun)
    assert "plays on as it was; its new version can only join a new run, because all bots play in" in done.err


@pytest.mark.slow
def test_who_plays_more_is_said_before_the_first_match(
    koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At tables of two a newcomer finds opponents that have played enough."""
    a, b, c = (bot_file(tmp_path, name) for name in "abc")
    words = [*SMALL, "--matches", 2, "--seats", 2, "--seed", 7, "--isolation", "none", "--out", tmp_path / "out"]
    done = koth("run", "zombies", a, b, *words, "--json")
    assert "zombies: 2 matches, 2 for each of 2 bots, seed 7\n" in done.err
    assert "more matches than" not in done.err
    assert json.loads(done.out)["scheduled"] == {"a": 2, "b": 2}
    done = on(koth, tmp_path / "out", c, "--json")
    said = (
        "zombies: 2 matches to play of 4 (4 tables of 2), 2 or 3 for each of 3 bots; "
        "every two meet in 1 to 2, seed 7\n"
        "more matches than 2: a 3, b 3\n"
    )
    assert said in done.err
    assert done.err.index(said) < done.err.index("3 of 4: match 3, ")
    told = json.loads(done.out)
    assert told["scheduled"] == {"a": 3, "b": 3, "c": 2}
    assert {line["bot"]: line["matches"] for line in told["standings"]} == told["scheduled"]
    done = on(koth, tmp_path / "out", bot_file(tmp_path, "a", STILL))
    assert "koth: 3 of 4 matches played so far no longer count: not all of their bots take part any more" in done.err
    assert "3 matches of earlier entrants or of an earlier knockout: on record, but not counted here." in done.out
    assert json.loads(koth("standings", tmp_path / "out", "--format", "json").out)["uncounted"] == 3
    now = Dashboard(RunReader(tmp_path / "out")).look()
    assert now["counted"] == len(rows(tmp_path / "out")["matches"]) - 3
    numbers = [match_number(name) for name in now["history"]["names"]]
    assert len(numbers) == now["counted"]
    assert not {*numbers} & RunReader(tmp_path / "out").uncounted_matches()
    monkeypatch.setattr(habits, "LEAST_ANSWERS", 10)
    assert list(habits.find_remarks(RunReader(tmp_path / "out"))) == ["a"], "of its new version alone"


def test_an_extension_that_was_stopped_is_not_settled(begun: Path, koth: Koth) -> None:
    """Though the secret of the contest before it was told."""
    on(koth, begun, "--matches", 3)
    with closing(sqlite3.connect(begun / "results.sqlite")) as database, database:
        database.execute('DELETE FROM matches WHERE "match" = 3')
    assert Dashboard(RunReader(begun)).look()["settled"]
    record = read_record(begun)
    record["extensions"][0]["secret"] = None
    write_record(begun, record)
    assert read_record(begun)["secret"]
    assert not Dashboard(RunReader(begun)).look()["settled"]


def test_a_drawn_secret_is_drawn_anew(koth: Koth, tmp_path: Path) -> None:
    """Each extension has a commitment of its own, told before its first match."""
    words = [*SMALL, "--matches", 1, "--isolation", "none", "--out", tmp_path / "out"]
    assert koth("run", "zombies", bot_file(tmp_path, "a"), *words).code == 0
    on(koth, tmp_path / "out", "--matches", 2)
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    (extension,) = record["extensions"]
    assert Secret.from_hex(extension["secret"]).commitment == extension["commitment"]
    assert extension["secret"] != record["secret"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "strange",
    [
        "UPDATE entrants SET stage = 1000000000000 WHERE stage = 1",
        "UPDATE schedule SET seats = '99 1' WHERE stage = 0",
        "UPDATE schedule SET seats = 'x'",
        "UPDATE schedule SET stage = 7 WHERE stage = 0",
        "DELETE FROM stages",
    ],
)
def test_stages_that_make_no_sense(strange: str, begun: Path, koth: Koth) -> None:
    on(koth, begun, "--matches", 3)
    with closing(sqlite3.connect(begun / "results.sqlite")) as database, database:
        database.execute(strange)
    with pytest.raises(KothError, match=r"results\.sqlite: "):
        Results(begun).uncounted_matches()
