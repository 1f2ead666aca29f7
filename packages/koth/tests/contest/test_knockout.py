"""Knockouts: who meets whom, who goes on, and that an interruption or an extension changes none of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from koth.contest import match_runner
from koth.contest.bracket import Bracket, bracket_places, build_bracket, count_rounds, seed_bots
from koth.contest.contest import Contest
from koth.contest.reading import MatchRow
from koth.contest.record import read_record
from koth.contest.run import TRIES, Callbacks, Outcome, run
from koth.contest.store import Store
from koth.engine.secret import Secret
from koth.game import ContestDefaults
from koth.sandbox.failures import ArenaError
from koth.standings.scores import Scores
from koth.standings.table import standings
from tests.cli.program import SMALL, Koth, bot_file
from tests.contest.folders import replays, rows
from tests.contest.small import small_contest, still


def played_out(count: int, better_wins: Callable[[int, int], bool] = lambda one, other: True) -> Bracket:
    """Return a knockout of bots that are called by their ranks, in which each pair plays one match."""
    ranks = {str(rank): (0, rank) for rank in range(1, count + 1)}
    matches: dict[int, tuple[str, ...]] = {}
    scores: list[MatchRow] = []
    while True:
        found = build_bracket(ranks, "mean", matches, scores)
        pairs = [
            duel.bots for level in found.rounds for duel in level if duel.winner is None and None not in duel.bots
        ]
        if not pairs:
            return found
        for pair in pairs:
            one, other = sorted(map(int, filter(None, pair)))
            points = {str(one): float(better_wins(one, other)), str(other): 0.5}
            number = 1 + len(matches)
            matches[number] = (str(one), str(other))
            scores.append(MatchRow(number, number, 1, "", "", 0, "", number, 0, points, {}))


@pytest.mark.parametrize("count", [2, 3, 5, 8, 13, 33])
def test_where_the_better_always_wins_the_first_two_meet_in_the_final(count: int) -> None:
    found = played_out(count)
    assert (found.winner, found.rounds[-1][0].bots) == ("1", ("1", "2"))
    assert len(found.rounds) == count_rounds(count)
    byes = [duel.winner for duel in found.rounds[0] if duel.is_bye]
    assert sorted(map(int, filter(None, byes))) == list(range(1, 2 ** count_rounds(count) - count + 1))
    meetings = [frozenset(duel.bots) for level in found.rounds for duel in level if not duel.is_bye]
    assert len(meetings) == len(set(meetings)) == count - 1
    assert not any(duel.is_bye for level in found.rounds[1:] for duel in level)


def test_the_first_meets_the_last() -> None:
    assert bracket_places(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert [duel.bots for duel in played_out(5).rounds[0]] == [("1", None), ("4", "5"), ("2", None), ("3", None)]


@pytest.mark.parametrize(("rank_of_a", "words"), [(2, "its better rank"), (1, "lot")])
def test_at_equal_scores_the_better_rank_goes_on_or_the_lot_decides(rank_of_a: int, words: str) -> None:
    match = MatchRow(1, 1, 1, "", "", 0, "", 1, 0, {"b": 1.0, "a": 1.0}, {})
    ranks = {"b": (0, 1), "a": (0, rank_of_a)}
    found = build_bracket(ranks, "mean", {1: ("a", "b")}, [match])
    assert found.winner == "b"
    assert found.lines() == [f"final: b 1 - a 1: b, by {words}"]
    found = build_bracket(ranks, "mean", {1: ("a", "b"), 2: ("a", "b")}, [match])  # one is missing
    assert (found.winner, found.lines()) == (None, ["final: b 1 - a 1"])


def test_bots_of_equal_rank_are_seeded_by_lot() -> None:
    scores = dict.fromkeys("abcdef", 1.0) | {"z": 2.0}
    table = standings(Scores.of([(1, scores)]), ContestDefaults(1, "mean"))
    orders = [list(seed_bots(table.ranks, 4, Secret.from_seed(seed).commitment)) for seed in range(99)]
    assert orders == [list(seed_bots(table.ranks, 4, Secret.from_seed(seed).commitment)) for seed in range(99)]
    assert {order[0] for order in orders} == {"z"}
    for place in (1, 3):
        assert all(8 <= [order[place] for order in orders].count(bot) <= 30 for bot in "abcdef")


# --- in a contest


def contest_of(bots: int, **more: Any) -> Contest:
    return small_contest(still(*(f"b{place}" for place in range(bots))), 1, max_turns=5, **more)


def finished(folder: Path, contest: Contest, interrupted_after: int | None = None) -> tuple[Outcome, dict[str, Any]]:
    """Play a contest to its end, first up to a Ctrl-C after so many matches if that is wanted."""
    told: list[int] = []

    def done(row: MatchRow) -> None:
        told.append(row.number)
        if len(told) == interrupted_after:
            raise KeyboardInterrupt

    with closing(Store(folder)) as store:
        if interrupted_after is not None:
            with pytest.raises(KeyboardInterrupt):
                run(contest, store, progress=Callbacks(match_done=done))
        end = run(contest, store)
        assert end.bracket is not None
        told = {"rows": end.rows, "standings": end.standings.as_json({}), "knockout": end.bracket.as_json()}
        return end, told


def test_an_interruption_changes_nothing(tmp_path: Path) -> None:
    """Between the table and the knockout, inside a round, and between two rounds."""
    contest = contest_of(5, knockout=4)
    end, whole = finished(tmp_path / "whole", contest)
    assert end.is_over
    assert [row.number for row in whole["rows"]] == [1, 2, 3, 4]
    assert all(line["matches"] == 1 for line in whole["standings"])
    assert whole["knockout"]["winner"] in whole["knockout"]["rounds"][1]["duels"][0]["bots"]
    for number in (1, 2, 3):
        assert finished(tmp_path / str(number), contest, number)[1] == whole
        assert rows(tmp_path / str(number)) == rows(tmp_path / "whole")
        assert replays(tmp_path / str(number)) == replays(tmp_path / "whole")


def test_the_next_round_waits_for_a_match_that_could_not_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = match_runner.play

    def failing(*args: Any) -> Any:
        if args[4].match == 2:
            raise ArenaError("the sandbox would not start")
        return play(*args)

    contest = contest_of(4, knockout=4)
    with monkeypatch.context() as patch:
        patch.setattr(match_runner, "play", failing)
        end, told = finished(tmp_path / "out", contest)
    assert [(item.match, item.tries) for item in end.unplayed] == [(2, TRIES)]
    assert (end.is_over, len(told["rows"]), end.missing) == (False, 1 + 1, 0)
    assert [duel["winner"] is None for duel in told["knockout"]["rounds"][0]["duels"]] == [True, False]
    end, told = finished(tmp_path / "out", contest)
    assert end.is_over
    assert told["knockout"]["winner"] is not None


@pytest.mark.slow
def test_jobs_change_nothing_and_a_contest_that_is_over_gets_another_with_new_dice(
    koth: Koth, tmp_path: Path
) -> None:
    bots = [bot_file(tmp_path, name) for name in "abc"]
    options = [*SMALL, "--isolation", "none", "--matches", 2, "--max-turns", 5, "--seed", 3, "--knockout", 3]
    for jobs in (1, 2):
        begun = koth("run", "zombies", *bots, *options, "--jobs", jobs, "--out", f"jobs-{jobs}")
        assert begun.code == 0, begun
        assert "then a knockout of the first 3, seed 3\n" in begun.err
    assert rows(Path("jobs-1")) == rows(Path("jobs-2"))
    assert replays(Path("jobs-1")) == replays(Path("jobs-2"))
    done = koth("resume", "jobs-2", "--knockout", 2, "--isolation", "none")
    assert done.code == 0, done
    assert "4 matches of earlier entrants or of an earlier knockout: on record, but not counted here." in done.out
    record = read_record(Path("jobs-2"))
    assert (record["knockout"], record["extensions"][0]["secret"]) == (2, str(Secret.from_seed(3).branch(1)))
    assert koth("verify", "jobs-2").code == 0
    assert begun.out.count("semifinals: ") == 2
    assert koth("standings", "jobs-2").out.count("final: ") == 1


def test_a_knockout_of_one_bot_is_refused(koth: Koth, tmp_path: Path) -> None:
    bot = bot_file(tmp_path, "a")
    assert koth.refused("run", "zombies", bot, "--knockout", 4, "--isolation", "none") == (
        "--knockout takes two bots or more"
    )
