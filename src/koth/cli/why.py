"""`koth why` and `koth logs`: what a run knows of a bot, for its author."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import click


@click.command("why")
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("bot", required=False)
@click.option("--details", "-d", is_flag=True, help="Each fault with the messages around it.")
@click.option("--match", type=click.IntRange(0), metavar="N", help="Only this match (the first is 0).")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list: the first fault of each kind and match.")
def why_command(run: Path, bot: str | None, details: bool, match: int | None, as_json: bool) -> None:
    """Say why bots failed in the run in the folder RUN: a line per bot and kind of fault.

    With --details, the first fault of each kind: what the bot received and said, the end of its stderr, how
    its process ended, the time it took, and the command that plays this moment again.
    """
    from koth.contest.answers import findings, kinds
    from koth.contest.store import read_run
    from koth.errors import KothError, choices

    names = [entry["name"] for entry in read_run(run)["bots"]]
    if bot is not None and bot not in names:
        raise KothError(f"no bot {bot!r} played in {run}{choices(bot, names)}")
    found = [f for f in findings(run) if bot in (None, f.bot) and match in (None, f.match)]
    if as_json:
        click.echo(json.dumps([finding.as_json() for finding in found]))
    elif not found:
        who = f"{bot} had no fault" if bot else "no bot had a fault"
        click.echo(who if match is None else f"{who} in match {match}")
    elif details:
        for number, line in enumerate(kinds(found)):
            if number:
                click.echo()
            for text in _details(line):
                click.echo(text)
    else:
        for line in kinds(found):
            click.echo(_line(line))
        asked = f" {bot}" if bot else " [BOT]"
        from koth.cli.screen import program

        click.echo(f"\nmore: {program()} why {run}{asked} --details")


def _line(line: Any) -> str:
    """One kind of fault of one bot, in one line."""
    from koth.errors import visible

    first = line.first
    where = f"match {first.match}, {first.when}"
    times = (
        "once" if line.count == 1 else f"{line.count} times in {line.matches} match{'es'[: 2 * (line.matches > 1)]}"
    )
    text = visible(first.text.splitlines()[0] if first.text else "")
    ended = f" ({first.ended})" if first.ended else ""
    return f"{visible(line.bot)}: {line.kind} {times}, first in {where}: {text}{ended}"


def _details(line: Any) -> list[str]:
    """The first fault of one kind in full."""
    from koth.cli.screen import program
    from koth.contest.answers import MEANINGS, readable

    first = line.first
    received, example = _received(first)
    parts = [_line(line), f"  it means: {MEANINGS.get(first.kind, first.kind)}"]
    rest = first.text.splitlines()[1:]
    parts += [f"      {text}" for text in rest]
    parts += text_block("it received", received)
    parts += text_block("it said", readable(first.said) if _is_text(first.said) else "")
    parts += text_block("an answer without a fault", example)
    parts += text_block("the end of its stderr", readable(first.stderr))
    if first.ended:
        parts.append(f"  its process: {first.ended}")
    if first.turn >= 0:
        parts.append(f"  the question took: {first.charged:.3f} s charged, {first.wall:.3f} s by the clock")
    parts.append(f"  play it again: {first.command(program())}")
    return parts


def _is_text(data: bytes) -> bool:
    """Whether this is a message that a person can read (frames are not)."""
    return b"\0" not in data


def _received(finding: Any) -> tuple[str, str]:
    """The message around a fault, whole and readable, and an answer that would have been right."""
    from koth.cli.screen import open_game
    from koth.contest.again import Again, run_of, told
    from koth.contest.answers import SHAPED, author_of, in_words, moment_of, readable
    from koth.errors import KothError
    from koth.replay import Replay

    try:
        replay = Replay(finding.replay)
        again = Again(open_game(replay.header["game"]), replay, finding.bot)
        moment = moment_of(again, finding.turn, finding.kind)
    except KothError as error:
        return readable(finding.asked) + f"\n({error})", ""
    how = told(run_of(finding.replay), finding.bot)
    plain = _is_text(finding.asked) and how.wire != "frames"
    if moment is None:
        return readable(finding.asked) if plain else json.dumps({"hello": again.facts}), ""
    example = ""
    if finding.kind in SHAPED:
        example = author_of(again.game).example(how.wire, moment.number, moment.asks, again.facts)
    return readable(finding.asked) if plain else json.dumps(in_words(again, moment)), example


LINES, WIDTH = 12, 400


def text_block(title: str, text: str) -> list[str]:
    """Some lines of text under a title, the last ones if there are many, none if there is no text."""
    lines = [
        line if len(line) <= WIDTH else f"{line[:WIDTH]} ... ({len(line)} characters)" for line in text.splitlines()
    ]
    if not lines:
        return []
    left_out = [f"      ... ({len(lines) - LINES} lines)"] if len(lines) > LINES else []
    return [f"  {title}:", *left_out, *(f"      {line}" for line in lines[-LINES:])]


# --- logs


@click.command("logs")
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("bot")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="The file (default: RUN/logs/BOT.zip).")
def logs_command(run: Path, bot: str, out: Path | None) -> None:
    """Write what BOT received, answered and printed in every match of RUN into one file for its author.

    Nothing that only its rivals saw is in it.
    """
    from koth.cli.screen import open_game, waiting
    from koth.contest.again import told
    from koth.contest.store import Store, file_name, read_run
    from koth.errors import KothError, choices

    record = read_run(run)
    names = [entry["name"] for entry in record["bots"]]
    if bot not in names:
        raise KothError(f"no bot {bot!r} played in {run}{choices(bot, names)}")
    game = open_game(record["game"])
    store = Store(run)
    try:
        rows = [row for row in store.matches() if bot in row.scores]
    finally:
        store.close()
    target = out or run / "logs" / f"{file_name(bot)}.zip"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with waiting(f"writing {len(rows)} matches"), zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for row in rows:
                for name, data in _log(game, run, row, bot, told(record, bot)):
                    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise KothError(f"{error.filename or target}: {error.strerror}") from None
    click.echo(f"{target}: {len(rows)} match{'es' if len(rows) > 1 else ''} of {bot}")


def _log(game: Any, run: Path, row: Any, bot: str, how: Any) -> Any:
    """The files of one match: its conversation, and what the bot wrote to stderr."""
    from koth.contest.again import Again
    from koth.contest.answers import conversation, findings
    from koth.contest.store import written
    from koth.replay import Replay

    again = Again(game, Replay(run / row.replay), bot)
    stderr = written(run, row.index, bot)
    lines = _with_stderr(conversation(again, how), stderr)
    faults = [
        f"! first {f.kind}, {f.when}: {f.text}{f' ({f.ended})' if f.ended else ''}"
        for f in findings(run)
        if f.match == row.index and f.bot == bot
    ]
    head = [
        f"# {bot} in match {row.index} of {game.name}: seed {row.seed}, {row.turns} turns, score {row.scores[bot]:g}",
        "# '<' what it received, '>' what it answered as the game read it, '!' what was wrong, '|' its stderr",
        *faults,
    ]
    yield f"match-{row.index:04d}.txt", "\n".join([*head, *lines, ""]).encode("utf-8", "backslashreplace")
    if stderr:
        yield f"match-{row.index:04d}-stderr.txt", b"".join(text for _, text in stderr)


def _with_stderr(conversation: Any, stderr: Any) -> Any:
    """The lines of a conversation; after a turn's first question comes what the bot wrote to stderr in that turn."""
    from koth.contest.answers import readable

    rest = [(turn, readable(text).splitlines()) for turn, text in stderr if turn is not None]
    now = -1
    for mark, text in conversation:
        if mark.startswith("# turn "):
            now = int(mark.removeprefix("# turn "))
        yield f"{mark} {text}".rstrip()
        while mark == "<" and rest and rest[0][0] <= now:
            yield from (f"| {line}" for line in rest.pop(0)[1])
