"""Studies: commands of authors run once a round, what they leave plays, and rows say what came of it."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from koth_studies import record
from tests.cli.program import program
from tests.contest.folders import wait_until
from tests.studies.conftest import COUNTS, TABLES, Place

NOISY = r"""env; sed -i 's/return/import sys; print("ben was here", file=sys.stderr)\n        return/' bot/bot.py"""


def test_what_authors_leave_is_played_and_they_get_what_came_of_it(place: Place) -> None:
    place.write("commands = 2", ann=COUNTS, ben=NOISY)
    rows = {(row["round"], row["bot"]): row for row in place.play()["rounds"]}
    assert [(rows[at, "ann"]["version"], rows[at, "ben"]["version"]) for at in (0, 1)] == [(0, 0), (1, 1)]
    assert [rows[at, "ann"]["same_bytes"] for at in (0, 1)] == ["ben", ""]
    for key in ("score", "contest_score"):
        assert rows[0, "ann"][key] == rows[0, "ben"][key] is not None, "the same bytes are pooled"
    assert Counter(row["matches"] for row in rows.values()) == {1: 6}
    assert Counter(row["contest_matches"] for row in rows.values()) == {1: 6}
    assert {row["isolation"] for row in rows.values()} == {"none"}
    assert [row["is_yardstick"] for row in rows.values()] == 2 * [False, False, True]
    with open(place.folder / "trial" / "rounds.csv", newline="") as file:
        assert [line["bot"] for line in csv.DictReader(file)] == 2 * ["ann", "ben", "yard"]
    log = (place.series / "1" / "ben" / "log.txt").read_text().splitlines()
    assert {f"KOTH_STUDY={place.folder}", "KOTH_GAME=zombies", "KOTH_AUTHOR=ben", "KOTH_ROUND=1"} <= {*log}
    assert any(line.startswith("KOTH_SEED=") for line in log)
    arena = place.series / "authors" / "ben" / "arena"
    assert {line["bot"] for line in json.loads((arena / "standings.json").read_text())} == {"ann", "ben", "yard"}
    assert (arena / "why.txt").read_text().startswith("ben had no fault")
    assert "# Save The Last Bullet" in (arena / "rules.md").read_text()
    assert "round 1: you are ben" in (arena / "README.md").read_text()
    (replay,) = (arena / "replays").iterdir()
    assert place.koth("verify", replay).code == 0


def test_an_interrupted_study_continues_and_comes_to_the_same(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is interrupted before and after each of its files is written."""
    place.write(ann=COUNTS, ben="echo '#' $KOTH_SEED >> bot/bot.py")
    whole = place.play()
    (place.folder / "trial").rename(place.folder / "whole")
    seen: set[tuple[Path, str, bool]] = set()
    write = record.write_file

    def interrupted(folder: Path, file: str, content: Any) -> None:
        for is_written in (False, True):
            if is_written:
                write(folder, file, content)
            if (folder, file, is_written) not in seen:
                seen.add((folder, file, is_written))
                raise KeyboardInterrupt

    for module in ("play", "series"):
        monkeypatch.setattr(f"koth_studies.{module}.write_file", interrupted)
    for _ in range(20):
        done = place.try_to_play()
        if done.code == 0:
            break
        assert done.code == 130
        assert "stopped, with nothing lost; go on with: " in done.err
    assert len(seen) == 2 * (1 + 2 * 2 + 2), (
        "study.json, bots.json and round.json of two rounds, turn.json of two authors"
    )
    found = place.play()
    assert without_dates(found["rounds"]) == without_dates(whole["rounds"])
    assert found["differences"] == whole["differences"]
    assert (place.series / "1" / "ann" / "files" / "count").read_text() == ".\n"


