"""The site of documents: `make docs` builds it in `build/site`; a warning ends the build.

The pages are those of `docs/`, the rules of the games, and a reference made here: every command by its help, every
message by the games' schemas, the Python API by its docstrings. `docs/index.md` gets a match that plays in the page.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from koth.cli import cli
from koth.games import GAMES, load
from koth.protocol.schema import game_schema
from koth.services.guide import make_messages

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "build/docs"
SITE = ROOT / "build/site"
"""Where zensical.toml has both."""
RULES = re.compile(r"\]\(\.\./packages/koth/src/koth/games/(\w+)/RULES\.md")
REPLAY = (
    '<iframe src="replay.html" title="A match of Pac-Man" allow="fullscreen" '
    'style="width: 100%; height: min(34rem, 90vh); border: 0"></iframe>'
)

API = {
    "Contests": ("koth.api", "koth.services.options", "koth.services.results",
                 "koth.services.comparisons.BotComparison", "koth.services.checks.BotCheck"),
    "Learning": ("koth_learn", "koth_learn.environment.Environment", "koth_learn.gym", "koth_learn.sb3",
                 "koth_learn.zoo", *(f"koth.games.{name}.learn.Encoding" for name in GAMES)),
    "Plain games": ("koth.plain.Match", "koth.plain.PlainGame", "koth.plain.Dice"),
    "Games": ("koth.game.Game", "koth.games.defaults.Defaults", "koth.question.Question", "koth.question.Field",
              "koth.question.Observations", "koth.question.Answers", "koth.game.Constants",
              "koth.game.ContestDefaults", "koth.game.TimeControl", "koth.frame.FrameSpec", "koth.frame.Units",
              "koth.events.Event", "koth.buffers.Buffers", "koth.kernel", "koth.grid", "koth.engine.batch.Batch"),
    "Messages and Python APIs of a game's own": ("koth.protocol.bot_protocol", "koth.adapter.kit"),
    "Testing a game": ("koth.testing", "koth.testing.cases", "koth.testing.laws", "koth.testing.policies"),
}  # fmt: skip
"""What the reference of the Python API holds, by section."""


def commands(group: click.Group, path: str, depth: int) -> Iterator[str]:
    """Yield each command of a group as Markdown: its heading, and the help that it prints."""
    for name, command in group.commands.items():
        words = f"{path} {name}"
        context = click.Context(command, info_name=words, terminal_width=100, max_content_width=100)
        yield f"{'#' * depth} {words}\n\n```text\n{command.get_help(context)}\n```\n"
        if isinstance(command, click.Group):
            yield from commands(command, words, depth + 1)


def messages(name: str) -> str:
    """Return the page about the messages of a game, by its first ruleset; write their schema for programs."""
    game = load(name)
    schema = game_schema(game, next(iter(game.rulesets.values())), None)
    (PAGES / "reference/schemas" / f"{name}.json").write_text(json.dumps(schema, indent=1), encoding="utf-8")
    return f"{make_messages(game)}\n[JSON Schema](schemas/{name}.json)\n"


def write_pages() -> None:
    """Write all pages of the site as Markdown."""
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES)
    (PAGES / "reference/schemas").mkdir(parents=True)
    for page in PAGES.glob("*.md"):
        text = RULES.sub(r"](rules-\1.md", page.read_text(encoding="utf-8"))
        page.write_text(text.replace("<!-- replay -->", REPLAY), encoding="utf-8")
    for name in GAMES:
        shutil.copyfile(ROOT / "packages/koth/src/koth/games" / name / "RULES.md", PAGES / f"rules-{name}.md")
        (PAGES / f"reference/messages-{name}.md").write_text(messages(name), encoding="utf-8")
    text = [
        "# All commands\n",
        "[Commands and exit codes](../commands.md) says which command is for whom, and what each exit code means.\n",
    ]
    text += commands(cli, "koth", 2)
    (PAGES / "reference/commands.md").write_text("\n".join(text), encoding="utf-8")
    api = ["# The Python API\n"]
    for title, names in API.items():
        api += [f"## {title}\n", *(f"::: {name}\n" for name in names)]
    (PAGES / "reference/api.md").write_text("\n".join(api), encoding="utf-8")


def write_replay() -> None:
    """Play a match of the samples, and put it beside the pages as one that plays anywhere."""
    run = ROOT / "build/run"
    shutil.rmtree(run, ignore_errors=True)
    bots = ("@mastermind", "@cautious", "@greedy", "@hunter")
    koth = [sys.executable, "-m", "koth"]
    play = [*koth, "run", "pacman", *bots, "--matches", "1", "--seed", "11", "--out", str(run)]
    subprocess.run(play, check=True, stdout=subprocess.DEVNULL)
    (replay,) = (run / "replays").iterdir()
    export = [*koth, "export", str(replay), str(PAGES / "replay.html")]
    subprocess.run(export, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Write the pages and build the site of them; where a page has a warning, exit with 1."""
    write_pages()
    write_replay()
    words = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", str(ROOT / "zensical.toml")]
    if subprocess.run(words, check=False, cwd=ROOT).returncode:
        sys.exit(1)
    print(f"{SITE / 'index.html'}")


if __name__ == "__main__":
    main()
