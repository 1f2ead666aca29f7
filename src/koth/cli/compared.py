"""Screen of `koth compare`: its progress, and its result."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table

from koth.cli.exit_codes import ALIKE, INCOMPLETE, NO, OK
from koth.cli.screen import PATIENCE, console, counted, errors, marked, program, show
from koth.contest.compare import Compared, Comparison
from koth.contest.job import ProgressEvent
from koth.contest.reading import MatchRow
from koth.contest.seating import trial
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.standings.difference import Difference
from koth.standings.paired import least_blocks
from koth.standings.scores import Blocks, Scores, estimates
from koth.standings.text import bounds, number


class Screen:
    """Progress: a bar in a terminal, a line now and then elsewhere (all on stderr)."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._most = 2 * comparison.seen.most * comparison.seen.turned
        self._done, self._said = 0, time.monotonic()
        columns = TextColumn("[bold]{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        self._bar = Bar(*columns, TextColumn("{task.fields[now]}"), console=errors, transient=True)
        self._task = self._bar.add_task("at most", total=self._most, now="")

    def __enter__(self) -> Screen:
        contest, seen = self._comparison.sides[0].contest, self._comparison.seen
        rivals = ", ".join(bot.name for bot in contest.bots[1:])
        matches = f"at most {counted(seen.most * seen.turned, 'match', 'matches')} of each{trial(contest.turns)}"
        against = f", against {rivals}" if rivals else ""
        errors.print(marked(f"{contest.game}: {matches}, on the same boards{against}"))
        errors.print(marked(_planned(self._comparison)))
        if errors.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if errors.is_terminal:
            self._bar.stop()

    def match_done(self, row: MatchRow) -> None:
        """A match of either is on record."""
        self._done += 1
        if errors.is_terminal:
            self._bar.update(self._task, completed=self._done)
        elif time.monotonic() - self._said > PATIENCE:
            self._said = time.monotonic()
            errors.print(f"match {self._done} of at most {self._most}")

    def heard(self, event: ProgressEvent) -> None:
        """From a match that is being played."""
        if errors.is_terminal:
            now = f"{event.waits} waits for a core" if event.waits else f"turn {event.turn:,}"
            self._bar.update(self._task, now=marked(now))

    def looked(self, seen: Compared) -> None:
        """Print what a look has found, if the comparison goes on."""
        if not seen.over and seen.blocks < seen.most:
            errors.print(marked(in_words(self._comparison)))


def _planned(comparison: Comparison) -> str:
    """Return when there can be a verdict."""
    least, seen = least_blocks(comparison.defaults, 2), comparison.seen
    if seen.most < least:
        return f"no verdict before {least} boards: {seen.most} are too few (--matches {least * seen.turned})"
    return f"looks after {', '.join(map(str, comparison.looks.blocks))} boards"


def code_of(seen: Compared) -> int:
    """Return the exit code of what was found."""
    if not seen.over or seen.difference is None:
        return INCOMPLETE
    return {1: OK, -1: NO, 0: ALIKE}[seen.difference.sign]


def verdict_of(seen: Compared) -> str:
    """Return the verdict in a word, as `--json` has it: better, worse (the new bot), alike, within, open."""
    known = seen.difference
    if not seen.over or known is None:
        return "open"
    if known.sign:
        return "better" if known.sign > 0 else "worse"
    return "alike" if known.is_alike else "within"


def in_words(comparison: Comparison) -> str:
    """Return the result: which bot is better and by how much, that neither is, or what a verdict would take."""
    seen, (old, new) = comparison.seen, [side.name for side in comparison.sides]
    known, verdict = seen.difference, verdict_of(seen)
    if known is None:
        return "nothing is known: no board was played to its end by both"
    after = f"after {counted(seen.blocks * seen.turned, 'match', 'matches')} of each"
    if verdict in ("better", "worse"):
        return f"{new if verdict == 'better' else old} is better{_by(known)} (95 %), {after}"
    if verdict == "alike":
        return f"{old} and {new} play alike on all {seen.blocks} boards: no difference was seen"
    if verdict == "within":
        return f"no difference larger than {number(comparison.within or 0.0)} (95 %), {after}"
    return f"no verdict {after}: {_between(known, old, new)}; {_missing(comparison, known)}"


def _by(known: Difference) -> str:
    """Return by how much the better one is better."""
    if known.low is None or known.high is None:
        return ""
    low, high = sorted((abs(known.low), abs(known.high)))
    return f" by {' to '.join(bounds(low, high))}" if low != high else f" by {number(low)}"


def _between(known: Difference, old: str, new: str) -> str:
    """Return where the difference may lie."""
    if known.same == known.blocks:
        return "both scored the same on all boards so far"
    if known.low is None or known.high is None:
        return f"fewer than {known.least} boards" if known.blocks < known.least else "the boards give no interval"
    worse, better = bounds(max(0.0, -known.low), max(0.0, known.high))
    return f"{new} may be {worse} worse or {better} better than {old} (95 %)"


def _missing(comparison: Comparison, known: Difference) -> str:
    """Return about how many more matches a verdict would take."""
    needed = known.needed(comparison.within)
    if needed is None:
        return "how many more matches a verdict takes can't be estimated"
    more = max(1, needed - comparison.seen.blocks) * comparison.seen.turned
    return f"about {counted(more, 'more match', 'more matches')} of each for a verdict, if they go on like this"


def print_alike(game: str, names: Sequence[str], as_json: bool) -> None:
    """Print that there is nothing to compare: the two bots have the same files."""
    if as_json:
        click.echo(
            json.dumps({"game": game, "bots": [{"name": name} for name in names], "verdict": "same", "matches": 0})
        )
    else:
        text = f"{names[0]} and {names[1]} are the same bot, byte for byte: there is nothing to compare"
        console.print(marked(text))


def print_end(comparison: Comparison, out: Path | None, interrupted: bool, as_json: bool) -> None:
    """Print the result, as a table and in words, or as JSON."""
    scores = comparison.paired()
    if as_json:
        click.echo(json.dumps(_as_json(comparison, scores, interrupted), allow_nan=False))
    elif len(scores):
        show(_table(comparison, scores))
        if comparison.seen.difference is not None:
            console.print(_in_points(comparison.seen.difference))
    for item in comparison.seen.unplayed:
        errors.print(marked(f"match {item.match} could not be played ({item.tries} tries): {item.reason}"))
    if as_json:
        return
    if interrupted:
        errors.print("interrupted")
    console.print(marked(in_words(comparison)), style="bold")
    if out is not None:
        watch = " and ".join(f"{program()} view {shell_word(side.store.folder)}" for side in comparison.sides)
        console.print(marked(f"watch their matches: {watch}"))


def _table(comparison: Comparison, scores: Scores) -> Table:
    """Return both bots as a table, the old one first."""
    contest, seen = comparison.sides[0].contest, comparison.seen
    aggregate = load(contest.game).contest_defaults.aggregate
    title = f"{contest.game} ({contest.ruleset}){trial(contest.turns)}, {aggregate}"
    table = Table(title=title, title_justify="left", caption_justify="left", header_style="bold")
    for name in ("bot", "matches", "score", "more on", "faults"):
        table.add_column(name, justify="left" if name in ("bot", "faults") else "right", overflow="fold")
    known, total = seen.difference, estimates(Blocks.of(scores, aggregate), aggregate)
    more = ("", "") if known is None else (known.fewer, known.more)
    for place, side in enumerate(comparison.sides):
        faults = ", ".join(f"{count} {kind}" for kind, count in _faults(side.store, side.name).items())
        cell = f"[red]{faults}[/]" if faults else "[dim]none[/]"
        table.add_row(marked(side.name), str(len(scores)), number(total[place]), _boards(more[place]), cell)
    return table


def _in_points(known: Difference) -> str:
    """Return the difference, new minus old, and its interval."""
    same = f", the same on {_boards(known.same)}" if known.same else ""
    return f"Difference, new minus old: {number(known.value)} points a match{_range(known)}{same}."


def _boards(count: int | str) -> str:
    return counted(count, "board", "boards") if isinstance(count, int) else count


def _range(known: Difference) -> str:
    if known.low is None or known.high is None:
        return ""
    return f", {' to '.join(bounds(known.low, known.high))} (95 %)"


def _faults(store: Any, bot: str) -> dict[str, int]:
    found: dict[str, int] = store.fault_counts().get(bot, {})
    return found


def _as_json(comparison: Comparison, scores: Scores, interrupted: bool) -> dict[str, Any]:
    """Return the object of `--json`; `bots` are the old and the new one."""
    seen, known, contest = comparison.seen, comparison.seen.difference, comparison.sides[0].contest
    aggregate = load(contest.game).contest_defaults.aggregate
    total = estimates(Blocks.of(scores, aggregate), aggregate).tolist() if len(scores) else [None, None]
    needed = None if known is None or seen.over else known.needed(comparison.within)
    return {
        "game": contest.game,
        "ruleset": contest.ruleset,
        "seed": contest.seed,
        "bots": [
            {"name": side.name, "score": score, "faults": _faults(side.store, side.name)}
            for side, score in zip(comparison.sides, total, strict=True)
        ],
        "rivals": [bot.name for bot in contest.bots[1:]],
        "aggregate": aggregate,
        "matches": len(scores),
        "blocks": seen.blocks,
        "difference": None if known is None else known.as_json(),
        "within": comparison.within,
        "verdict": verdict_of(seen),
        "more_matches": None if needed is None else max(1, needed - seen.blocks) * seen.turned,
        "interrupted": interrupted,
        "unplayed": [{"index": item.match, "reason": visible(item.reason)} for item in seen.unplayed],
        "text": in_words(comparison),
    }
