"""`koth study`: a study in which programs write the bots, played or continued, with its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from koth.cli.compiling import open_game
from koth.cli.screen import Doing, counted, echo, make_table, print_json, print_table, program
from koth.cli.terminal import ending_without_cluster
from koth.contest.reading import MatchRow
from koth.contest.run import Callbacks
from koth.escaping import path_word, shell_word
from koth.services.observer import Observer
from koth.standings.text import bounds, number
from koth_studies.plan import read_study
from koth_studies.play import FIGURE_FILE, play_study
from koth_studies.results import ALL_REPETITIONS, GAIN_ROW, LEAD_ROW, Row, StudyResults
from koth_studies.usage_report import add_usage

TESTED = "95 %", "p (Holm)"


class StudyProgress(Observer):
    """The lines that are printed while a study is played."""

    def __init__(self) -> None:
        self.doing_now = Doing()

    @contextmanager
    def counting(self, text: str, total: int) -> Iterator[Callbacks]:
        done = 0

        def match_done(row: MatchRow) -> None:
            nonlocal done
            done += 1
            self.doing_now(f"{text}: {done} of {counted(total, 'match', 'matches')}")

        yield Callbacks(match_done)


class RoundTable:
    """The table that gets a line for each author after each round."""

    def __init__(self) -> None:
        self._is_begun = False

    def show(self, rows: Sequence[Row]) -> None:
        """Print the lines of a round."""
        if not self._is_begun:
            echo(ROUND_LINE.format("game", "repetition", "round", "author", "score", "turn", "costs"))
        self._is_begun = True
        for row in rows:
            if not row["is_yardstick"]:
                score, turn = "" if row["score"] is None else number(row["score"]), _turn_word(row)
                costs = [f"{row['seconds']:.0f} s", *(f"{key} {number(its)}" for key, its in _usage([row]).items())]
                place = row["game"], row["repetition"], row["round"]
                echo(ROUND_LINE.format(*place, row["bot"], score, turn, ", ".join(costs)))


ROUND_LINE = "{:<10}  {:>10}  {:>5}  {:<16}  {:>10}  {:<9}  {}"


def _turn_word(row: Row) -> str:
    return "refused" if row["check_problem"] else str(row["kind"])


def _usage(rows: Sequence[Row]) -> dict[str, float]:
    """Return the sum of each quantity that authors have reported."""
    prefix = "usage_"
    return add_usage({key.removeprefix(prefix): row[key] for key in row if key.startswith(prefix)} for row in rows)


def study(file: Path, as_json: bool) -> None:
    """Play the missing parts of a study, and print its tables."""
    plan = read_study(file)
    for name in plan.games:
        open_game(name)
    progress = StudyProgress()
    say = progress.doing_now.say
    try:
        with ending_without_cluster():
            results = play_study(plan, progress, say, (lambda rows: None) if as_json else RoundTable().show)
    except KeyboardInterrupt:
        say(f"stopped, with nothing lost; go on with: {program()} study {shell_word(file)}")
        raise
    finally:
        progress.doing_now.stop()
    if as_json:
        print_json({"rounds": results.rounds, "differences": results.differences})
        return
    for name in plan.games:
        _print_game(results, name)
    echo(f"rows and figure: rounds.csv, differences.csv and {FIGURE_FILE} in {path_word(plan.folder)}")


def _print_game(results: StudyResults, game: str) -> None:
    options, planned = results.study.options, results.study.games[game]
    repetitions = options.repetitions
    which = ALL_REPETITIONS if repetitions > 1 else 1
    rows = [row for row in results.differences if row["game"] == game and row["repetition"] == which]
    among = f"scores among {', '.join(planned.yardsticks)}"
    over = counted(repetitions, "repetition", "repetitions")
    title = f"{game}, {counted(options.rounds, 'round', 'rounds')}, {over}: {among}"
    turns = {
        name: [row for row in results.rounds if (row["game"], row["bot"]) == (game, name) and row["round"]]
        for name in results.study.authors
    }
    costs = list(_usage([row for its in turns.values() for row in its]))
    lines = []
    for row in rows:
        if row["what"] == GAIN_ROW:
            name, its = row["bot"], turns[row["bot"]]
            failed, used = sum(_turn_word(one) != "done" for one in its), _usage(its)
            means = [_mean(results, game, name, at) for at in (0, options.rounds)]
            sums = [f"{sum(one['seconds'] for one in its):,.0f} s", *(number(used.get(key, 0)) for key in costs)]
            lines.append([name, *means, *_difference(row), f"{failed} of {len(its)}", *sums])
    lines += [[f"{name} (yardstick)", "", _mean(results, game, name, options.rounds)] for name in planned.yardsticks]
    right = "first", "last", GAIN_ROW
    heads = "author", *right, *TESTED, "failed turns", "time", *costs
    print_table(make_table(heads, lines, (*right, "p (Holm)", "failed turns", "time", *costs), title))
    heads = "last round", "by", "difference", *TESTED
    pairs = [
        [f"{row['bot']} - {row['other']}", row["by"], *_difference(row)] for row in rows if row["what"] == LEAD_ROW
    ]
    if pairs:
        print_table(make_table(heads, pairs, ("difference", "p (Holm)")))
    more = [
        f"{row['more_repetitions']} for {row['bot']}"
        + (f" - {row['other']} ({row['by']})" if row["other"] else f" ({GAIN_ROW})")
        for row in rows
        if row["more_repetitions"]
    ]
    if more:
        echo(f"more repetitions for a verdict, about, if all continue like this: {', '.join(more)}")


def _mean(results: StudyResults, game: str, bot: str, at: int) -> str:
    found = [
        row["score"]
        for row in results.rounds
        if (row["game"], row["bot"], row["round"]) == (game, bot, at) and row["score"] is not None
    ]
    return number(sum(found) / len(found)) if found else ""


def _difference(row: Row) -> Sequence[str]:
    if row["same_bytes"]:
        return "0", "the same bytes", ""
    if row["difference"] is None:
        return "", "not played", ""
    known = row["low"] is not None and row["high"] is not None
    interval = " to ".join(bounds(row["low"], row["high"])) if known else "-"
    p = row["p_holm"]
    return number(row["difference"]), interval, "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
