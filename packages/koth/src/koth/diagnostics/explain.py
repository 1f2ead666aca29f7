"""Questions and answers for the bot's author: the lines sent and received, or the objects of a class.

The record of a match has no messages: they are derived by playing the match again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from koth.diagnostics import by_field
from koth.diagnostics.rerun import AskedMoment, RecordedBot, Rerun
from koth.diagnostics.why import ANSWER_FAULTS, UNIT_FAULTS, readable_text
from koth.game import FAULT_KINDS, FAULTS, Array, Observations
from koth.games import default_glyphs, find_module
from koth.games.board_text import board_text, glyphs_of, legend_text
from koth.protocol.bot_protocol import BotProtocol
from koth.protocol.by_name import FRAMES, protocol_names

MESSAGES = "what a bot was asked or answered"
MOST_NAMED = 3
"""The largest number of named units with a fault; further units are counted."""


def _line(message: bytes) -> str:
    return readable_text(message).rstrip("\n")


# --- by the game, or as its declarations have it


def _find_formatter(again: Rerun, name: str) -> Callable[..., list[str]]:
    found: Callable[..., list[str]] = getattr(find_module(again.game, "author"), name, getattr(by_field, name))

    def read(*args: Any) -> list[str]:
        with again.replay.reading(MESSAGES):
            return found(*args)

    return read


def unit_names(again: Rerun, observations: Observations) -> list[str]:
    """Return the name of each row's unit, or "" if a bot has only one unit."""
    return _find_formatter(again, "unit_names")(observations)


def observation_lines(again: Rerun, observations: Observations) -> list[str]:
    """Return each unit's observation as a line."""
    return _find_formatter(again, "observation_lines")(observations, again.match_info)


def answer_lines(again: Rerun, observations: Observations, fields: Mapping[str, Array]) -> list[str]:
    """Return the bot's answer for each unit as a line."""
    return _find_formatter(again, "answer_lines")(observations, fields, again.match_info)


def by_unit(again: Rerun, observations: Observations, lines: Sequence[str]) -> list[str]:
    """Return the lines of rows with the names of the rows' units."""
    names = unit_names(again, observations)
    return [f"{name}: {line}" if name else line for name, line in zip(names, lines, strict=True)]


def observation_text(again: Rerun, moment: AskedMoment, row: int) -> list[str]:
    """Return a row's observation as lines: the unit's fields, and the visible part of the board.

    Without a `glyphs.py` of the game all fields are shown, one by one.
    """
    picture, observations = glyphs_of(again.game.name), moment.observations
    with again.replay.reading(MESSAGES):
        every = by_field.observation_text(observations, row)
        if not again.game.frame_spec.has_sight:
            return every
        unit = int(observations.unit[row]) if observations.question.units else None
        frame = again.game.frame(again.settings, moment.state, 0)
        board = board_text(again.game, frame, again.match_info, again.seat, unit)
        name, line = unit_names(again, observations)[row], by_field.flat_fields(observations, row)
    beside = ": ".join(words for words in (name, line) if words)
    fields = every if picture is default_glyphs else [beside] if beside else []
    return [*fields, *board, legend_text(picture)]


# --- around a moment


def fault_texts(again: Rerun, recorded: RecordedBot, moment: AskedMoment, kind: str) -> tuple[str, str]:
    """Return the observation of the first unit with a fault of this kind (class bots only), and a message without a
    fault (other bots only); "" if the text would explain nothing.
    """
    if recorded.protocol == FRAMES:
        if kind not in UNIT_FAULTS:
            return "", ""
        code = FAULTS.index(kind) if kind in FAULTS else 0
        return "\n".join(observation_text(again, moment, int((moment.fault == code).argmax()))), ""
    if kind not in ANSWER_FAULTS or recorded.protocol not in protocol_names(again.game):
        return "", ""
    speaker = again.open_protocol(recorded)
    with again.replay.reading(MESSAGES):
        speaker.hello(again.match_info)
        return "", speaker.example(moment.number, moment.observations)


def find_moment(again: Rerun, turn: int, kind: str = "") -> AskedMoment | None:
    """Return a turn's question, preferably with a fault of this kind; None if the turn has no question.

    The question's arrays are valid until the next moment is requested.
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
    """Yield all messages of a bot as (turn, mark, text): `<` received, `>` answered, `!` a fault.

    Turns count from 1 (0: while starting); a `#` entry with the turn precedes each question. A text may have several
    lines: for a class, a line for each unit with its observation or answer.
    """
    protocol = None if recorded.protocol == FRAMES else again.open_protocol(recorded)
    if protocol is not None:
        with again.replay.reading(MESSAGES):
            hello = _line(protocol.hello(again.match_info))
        if hello:
            yield 0, "<", hello
    turn, gone = 0, False
    for moment in again.moments():
        turn = moment.turn
        yield turn, "#", f"turn {turn}"
        question, answer = _moment_texts(again, protocol, moment)
        yield turn, "<", question
        if answer:
            yield turn, ">", answer
        for kind, count in moment.faults.items():
            yield turn, "!", f"{kind}: {FAULT_KINDS[kind].meaning}{_fault_units(again, moment, kind, count)}"
        gone = moment.gone
    if gone:
        yield turn, "!", "it was dead from here on"
    elif protocol is not None and (bye := _line(protocol.bye(again.last_scores(protocol)))):
        yield turn, "<", bye


def _moment_texts(again: Rerun, protocol: BotProtocol | None, moment: AskedMoment) -> tuple[str, str]:
    """Return a question, and the answer as the game read it: rows with a fault are left out or have defaults."""
    observations, fields, fault = moment.observations, moment.fields, moment.fault
    if protocol is not None:
        with again.replay.reading(MESSAGES):
            question = _line(protocol.ask(observations))
            return question, "" if fault.all() else protocol.encode_answer(moment.number, observations, fields)
    seen = by_unit(again, observations, observation_lines(again, observations))
    lines = by_unit(again, observations, answer_lines(again, observations, fields))
    said = [line for line, code in zip(lines, fault.tolist(), strict=True) if not code]
    return "\n".join(seen), "\n".join(said)


MARKS = "# '<' what it received or saw, '>' what the game read of its answer, '!' what was wrong, '|' its stderr"


def transcript_lines(
    again: Rerun, recorded: RecordedBot, stderr: Iterable[tuple[int | None, bytes]]
) -> Iterator[str]:
    """Yield the lines of a conversation; a turn's stderr follows the turn's first question."""
    rest = [(turn, readable_text(text).splitlines()) for turn, text in stderr if turn is not None]
    for now, mark, text in conversation(again, recorded):
        yield from (f"{mark} {line}".rstrip() for line in text.split("\n"))
        while mark == "<" and rest and rest[0][0] <= now:
            yield from (f"| {line}" for line in rest.pop(0)[1])


def _fault_units(again: Rerun, moment: AskedMoment, kind: str, count: int) -> str:
    """Return the units with this fault as text; "" if the bot has only one unit."""
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
