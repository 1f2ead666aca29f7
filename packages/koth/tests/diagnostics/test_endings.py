"""Endings of a bot's matches: grouped, in words, with the one to watch; from replays with frames and without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from koth.cli import cli
from koth.diagnostics.endings import Ending, ending_lines, group_endings
from koth.replay.reader import Replay
from koth.viewer.contest import describe_endings


def koth(*words: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(cli, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


def caught(match: int, turn: int, by: dict[str, Any], left: int = 0) -> Ending:
    event = {"kind": "caught", "text": "is caught by {by}", "team": 0, "by": by, "at": [7, match], "out": True}
    return Ending(match, Path(f"run/match-{match}.gz"), ("ann", "ben"), 90, [(turn, event)] if turn else [], left)


def test_ends_are_grouped_with_their_median_who_did_it_and_the_earliest_to_watch() -> None:
    clyde, ben = {"name": "Clyde"}, {"team": 1, "name": "as a ghost"}
    found = [caught(0, 30, clyde), caught(1, 15, ben), caught(2, 0, {}, 1), caught(3, 40, clyde)]
    assert ending_lines(found) == [
        "caught 3 times, median turn 30: 2 by Clyde, 1 by ben",
        "alive at the end once",
        "the earliest: ann is caught by ben as a ghost on turn 15 of match 1, at (7, 1)",
        "watch it: koth view run/match-1.gz --from 12",
    ]
    assert ending_lines([Ending(0, "match", ["a", "b"], 9, [], None)]) == [], "a game without events and `alive`"
    assert ending_lines([caught(4, 2, clyde)])[:2] == ["caught by Clyde once, turn 2", "never alive at the end"]
    assert [line for line in ending_lines([caught(4, 2, clyde)]) if "--from" in line] == [
        "watch it: koth view run/match-4.gz --from 0"
    ]
    assert group_endings(found)[0].as_json() == {
        "text": "caught 3 times, median turn 30: 2 by Clyde, 1 by ben",
        "cause": "caught",
        "count": 3,
        "matches": 3,
        "median_turn": 30,
        "by": {"Clyde": 2, "ben": 1},
        "match": 1,
        "turn": 15,
        "first": "ann is caught by ben as a ghost",
        "at": [7, 1],
        "replay": Path("run/match-1.gz"),
        "watch": "koth view run/match-1.gz --from 12",
    }


def test_the_page_says_how_many_matches_were_looked_at() -> None:
    found = [caught(match, 9, {"name": "Clyde"}) for match in range(2)]
    assert [entry["text"] for entry in describe_endings(found, 1_500)][1:] == [
        "never alive at the end",
        "seen in 2 of its 1,500 matches",
    ]
    assert describe_endings(found, 2) == describe_endings(found, 1_500)[:-1]


def test_units_are_counted_in_sentences() -> None:
    bite = {"kind": "bitten", "text": "is bitten by {by}", "team": 0, "by": {"name": "a zombie"}, "out": True}
    shot = {"kind": "shot", "text": "is shot by {by}", "team": 0, "by": {"team": 1, "name": "#7"}, "out": True}
    events = [(turn, bite) for turn in (3, 5, 9)] + [(4, shot)]
    found = [Ending(k, Path("r.gz"), ("ann", "ben"), 90, events, 46) for k in range(2)]
    assert ending_lines(found)[:3] == [
        "bitten by a zombie 6 times in 2 matches, median turn 5",
        "shot by ben 2 times, median turn 4",
        "alive at the end 2 times with 46 left in the median",
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One contest, its replays with frames and without."""
    top = tmp_path_factory.mktemp("runs")
    words = ["run", "pacman", "@greedy", "@hunter", "--matches", "2", "--seed", "3", "--set", "turns=80"]
    koth(*words, "--out", str(top / "frames"))
    koth(*words, "--out", str(top / "answers"), "--replays", "answers")
    return top / "frames", top / "answers"


def test_why_says_how_it_ended_from_any_replay(runs: tuple[Path, Path]) -> None:
    """Events of replays that hold only answers follow from these, and are the same."""
    told = [koth("why", str(run), "greedy").replace(str(run), "RUN") for run in runs]
    assert told[0] == told[1]
    first = told[0].splitlines()
    assert first[0] == "greedy had no fault"
    assert first[2] == "how greedy ended, in 2 matches:"
    assert "watch it: " in told[0]


def test_why_says_in_json_how_it_ended(runs: tuple[Path, Path]) -> None:
    found = json.loads(koth("why", str(runs[0]), "greedy", "--json"))
    (ending,) = [item for item in found if item["kind"] == "ending"]
    replay = Replay(ending["replay"])
    seat = [bot["name"] for bot in replay.header["bots"]].index("greedy")
    ((turn, event),) = [(t, e) for t, e in replay.events() if e.get("out") and e["team"] == seat]
    assert (ending["turn"], ending["cause"], ending["at"]) == (turn, event["kind"], event["at"])
    assert event in next(moment for moment in replay.turns(turn)).events


def test_recorded_events_verify(runs: tuple[Path, Path]) -> None:
    """They are a part of the match that is made again, byte for byte."""
    assert "verified" in koth("verify", str(runs[0]))
    assert "verified" in koth("verify", str(runs[1]))
