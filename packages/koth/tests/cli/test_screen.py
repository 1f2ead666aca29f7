"""Tables in terminals: no word is broken where leaving out the box makes room."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from koth.cli import screen, standings_table
from koth.cli.live import progress_columns
from koth.errors import at_words
from koth.game import ContestDefaults
from koth.standings.scores import Scores
from koth.standings.table import standings
from tests.cli.program import Koth

NAMES = ("tactician", "storm_runner", "random_steps")


@pytest.mark.parametrize(("width", "boxed"), [(60, True), (40, False)])
def test_a_table_has_a_box_where_there_is_room(width: int, boxed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=StringIO(), width=width, force_terminal=True, color_system=None, soft_wrap=True)
    monkeypatch.setattr(screen, "console", console)
    ranks = Table("rank", "bot", "score", "games", "faults")
    for rank, name in enumerate(NAMES, 1):
        ranks.add_row(str(rank), name, "0.25", "12", "none")
    with console.capture() as captured:
        screen.print_table(ranks)
    lines = captured.get().splitlines()
    assert all(len(line) <= width for line in lines)
    assert [any(name in line for line in lines) for name in NAMES] == [True, True, True]
    assert ("│" in captured.get()) is boxed


@pytest.mark.parametrize("width", [100, 60])
def test_a_narrow_bar_cuts_the_matches_in_play_and_no_count(width: int) -> None:
    console = Console(file=StringIO(), width=width, force_terminal=True, color_system=None)
    bar = Progress(*progress_columns(), console=console)
    bar.add_task("zombies", total=48, completed=4, now="match 5 hang waits for a core (13 s), match 6 turn 7 [x]")
    with console.capture() as captured:
        console.print(bar.get_renderable())
    assert " 4/48 match 5 " in captured.get()
    assert " 0:00:00 " in captured.get()
    assert captured.get().count("\n") == 1


@pytest.mark.parametrize(("width", "columns"), [(60, 3), (26, 3), (18, 2), (9, 1)])
def test_a_terminal_gets_the_widest_form_that_fits(width: int, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Console(file=StringIO(), width=width, force_terminal=True, color_system=None, soft_wrap=True)
    monkeypatch.setattr(screen, "console", terminal)
    forms = []
    for count in (3, 2, 1):
        forms.append(Table(*("bot", "chance to be first", "faults")[:count]))
        forms[-1].add_row(*("runner", "88 %", "none")[:count])
    with terminal.capture() as captured:
        screen.print_table(*forms)
    shown = captured.get()
    assert [text in shown for text in ("runner", "88 %", "none")] == [True, columns > 1, columns > 2]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_standings_break_no_name_and_begin_with_what_a_spectator_needs(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [{name: 0.9 - 0.3 * k + 0.05 * (block % (k + 2)) for k, name in enumerate(NAMES)} for block in range(12)]
    told = standings(Scores.of(enumerate(games)), ContestDefaults(9, "mean", blocks=6))
    terminal = Console(file=StringIO(), width=width, force_terminal=True, color_system=None, soft_wrap=True)
    monkeypatch.setattr(screen, "console", terminal)
    with terminal.capture() as captured:
        standings_table.show_standings(told, {"storm_runner": {"late": 3}}, "metalman, 12 matches", {})
    lines = captured.get().splitlines()
    assert all(len(line) <= width for line in lines)
    rows = [line.replace("│", " ").split() for line in lines if any(name in line for name in NAMES)][:3]
    assert [row[0:2] for row in rows] == [[str(rank), name] for rank, name in enumerate(NAMES, 1)]
    assert ("separated" in captured.get()) == (width > 40)
    assert "first" in captured.get()


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_end_between_words_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "koth: left out: one with many words\n    and an_indented_word_longer_than_the_screen"
    assert at_words(text, Terminal()).split("\n") == [
        "koth: left out: one",
        "with many words",
        "    and",
        "    an_indented_word_longer_than_the_screen",
    ]
    assert at_words(text, StringIO()) == text
    command = """koth resume out 'ken a=/x/ken a' 'ann'"'"'s b'"""  # which is to be pasted
    assert at_words(command, Terminal()) == """koth resume out\n'ken a=/x/ken a'\n'ann'"'"'s b'"""


def test_a_mistake_is_told_without_breaking_a_word(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = koth("standings", "nowhere").err
    monkeypatch.setenv("COLUMNS", "30")
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    koth("standings", "nowhere")
    told = terminal.getvalue()
    assert told.split() == whole.split()
    assert told.count("\n") > 1
    assert all(len(line) <= 30 for line in told.splitlines())
