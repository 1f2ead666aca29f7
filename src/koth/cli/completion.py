"""`koth completion`: what makes a shell complete koth's words; and what it completes them with."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

VARIABLE = "_KOTH_COMPLETE"
HOW = {
    "bash": ('eval "$(koth completion bash)"', "~/.bashrc"),
    "zsh": ('eval "$(koth completion zsh)"', "~/.zshrc, below compinit"),
    "fish": ("koth completion fish | source", "~/.config/fish/config.fish"),
}
"""By shell: what has it read each time, and where that stands."""


def print_script(command: click.Command, shell: str) -> None:
    """Print the script for a shell, with how to have it read each time as a comment."""
    kind = get_completion_class(shell)
    assert kind is not None
    words = kind(command, {}, "koth", VARIABLE)
    line, file = HOW[shell]
    click.echo((words.source_template % words.source_vars()).rstrip("\n"))
    click.echo(f"\n# To have it always, put this line into {file}:\n#   {line}")


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
