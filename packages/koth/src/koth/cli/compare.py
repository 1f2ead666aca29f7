"""`koth compare OLD NEW`: a test whether the new bot is better than the old one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from rich.table import Table

from koth.cli.exit_codes import ALIKE, INCOMPLETE, INTERRUPTED, NO, OK
from koth.cli.live import LiveMatches
from koth.cli.screen import console, counted, errors, escape_markup, make_table, print_json, print_table, program
from koth.cli.terminal import Terminal
from koth.contest.compare import Comparison, ComparisonState
from koth.contest.run import Callbacks
from koth.contest.seating import trial_text
from koth.escaping import shell_word
from koth.services.comparisons import SIDE_FOLDERS, BotComparison, compare_bots, verdict_text
from koth.services.options import CompareOptions
from koth.standings.difference import Difference
from koth.standings.paired import least_blocks
from koth.standings.text import number

CODES = {"better": OK, "worse": NO, "alike": ALIKE, "within": ALIKE, "same": ALIKE, "open": INCOMPLETE}
"""Exit codes by verdict."""


def compare(old: str, new: str, options: CompareOptions, as_json: bool) -> NoReturn:
    """Play until there is a verdict, print the verdict, and end with its exit code."""
    found = compare_bots(old, new, options, ComparisonScreen())
    if as_json:
        print_json(found.as_json())
    else:
        print_comparison(found)
    sys.exit(INTERRUPTED if found.interrupted else CODES[found.verdict])


class ComparisonScreen(Terminal):
    """The terminal that shows a comparison: the plan, a progress bar, and each interim result."""

    @contextmanager
    def comparing(self, comparison: Comparison) -> Iterator[Callbacks]:
        self._comparison = comparison
        contest, seen = comparison.sides[0].contest, comparison.seen
        rivals = ", ".join(bot.name for bot in contest.bots[1:])
        most = counted(seen.most * seen.rotations, "match", "matches")
        matches = f"at most {most} of each{trial_text(contest.max_turns)}"
        against = f", against {rivals}" if rivals else ""
        errors.print(escape_markup(f"{contest.game}: {matches}, on the same boards{against}"))
        errors.print(escape_markup(_plan_text(comparison)))
        with LiveMatches(contest.game, comparison.most, most="at most ") as shown:
            yield shown.callbacks

    def compared(self, seen: ComparisonState) -> None:
        if not seen.over and seen.blocks < seen.most:
            errors.print(escape_markup(verdict_text(self._comparison)))


def _plan_text(comparison: Comparison) -> str:
    """Return a text that says after how many boards a verdict is possible."""
    least, seen = least_blocks(comparison.defaults, 2), comparison.seen
    if seen.most < least:
        return f"{seen.most} boards are too few for a verdict: play {least} (--matches {least * seen.rotations})"
    return f"looks after {', '.join(map(str, comparison.looks.blocks))} boards"


def print_comparison(found: BotComparison) -> None:
    """Print the result, as a table and as a sentence."""
    if found.matches:
        print_table(_table(found))
        if found.difference is not None:
            console.print(_difference_text(found.difference, found.aggregate))
    for item in found.unplayed:
        errors.print(escape_markup(f"match {item.match} could not be played ({item.tries} tries): {item.reason}"))
    if found.interrupted:
        errors.print("interrupted")
    console.print(escape_markup(found.text), style="" if found.verdict == "same" else "bold")
    if found.folder is not None:
        watch = " and ".join(f"{program()} view {shell_word(found.folder / name)}" for name in SIDE_FOLDERS)
        console.print(escape_markup(f"watch their matches: {watch}"))


def _table(found: BotComparison) -> Table:
    """Return both bots as a table, the old one first."""
    each = ("a match",) if found.aggregate == "sum" else ()
    known = found.difference
    more = ("", "") if known is None else (_boards(known.fewer), _boards(known.more))
    rows = []
    for bot, boards in zip(found.bots, more, strict=True):
        score = bot.score or 0.0
        scores = [score, *(score / found.matches for _ in each)]
        faults = ", ".join(f"{count:,} {kind}" for kind, count in (bot.faults or {}).items()) or "none"
        rows.append([bot.name, str(found.matches), *map(number, scores), boards, faults])
    columns = "bot", "matches", "score", *each, "more on", "faults"
    title = f"{found.game} ({found.ruleset}){trial_text(found.max_turns)}, {found.aggregate}"
    return make_table(columns, rows, columns[1:-1], title)


def _difference_text(known: Difference, aggregate: str) -> str:
    """Return the difference, new minus old; the verdict contains the interval."""
    same = f", the same on {_boards(known.same)}" if known.same else ""
    what = "Median difference" if aggregate == "median" else "Difference"
    return f"{what} of a match, new minus old: {number(known.value)} points{same}."


def _boards(count: int) -> str:
    return counted(count, "board", "boards")
