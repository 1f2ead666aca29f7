"""`koth docs`: the documents of koth, and the rules of games, read in the terminal, without a network."""

from __future__ import annotations

import re
from pathlib import Path

import click
from rich.markdown import Markdown

from koth.cli.screen import console, make_table, print_table, program
from koth.errors import KothError, choices
from koth.games import GAMES, home, playable
from koth.services.guide import DOCS, guide_of, page_of, rules_of

RULEBOOK = "rules"
"""The word that names a game's rules: `koth docs GAME/rules`."""
LINK = re.compile(r"\[([^\]]*)\]\((?:[^()\s]*?/)?([\w-]+)(?:/RULES)?\.md(?:#[^()\s]*)?\)")
PICTURE = re.compile(r"!\[[^\]]*\]\([^()\s]+\)\n*")
WIDTH = 100
"""The number of columns of a page on a wide screen."""


def docs(page: str | None) -> None:
    """Show a page, GAME/rules, or the list of pages. Raises KothError."""
    pages = {file.stem: file for file in sorted(DOCS.glob("*.md"))}
    elsewhere = {page_of(game): game for game in playable() if game not in GAMES}
    if page is None:
        rows = [(name, title(file)) for name, file in pages.items()]
        rows += [
            (name, f"Write a bot for {game}, a game of {home(game).package}") for name, game in elsewhere.items()
        ]
        rows.append((f"GAME/{RULEBOOK}", f"The numbered rules of a game: {', '.join(playable())}"))
        print_table(make_table(("page", "about"), rows, caption=f"{program()} docs PAGE shows a page"))
        return
    name = page.removesuffix(".md")
    game, _, what = name.rpartition("/")
    if game in playable() and what == RULEBOOK:
        _print_page(rules_of(game))
    elif name in pages:
        _print_page(pages[name].read_text(encoding="utf-8"))
    elif name in elsewhere:
        _print_page(guide_of(elsewhere[name]))
    else:
        rulebooks = [f"{game}/{RULEBOOK}" for game in playable()]
        raise KothError(f"there is no page {page!r}{choices(name, [*pages, *elsewhere, *rulebooks])}")


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
