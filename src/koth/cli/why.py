"""`koth why`: what a run knows of a bot's faults, for its author."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import click

from koth.cli.bot_log import write_log
from koth.cli.compiling import open_game
from koth.cli.screen import counted, echo, program, text_block, waiting
from koth.contest.preflight import COPIES
from koth.contest.record import read_run, settings_of
from koth.diagnostics.endings import Ending, endings, groups, lines
from koth.diagnostics.explain import example, moment_of, saw
from koth.diagnostics.habits import of_run
from koth.diagnostics.hints import hint_for, without_consequences
from koth.diagnostics.rerun import Rerun, recorded_bot
from koth.diagnostics.why import (
    OF_A_UNIT,
    SHAPED,
    Finding,
    Kind,
    findings,
    kinds,
    own_files,
    readable,
)
from koth.errors import KothError, choices, visible
from koth.escaping import positional, shell_word
from koth.game import FAULT_KINDS
from koth.replay.reader import Replay
from koth.session.faults import ending, with_ending
from koth.viewer.restored import with_frames

SAW = "what it saw"
REMARK, ENDING, LEFT_OUT = "remark", "ending", "left out"
"""The kinds, in JSON, of what is no fault in a match."""


class WhyOptions(TypedDict):
    """Options of `koth why`."""

    details: bool
    bundle: Path | None
    match: int | None
    as_json: bool


def why(run: Path, bot: str | None, options: WhyOptions) -> None:
    """Say why bots failed in the run in the folder `run`: all of them, or one, or in one match.

    With `bundle`, write the one bot's log for its author instead.
    """
    match = options["match"]
    record = read_run(run)
    names = [entry["name"] for entry in record["bots"]]
    left_out = [item for item in record["skipped"] if bot in (None, item["bot"])]
    if bot is not None and bot not in names and (options["bundle"] is not None or not left_out):
        raise KothError(f"no bot {bot!r} played in {run}{choices(bot, names)}")
    if options["bundle"] is not None:
        if bot is None:
            raise KothError(f"--bundle is for one bot: name it{choices('', names)}")
        write_log(run, bot, options["bundle"], match)
        return
    if options["as_json"]:
        found, remarks, (ended, _) = _known(run, bot, match) if bot is None or bot in names else ([], {}, ([], 0))
        parts = [_as_json(record, finding) for finding in found]
        parts += [{"bot": name, "kind": REMARK, "text": text} for name, texts in remarks.items() for text in texts]
        parts += [{"bot": bot, "kind": ENDING, **group.as_json()} for group in groups(ended)]
        parts += [{"bot": item["bot"], "kind": LEFT_OUT, "text": item["reason"]} for item in left_out]
        click.echo(json.dumps(parts))
        return
    for item in left_out:
        name = f"{visible(item['bot'])}: " if item["bot"] else ""
        first, *rest = visible(item["reason"], keep="\n").splitlines() or [""]
        echo(f"{name}left out, and played no match: {first}")
        for line in rest:
            echo(f"    {line}")
    if bot is not None and bot not in names:
        return
    for line in why_lines(run, bot, match, options["details"]):
        echo(line)


def _known(
    run: Path, bot: str | None, match: int | None
) -> tuple[list[Finding], Mapping[str, Sequence[str]], tuple[list[Ending], int]]:
    """Return the faults, what was noticed of bots, and how matches of the one bot ended."""
    found = findings(run, bot, match)
    with waiting("looking at what bots did", plain=False):
        remarks = of_run(run, bot, match)
        return found, remarks, endings(run, bot, match, with_frames) if bot is not None else ([], 0)


def why_lines(run: Path, bot: str | None, match: int | None, details: bool) -> Iterator[str]:
    """Yield the lines that say why bots failed in a run: the faults, what was noticed, how matches ended."""
    found, remarks, (ended, played) = _known(run, bot, match)
    yield from _told(run, bot, match, found, details)
    faulty = {finding.bot for finding in found}
    for name, texts in remarks.items():
        for text in texts:
            yield f"{visible(name)}: {'noticed, too' if name in faulty else 'no fault, but'}: {visible(text)}"
    if ended and not details:
        yield from _told_endings(bot or "", ended, played)


def _told_endings(bot: str, ended: list[Ending], played: int) -> Iterator[str]:
    """Yield in lines how a bot's matches ended, with or without faults."""
    of = f"{len(ended)} of its {played} matches" if len(ended) < played else counted(played, "match", "matches")
    yield f"\nhow {visible(bot)} ended, in {of}:"
    for line in lines(ended, program()):
        yield f"  {line}"


