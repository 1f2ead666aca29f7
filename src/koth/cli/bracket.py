"""The bracket of a knockout on the screen."""

from __future__ import annotations

from rich.text import Text

from koth.cli.screen import console
from koth.contest.bracket import Bracket, Duel
from koth.errors import visible


def print_bracket(bracket: Bracket | None) -> None:
    """Print a knockout: as a drawing in a terminal that is wide enough, otherwise a line for each pair."""
    if bracket is None or not bracket.rounds:
        return
    rows = draw_bracket(bracket)
    fits = console.is_terminal and max(map(len, rows)) <= console.width
    for line in ["Knockout", *(rows if fits else bracket.lines())]:
        console.print(Text(line), soft_wrap=not console.is_terminal)


def draw_bracket(bracket: Bracket) -> list[str]:
    """Return the bracket as lines of text: a column for each round, and the winner behind the last."""
    height = 2 ** (len(bracket.rounds) + 1) - 1
    columns = [_draw_round(bracket, level, height) for level in range(len(bracket.rounds))]
    rows = ["".join(cells) for cells in zip(*columns, strict=True)]
    rows[height // 2] += "" if bracket.winner is None else f"─ {visible(bracket.winner)}"
    return "\n".join(row.rstrip() for row in rows).strip("\n").split("\n")  # byes leave the first and last rows empty


def _draw_round(bracket: Bracket, level: int, height: int) -> list[str]:
    """Return a round as `height` lines of equal width. A bot with a bye stands in the next round only."""
    duels, lead, step = bracket.rounds[level], "─ " if level else "", 2**level
    texts = [[_side_text(bracket, duel, side) for side in (0, 1)] for duel in duels]
    width = len(lead) + max(len(text) for pair in texts for text in pair) + 2
    lines = [" " * (width + 1)] * height
    for place, (duel, (first, second)) in enumerate(zip(duels, texts, strict=True)):
        if duel.is_bye:
            continue
        top, middle, bottom = ((4 * place + quarter) * step - 1 for quarter in (1, 2, 3))
        lines[top : bottom + 1] = [" " * width + "│"] * (bottom + 1 - top)
        lines[middle] = " " * width + "├"
        lines[top] = f"{lead}{first} ".ljust(width, "─") + "┐"
        lines[bottom] = f"{lead}{second} ".ljust(width, "─") + "┘"
    return lines


def _side_text(bracket: Bracket, duel: Duel, side: int) -> str:
    """Return a bot of a pair with its rank and score; "?" for a bot that is not known yet."""
    bot = duel.bots[side]
    return "?" if bot is None else f"{bracket.rank(bot)} {visible(bot)} {duel.texts[side]}".rstrip()
