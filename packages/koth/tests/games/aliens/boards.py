"""Small boards as text, played with scripted answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from textwrap import dedent

import numpy as np

from koth.engine.batch import Batch
from koth.game import FAULT, Answers, Observations, no_answers
from koth.games.aliens import GAME
from koth.games.aliens.state import MOVES, Settings, State
from tests.games.aliens import notation
from tests.games.aliens.notation import name_of, slot_of

SMALL = Settings(instances=4, prey=2, rounds=50)
ONE_ROUND = replace(SMALL, rounds=1)
"""For boards on which all bots may die: the other rounds would be played at once."""
ORIGINAL = Settings(instances=4, prey=2, rounds=50, meetings="first")


class Planet:
    """A board played with scripted answers; who is not mentioned stays, and wants peace.

    `moves` has moves and `fights` wishes by name, `failing` names whose code raises an exception when they
    are asked whether to fight, `dying` the question at which a seat's process ends. `waves` collects who
    was asked in each wave, `told` what each was told of its enemies.
    """

    def __init__(
        self,
        text: str,
        settings: Settings = SMALL,
        *,
        moves: Mapping[str, str] | None = None,
        fights: Mapping[str, bool] | None = None,
        failing: tuple[str, ...] = (),
        dying: Mapping[str, int] | None = None,
        seed: int | None = None,
    ) -> None:
        self.settings = settings
        state = notation.parse(text, settings)
        if seed is not None:
            state.seed[0] = seed
        self.seats = state.gone.shape[1]
        self.batch = Batch.from_state(GAME, settings, self.seats, state)
        self.moves = moves or {}
        self.fights = fights or {}
        self.failing = failing
        self.dying = dying or {}
        self.waves: list[list[str]] = []
        self.told: dict[str, list[list[int]]] = {}
        self.windows: dict[str, list[str]] = {}
        self.questions = 0

    @property
    def state(self) -> State:
        return self.batch.state

    def slot(self, name: str) -> int:
        return slot_of(name, self.seats, self.settings)

    def play(self, rounds: int = 1) -> Planet:
        """Play so many rounds."""
        until = self.batch.turn + rounds
        while self.batch.observations is not None and self.batch.turn < until:
            self.batch.answer(self.answer(self.batch.observations))
        return self

    def answer(self, observations: Observations) -> Answers:
        answers = no_answers(observations, self.batch.nobody_gone())
        names = [name_of(slot, self.seats, self.settings) for slot in observations.unit.tolist()]
        if observations.question.name == "move":
            answers.fields["move"][:] = [MOVES.index(self.moves.get(name, "STAY")) for name in names]
            at = 0
            for name, sight, cells in zip(
                names, observations.fields["sight"], observations.fields["cells"], strict=True
            ):
                flat = bytes(observations.fields["window"][at : at + cells]).decode()
                size = 2 * int(sight) + 1
                self.windows[name] = ["".join(flat[row::size]) for row in range(size)]
                at += int(cells)
        else:
            self.waves.append(names)
            for row, name in enumerate(names):
                self.told.setdefault(name, []).append(observations.fields["enemy"][row].tolist())
                if name in self.failing:
                    answers.fault[row] = FAULT["error"]
                else:
                    answers.fields["fight"][row] = self.fights.get(name, False)
        self.questions += 1
        for seat, question in self.dying.items():
            seat_number = ord(seat) - 65
            if self.questions >= question:
                answers.gone[0, seat_number] = True
                mine = observations.seat == seat_number
                default = no_answers(observations, answers.gone)
                for field, values in answers.fields.items():
                    values[mine] = default.fields[field][mine]
                answers.fault[mine] = FAULT["crash"]
        return answers

    def board(self) -> str:
        """Where everybody stands, without header and states."""
        return "\n".join(" ".join(row.split()) for row in notation.show(self.state, self.settings).splitlines())

    def hp(self, name: str) -> int:
        return int(self.state.hp[0, self.slot(name)])

    def abilities(self, name: str) -> list[float]:
        return self.state.ability[0, self.slot(name)].tolist()

    def alive(self) -> list[str]:
        return [name_of(s, self.seats, self.settings) for s in np.flatnonzero(self.state.hp[0] > 0).tolist()]


def rows(text: str) -> str:
    """A board as `Planet.board` writes it."""
    return "\n".join(" ".join(row.split()) for row in dedent(text).strip().splitlines())