def without_dates(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without what an interruption adds to."""
    added = ("seconds", "cpu_seconds", "attempts", "begun", "ended")
    return [{key: row[key] for key in row if key not in added} for row in rows]


def test_a_kill_loses_no_cost(place: Place) -> None:
    reports = """echo '{"cost": %d}' > usage.json"""
    first = f"if [ ! -e $KOTH_STUDY/once ]; then {reports % 5}; touch $KOTH_STUDY/once; while :; do :; done; fi"
    place.write(ann=f"{first}; {reports % 9}")
    koth = program("study", place.folder / "trial.toml", cwd=place.folder)
    noted = place.series / "1" / "ann" / "attempts.json"
    wait_until(lambda: noted.exists() and json.loads(noted.read_text())["attempts"][0]["seconds"] > 0)
    koth.kill()
    koth.communicate()
    (row,) = [row for row in place.play()["rounds"] if (row["bot"], row["round"]) == ("ann", 1)]
    assert (row["usage_cost"], row["attempts"], row["kind"], row["problem"]) == (14, 2, "done", "")
    assert row["seconds"] > 1
    assert row["cpu_seconds"] > 0


def test_a_turn_that_fails_leaves_the_last_version_in_play_and_rounds_can_be_added(place: Place) -> None:
    breaks = "echo '# broken' >> bot/bot.py"
    fails = f"{COUNTS}; if [ $KOTH_ROUND = 2 ]; then exit 3; fi"
    place.write(ann=fails, ben=breaks)
    place.play()
    file = place.write("rounds = 2", ann=fails, ben=breaks)
    rows = {(row["round"], row["bot"]): row for row in place.play()["rounds"]}
    assert [rows[at, "ann"]["version"] for at in range(3)] == [0, 1, 1]
    assert [rows[at, "ben"]["version"] for at in range(3)] == [0, 0, 0]
    told = [(row["kind"], row["problem"], row["check_problem"]) for row in (rows[2, "ann"], rows[1, "ben"])]
    assert told == [
        ("failed", "its command failed: exit status 3", ""),
        ("done", "", "crash, turn 3: it is broken"),
    ]
    assert "ben: crash, turn 3: it is broken; version 0 plays on" in (place.series / "1" / "log.txt").read_text()
    why = place.series / "authors" / "ben" / "arena" / "why.txt"
    assert why.read_text().startswith("crash, turn 3: it is broken\n\nben had no fault")
    file.write_text(file.read_text().replace("exit 3", "exit 4"))
    line = place.koth.refused("study", file)
    assert line.startswith(f"{file}: authors.ann.command is not what it was when the study began; put it back")


def test_a_table_grows_by_a_line_after_each_round_and_files_with_it(place: Place) -> None:
    counts = """grep -c , $KOTH_STUDY/trial/rounds.csv >> $KOTH_STUDY/seen; echo '{"cost": 2}' > usage.json"""
    place.write("rounds = 2", ann=f"{counts}; {COUNTS}", ben="exit 3")
    done = place.try_to_play()
    assert done.code == 0, done.err
    assert (place.folder / "seen").read_text().split() == ["4", "7"], "a head, and three bots a round"
    lines = [line.split() for line in done.out.splitlines()]
    table = [[*line[:4], *line[5:]] for line in lines if line[:2] == ["zombies", "1"]]
    assert [line[:5] for line in table] == [
        ["zombies", "1", str(at), bot, "failed" if at and bot == "ben" else "done"]
        for at in range(3)
        for bot in ("ann", "ben")
    ]
    assert [line[-2:] for line in table if line[3] == "ann"][1:] == 2 * [["cost", "2"]]
    ends = {line[0]: line[-6:] for line in lines if line[-6:-4] in (["0", "of"], ["2", "of"])}
    assert ends["ann"][-6:-3] + ends["ann"][-1:] == ["0", "of", "2", "4"]
    assert ends["ben"][-6:-3] + ends["ben"][-1:] == ["2", "of", "2", "0"]


def test_authors_get_nothing_of_what_is_withheld(place: Place) -> None:
    withheld = 'withhold = ["replays", "standings", "why", "logs", "yardsticks"]'
    place.write(withheld, ann=NOISY, ben="true")
    rows = place.play()["rounds"]
    assert {row["bot"] for row in rows if row["contest_matches"]} == {"ann", "ben"}
    assert all(row["score"] is not None for row in rows)
    arena = place.series / "authors" / "ann" / "arena"
    assert sorted(path.name for path in arena.iterdir()) == ["README.md", "guide.md", "rules.md", "why.txt"]
    assert (arena / "why.txt").read_text() == ""
    assert "arena/replays" not in (arena / "README.md").read_text()


def test_a_budget_and_a_check_have_a_problem_each(place: Place) -> None:
    tables = TABLES.replace('timeout = "20m"', 'timeout = "1s"\nsends_unfinished = true')
    place.write(tables=tables, ann="echo '# broken' >> bot/bot.py; sleep 600")
    (row,) = [row for row in place.play()["rounds"] if (row["bot"], row["round"]) == ("ann", 1)]
    assert (row["kind"], row["problem"]) == ("spent", "its command was not done after 1 s")
    assert row["check_problem"] == "crash, turn 3: it is broken"
    why = (place.series / "1" / "ann" / "why.txt").read_text()
    assert why.startswith("its command was not done after 1 s\ncrash, turn 3: it is broken\n\nann had no fault")
