"""A contest that goes on with more games, new bots and new versions: what counts stays, what is missing is played."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from koth.contest.schedule import Format, Pairing, extension, schedule
from koth.contest.stages import counting
from koth.contest.store import Store
from koth.errors import KothError
from koth.secret import Secret
from koth.viewer.contest import Run
from tests.cli.program import SMALL, Koth, bot_file
from tests.contest.folders import rows

OTHER = """
from koth.games.zombies.bot import Move

class Other:
    def do_turn(self, context):
        return Move.values()[(3 * context.game_clock + context.id.number) % 9]
"""


def each(pairings: list[Pairing], bots: int) -> list[int]:
    """How often everybody plays."""
    count = Counter(bot for pairing in pairings for bot in pairing.seats)
    return [count[bot] for bot in range(bots)]


@pytest.mark.parametrize("form", [Format(4, 4), Format(4, 4, seeds="independent"), Format(3), Format(4, equal=True)])
def test_at_tables_only_what_is_missing_is_drawn(form: Format) -> None:
    """One bot more: whoever has played enough only fills its tables."""
    before = schedule(9, 24, 1, form)
    fields = [[(f"b{k}", "1") for k in range(9)], [(f"b{k}", "1") for k in range(10)]]
    counted = counting(before, fields, form.size)
    assert counted == before
    first = Pairing(len(before), before[-1].block + 1, (), 0, 1)
    new = extension(counted, 10, 24, 2, form, first)
    games = each(counted + new, 10)
    assert min(games) >= 24
    if form.equal:
        assert len(set(games)) == 1
    else:
        more = [after - was for after, was in zip(games, each(before, 9), strict=False)]
        assert max(more) - min(more) <= form.turned
        assert all(9 in pairing.seats for pairing in new)
    assert [pairing.index for pairing in new] == list(range(len(before), len(before) + len(new)))
    assert {pairing.stage for pairing in new} == {1}
    assert not {p.dice for p in new} & {p.dice for p in before}
    assert new == extension(counted, 10, 24, 2, form, first)
    assert extension(counted + new, 10, 24, 3, form, first) == []


def test_matches_with_a_version_that_is_gone_do_not_count() -> None:
    before = schedule(6, 8, 1, Format(2))
    fields = [[(f"b{k}", "1") for k in range(6)], [(f"b{k}", "2" if k == 3 else "1") for k in range(6)]]
    counted = counting(before, fields, 2)
    assert counted == [pairing for pairing in before if 3 not in pairing.seats]
    new = extension(counted, 6, 8, 2, Format(2), Pairing(len(before), len(before), (), 0, 1))
    assert min(each(counted + new, 6)) >= 8
    assert sum(3 in pairing.seats for pairing in new) >= 8


def test_where_all_play_in_one_match_another_field_begins_anew() -> None:
    before = schedule(3, 5, 1, Format(3))
    for field in (3, 4):
        fields = [[(f"b{k}", "1") for k in range(3)], [(f"b{k}", "1") for k in range(field)]]
        counted = counting(before, fields, field)
        assert counted == (before if field == 3 else [])
        new = extension(counted, field, 7, 2, Format(field), Pairing(5, 5, (), 0, 1))
        assert len(counted + new) == 7


@pytest.fixture
def begun(koth: Koth, tmp_path: Path) -> Path:
    """A run of two bots in two matches, over."""
    a, b = bot_file(tmp_path, "a"), bot_file(tmp_path, "b")
    words = [*SMALL, "--games", 2, "--seed", 7, "--isolation", "none", "--out", tmp_path / "out"]
    assert koth("run", "zombies", a, b, *words).code == 0
    return tmp_path / "out"


def on(koth: Koth, run: Path, *words: object) -> Any:
    done = koth("run", "--resume", run, *words, "--isolation", "none")
    assert done.code == 0, done
    assert koth("verify", run).code == 0
    return done


def test_more_games_count_with_those_there_are(begun: Path, koth: Koth) -> None:
    before = rows(begun)
    done = on(koth, begun, "--games", 5)
    assert "5 matches, median" in done.out
    after = rows(begun)
    assert [row for row in after["matches"] if row in before["matches"]] == before["matches"]
    assert [row[-1] for row in after["matches"]] == [0, 0, 1, 1, 1]
    record = json.loads((begun / "run.json").read_text())
    assert record["games"] == 5
    assert record["extensions"][0]["secret"] == str(Secret.spread(7).branch(1))
    assert sorted(file.name for file in begun.glob("secret*")) == []
    assert "has 5 already; more can be added" in koth.refused("run", "--resume", begun, "--games", 2)


def test_a_new_bot_and_a_new_version(begun: Path, koth: Koth, tmp_path: Path) -> None:
    """In one match with all: a stage of its own; the old matches are kept, shown, and not mixed in."""
    c = bot_file(tmp_path, "c", OTHER)
    done = on(koth, begun, c)
    assert "2 matches, median" in done.out
    assert "2 matches of earlier fields: kept, and not counted here." in done.out
    assert [line["matches"] for line in json.loads(koth("standings", begun, "--json").out)["standings"]] == [2, 2, 2]
    bot_file(tmp_path, "a", OTHER)
    assert "has changed since the run began; as a new version it joins" in koth.refused(
        "run", "--resume", begun, "--isolation", "none"
    )
    done = on(koth, begun, tmp_path / "a.py")
    assert "4 matches of earlier fields" in done.out
    assert len(rows(begun)["matches"]) == 6
    page = Run(begun).look()
    assert (page["done"], page["total"], page["counted"], page["history"]["matches"]) == (2, 2, 2, [1, 2])
    told = json.loads(koth("standings", begun, "--json").out)
    assert (told["matches"], told["uncounted"]) == (2, 4)
    done = on(koth, begun, "--exclude", "c")
    assert len(rows(begun)["matches"]) == 8
    with closing(sqlite3.connect(begun / "results.sqlite")) as database:
        (stages,) = database.execute("SELECT count(*) FROM stages").fetchone()
    assert stages == 4


def test_a_drawn_secret_is_drawn_anew(koth: Koth, tmp_path: Path) -> None:
    """Each extension has a commitment of its own, told before its first match."""
    words = [*SMALL, "--games", 1, "--isolation", "none", "--out", tmp_path / "out"]
    assert koth("run", "zombies", bot_file(tmp_path, "a"), *words).code == 0
    done = on(koth, tmp_path / "out", "--games", 2)
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    (extension,) = record["extensions"]
    assert f"commitment to the secret of extension 1 of this run: {extension['commitment']}" in done.err
    assert Secret.of(extension["secret"]).commitment == extension["commitment"]
    assert extension["secret"] != record["secret"]


@pytest.mark.parametrize(
    "strange",
    [
        "UPDATE field SET stage = 1000000000000 WHERE stage = 1",
        "UPDATE schedule SET seats = '99 1' WHERE stage = 0",
        "UPDATE schedule SET seats = 'x'",
        "UPDATE schedule SET stage = 7 WHERE stage = 0",
        "DELETE FROM stages",
    ],
)
def test_stages_that_make_no_sense(strange: str, begun: Path, koth: Koth) -> None:
    on(koth, begun, "--games", 3)
    with closing(sqlite3.connect(begun / "results.sqlite")) as database, database:
        database.execute(strange)
    with closing(Store(begun, read_only=True)) as store, pytest.raises(KothError, match=r"results\.sqlite: "):
        store.uncounted()
