"""Prospects: what a slower look at what bots are told says of the same choices; and of whom they lose sight."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.metalman import prospects as fog
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
        observations = env.batch.observations
        assert observations is not None
        start = 0
        for m, seat, seen in zip(
            observations.match.tolist(), observations.seat.tolist(), observations.fields["seen"].tolist(), strict=True
        ):
            squares = observations.fields["square"][start : start + seen].tolist()
            contents = observations.fields["content"][start : start + seen].tolist()
            start += seen
            if env.arrays["turn"][m] == 0:
                lies[m, seat] = {}
            known = lies[m, seat]
            known |= {at: 0 if c == maze.SEES_PACMAN else c for at, c in zip(squares, contents, strict=True) if c < 5}
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
        observations = env.batch.observations
        assert observations is not None
        rows = env._rows.copy()
        told = env.arrays.flat("observation.prospects")
        mask = env.arrays.flat("mask")
        reach = env.encoding.reach  # type: ignore[attr-defined]
        for row, agent in enumerate(rows.tolist()):
            window, own = observations.fields["window"][row].astype(np.int64), PLAYER + int(observations.seat[row])
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
            armed = observations.fields["bullets"][row] > 0
            assert mask[agent, SHOOT:].sum() == (len(order) if armed else 0)
            for k, at in enumerate(order.tolist()):
                assert told[agent, SHOOT + k, board.AT_ZOMBIE] == (low[ys[at], xs[at]] == ZOMBIE)
                assert np.isclose(told[agent, SHOOT + k, board.PROXIMITY], 1 / far[at])
                action, target = np.zeros(1, np.uint8), np.zeros(1, np.uint32)
                fields: dict[str, Array] = {"action": action, "target": target}
                one = type(observations)(
                    observations.question,
                    observations.match[row : row + 1],
                    observations.seat[row : row + 1],
                    observations.unit[row : row + 1],
                    {name: array[row : row + 1] for name, array in observations.fields.items()},
                )
                env.encoding.answer(one, np.array([[SHOOT + k]]), fields)
                assert (action[0], target[0]) == (SHOOT, window[ys[at], xs[at]])
                shots += 1
        env.step(act())
    assert shots > 50


def within(known: Array, start: int, most: int, blocked: int, columns: int) -> dict[int, int]:
    """Squares within so many steps over what may be open, with the steps there."""
    found, todo = {start: 0}, [start]
    for at in todo:
        row, column = divmod(at, columns)
        for r, c in ((row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)):
            there = r * columns + c
            inside = 0 <= r < len(known) // columns and 0 <= c < columns
            if inside and known[there] != 0 and there != blocked and there not in found and found[at] < most:
                found[there] = found[at] + 1
                todo.append(there)
    return found


def test_metal_man_knows_where_everybody_may_be() -> None:
    """Who lives is where it may be, and who can be nowhere is dead, whatever was seen and whoever moved."""
    env = small("metalman", 4, prospects=True)
    env.reset(2)
    act = Addressed(env)
    memory, alive = env.encoding.prospects.memory, env.state.alive  # type: ignore[attr-defined]
    columns, hidden, gone = env.state.terrain.shape[2], 0, 0
    for _ in range(150):
        observations = env.batch.observations
        assert observations is not None
        for m, seat in zip(observations.match.tolist(), observations.seat.tolist(), strict=True):
            agent = m * env.seats + seat
            for enemy in range(2 * env.seats):
                other, piece = divmod(enemy, 2)
                square = env.state.row[m, other, piece] * columns + env.state.column[m, other, piece]
                if other != seat and alive[m, other, piece]:
                    assert memory.maybe[agent, enemy, square]
                    assert memory.counts[agent, enemy] == memory.maybe[agent, enemy].sum()
                    hidden += memory.sighted[agent, enemy] < 0
                else:
                    gone += other != seat and memory.counts[agent, enemy] == 0
        env.step(act())
    assert hidden > 500
    assert gone > 20


def test_metal_man_goes_where_it_chose_to() -> None:
    env = small("metalman", 4, prospects=True)
    env.reset(6)
    act, prospects = Addressed(env), env.encoding.prospects  # type: ignore[attr-defined]
    columns, went, struck = env.state.terrain.shape[2], 0, 0
    for _ in range(90):
        observations = env.batch.observations
        assert observations is not None
        chosen, expected = act(), {}
        for i, (m, seat) in enumerate(zip(observations.match.tolist(), observations.seat.tolist(), strict=True)):
            agent, observation = m * env.seats + seat, {name: array[i] for name, array in observations.fields.items()}
            told, known = env.arrays.observations["prospects"][m, seat], prospects.memory.known[agent]
            assert (known[observation["board"].ravel() >= 0] == observation["board"][observation["board"] >= 0]).all()
            places = observation["row"] * columns + observation["column"]
            sighted = [int(at) for at in prospects.memory.sighted[agent] if at >= 0]
            for piece, (most, first) in enumerate(((2, 0), (4, prospects.split))):
                beside = places[1 - piece] if observation["alive"][1 - piece] else -1
                ways = within(known, places[piece], most if observation["alive"][piece] else 0, beside, columns)
                for k in np.flatnonzero(prospects.board.choices[:, 0] == piece):
                    _, down, right = prospects.board.choices[k].tolist()
                    row, column = observation["row"][piece] + down, observation["column"][piece] + right
                    on_map = 0 <= row < len(observation["board"]) and 0 <= column < columns
                    there = row * columns + column if on_map else -1
                    assert told[k, fog.OPEN] == env.arrays["mask"][m, seat, k] == (there in ways)
                    if there not in ways or not observation["alive"][piece]:
                        continue
                    takes = told[k, fog.TAKES_SPOTTER] + told[k, fog.TAKES_ASSASSIN]
                    assert takes == (there in sighted)
                    reach = (2, 4) * env.seats
                    danger = 1.0
                    for enemy, at in enumerate(prospects.memory.sighted[agent].tolist()):
                        if at >= 0 and at != there and there in within(known, at, reach[enemy], -1, columns):
                            danger *= 0.2
                    assert np.isclose(told[k, fog.RISK_SEEN], 1 - danger)
                    struck += danger < 1
                    if k == first + chosen[m, seat, piece] and piece == 0 and (known[list(ways)] >= 0).all():
                        expected[m, seat] = row, column
        env.step(chosen)
        for (m, seat), place in expected.items():
            if not env.arrays["ended"][m]:
                assert (env.state.row[m, seat, 0], env.state.column[m, seat, 0]) == place
                went += 1
    assert went > 50
    assert struck > 50
