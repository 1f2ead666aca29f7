"""A match as text, for golden files that show every change of the rules."""

from __future__ import annotations

import numpy as np

from koth.game import Answers, Observations, State, state_hash
from koth.games.board_text import board_text
from koth.testing.cases import Case, begin, play, policy_of


def playthrough(case: Case) -> str:
    """Return a match as text for a golden file: each turn's answers, the state's hash, the board.

    A block begins with `start`, `opening` or `turn N`. A line per question and seat has its units with the answer
    fields that differ from the default.
    """
    game, settings = case.game, case.settings
    fresh = game.initial_state(settings, case.seats, [case.seed])
    lines = ["start", *_board(case, fresh)]
    batch, policy = begin(case, [case.seed]), policy_of(case, case.seed)
    asked: list[str] = []

    def answer(observations: Observations) -> Answers:
        answers = policy(observations)
        for seat, rows in observations.of_match(0):
            picked = np.flatnonzero(observations.seat == seat).tolist()
            units = (
                f"{unit}{_answer_text(observations, answers, row)}"
                for unit, row in zip(rows.unit, picked, strict=True)
            )
            asked.append(f"{observations.question.name} {seat}: {'; '.join(units)}")
        return answers

    def note(_: list[int]) -> None:
        lines.extend([f"turn {batch.turn}" if batch.turn else "opening", *asked, *_board(case, batch.state)])
        asked.clear()

    play(batch, answer, case.turns, note)
    if batch.observations is None:
        scores = game.scores(settings, batch.state)[0].tolist()
        lines.append(f"over, scores {' '.join(f'{score:g}' for score in scores)}")
    return "\n".join(lines) + "\n"


def _board(case: Case, state: State) -> list[str]:
    game, settings = case.game, case.settings
    frame, match_info = game.frame(settings, state, 0), game.match_info(settings, state, 0, 0)
    board = board_text(game, frame, match_info)
    return [f"hash {state_hash(game, state, 0)}", *board, ""]


def _answer_text(observations: Observations, answers: Answers, row: int) -> str:
    words = ""
    for name, spec in observations.question.answer.items():
        value = observations.question.answer_rows(answers.fields, name)[row]
        if (value != np.dtype(spec.dtype).type(spec.default)).any():
            words += f" {name}={','.join(str(cell) for cell in value.ravel())}"
    return words
