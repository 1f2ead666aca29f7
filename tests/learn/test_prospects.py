"""Prospects: what a slower look at what bots are told says of the same choices."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.pacman import prospects as maze
from koth.games.pacman.state import PACMAN
from koth.games.zombies import prospects as board
from koth.games.zombies.state import DX, DY, PLAYER, SHOOT, STAY, ZOMBIE
from koth.learn import Environment
from tests.learn.small import Addressed, small


def steps_from(env: Environment, match: int, me: int, first: int) -> dict[int, int]:
    """How many steps away each square is by way of this one, `me` left out; `FAR` at most."""
    walls, side = env.state.walls[match], env.encoding.side  # type: ignore[attr-defined]
    found, todo = {first: 1}, [first]
    for at in todo:
        for d, (dr, dc) in enumerate([(-1, 0), (0, 1), (1, 0), (0, -1)]):
            there = (at // side + dr) % side * side + (at % side + dc) % side
            if not walls[at // side, at % side] >> d & 1 and there not in found and there != me:
                found[there] = found[at] + 1
                todo.append(there)
    return {square: steps for square, steps in found.items() if steps <= maze.FAR}


def test_pacman_remembers_and_finds_the_nearest() -> None:
    env = small("pacman", 2, prospects=True)
    env.reset(5)
    act = Addressed(env)
    lies: dict[tuple[int, int], dict[int, int]] = {}
    checked = 0
    for _ in range(25):
        asks = env.batch.asks
        assert asks is not None
        start = 0
        for m, seat, seen in zip(asks.match.tolist(), asks.seat.tolist(), asks.view["seen"].tolist(), strict=True):
            squares = asks.view["square"][start : start + seen].tolist()
            contents = asks.view["content"][start : start + seen].tolist()
            start += seen
            if env.arrays["turn"][m] == 0:
                lies[m, seat] = {}
            known = lies[m, seat]
            known |= {at: 0 if c == maze.PACMAN else c for at, c in zip(squares, contents, strict=True) if c < 5}
            known[squares[0]] = 0
            told = env.arrays.observations["prospects"][m, seat]
            if env.state.status[m, seat] != PACMAN:
                assert (told[:, maze.DEAD] == 1).all()
                continue
            assert (told[:, maze.OPEN] == env.arrays["mask"][m, seat]).all()
            for choice in np.flatnonzero(env.arrays["mask"][m, seat]).tolist():
                side, at = env.encoding.side, squares[0]  # type: ignore[attr-defined]
                dr, dc = [(-1, 0), (0, 1), (1, 0), (0, -1), (0, 0)][choice]
                first = (at // side + dr) % side * side + (at % side + dc) % side
                steps = steps_from(env, m, at, first)
                for feature, thing in ((maze.NEAREST_PELLET, 1), (maze.NEAREST_POWER, 2), (maze.NEAREST_FRUIT, 3)):
                    far = min((steps[at] for at, lying in known.items() if lying == thing and at in steps), default=0)
                    assert np.isclose(told[choice, feature], 0.8**far if far else 0)
                    checked += far > 0
        env.step(act())
    assert checked > 100


def test_zombies_choose_among_the_nearest_targets() -> None:
    env = small("zombies", 2, settings={"players": 8, "density": 0.2}, prospects=True)
    env.reset(3)
    act = Addressed(env)
    shots = 0
    for _ in range(8):
        asks = env.batch.asks
        assert asks is not None
        rows = env._rows.copy()
        told = env.arrays.flat("observation.prospects")
        mask = env.arrays.flat("mask")
        reach = env.encoding.reach  # type: ignore[attr-defined]
        for row, agent in enumerate(rows.tolist()):
            window, own = asks.view["window"][row].astype(np.int64), PLAYER + int(asks.seat[row])
            centre = len(window) // 2
            for k in range(SHOOT):
                there = window[centre + DY[k], centre + DX[k]]
                assert told[agent, k, board.TAKEN] == (there != 0 and k != STAY)
            low = window & 255
            low[centre, centre] = 0
            ys, xs = np.nonzero((low == ZOMBIE) | ((low >= PLAYER) & (low != own)))
            far = np.maximum(abs(ys - centre), abs(xs - centre))
            order = np.argsort(far, kind="stable")
            order = order[far[order] <= reach][: board.TARGETS]
            armed = asks.view["bullets"][row] > 0
            assert mask[agent, SHOOT:].sum() == (len(order) if armed else 0)
            for k, at in enumerate(order.tolist()):
                assert told[agent, SHOOT + k, board.AT_ZOMBIE] == (low[ys[at], xs[at]] == ZOMBIE)
                assert np.isclose(told[agent, SHOOT + k, board.PROXIMITY], 1 / far[at])
                action, target = np.zeros(1, np.uint8), np.zeros(1, np.uint32)
                fields: dict[str, Array] = {"action": action, "target": target}
                one = type(asks)(
                    asks.question,
                    asks.match[row : row + 1],
                    asks.seat[row : row + 1],
                    asks.body[row : row + 1],
                    {name: array[row : row + 1] for name, array in asks.view.items()},
                )
                env.encoding.answer(one, np.array([[SHOOT + k]]), fields)
                assert (action[0], target[0]) == (SHOOT, window[ys[at], xs[at]])
                shots += 1
        env.step(act())
    assert shots > 50
