"""Ricochet: its numbered rules, and the laws that every game keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from koth_ricochet import GAME
from koth_ricochet.match import Bot, Bullet, Mine, Ricochet, Settings, Struck

from koth.testing import LAWS, Case

STANDARD = Settings(side=9, walls=0)
SMALL = Settings(side=7, walls=1, turns=30, sight=2)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Case], None]) -> None:
    law(Case(GAME, SMALL, seats=3, turns=12))


def after(places: list[tuple[int, int]], *actions: str, **changes: object) -> Ricochet:
    """A match after one turn of bots at these places; `changes` are made to it before."""
    match = GAME.new_match(STANDARD, len(places))
    match.bots = [Bot(seat, x, y, 4, 5) for seat, (x, y) in enumerate(places)]
    for name, value in changes.items():
        setattr(match, name, value)
    GAME.play(match, {seat: {"action": action} for seat, action in enumerate(actions)})
    return match


def where(match: Ricochet) -> list[tuple[int, int]]:
    return [(bot.x, bot.y) for bot in match.bots]


def test_rule_1_walls_touch_nothing() -> None:
    for seed in range(5):
        match = GAME.new_match(Settings(side=11, walls=8), 2, seed)
        walls = [(x, y) for y in range(1, 10) for x in range(1, 10) if match.board[y][x] == "#"]
        around = [match.board[y + dy][x + dx] for x, y in walls for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        assert around.count("#") == len(walls) > 3
    assert len({tuple(GAME.new_match(Settings(), 2, seed).board) for seed in range(5)}) == 5


def test_rule_2_everybody_on_another_free_square() -> None:
    match = GAME.new_match(Settings(side=5, walls=0), 6)
    assert len(set(where(match))) == 6
    assert {match.board[y][x] for x, y in where(match)} == {"."}


def test_rule_4_one_mine_a_square() -> None:
    match = after([(2, 2), (2, 2)], "mine", "mine")
    assert match.mines == [Mine(0, 2, 2)]
    assert [bot.mines for bot in match.bots] == [4, 5]


def test_rule_5_one_bullet_a_bot() -> None:
    flying = Bullet(0, 5, 5, "north")
    match = after([(1, 1), (7, 7)], "fire_east", "stay", bullets=[flying])
    assert match.bullets == [Bullet(0, 5, 2, "north")]


def test_rule_6_walls_stop_and_mines_strike() -> None:
    match = after([(1, 1), (4, 4)], "west", "south", mines=[Mine(0, 4, 5), Mine(1, 1, 1)])
    assert where(match)[0] == (1, 1)
    assert [bot.lives for bot in match.bots] == [4, 3]
    assert match.bots[0].points == 1
    assert match.mines == [Mine(1, 1, 1)], "who stands on one has not stepped onto it"


def test_rule_7_bullets_bounce_and_end() -> None:
    for bounces, left in ((0, [Bullet(0, 6, 3, "west", 1)]), (2, [])):
        match = after([(1, 1), (1, 7)], "stay", "stay", bullets=[Bullet(0, 6, 3, "east", bounces)])
        assert match.bullets == left


@pytest.mark.parametrize(("bounces", "lives"), [(0, 4), (1, 3)])
def test_rule_7_a_bullet_strikes_its_own_bot_after_a_bounce(bounces: int, lives: int) -> None:
    match = after([(4, 4), (1, 7)], "stay", "stay", bullets=[Bullet(0, 3, 4, "east", bounces)])
    assert (match.bots[0].lives, match.bots[0].points) == (lives, 0)


def test_rule_8_points_and_another_square() -> None:
    match = after([(1, 3), (3, 3), (3, 3)], "fire_east", "stay", "stay")
    assert match.scores() == [4 + 2, 3, 3]
    assert match.struck == [Struck(1, 0, 3, 3), Struck(2, 0, 3, 3)]
    told = [(event.kind, event.of.team, event.by and event.by.team, event.at) for event in match.events({}, {})]
    assert told == [("struck", 1, 0, (3, 3)), ("struck", 2, 0, (3, 3))]
    assert (3, 3) not in where(match)
    assert match.bullets == []


def test_rule_9_the_last_one_lives() -> None:
    match = after([(1, 3), (3, 3)], "fire_east", "stay", bots=[Bot(0, 1, 3, 4, 0), Bot(1, 3, 3, 1, 0)])
    assert match.is_over()
    assert not match.is_alive(1)
    assert match.frame()["x"][1] == -1


def test_rules_11_and_12_sight() -> None:
    match = after([(1, 1), (3, 3), (7, 7)], "mine", "mine", "fire_north")
    match._context.settings = replace(STANDARD, sight=2)
    seen = match.observe(0)
    assert seen["window"] == ["#####", "#####", "##...", "##...", "##..."]
    assert seen["rival_seat"] == [1]
    assert seen["bullet_x"] == []
    assert list(zip(seen["mine_x"], seen["mine_y"], strict=True)) == [(1, 1)]
