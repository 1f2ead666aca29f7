"""Questions and answers for the bot's author: the lines sent and received, or the objects of a class.

The record of a match has no messages: they are derived by playing the match again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from koth.diagnostics import by_field
from koth.diagnostics.rerun import RecordedBot, RecordedExchange, Rerun
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


def _find_formatter(rerun: Rerun, name: str) -> Callable[..., list[str]]:
    found: Callable[..., list[str]] = getattr(find_module(rerun.game, "author"), name, getattr(by_field, name))

    def read(*args: Any) -> list[str]:
        with rerun.replay.reading(MESSAGES):
            return found(*args)

    return read


def unit_names(rerun: Rerun, observations: Observations) -> list[str]:
    """Return the name of each row's unit, or "" if a bot has only one unit."""
    return _find_formatter(rerun, "unit_names")(observations)


def observation_lines(rerun: Rerun, observations: Observations) -> list[str]:
    """Return each unit's observation as a line."""
    return _find_formatter(rerun, "observation_lines")(observations, rerun.match_info)


def answer_lines(rerun: Rerun, observations: Observations, fields: Mapping[str, Array]) -> list[str]:
    """Return the bot's answer for each unit as a line."""
    return _find_formatter(rerun, "answer_lines")(observations, fields, rerun.match_info)


def by_unit(rerun: Rerun, observations: Observations, lines: Sequence[str]) -> list[str]:
    """Return the lines of rows with the names of the rows' units."""
    names = unit_names(rerun, observations)
    return [f"{name}: {line}" if name else line for name, line in zip(names, lines, strict=True)]


def observation_text(rerun: Rerun, exchange: RecordedExchange, row: int) -> list[str]:
    """Return a row's observation as lines: the unit's fields, and the visible part of the board.

    Without a `glyphs.py` of the game all fields are shown, one by one.
    """
    picture, observations = glyphs_of(rerun.game.name), exchange.observations
    with rerun.replay.reading(MESSAGES):
        every = by_field.observation_text(observations, row)
        if not rerun.game.frame_spec.has_sight:
            return every
        unit = int(observations.unit[row]) if observations.question.units else None
        frame = rerun.game.frame(rerun.settings, exchange.state, 0)
        board = board_text(rerun.game, frame, rerun.match_info, rerun.seat, unit)
        name, line = unit_names(rerun, observations)[row], by_field.flat_fields(observations, row)
    beside = ": ".join(words for words in (name, line) if words)
    fields = every if picture is default_glyphs else [beside] if beside else []
    return [*fields, *board, legend_text(picture)]


# --- around an exchange


def fault_texts(rerun: Rerun, recorded: RecordedBot, exchange: RecordedExchange, kind: str) -> tuple[str, str]:
    """Return the observation of the first unit with a fault of this kind (class bots only), and a message without a
    fault (other bots only); "" if the text would explain nothing.
    """
    if recorded.protocol == FRAMES:
        if kind not in UNIT_FAULTS:
            return "", ""
        code = FAULTS.index(kind) if kind in FAULTS else 0
        return "\n".join(observation_text(rerun, exchange, int((exchange.fault == code).argmax()))), ""
    if kind not in ANSWER_FAULTS or recorded.protocol not in protocol_names(rerun.game):
        return "", ""
    speaker = rerun.open_protocol(recorded)
    with rerun.replay.reading(MESSAGES):
        speaker.hello(rerun.match_info)
        return "", speaker.example(exchange.number, exchange.observations)


def find_exchange(rerun: Rerun, turn: int, kind: str = "") -> RecordedExchange | None:
    """Return a turn's question, preferably with a fault of this kind; None if the turn has no question.

    The question's arrays are valid until the next exchange is requested.
    """
    code = FAULTS.index(kind) if kind in FAULTS else 0
    blamed = number = 0
    for exchange in rerun.exchanges():
        if exchange.turn > turn:
            break
        if exchange.turn == turn:
            number = exchange.number
            if not blamed and code and (exchange.fault == code).any():
                blamed = exchange.number
    wanted = blamed or number
    return next((m for m in rerun.exchanges() if m.number == wanted), None) if wanted else None


def conversation(rerun: Rerun, recorded: RecordedBot) -> Iterator[tuple[int, str, str]]:
    """Yield all messages of a bot as (turn, mark, text): `<` received, `>` answered, `!` a fault.

    Turns count from 1 (0: while starting); a `#` entry with the turn precedes each question. A text may have several
    lines: for a class, a line for each unit with its observation or answer.
    """
    protocol = None if recorded.protocol == FRAMES else rerun.open_protocol(recorded)
    if protocol is not None:
        with rerun.replay.reading(MESSAGES):
            hello = _line(protocol.hello(rerun.match_info))
        if hello:
            yield 0, "<", hello
    turn, gone = 0, False
    for exchange in rerun.exchanges():
        turn = exchange.turn
        yield turn, "#", f"turn {turn}"
        question, answer = _exchange_texts(rerun, protocol, exchange)
        yield turn, "<", question
        if answer:
            yield turn, ">", answer
        for kind, count in exchange.faults.items():
            yield turn, "!", f"{kind}: {FAULT_KINDS[kind].meaning}{_fault_units(rerun, exchange, kind, count)}"
        gone = exchange.gone
    if gone:
        yield turn, "!", "it was dead from here on"
    elif protocol is not None and (bye := _line(protocol.bye(rerun.last_scores(protocol)))):
        yield turn, "<", bye


def _exchange_texts(rerun: Rerun, protocol: BotProtocol | None, exchange: RecordedExchange) -> tuple[str, str]:
    """Return a question, and the answer as the game read it: rows with a fault are left out or have defaults."""
    observations, fields, fault = exchange.observations, exchange.fields, exchange.fault
    if protocol is not None:
        with rerun.replay.reading(MESSAGES):
            question = _line(protocol.ask(observations))
            return question, "" if fault.all() else protocol.encode_answer(exchange.number, observations, fields)
    seen = by_unit(rerun, observations, observation_lines(rerun, observations))
    lines = by_unit(rerun, observations, answer_lines(rerun, observations, fields))
    said = [line for line, code in zip(lines, fault.tolist(), strict=True) if not code]
    return "\n".join(seen), "\n".join(said)


MARKS = "# '<' what it received or saw, '>' what the game read of its answer, '!' what was wrong, '|' its stderr"


def transcript_lines(
    rerun: Rerun, recorded: RecordedBot, stderr: Iterable[tuple[int | None, bytes]]
) -> Iterator[str]:
    """Yield the lines of a conversation; a turn's stderr follows the turn's first question."""
    rest = [(turn, readable_text(text).splitlines()) for turn, text in stderr if turn is not None]
    for now, mark, text in conversation(rerun, recorded):
        yield from (f"{mark} {line}".rstrip() for line in text.split("\n"))
        while mark == "<" and rest and rest[0][0] <= now:
            yield from (f"| {line}" for line in rest.pop(0)[1])


def _fault_units(rerun: Rerun, exchange: RecordedExchange, kind: str, count: int) -> str:
    """Return the units with this fault as text; "" if the bot has only one unit."""
    if len(exchange.observations) == 1:
        return ""
    if count == len(exchange.observations):
        return f" (all its {count} units)"
    code = FAULTS.index(kind)
    names = [
        name
        for name, fault in zip(unit_names(rerun, exchange.observations), exchange.fault, strict=True)
        if fault == code
    ]
    more = f" and {count - MOST_NAMED} more" if count > MOST_NAMED else ""
    return f" ({'; '.join(names[:MOST_NAMED])}{more}, of {len(exchange.observations)} units)"
