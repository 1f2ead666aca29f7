"""Names and words of strangers in all that commands print of a run: nothing of them acts on a terminal."""

from __future__ import annotations

import ast
import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest
from rich.console import Console
from rich.table import Table

from koth.cli import screen
from koth.contest.reading import PUBLIC
from koth.contest.run_reader import RunReader
from koth.replay.gzip_members import inflate_member, members, write_member
from koth.replay.reader import digest_of
from koth.replay.writer import to_json
from koth.viewer.publish import publish
from tests.cli.program import SMALL, Koth, bot_file

EVIL = "=x|<b>[/][red]`*_&\x1b[31m\u202e\r\n-y"
"""A name that means something to everything that could show it."""
ACTS = ("\x1b", "\u202e", "\r", "[31m\n")

CLUMSY = """
from koth.games.zombies.bot import Move

class Clumsy:
    def do_turn(self, context):
        if context.game_clock == 2:
            raise ValueError("words")
        return Move.values()[(context.game_clock + context.id.number) % 9]
"""
BOT_TABLES = {"entrants": "name", **dict.fromkeys(("scores", "faults", "moments", "timings", "voids"), "bot")}


def renamed(value: Any) -> Any:
    """JSON with another name for the bot."""
    if isinstance(value, dict):
        return {renamed(key): renamed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item) for item in value]
    return EVIL if value == "clumsy" else value


def rename_in(replay: Path) -> str:
    """Rename the bot in a replay; its new digest."""
    data = replay.read_bytes()
    texts = [inflate_member(data[at : at + size]) or b"" for at, size in members(io.BytesIO(data))]
    with open(replay, "w+b") as file:
        for text in texts[:-1]:
            write_member(file, b"".join(to_json(renamed(orjson.loads(line))) for line in text.splitlines()))
        file.seek(0)
        digest = digest_of(file.read())
        write_member(file, texts[-1])
    return digest


@pytest.fixture
def run(koth: Koth, tmp_path: Path) -> Path:
    """A run of strangers, one of whom is called `EVIL`, as are its faults."""
    bot_file(tmp_path, "good")
    bot_file(tmp_path, "clumsy", CLUMSY)
    done = koth("run", "zombies", "good.py", "clumsy.py", *SMALL, "--matches", "2", "--out", "out")
    assert done.code == 0, done.err
    folder = tmp_path / "out"
    record = renamed(json.loads((folder / "run.json").read_text()))
    record["skipped"] = [{"bot": EVIL, "reason": EVIL}]
    (folder / "run.json").write_text(json.dumps(record))
    with closing(sqlite3.connect(folder / "results.sqlite")) as database, database:
        for table, column in BOT_TABLES.items():
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = 'clumsy'", (EVIL,))
        database.execute("UPDATE faults SET text = ?, ended = ?", (EVIL, EVIL))
        database.execute("UPDATE machines SET name = ?", (EVIL,))
        database.execute("INSERT INTO voids VALUES (1, ?, 3)", (EVIL,))
        database.execute("INSERT INTO alarms VALUES (1, ?, ?)", (EVIL, EVIL))
        database.execute("UPDATE matches SET void = 2")
        for match, replay in database.execute('SELECT "match", replay FROM matches').fetchall():
            digest = rename_in(folder / replay)
            database.execute('UPDATE matches SET digest = ? WHERE "match" = ?', (digest, match))
    return folder


COMMANDS = {
    "standings": ["standings", "out"],
    "standings as CSV": ["standings", "out", "--format", "csv"],
    "standings as Markdown": ["standings", "out", "--format", "markdown"],
    "standings as JSON": ["standings", "out", "--format", "json"],
    "why": ["why", "out"],
    "why of it": ["why", "out", EVIL],
    "why in full": ["why", "out", "--details"],
    "why as JSON": ["why", "out", "--json"],
    "why of nobody": ["why", "out", f"{EVIL}?"],
    "verify": ["verify", "out"],
    "verify a replay": ["verify", "out/replays/match-0001.koth.gz"],
    "export": ["export", "out/replays/match-0001.koth.gz"],
    "publish": ["export", "out", "site"],
    "go on": ["resume", "out"],
    "go on without it": ["resume", "out", "--exclude", "=x*"],
    "debug of nobody": ["debug", "out/replays/match-0001.koth.gz", "--bot", f"{EVIL}?"],
}


