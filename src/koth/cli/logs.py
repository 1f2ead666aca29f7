"""`koth logs`: what a bot received, answered and printed, in one file for its author."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import orjson

from koth.cli.screen import counted, open_game, waiting
from koth.contest.again import Again, Told, told
from koth.contest.answers import conversation, findings, readable
from koth.contest.practice import COPIES
from koth.contest.private import file_name, noted, written
from koth.contest.record import read_run
from koth.contest.results import MatchRow
from koth.contest.store import Store
from koth.errors import KothError, choices
from koth.game import Game
from koth.plain import check_no_links
from koth.replay import Replay


def logs(run: Path, bot: str, out: Path | None) -> None:
    """Write what the bot had in every match of the run to `out`, or beside the run's replays."""
    record = read_run(run)
    names = [entry["name"] for entry in record["bots"]]
    if bot not in names:
        raise KothError(f"no bot {bot!r} played in {run}{choices(bot, names)}")
    check_no_links(run, apart=COPIES)
    game = open_game(record["game"])
    store = Store(run, read_only=True)
    try:
        rows = [row for row in store.matches() if bot in row.scores]
    finally:
        store.close()
    matches = counted(len(rows), "match", "matches")
    target = out or run / "logs" / f"{file_name(bot)}.zip"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with waiting(f"writing {matches}"), zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for row in rows:
                for name, data in _log(game, run, row, bot, told(record, bot)):
                    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise KothError(f"{error.filename or target}: {error.strerror}") from None
    click.echo(f"{target}: {matches} of {bot}")


def _log(game: Game, run: Path, row: MatchRow, bot: str, how: Told) -> Iterator[tuple[str, bytes]]:
    """The files of one match: its conversation, what the bot noted, and what it wrote to stderr."""
    if not row.replay:
        raise KothError(f"{run}: it was run with --replays none: nobody knows what its bots were asked")
    again = Again(game, Replay(run / row.replay), bot)
    stderr = written(run, row.index, bot)
    lines = _with_stderr(conversation(again, how), stderr)
    faults = [
        f"! first {f.kind}, {f.when}: {f.text}{f' ({f.ended})' if f.ended else ''}"
        for f in findings(run, bot, row.index)
    ]
    head = [
        f"# {bot} in match {row.index} of {game.name}: {row.turns} turns, score {row.scores[bot]:g}",
        "# '<' what it received, '>' what it answered as the game read it, '!' what was wrong, '|' its stderr",
        *faults,
    ]
    yield f"match-{row.index:04d}.txt", "\n".join([*head, *lines, ""]).encode("utf-8", "backslashreplace")
    notes = noted(run, row.index, bot)
    if notes:
        yield f"match-{row.index:04d}-notes.jsonl", b"".join(orjson.dumps(note) + b"\n" for note in notes)
    if stderr:
        yield f"match-{row.index:04d}-stderr.txt", b"".join(text for _, text in stderr)


def _with_stderr(talk: Iterable[tuple[str, str]], stderr: Iterable[tuple[int | None, bytes]]) -> Iterator[str]:
    """The lines of a conversation; after a turn's first question comes what the bot wrote to stderr in that turn."""
    rest = [(turn, readable(text).splitlines()) for turn, text in stderr if turn is not None]
    now = -1
    for mark, text in talk:
        if mark.startswith("# turn "):
            now = int(mark.removeprefix("# turn "))
        yield f"{mark} {text}".rstrip()
        while mark == "<" and rest and rest[0][0] <= now:
            yield from (f"| {line}" for line in rest.pop(0)[1])
