"""Each kind of event of koth's own games, from a small board, by the numbered rule that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from koth.events import Party, default_events, in_words, own_copy
from koth.game import Event, Game
from koth.games import load, pacman, zombies
from koth.games.aliens.state import PREY
from tests.games.aliens.boards import ORIGINAL, SMALL, Planet
from tests.games.aliens.test_original import arrive
from tests.games.metalman import boards as metalman_boards
from tests.games.pacman import boards as pacman_boards
from tests.games.zombies import boards as zombies_boards

PACMAN, METALMAN, ZOMBIES, ALIENS = (load(name) for name in ("pacman", "metalman", "zombies", "aliens"))
TEAMS = ("ann", "ben", "cy")
EMPTY = "_ _ _ _ _\n"


def told(
    game: Game, settings: Any, before: Mapping[str, Any], state: Any, teams: tuple[str, ...] = TEAMS
) -> list[str]:
    """The events of the turn that has led to a state: kind, sentence, square; `!` behind what ended somebody."""
    found = game.events(settings, state, 0, before, own_copy(game.frame(settings, state, 0)))
    assert {event.kind for event in found} <= game.event_kinds.keys()
    lines = []
    for event in (event.as_json() for event in found):
        at = " at {},{}".format(*event["at"]) if "at" in event else ""
        lines.append(f"{event['kind']}: {in_words(event, teams)}{at}{'!' if 'out' in event else ''}")
    return lines


# --- Pac-Man


def pacman_told(text: str, settings: pacman.Settings = pacman_boards.SETTINGS, **turn: Any) -> list[str]:
    state = pacman_boards.board(text, settings)
    before = own_copy(PACMAN.frame(settings, state, 0))
    return told(PACMAN, settings, before, pacman_boards.play(state, settings, **turn).state)


@pytest.mark.parametrize("kind", range(4))
def test_pacman_rule_15_an_npc_ghost_catches(kind: int) -> None:
    letter = "bpic"[kind]
    name = ("Blinky", "Pinky", "Inky", "Clyde")[kind]
    caught = pacman_told(
        pacman_boards.field(f"A {letter} _ B _\n" + EMPTY * 3 + ". _ _ _ _", f"{letter} waits"), A="E"
    )
    assert caught == [f"caught: ann is caught by {name} at 0,1!"]


def test_pacman_rule_12_the_dead_catch_and_the_first_is_told_where_it_was_caught() -> None:
    board = pacman_boards.field("A b _ _ B\n" + EMPTY * 3 + "_ _ . _ _", "b chase A left 4 of 5")
    assert pacman_told(board, B="E") == [
        "caught: ann is the last to be caught, by Blinky at 0,0!",
        "caught: ben is the last to be caught, by ann as a ghost at 0,0!",
    ]


def test_pacman_places_are_told_as_bots_name_them() -> None:
    board = pacman_boards.field("A b _ B _\n" + EMPTY * 3 + ". _ _ _ _", "b waits")
    assert pacman_told(board, pacman.Settings(coordinates="col,row"), A="E") == [
        "caught: ann is caught by Blinky at 1,0!"
    ]


def test_pacman_rule_14_ghosts_are_eaten_npcs_and_bots() -> None:
    board = pacman_boards.field("A B _ _ _\n" + EMPTY * 3 + ". _ _ _ _", "A invincible 3", "B ghost")
    assert pacman_told(board, A="E") == [
        "ghosts: ann eats a ghost",
        "eaten: ben is eaten as a ghost by ann",
    ]
    both = pacman_boards.field("A Bb _ _ _\n" + EMPTY * 3 + ". _ _ _ _", "A invincible 3", "B ghost", "b waits")
    assert pacman_told(both, A="E")[0] == "ghosts: ann eats 2 ghosts"


def test_pacman_rule_17_fruit_is_found_by_who_takes_it() -> None:
    board = pacman_boards.field("A % _ _ B\n" + EMPTY * 3 + ". _ _ _ _")
    assert pacman_told(board, A="E") == ["fruit: ann finds fruit at 0,1"]
    assert pacman_told(board.replace("_", " "), A="X") == []


def test_pacman_rule_37_the_piece_of_a_bot_that_is_gone_leaves() -> None:
    board = pacman_boards.field("A _ B _ _\n" + EMPTY * 3 + ". _ _ _ _")
    assert pacman_told(board, gone=[(0, "A")]) == ["left: ann leaves the board at 0,0!"]
    ghost = pacman_boards.field("A _ B _ _\n" + EMPTY * 3 + ". _ _ _ _", "A ghost")
    assert pacman_told(ghost, gone=[(0, "A")]) == ["left: ann leaves the board at 0,0"], "it was dead before"


# --- Metal Man


def metalman_told(text: str, moves: metalman_boards.Moves, **changes: Any) -> list[str]:
    settings = metalman_boards.settings_for(text, **changes)
    before = own_copy(METALMAN.frame(settings, metalman_boards.board(text, **changes), 0))
    return told(METALMAN, settings, before, metalman_boards.play(text, moves, **changes))


def test_metalman_captures_the_collapse_and_who_is_out() -> None:
    """Rules 5, 9 and 10, in their order."""
    text = """
        timer 1
        seats 3
        S0> F   F   F   F
        F   W   O   F   F
        A0> F   S1< F   F
        F   F   A1v F   F
        F   F   F   F   S2<
        """
    assert metalman_told(text, {0: ("v", ">>"), 1: ("", "^>")}) == [
        "captured: ben's spotter is captured by ann's assassin at 2,2!",
        "crushed: ann's spotter is caught in the collapse at 1,0!",
        "crushed: cy's spotter is caught in the collapse at 4,4!",
        "eliminated: cy is out",
    ]


@pytest.mark.parametrize(("seats", "words"), [((0, 1), "shares the win"), ((0,), "wins")])
def test_metalman_rules_9_and_11_the_win(seats: tuple[int, ...], words: str) -> None:
    corner, centre = ("S0>", "F") if len(seats) > 1 else ("F", "S0>")
    text = f"timer 1\nseats 2\n{corner} F F\nF {centre} F\nF F S1<"
    lines = [line for line in metalman_told(text, {}) if line.startswith("wins")]
    assert lines == [f"wins: {TEAMS[seat]} {words}" for seat in seats]


# --- zombies


def zombies_told(text: str, orders: zombies_boards.Orders, spawn: tuple[int, int] = (6, 6)) -> list[str]:
    settings = zombies_boards.TINY
    rows = zombies_boards.grid(text)
    state = zombies_boards.board(text, seed=zombies_boards.dice(len(rows), spawn, {}))
    before = own_copy(ZOMBIES.frame(settings, state, 0))
    zombies_boards.take_turn(state, orders, settings)
    return told(ZOMBIES, settings, before, state)


FIELD = """
    A0 .  .  .  .  .  .
    .  .  .  .  .  .  .
    .  .  .  B0 .  .  .
    .  .  .  .  .  .  .
    .  .  .  .  .  A1 .
    .  .  .  .  .  .  .
    .  .  .  .  .  .  .