@pytest.mark.slow
def test_nothing_acts_on_a_terminal(run: Path, koth: Koth) -> None:
    for name, words in COMMANDS.items():
        done = koth(*words)
        assert done.code in (0, 2, 3), (name, done)
        for sign in ACTS:
            assert sign not in done.out, (name, sign)
            assert sign not in done.err, (name, sign)


@pytest.mark.slow
def test_nothing_acts_on_a_spreadsheet(run: Path, koth: Koth, tmp_path: Path) -> None:
    publish(RunReader(run, PUBLIC), tmp_path / "site")
    tables = [koth("standings", "out", "--format", "csv").out]
    tables += [file.read_text() for file in (tmp_path / "site").glob("*.csv")]
    for table in tables:
        assert "'=x" in table
        for row in csv.reader(io.StringIO(table)):
            for cell in row:
                assert cell[:1] not in ("=", "+", "@", "\t", "\r")
                assert not cell.startswith("-") or float(cell) < 0


def test_nothing_acts_on_a_page(run: Path, koth: Koth) -> None:
    from markdown_it import MarkdownIt

    text = koth("standings", "out", "--format", "markdown").out
    made = MarkdownIt("commonmark").enable("table").render(text)
    assert "&lt;b&gt;[/][red]`*_&amp;" in made
    for tag in ("<b>", "<em>", "<code>", "<a "):
        assert tag not in made


def test_commands_can_be_typed_as_they_are_printed(koth: Koth, tmp_path: Path) -> None:
    """Of a run in a folder that is called like an option, and has spaces."""
    bot_file(tmp_path, "clumsy", CLUMSY)
    done = koth("run", "zombies", "-y=clumsy.py", "@runner", *SMALL, "--matches", "2", "--out", "./-a b")
    if done.code == 2:  # bots can't be called so
        done = koth("run", "zombies", "clumsy.py", "@runner", *SMALL, "--matches", "2", "--out", "./-a b")
    assert done.code == 0, done
    assert " view './-a b'" in done.out
    said = koth("why", "./-a b", "--details").out
    assert "debug './-a b/replays/match-0001.koth.gz' --bot" in said


# --- in a terminal


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    out = io.StringIO()
    for name in ("console", "errors"):
        monkeypatch.setattr(screen, name, Console(file=out, force_terminal=True, width=200, color_system=None))
    return out


def test_what_is_being_done_in_a_terminal(terminal: io.StringIO) -> None:
    with screen.waiting(EVIL):
        pass
    doing = screen.Doing()
    doing(EVIL)
    doing.stop()
    assert "[31m" not in terminal.getvalue().replace("\\x1b[31m", "")
    assert "\u202e" not in terminal.getvalue()


def test_a_table_in_a_terminal(terminal: io.StringIO) -> None:
    table = Table(title=screen.escape_markup(EVIL), caption=screen.escape_markup(EVIL))
    table.add_column("bot")
    table.add_row(screen.escape_markup(EVIL))
    screen.print_table(table)
    assert terminal.getvalue().count("=x|<b>[/][red]`*_&\\x1b[31m\\u202e\\r\\n-y") == 3


def test_titles_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.StringIO()
    monkeypatch.setattr(screen, "console", Console(file=out, width=10_000, soft_wrap=True))
    table = Table(title=screen.escape_markup(EVIL), caption=screen.escape_markup("[95 %]"))
    table.add_column("bot")
    table.add_row("x")
    screen.print_table(table)
    first, *_, last = out.getvalue().splitlines()
    assert first == "=x|<b>[/][red]`*_&\\x1b[31m\\u202e\\r\\n-y"
    assert last == "[95 %]"


CLI = Path(screen.__file__).parent
OWN = {"__init__.py", "doctor.py", "pages.py", "screen.py"}
"""Modules that print koth's own texts only, or see to it themselves."""
MADE = ("json.dumps", "file.getvalue", "'\\n'.join(lines)")
"""What is printed as it is: JSON in ASCII, and what is escaped cell by cell."""


def test_all_that_commands_print_goes_one_way() -> None:
    """`screen.echo` for plain text, `escape_markup` in rich's: no module of the command line prints by itself."""
    found = []
    for file in sorted(CLI.glob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call) or file.name in OWN:
                continue
            said = ast.unparse(call.func)
            text = ast.unparse(call.args[0]) if call.args else ""
            if said in ("print", "click.echo", "click.secho", "sys.stdout.write") and not text.startswith(MADE):
                found.append(f"{file.name}: {ast.unparse(call)}")
    assert found == ["terminal.py: print(at_words(f'koth: {visible(text)}', sys.stderr), file=sys.stderr)"]
