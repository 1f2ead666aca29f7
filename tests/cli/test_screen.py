"""Tables in terminals: no word is broken where leaving out the box makes room."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from rich.table import Table

from koth.cli import screen

NAMES = ("tactician", "storm_runner", "random_steps")


@pytest.mark.parametrize(("width", "boxed"), [(60, True), (40, False)])
def test_a_table_has_a_box_where_there_is_room(width: int, boxed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=StringIO(), width=width, force_terminal=True, color_system=None, soft_wrap=True)
    monkeypatch.setattr(screen, "console", console)
    table = Table("rank", "bot", "score", "games", "faults")
    for rank, name in enumerate(NAMES, 1):
        table.add_row(str(rank), name, "0.25", "12", "none")
    with console.capture() as captured:
        screen.show(table)
    lines = captured.get().splitlines()
    assert all(len(line) <= width for line in lines)
    assert [any(name in line for line in lines) for name in NAMES] == [True, True, True]
    assert ("│" in captured.get()) is boxed