"""


def test_zombies_rule_1_a_zombie_rises_where_a_player_stands() -> None:
    assert zombies_told(FIELD, {}, spawn=(3, 2)) == [
        "risen: ben #4 rises as a zombie at 3,2!",
        "extinct: ben dies out, 2nd",
    ]


def test_zombies_rule_2_a_zombie_bites_and_not_who_shoots_the_bitten_one() -> None:
    """B0 is a zombie when A1 hits it: the bite was its end. Across the seam a zombie bites A0."""
    assert zombies_told(FIELD, {"A1": "shoot z9"}, spawn=(2, 2)) == [
        "bitten: ben #4 is bitten by a zombie at 3,2!",
        "hits: ann #1 shoots a zombie",
        "extinct: ben dies out, 2nd",
    ]
    assert zombies_told(FIELD, {}, spawn=(6, 6))[0] == "bitten: ann #0 is bitten by a zombie at 0,0!"


def test_zombies_rule_5_shots() -> None:
    near = FIELD.replace(".  .  .  B0 .  .  .", ".  .  .  B0 B1 .  .")
    assert zombies_told(near, {"B0": "shoot B1", "A1": "shoot B1"}, spawn=(1, 5)) == [
        "shot: ben #5 is shot by ann #1 at 4,2!"
    ], "of two shooters the first is told"
    assert zombies_told(FIELD, {"B0": "shoot B0"}, spawn=(1, 5)) == [
        "shot: ben #4 shoots itself at 3,2!",
        "extinct: ben dies out, 2nd",
    ]
    assert zombies_told(FIELD.replace("B0 .  .", "B0 .  z8"), {"B0": "shoot z8"}, spawn=(1, 0))[-1] == (
        "hits: ben #4 shoots a zombie"
    )


def test_zombies_very_many_fall_in_one_turn() -> None:
    settings = zombies.Settings()
    found = zombies.events._of_bots(settings, [30, 5, 0], [11, 5, 0])
    assert [(event.kind, event.text) for event in found] == [("massacre", "19 fall in one turn")]


# --- aliens


def aliens_told(text: str, **played: Any) -> list[str]:
    planet = Planet(text, **played)
    before = own_copy(ALIENS.frame(planet.settings, planet.state, 0))
    found: list[list[str]] = []
    planet.batch.on_turn = lambda: found.append(
        told(ALIENS, planet.settings, before, planet.state, (*TEAMS[: planet.seats], *PREY))
    )
    planet.play()
    return found[0]


CROWD = """
    A0+B0 .     .     w0    .
    .     .     .     t0    .
    .     A1    .     .     .
    .     .     .     .     .
    .     .     .     .     c0
    A0 900hp 9 99 1 1 1
    B0 9hp LEVELS
