"""A game's pages for authors of bots: the rules, and a guide, made from the game's declaration if missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import koth
from koth.discovery.samples import find_sample, read_summary, sample_names
from koth.errors import KothError
from koth.game import Game
from koth.games import GAMES, home, load
from koth.protocol.schema import examples_of, game_schema, match_info_rows, messages_of, rows_of
from koth.services.talk import talk_of

DOCS = Path(koth.__file__).parent / "docs"
"""The folder of the documents; in the repository it is a link to `docs`."""
RULES, GUIDE = "RULES.md", "GUIDE.md"
"""Files in a game's folder: the rules, and the page for authors."""


def rules_of(game: str) -> str:
    """Return a game's rules. Raises KothError if the game's package has no rules."""
    load(game)
    file = home(game).folder / RULES
    if not file.is_file():
        raise KothError(f"{game} has no {RULES} in {file.parent}")
    return file.read_text(encoding="utf-8")


def guide_of(game: str) -> str:
    """Return a game's page on writing a bot. Raises KothError."""
    own = DOCS / f"{game}.md" if game in GAMES else home(game).folder / GUIDE
    return own.read_text(encoding="utf-8") if own.is_file() else make_guide(load(game))


def page_of(game: str) -> str:
    """Return the name of a game's guide: the game's name, or GAME/GUIDE if a page about koth has that name."""
    is_taken = game not in GAMES and (DOCS / f"{game}.md").is_file()
    return f"{game}/{Path(GUIDE).stem}" if is_taken else game


def make_guide(game: Game) -> str:
    """Return a page for authors, with first steps, all messages, and the samples."""
    ruleset, settings = next(iter(game.rulesets.items()))
    seats = game.contest_defaults.seats or game.seats.start
    schema = game_schema(game, settings, seats)
    bots = " ".join(["my_bot", *(f"@{name}" for name in game.default_entrants[:1])])
    lines = [
        f"# Write a bot for {game.title}",
        "",
        f"`koth docs {game.name}/rules` shows the rules. This page is made from what the game declares: its JSON",
        f"lines in a match of {seats} by the rules {ruleset}. `koth docs {game.name}/messages` shows all of",
        "them, from the first to the last. A bot in Python is a class `Bot` whose `act(self, obs)` is shown the same",
        "as attributes, and returns the answer (`koth docs python`).",
        "",
        "```sh",
        f"koth new {game.name} my_bot",
        f"koth check my_bot --game {game.name}",
        f"koth run {game.name} {bots} --matches 1 --out first",
        "koth view first",
        "```",
        "",
        "## The first message",
        "",
        *table(("key", "values", "meaning"), match_info_rows(schema)),
    ]
    for name, question, example in examples_of(game, settings, seats):
        lines += ["", f"## {name}: {question.doc}", ""]
        lines += table(("", "key", "values", "meaning"), rows_of(schema, name))
        answer = json.dumps({"ask": 1, **example}, separators=(",", ":"))
        lines += ["", "An answer without a fault, to the first question of a match:", "", "```json", answer, "```"]
    lines += ["", "## Samples", ""]
    names = sample_names(game.name)
    lines += table(
        ("bot", "idea"), [(f"@{name}", read_summary(game.name, find_sample(game.name, name))) for name in names]
    )
    return "\n".join([*lines, ""])


def make_messages(game: Game) -> str:
    """Return a page with all messages between koth and a bot, from the first to the last, by the first ruleset."""
    ruleset, settings = next(iter(game.rulesets.items()))
    lines = [
        f"# Messages of {game.name}",
        "",
        f"The JSON lines between koth and a bot by the rules `{ruleset}`, from the first to the last. `koth docs",
        f"{game.name}/messages --json` prints a JSON Schema of them, `koth docs {game.name}` shows them in use.",
    ]
    for message in messages_of(game_schema(game, settings, None)):
        lines += [
            "",
            f"## {message.name}",
            "",
            f"From {'the bot' if message.by_bot else 'koth'}: {message.meaning}",
            "",
        ]
        lines += table(("key", "values", "meaning"), message.rows)
    for name in game.protocols:
        seats = game.contest_defaults.seats or game.seats.start
        talk = [] if name == "json" else list(talk_of(game, ruleset, settings, seats, name))
        if talk:
            lines += [
                "",
                f"## The protocol {name}",
                "",
                "The same messages in an example, those of the bot after `<`:",
                "",
                "```text",
            ]
            lines += [f"{'< ' if said.by_bot else ''}{line}" for said in talk for line in said.text.splitlines()]
            lines += ["```"]
    return "\n".join([*lines, ""])


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table, a line for each row."""
    return [_row(columns), _row(["---"] * len(columns)), *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
