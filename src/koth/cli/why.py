"""`koth why`: the reasons why bots failed in a contest, for their authors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from koth.cli.compiling import open_game
from koth.cli.screen import counted, echo, print_json, program, text_block, waiting
from koth.contest.reading import MatchReader
from koth.diagnostics.endings import group_endings
from koth.diagnostics.why import debug_command, fault_json
from koth.errors import KothError, choices, visible
from koth.escaping import positional, shell_word
from koth.hill.opening import open_matches
from koth.services.log import write_log
from koth.services.why import Cause, WhyReport, explain_faults, find_details, is_class
from koth.session.faults import ending
from koth.viewer.contest import meaning_of

SAW = "what it saw"
REMARK, ENDING, LEFT_OUT = "remark", "ending", "left out"
"""The kinds, in JSON, of entries that are not faults in a match."""


def print_why(run: str, bot: str | None, match: int | None, whole: bool, as_json: bool) -> None:
    """Print why bots failed in the contest that `run` names: all bots, or one, or in one match."""
    with open_matches(run) as reader:
        open_game(reader.plan()["game"])
        with waiting("looking at what bots did", plain=False):
            report = explain_faults(reader, bot, match)
        if as_json:
            print_json(_report_json(reader, report))
            return
        for line in report.lines(partial(detail_lines, reader) if whole else None, program()):
            echo(line)
        if report.faults and not whole:
            echo(f"\nmore: {program()} why {_details_words(report)}")


def _details_words(report: WhyReport) -> str:
    """Return the words to type after `koth why` to see the faults in full."""
    name, where = positional(report.bot) if report.bot else "[BOT]", shell_word(report.where)
    return f"--details {where} {name}" if name.startswith("-- ") else f"{where} {name} --details"


def print_log(run: str, bot: str | None, out: Path, match: int | None) -> None:
    """Write the log of one bot for its author. Raises KothError."""
    with open_matches(run) as reader:
        names = [entry["name"] for entry in reader.plan()["bots"]]
        if bot is None:
            raise KothError(f"--bundle is for one bot: name it{choices('', names)}")
        if bot not in names:
            raise KothError(f"no bot {bot!r} played in {reader.where}{choices(bot, names)}")
        open_game(reader.plan()["game"])
        with waiting("writing", plain=False) as doing:
            count = write_log(
                reader,
                bot,
                out,
                match,
                lambda number, done, total: doing(f"writing: match {number} ({done + 1} of {total})"),
            )
    echo(f"{out}: {counted(count, 'match', 'matches')} of {bot}")


def _report_json(reader: MatchReader, report: WhyReport) -> list[dict[str, Any]]:
    """Return a report as JSON; without messages for class bots, whose authors do not see the protocol."""
    parts = [
        fault_json(fault) | ({"received": "", "said": ""} if is_class(reader, fault.bot) else {})
        for fault in report.faults
    ]
    remarks = (report.remarks or {}).items()
    parts += [{"bot": name, "kind": REMARK, "text": text} for name, texts in remarks for text in texts]
    parts += [{"bot": report.bot, "kind": ENDING, **group.as_json()} for group in group_endings(report.endings)]
    parts += [{"bot": item.bot, "kind": LEFT_OUT, "text": item.reason} for item in report.left_out]
    return parts


def detail_lines(reader: MatchReader, cause: Cause) -> Iterator[str]:
    """Yield lines on the first fault of one kind: the messages around it, and the command that plays it again."""
    first, found = cause.kind.first, find_details(reader, cause)
    if first.kind != "crash":
        yield f"  it means: {meaning_of(first.kind)}"
    yield from (f"      {visible(text)}" for text in first.text.splitlines()[1:])
    for title, text in found.around.items():
        yield from text_block(title, text)
    yield from text_block(SAW, found.sight, whole=True)
    yield from [f"  {visible(cause.hint)}"] if cause.hint else []
    yield from text_block("the end of its stderr", found.stderr)
    if end := ending(first.kind, first.text, first.ended):
        yield f"  its process: {end}"
    if first.turn:
        yield f"  the question took: {first.charged:.3f} s charged, {first.wall:.3f} s by the clock"
    if again := debug_command(first, program()):
        yield f"  play it again: {again}{f' --steps {found.steps}' if found.steps > 1 else ''}"
