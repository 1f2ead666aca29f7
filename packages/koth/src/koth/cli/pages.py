"""`koth docs`: the documents of koth, and the rules of games, read in the terminal, without a network."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
from rich.markdown import Markdown

from koth.cli.compiling import open_game
from koth.cli.screen import console, make_table, print_table, program
from koth.errors import KothError, choices
from koth.games import GAMES, home, load, playable
from koth.protocol.schema import game_schema
from koth.services.guide import DOCS, guide_of, make_messages, page_of, rules_of

SECTIONS = {
    "Start": "index api",
    "Play": "watching playing",
    "Write a bot": " ".join([*(f"{game} tutorial-{game}" for game in GAMES), "python jvm misbehaving comparing"]),
    "Host a contest": "host bring-in-a-contest old-bots clocks isolation isolation-in-detail standings error-rates "
    "clusters",
    "Host a hill": "hill site site-limits class deploy",
    "Learn": "learning studies",
    "Add a game": "plain-games new-game draw-js build-on-koth",
    "How it works": "how-it-works performance",
    "Reference": "commands",
}
"""The pages by section, in the order of zensical.toml."""
RULEBOOK, MESSAGES = "rules", "messages"
"""The words that name a game's rules and its messages: `koth docs GAME/rules`."""
LINK = re.compile(r"\[([^\]]*)\]\((?:[^()\s]*?/)?([\w-]+)(?:/RULES)?\.md(?:#[^()\s]*)?\)")
PICTURE = re.compile(r"!\[[^\]]*\]\([^()\s]+\)\n*")
WIDTH = 100
"""The number of columns of a page on a wide screen."""


def docs(page: str | None, as_json: bool) -> None:
    """Show a page, GAME/rules, GAME/messages, or the list of pages. Raises KothError."""
    pages = {name: DOCS / f"{name}.md" for names in SECTIONS.values() for name in names.split()}
    elsewhere = {page_of(game): game for game in playable() if game not in GAMES}
    if page is None:
        listed = {
            section: [(name, title(pages[name])) for name in names.split()] for section, names in SECTIONS.items()
        }
        listed["Games"] = [
            *((name, f"Write a bot for {game}, a game of {home(game).package}") for name, game in elsewhere.items()),
            (f"GAME/{RULEBOOK}", f"The numbered rules of a game: {', '.join(playable())}"),
            (f"GAME/{MESSAGES}", "All messages between koth and a bot of a game"),
        ]
        rows = [("" if at else section, *row) for section, found in listed.items() for at, row in enumerate(found)]
        print_table(make_table(("", "page", "about"), rows, caption=f"{program()} docs PAGE shows a page"))
        return
    name = page.removesuffix(".md")
    game, _, what = name.rpartition("/")
    if as_json and what != MESSAGES:
        raise KothError(f"only the page GAME/{MESSAGES} has a form for programs: leave out --json")
    if game in playable() and what == MESSAGES:
        if as_json:
            loaded = load(game)
            click.echo(json.dumps(game_schema(loaded, next(iter(loaded.rulesets.values())), None), indent=2))
        else:
            _print_page(make_messages(open_game(game)))
    elif game in playable() and what == RULEBOOK:
        _print_page(rules_of(game))
    elif name in pages:
        _print_page(pages[name].read_text(encoding="utf-8"))
    elif name in elsewhere:
        _print_page(guide_of(elsewhere[name]))
    else:
        of_games = [f"{game}/{what}" for game in playable() for what in (RULEBOOK, MESSAGES)]
        raise KothError(f"there is no page {page!r}{choices(name, [*pages, *elsewhere, *of_games])}")


def title(file: Path) -> str:
    """Return the first heading of a page."""
    first, _, _ = file.read_text(encoding="utf-8").partition("\n")
    return first.removeprefix("# ")


def _print_page(text: str) -> None:
    """Print a page: formatted and in a pager in a terminal, as plain Markdown elsewhere."""
    if not console.is_terminal:
        click.echo(text, nl=False)
        return
    with console.capture() as captured:
        console.print(Markdown(strip_links(text), hyperlinks=False), width=min(console.width, WIDTH), soft_wrap=False)
    page = captured.get()
    if page.count("\n") < console.height:
        click.echo(page, nl=False)
    else:
        click.echo_via_pager(page)


def strip_links(text: str) -> str:
    """Return the page without pictures; links to other pages become the commands that show them."""

    def command(link: re.Match[str]) -> str:
        page = f"{link[2]}/{RULEBOOK}" if "/RULES.md" in link[0] else link[2]
        return f"{link[1]} (`koth docs {page}`)"

    return LINK.sub(command, PICTURE.sub("", text))
