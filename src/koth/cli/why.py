"""`koth why`: what a run knows of a bot's faults, for its author."""

from __future__ import annotations

import json
from pathlib import Path

import click

from koth.answers.again import Again, run_of, told
from koth.answers.habits import of_run
from koth.answers.misread import misread
from koth.answers.why import (
    MEANINGS,
    SHAPED,
    Finding,
    Kind,
    example,
    findings,
    in_words,
    kinds,
    moment_of,
    readable,
)
from koth.cli.screen import counted, open_game, program, text_block, waiting
from koth.contest.record import read_run, settings_of
from koth.errors import KothError, choices, visible
from koth.replay import Replay

REMARK = "remark"
"""The kind, in JSON, of what is no fault."""


def why(run: Path, bot: str | None, details: bool, match: int | None, as_json: bool) -> None:
    """Say why bots failed in the run in the folder `run`: all of them, or one, or in one match."""
    names = [entry["name"] for entry in read_run(run)["bots"]]
    if bot is not None and bot not in names:
        raise KothError(f"no bot {bot!r} played in {run}{choices(bot, names)}")
    found = findings(run, bot, match)
    with waiting("looking at what bots did", plain=False):
        remarks = of_run(run, bot, match)
    if as_json:
        told = [finding.as_json() for finding in found]
        told += [{"bot": name, "kind": REMARK, "text": text} for name, texts in remarks.items() for text in texts]
        click.echo(json.dumps(told))
        return
    _tell(run, bot, match, found, details)
    for name, texts in remarks.items():
        for text in texts:
            click.echo(f"{visible(name)}: no fault, but {visible(text)}")


def _tell(run: Path, bot: str | None, match: int | None, found: list[Finding], details: bool) -> None:
    """The faults, in a line or in full."""
    if not found:
        who = f"{bot} had no fault" if bot else "no bot had a fault"
        click.echo(who if match is None else f"{who} in match {match}")
    elif details:
        for number, line in enumerate(kinds(found)):
            if number:
                click.echo()
            for text in _details(line):
                click.echo(text)
    else:
        said: set[tuple[str, str]] = set()
        for line in kinds(found):
            click.echo(_line(line))
            remark = _misread(run, line.first)
            if remark and (line.bot, remark) not in said:
                click.echo(f"    {visible(remark)}")
            said.add((line.bot, remark))
        asked = f" {bot}" if bot else " [BOT]"
        click.echo(f"\nmore: {program()} why {run}{asked} --details")


def _line(line: Kind) -> str:
    """One kind of fault of one bot, in one line."""
    first = line.first
    where = f"match {first.match}, {first.when}"
    times = "once" if line.count == 1 else f"{line.count} times in {counted(line.matches, 'match', 'matches')}"
    text = visible(first.text.splitlines()[0] if first.text else "")
    ended = f" ({first.ended})" if first.ended else ""
    return f"{visible(line.bot)}: {line.kind} {times}, first in {where}: {text}{ended}"


def _misread(run: Path, first: Finding) -> str:
    """What a message that was a fault tells of what its bot believes."""
    record = read_run(run)
    game = open_game(record["game"])
    return misread(game, settings_of(record, game), told(record, first.bot).wire, first.kind, first.said)


def _details(line: Kind) -> list[str]:
    """The first fault of one kind in full."""
    first = line.first
    received, example, steps = _received(first)
    parts = [_line(line), f"  it means: {MEANINGS.get(first.kind, first.kind)}"]
    rest = first.text.splitlines()[1:]
    parts += [f"      {text}" for text in rest]
    parts += text_block("it received", received)
    parts += text_block("it said", readable(first.said) if _is_text(first.said) else "")
    parts += text_block("an answer without a fault", example)
    remark = _misread(first.replay.parent.parent, first)
    parts += [f"  {visible(remark)}"] if remark else []
    parts += text_block("the end of its stderr", readable(first.stderr))
    if first.ended:
        parts.append(f"  its process: {first.ended}")
    if first.turn >= 0:
        parts.append(f"  the question took: {first.charged:.3f} s charged, {first.wall:.3f} s by the clock")
    parts.append(f"  play it again: {first.command(program())}{f' --steps {steps}' if steps > 1 else ''}")
    return parts


def _is_text(data: bytes) -> bool:
    """Whether this is a message that a person can read (frames are not)."""
    return b"\0" not in data


def _received(finding: Finding) -> tuple[str, str, int]:
    """The message around a fault, readable; a right answer; which of its questions of that turn it was (from 1)."""
    try:
        replay = Replay(finding.replay)
        again = Again(open_game(replay.header["game"]), replay, finding.bot)
        moment = moment_of(again, finding.turn, finding.kind)
    except KothError as error:
        return readable(finding.asked) + f"\n({error})", "", 1
    how = told(run_of(finding.replay), finding.bot)
    plain = _is_text(finding.asked) and how.wire != "frames"
    if moment is None:
        return readable(finding.asked) if plain else json.dumps({"hello": again.facts}), "", 1
    right = ""
    if finding.kind in SHAPED:
        right = example(again, how.wire, moment)
    received = readable(finding.asked) if plain else json.dumps(in_words(again, moment))
    first = next(other.number for other in again.moments() if other.turn == moment.turn)
    return received, right, moment.number - first + 1