def _as_json(record: dict[str, Any], finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON; without messages for a class, whose author was never sent one."""
    found = finding.as_json()
    if recorded_bot(record, finding.bot).protocol == "frames":
        found |= {"received": "", "said": ""}
    return found


def _told(run: Path, bot: str | None, match: int | None, found: list[Finding], details: bool) -> Iterator[str]:
    """Yield the faults, in a line each or in full."""
    if not found:
        who = f"{bot} had no fault" if bot else "no bot had a fault"
        yield who if match is None else f"{who} in match {match}"
    elif details:
        for number, line in enumerate(_causes(found)):
            if number:
                yield ""
            yield from _details(line)
    else:
        said: set[tuple[str, str]] = set()
        for line in _causes(found):
            yield _line(line)
            remark = _hint(run, line.first)
            if remark and (line.bot, remark) not in said:
                yield f"    {visible(remark)}"
            said.add((line.bot, remark))
        name, where = positional(bot) if bot else "[BOT]", shell_word(run)
        words = f"--details {where} {name}" if name.startswith("-- ") else f"{where} {name} --details"
        yield f"\nmore: {program()} why {words}"


def _causes(found: list[Finding]) -> list[Kind]:
    """Return the kinds of faults, without those of a bot that only follow from others."""
    lines = kinds(found)
    firsts: dict[str, dict[str, int]] = {}
    for line in lines:
        first = line.first
        firsts.setdefault(line.bot, {})[line.kind] = (first.match << 32) + first.turn
    return [line for line in lines if line.kind in without_consequences(firsts[line.bot])]


def _line(line: Kind) -> str:
    """Return a line on one kind of fault of one bot."""
    first = line.first
    where = f"match {first.match}, {first.when}"
    times = "once" if line.count == 1 else f"{line.count} times in {counted(line.matches, 'match', 'matches')}"
    text = with_ending(first.kind, first.text.splitlines()[0] if first.text else "", first.ended)
    return f"{visible(line.bot)}: {line.kind} {times}, first in {where}: {visible(text)}"


def _hint(run: Path, first: Finding) -> str:
    """Return what a faulty message reveals about its bot's mistake."""
    record = read_run(run)
    game = open_game(record["game"])
    how = recorded_bot(record, first.bot)
    return hint_for(game, settings_of(record, game), how.protocol, first.kind, first.said, how.language)


def _details(line: Kind) -> list[str]:
    """Return the lines of the first fault of one kind in full."""
    first = line.first
    around, steps = _around(first)
    run = first.run
    meaning = FAULT_KINDS[first.kind].meaning if first.kind in FAULT_KINDS else first.kind
    parts = [_line(line)]
    parts += [f"  it means: {meaning}"] if first.kind != "crash" else []
    parts += [f"      {text}" for text in first.text.splitlines()[1:]]
    for title, text in around.items():
        parts += text_block(title, text, whole=title == SAW)
    remark = _hint(run, first)
    parts += [f"  {visible(remark)}"] if remark else []
    parts += text_block("the end of its stderr", own_files(readable(first.stderr), _copy(run, first.bot)))
    if end := ending(first.kind, first.text, first.ended):
        parts.append(f"  its process: {end}")
    if first.turn:
        parts.append(f"  the question took: {first.charged:.3f} s charged, {first.wall:.3f} s by the clock")
    if command := first.command(program()):
        parts.append(f"  play it again: {command}{f' --steps {steps}' if steps > 1 else ''}")
    return parts


def _copy(run: Path, bot: str) -> Path:
    """Return the folder from which a run's bot was played."""
    digests: dict[str, str] = {entry["name"]: entry["hash"] for entry in read_run(run)["bots"]}
    return run.absolute() / COPIES / digests.get(bot, "")


def _around(finding: Finding) -> tuple[dict[str, str], int]:
    """Return the texts around a fault by title, and the number of its question within the turn (from 1).

    The author of a class was sent no message: he is shown what his body saw.
    """
    how = recorded_bot(read_run(finding.run), finding.bot)
    is_class = how.protocol == "frames"
    texts = {} if is_class else {"it received": readable(finding.asked), "it said": readable(finding.said)}
    if not finding.replay:
        return texts, 1
    try:
        replay = Replay(finding.run / finding.replay)
        again = Rerun(open_game(replay.header["game"]), replay, finding.bot)
        moment = moment_of(again, finding.turn, finding.kind)
    except KothError as error:
        return {**texts, "it can't be played again": str(error)}, 1
    if moment is None:
        return texts, 1
    if is_class and finding.kind in OF_A_UNIT:
        texts[SAW] = saw(again, moment, finding.kind)
    elif finding.kind in SHAPED:
        texts["an answer without a fault"] = example(again, how, moment)
    first = next(other.number for other in again.moments() if other.turn == moment.turn)
    return texts, moment.number - first + 1
