"""Values that a shell completes arguments with, by Click's own completion."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def games(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of games that begin like this."""
    from koth.games import playable

    return [CompletionItem(name) for name in playable() if name.startswith(incomplete)]


def bots(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files and folders; behind an @ the samples of the game that was named before, or of all."""
    if not incomplete.startswith("@"):
        return [CompletionItem(incomplete, type="file")]
    from koth.discovery.samples import sample_names
    from koth.games import playable

    game = ctx.params.get("game")
    names = {name for each in ([game] if game in playable() else playable()) for name in sample_names(each)}
    return [CompletionItem(f"@{name}") for name in sorted(names) if name.startswith(incomplete[1:])]


def pages(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the pages of the documentation that begin like this."""
    from koth.cli.pages import DOCS
    from koth.games import playable

    names = [*sorted(file.stem for file in DOCS.glob("*.md")), *(f"{game}/rules" for game in playable())]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
