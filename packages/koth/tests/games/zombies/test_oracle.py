"""The compiled rules and the plain ones of `oracle.py` play the same matches."""

from __future__ import annotations

import random

import numpy as np
import pytest

from koth.game import Answers, Buffers
from koth.games.zombies.state import BODY, PLAYER, ZOMBIE, Settings
from tests.games.zombies import notation, oracle
from tests.games.zombies.boards import GAME, board

TIGHT = Settings(vision=2, shoot_range=2, bullets=2, players=12)
WIDE = Settings(vision=3, shoot_range=2, bullets=1, players=9)


def crowd(dice: random.Random, side: int, settings: Settings, fill: float) -> str:
    """A random board with everybody's kind on it, numbers left to the notation."""
    left = {"A": settings.players, "B": settings.players}
    words = []
    for _ in range(side * side):
        word = dice.choice(["A", "B", "A", "B", "A", "B", "z", "#"]) if dice.random() < fill else "."
        if word in left:
            left[word] -= 1
            word = f"{word}:{dice.randrange(4)}" if left[word] >= 0 else "."
        elif word == "#":
            word = f"#:{dice.randrange(12)}"
        words.append(word)
    return "\n".join(" ".join(words[y * side : (y + 1) * side]) for y in range(side))


def someone(dice: random.Random, match: oracle.Match) -> tuple[str, int]:
    """A target: mostly somebody on the board, sometimes an identity that nobody has."""
    actor = dice.choice(list(match.at.values()))
    if dice.random() < 0.1:
        return dice.choice("z#AB"), dice.randrange(60)
    return actor.what, actor.number


def code(target: tuple[str, int]) -> int:
    what, number = target
    return number * 256 + {"z": ZOMBIE, "#": BODY}.get(what, PLAYER + ord(what) - ord("A"))


@pytest.mark.parametrize("start", range(60))
def test_rules_1_to_8_agree_with_the_plain_ones(start: int) -> None:
    dice = random.Random(start)
    settings = dice.choice([TIGHT, WIDE])
    side = dice.choice([7, 8, 9])
    state = board(crowd(dice, side, settings, dice.uniform(0.15, 0.9)), settings, seed=start)
    shooters = dice.random()
    for _ in range(4):
        if state.over[0]:
            break
        match = oracle.read(notation.show(settings, state), settings)
        oracle.begin_turn(match)
        turn = GAME.turn(settings, state, Buffers(GAME.questions(settings, 2), 1))
        observations = next(turn)
        living = sorted(actor.number for actor in match.at.values() if actor.lives)
        assert observations.unit.tolist() == living
        orders = {
            number: (9 if dice.random() < shooters else dice.randrange(11), someone(dice, match)) for number in living
        }
        fields = {
            "action": np.array([action for action, _ in orders.values()], np.uint8),
            "target": np.array([code(target) for _, target in orders.values()], np.uint32),
        }
        with pytest.raises(StopIteration):
            turn.send(Answers(fields, np.zeros(len(observations), np.uint8), np.zeros((1, 2), np.bool_)))
        oracle.end_turn(match, orders, settings)
        after = oracle.read(notation.show(settings, state), settings)
        assert oracle.board(after) == oracle.board(match)
        assert (after.clock, after.next_number) == (match.clock, match.next_number)
        assert after.scores == match.scores
        assert state.over[0] == (not any(actor.lives for actor in match.at.values()))
