"""Small boards as text, played with scripted answers."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

import numpy as np

from koth.engine.batch import Batch
from koth.game import FAULT, Answers, Observations, no_answers
from koth.games.aliens import GAME
from koth.games.aliens.notation import PREY_LETTERS, seat_letters
from koth.games.aliens.state import MOVES, Settings, State

SMALL = Settings(instances=4, prey=2, rounds=50)
ORIGINAL = Settings(instances=4, prey=2, rounds=50, meetings="first")


def slot_of(name: str, seats: int, settings: Settings) -> int:
    """The slot of an instance as the notation names it: A0, w1."""
    letter, number = name[0], int(name[1:])
    if letter.isupper():
        return (ord(letter) - 65) * settings.instances + number
    return seats * settings.instances + PREY_LETTERS.index(letter) * settings.prey + number


def name_of(slot: int, seats: int, settings: Settings) -> str:
    """The reverse of `slot_of`."""
    species, number = divmod(slot, settings.instances)
    if species < seats:
        return f"{seat_letters(species)}{number}"
    species, number = divmod(slot - seats * settings.instances, settings.prey)
    return f"{PREY_LETTERS[species]}{number}"


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
        state = GAME.parse(dedent(text), settings)
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
        rows = GAME.show(self.settings, self.state, 0).splitlines()
        keys = ("clock", "seats", "seed", "gone")
        squares = [row for row in rows if not row.startswith(keys) and "hp " not in row]
        return "\n".join(" ".join(row.split()) for row in squares)

    def hp(self, name: str) -> int:
        return int(self.state.hp[0, self.slot(name)])

    def abilities(self, name: str) -> list[float]:
        values: list[float] = self.state.ability[0, self.slot(name)].tolist()
        return values

    def alive(self) -> list[str]:
        return [name_of(s, self.seats, self.settings) for s in np.flatnonzero(self.state.hp[0] > 0).tolist()]


def rows(text: str) -> str:
    """A board as `Planet.board` writes it."""
    return "\n".join(" ".join(row.split()) for row in dedent(text).strip().splitlines())