"""


@pytest.mark.parametrize(
    ("levels", "words"),
    [("6 3 1 1 1", "is killed by ann #0"), ("60 30 9 9 9", "falls to ann #0, a giant of 117")],
)
def test_aliens_rules_4_and_5_who_lost_a_fight_to_whom(levels: str, words: str) -> None:
    found = aliens_told(CROWD.replace("LEVELS", levels), fights={"A0": True}, seed=2)
    assert found[:2] == [f"killed: ben #0 {words} at 0,0!", "extinct: ben dies out, 4 species left"]


def test_aliens_rule_4_prey_dies_and_both_may() -> None:
    text = CROWD.replace("A0+B0 .     .     w0", "A0+w0 .     .     .").replace("    B0 9hp LEVELS\n", "")
    assert aliens_told(text, fights={"A0": True}, seed=2)[0] == "killed: Whale #0 is killed by ann #0 at 0,0!"
    both = ". . .\n. A0+B0 .\n. . .\nA0 1hp 1 90 1 1 1\nB0 1hp 1 90 1 1 1\n"
    assert {line for line in aliens_told(both, fights={"A0": True}, seed=3) if line.endswith("!")} == {
        "killed: ann #0 is killed by ben #0 at 1,1!",
        "killed: ben #0 is killed by ann #0 at 1,1!",
    }


def test_aliens_rule_10_the_first_dies_once_though_newcomers_meet_its_corpse() -> None:
    """C0 is paid for the corpse; it has killed nobody."""
    text = ". . .\n. A0+B0+C0 .\n. . .\nA0 900hp 9 99 1 1 1\nB0 1hp 1 1 1 1 1\nC0 900hp 9 99 1 1 1\n"
    found = aliens_told(text, settings=ORIGINAL, fights={"A0": True, "C0": True}, seed=arrive(4, 0, 8))
    assert [line for line in found if line.endswith("!")] == ["killed: ben #0 is killed by ann #0 at 1,1!"]


def test_aliens_the_lead_changes() -> None:
    planet = Planet(CROWD.replace("LEVELS", "9 9 9 9 9"), SMALL, fights={"A0": True}, seed=2)
    planet.state.clock[0] = 30
    before = own_copy(ALIENS.frame(planet.settings, planet.state, 0))
    before["score"] = [0, 500, *[0] * len(PREY)]
    planet.play()
    assert told(ALIENS, planet.settings, before, planet.state)[-1] == "leads: ann takes the lead"


# --- all


def test_a_game_that_declares_nothing_tells_whose_units_are_fewer() -> None:
    before, now = {"alive": [1, 3, 2]}, {"alive": [0, 1, 2]}
    loss = Event("out", "loses a unit", Party(1), out=True)
    assert default_events(before, now) == [Event("out", "is out", Party(0), weight=3, mark="✝", out=True), loss, loss]
    assert default_events({"x": np.zeros(2)}, {"x": np.zeros(2)}) == []


def test_every_kind_of_event_is_named_by_its_rules() -> None:
    for game in (PACMAN, METALMAN, ZOMBIES, ALIENS):
        assert all(kind.isidentifier() and text for kind, text in game.event_kinds.items())
