"""A question and its answer for the bot's author: the lines sent and received, or the objects of its class.

Nothing of this is stored with a match: it is derived by playing the match again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from koth.diagnostics import by_field
from koth.diagnostics.rerun import AskedMoment, RecordedBot, Rerun
from koth.diagnostics.why import readable_text
from koth.game import FAULT_KINDS, FAULTS, Array, Observations
from koth.games import part
from koth.games.board_text import board_text, glyphs_of, legend_text
from koth.protocol.bot_protocol import BotProtocol
from koth.protocol.by_name import protocol_names

MESSAGES = "what a bot was asked or answered"
MOST_NAMED = 3
"""The number of units with a fault that are named; others are counted."""


class Wording(Protocol):
    """The messages between koth and one bot in one match, as its author would write them, in this order."""

    def hello(self) -> str:
        """Return the first message to the bot; empty for classes, which get none."""

    def question_text(self, observations: Observations) -> str:
        """Return a question to the bot, as one or more lines."""

    def answer_text(self, number: int, observations: Observations, fields: Mapping[str, Array], fault: Array) -> str:
        """Return the answer to the question of this number as the game read it.

        Rows with a `fault` are left out, or show the default.
        """

    def bye(self) -> str:
        """Return the last message to the bot."""


class MessageWording:
    """The wording for a bot that sends lines: the lines themselves. An answer is written as the bot could send it."""

    def __init__(self, again: Rerun, protocol: BotProtocol) -> None:
        self._again = again
        self._protocol = protocol

    def hello(self) -> str:
        with self._again.replay.reading(MESSAGES):
            return _line(self._protocol.hello(self._again.match_info))

    def question_text(self, observations: Observations) -> str:
        with self._again.replay.reading(MESSAGES):
            return _line(self._protocol.ask(observations))

    def answer_text(self, number: int, observations: Observations, fields: Mapping[str, Array], fault: Array) -> str:
        with self._again.replay.reading(MESSAGES):
            return "" if fault.all() else self._protocol.encode_answer(number, observations, fields)

    def bye(self) -> str:
        return _line(self._protocol.bye())


class ObjectWording:
    """The wording for class bots in any language: a line for each unit, with its observation and its answer."""

    def __init__(self, again: Rerun) -> None:
        self._again = again

    def hello(self) -> str:
        return ""

    def question_text(self, observations: Observations) -> str:
        return "\n".join(by_unit(self._again, observations, observation_lines(self._again, observations)))

    def answer_text(self, number: int, observations: Observations, fields: Mapping[str, Array], fault: Array) -> str:
        lines = by_unit(self._again, observations, answer_lines(self._again, observations, fields))
        return "\n".join(line for line, code in zip(lines, fault.tolist(), strict=True) if not code)

    def bye(self) -> str:
        return ""


def open_wording(again: Rerun, recorded: RecordedBot) -> Wording:
    """Return the wording for this bot's conversation: objects for classes, otherwise messages."""
    return (
        ObjectWording(again)
        if recorded.protocol == "frames"
        else MessageWording(again, again.open_protocol(recorded))
    )


def _line(message: bytes) -> str:
    return readable_text(message).rstrip("\n")


# --- by the game, or as its declarations have it


def _find_formatter(again: Rerun, name: str) -> Callable[..., list[str]]:
    found: Callable[..., list[str]] = getattr(part(again.game, "author"), name, getattr(by_field, name))

    def read(*args: Any) -> list[str]:
        with again.replay.reading(MESSAGES):
            return found(*args)

    return read


def unit_names(again: Rerun, observations: Observations) -> list[str]:
    """Return the name of each row's unit; empty names if a bot has only one unit."""
    return _find_formatter(again, "unit_names")(observations)


def observation_lines(again: Rerun, observations: Observations) -> list[str]:
    """Return each unit's observation, a line each."""
    return _find_formatter(again, "observation_lines")(observations, again.match_info)


def answer_lines(again: Rerun, observations: Observations, fields: Mapping[str, Array]) -> list[str]:
    """Return what the bot answered for each unit, a line each."""
    return _find_formatter(again, "answer_lines")(observations, fields, again.match_info)


