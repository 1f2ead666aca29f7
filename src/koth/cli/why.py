"""`koth why`: the reasons why bots failed in a contest, for their authors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from koth.cli.compiling import open_game
from koth.cli.screen import counted, echo, print_json, program, text_block, waiting
from koth.contest.reading import MatchReader, RecordedFault
from koth.diagnostics.endings import groups, lines
from koth.diagnostics.why import Kind, command, when
from koth.diagnostics.why import as_json as fault_json
from koth.errors import KothError, choices, visible
from koth.escaping import positional, shell_word
from koth.game import FAULT_KINDS
from koth.hill.opening import open_matches
from koth.services.log import write_log
from koth.services.why import Cause, LeftOut, WhyReport, details, is_class, why
from koth.session.faults import ending, with_ending

SAW = "what it saw"
REMARK, ENDING, LEFT_OUT = "remark", "ending", "left out"
"""The kinds, in JSON, of what is no fault in a match."""


def print_why(run: str, bot: str | None, match: int | None, in_full: bool, as_json: bool) -> None:
    """Say why bots failed in the contest that `run` names: all of them, or one, or in one match."""
    with open_matches(run) as reader:
        open_game(reader.plan()["game"])
        with waiting("looking at what bots did", plain=False):
            report = why(reader, bot, match)
        if as_json:
            print_json(_json(reader, report))
            return
        for line in why_lines(reader, report, in_full):
            echo(line)
        if report.faults and not in_full:
            echo(f"\nmore: {program()} why {_in_full(report)}")


def _in_full(report: WhyReport) -> str:
    """Return the words after `koth why` that show the faults in full."""
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


def _json(reader: MatchReader, report: WhyReport) -> list[dict[str, Any]]:
    """Return a report as JSON; without messages for a class, whose author was never sent one."""
    parts = [
        fault_json(fault) | ({"received": "", "said": ""} if is_class(reader, fault.bot) else {})
        for fault in report.faults
    ]
    remarks = (report.remarks or {}).items()
    parts += [{"bot": name, "kind": REMARK, "text": text} for name, texts in remarks for text in texts]
    parts += [{"bot": report.bot, "kind": ENDING, **group.as_json()} for group in groups(report.endings)]
    parts += [{"bot": item.bot, "kind": LEFT_OUT, "text": item.reason} for item in report.left_out]
    return parts


def why_lines(reader: MatchReader, report: WhyReport, in_full: bool) -> Iterator[str]:
    """Yield the lines that say why bots failed: left out, faults, what was noticed, how matches ended."""
    for item in report.left_out:
        yield from _left_out(item)
    if not report.is_entrant:
        return
    yield from _faults(reader, report, in_full)
    faulty = {fault.bot for fault in report.faults}
    for name, texts in (report.remarks or {}).items():
        for text in texts:
            yield f"{visible(name)}: {'noticed, too' if name in faulty else 'no fault, but'}: {visible(text)}"
    if report.endings and not in_full:
        yield from _endings(report)


def _left_out(item: LeftOut) -> Iterator[str]:
    name = f"{visible(item.bot)}: " if item.bot else ""
    first, *rest = visible(item.reason, keep="\n").splitlines() or [""]
    yield f"{name}left out, and played no match: {first}"
    for line in rest:
        yield f"    {line}"


def _endings(report: WhyReport) -> Iterator[str]:
    """Yield in lines how a bot's matches ended, with or without faults, as far as frames and events show it."""
    found = lines(report.endings, program())
    if not found:
        return
    seen, played = len(report.endings), report.played
    of = f"{seen} of its {played} matches" if seen < played else counted(played, "match", "matches")
    yield f"\nhow {visible(report.bot or '')} ended, in {of}:"
    for line in found:
        yield f"  {line}"


def _faults(reader: MatchReader, report: WhyReport, in_full: bool) -> Iterator[str]:
    """Yield the faults, in a line each or in full."""
    if not report.faults:
        subject = f"{report.bot} had no fault" if report.bot else "no bot had a fault"
        yield subject if report.match is None else f"{subject} in match {report.match}"
        return
    if in_full:
        for number, cause in enumerate(report.causes):
            yield from [""] if number else []
            yield from _details(reader, cause)
        return
    said: set[tuple[str, str]] = set()
    for cause in report.causes:
        yield _line(cause.kind)
        if cause.hint and (cause.kind.bot, cause.hint) not in said:
            yield f"    {visible(cause.hint)}"
        said.add((cause.kind.bot, cause.hint))


def _line(line: Kind) -> str:
    """Return a line on one kind of fault of one bot."""
    first = line.first
    where = f"match {first.match}, {when(first)}"
    times = "once" if line.count == 1 else f"{line.count} times in {counted(line.matches, 'match', 'matches')}"
    return f"{visible(line.bot)}: {line.kind} {times}, first in {where}: {visible(_text(first))}"


def _text(fault: RecordedFault) -> str:
    """Return the first line of a fault's text; what the kind means where the text is not shown."""
    text = fault.text.splitlines()[0] if fault.text else ""
    return with_ending(fault.kind, text, fault.ended) or _meaning(fault.kind)


def _meaning(kind: str) -> str:
    return FAULT_KINDS[kind].meaning if kind in FAULT_KINDS else kind


def _details(reader: MatchReader, cause: Cause) -> list[str]:
    """Return the lines of the first fault of one kind in full."""
    first, found = cause.kind.first, details(reader, cause)
    parts = [_line(cause.kind)]
    parts += [f"  it means: {_meaning(first.kind)}"] if first.kind != "crash" else []
    parts += [f"      {text}" for text in first.text.splitlines()[1:]]
    for title, text in found.around.items():
        parts += text_block(title, text)
    parts += text_block(SAW, found.sight, whole=True)
    parts += [f"  {visible(cause.hint)}"] if cause.hint else []
    parts += text_block("the end of its stderr", found.stderr)
    if end := ending(first.kind, first.text, first.ended):
        parts.append(f"  its process: {end}")
    if first.turn:
        parts.append(f"  the question took: {first.charged:.3f} s charged, {first.wall:.3f} s by the clock")
    if again := command(first, program()):
        parts.append(f"  play it again: {again}{f' --steps {found.steps}' if found.steps > 1 else ''}")
    return parts