def by_unit(again: Rerun, observations: Observations, lines: Sequence[str]) -> list[str]:
    """Return a line for each row, each with its unit."""
    names = unit_names(again, observations)
    return [f"{name}: {line}" if name else line for name, line in zip(names, lines, strict=True)]


def observation_text(again: Rerun, moment: AskedMoment, row: int) -> list[str]:
    """Return the observation of this row's unit, as lines: its fields, and the visible part of the board.

    If the game's `glyphs.py` can't draw what a bot sees, boards are shown field by field, too.
    """
    picture, observations = glyphs_of(again.game.name), moment.observations
    with again.replay.reading(MESSAGES):
        if not again.game.frame_spec.has_sight:
            return by_field.observation_text(observations, row)
        unit = int(observations.unit[row]) if observations.question.units else None
        frame = again.game.frame(again.settings, moment.state, 0)
        board = board_text(again.game, frame, again.match_info, again.seat, unit)
        name, line = unit_names(again, observations)[row], by_field.flat_fields(observations, row)
    beside = ": ".join(words for words in (name, line) if words)
    return [*([beside] if beside else []), *board, legend_text(picture)]


def fault_observation(again: Rerun, moment: AskedMoment, kind: str) -> str:
    """Return the observation of the first unit with a fault of this kind."""
    code = FAULTS.index(kind) if kind in FAULTS else 0
    return "\n".join(observation_text(again, moment, int((moment.fault == code).argmax())))


# --- around a moment


def example_answer(again: Rerun, recorded: RecordedBot, moment: AskedMoment) -> str:
    """Return a message that answers without a fault; empty for protocols that people don't write."""
    if recorded.protocol not in protocol_names(again.game):
        return ""
    speaker = again.open_protocol(recorded)
    with again.replay.reading(MESSAGES):
        speaker.hello(again.match_info)
        return speaker.example(moment.number, moment.observations)


def find_moment(again: Rerun, turn: int, kind: str = "") -> AskedMoment | None:
    """Return the question of this turn, preferably the one with this fault; None if there is none.

    Its arrays are valid until the next moment is requested.
    """
    code = FAULTS.index(kind) if kind in FAULTS else 0
    blamed = number = 0
    for moment in again.moments():
        if moment.turn > turn:
            break
        if moment.turn == turn:
            number = moment.number
            if not blamed and code and (moment.fault == code).any():
                blamed = moment.number
    wanted = blamed or number
    return next((m for m in again.moments() if m.number == wanted), None) if wanted else None


def conversation(again: Rerun, recorded: RecordedBot) -> Iterator[tuple[int, str, str]]:
    """Return all messages of a bot as (turn, mark, text): `<` received, `>` answered, `!` a fault.

    Turns count from 1 (0: while starting); a `#` entry with the turn precedes each question. A text may have several
    lines.
    """
    wording = open_wording(again, recorded)
    if hello := wording.hello():
        yield 0, "<", hello
    turn, gone = 0, False
    for moment in again.moments():
        turn = moment.turn
        yield turn, "#", f"turn {turn}"
        yield turn, "<", wording.question_text(moment.observations)
        if answer := wording.answer_text(moment.number, moment.observations, moment.fields, moment.fault):
            yield turn, ">", answer
        for kind, count in moment.faults.items():
            yield turn, "!", f"{kind}: {FAULT_KINDS[kind].meaning}{_fault_units(again, moment, kind, count)}"
        gone = moment.gone
    if gone:
        yield turn, "!", "it was dead from here on"
    elif bye := wording.bye():
        yield turn, "<", bye


def _fault_units(again: Rerun, moment: AskedMoment, kind: str, count: int) -> str:
    """Return in words which units had this fault; empty if the bot has only one unit."""
    if len(moment.observations) == 1:
        return ""
    if count == len(moment.observations):
        return f" (all its {count} units)"
    code = FAULTS.index(kind)
    names = [
        name
        for name, fault in zip(unit_names(again, moment.observations), moment.fault, strict=True)
        if fault == code
    ]
    more = f" and {count - MOST_NAMED} more" if count > MOST_NAMED else ""
    return f" ({'; '.join(names[:MOST_NAMED])}{more}, of {len(moment.observations)} units)"
