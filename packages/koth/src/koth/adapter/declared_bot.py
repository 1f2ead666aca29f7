"""The Python API that follows from a game's declaration, for games without a `bot.py`: a class `Bot` with `act`.

    class Bot:
        def __init__(self, info): ...               # match info; may be left out
        def act(self, obs): return {"move": "north"}  # or "north", where an answer has one field

`info` and `obs` are the JSON messages (`koth docs GAME/messages`) with keys as attributes. koth reads the returned
value like JSON. This module runs in the bot's process: standard library only, Python 3.9 on.
"""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, BinaryIO

from koth.adapter.kit import LARGEST_NOTE, debug, format_repr, take_note


class Record(SimpleNamespace):
    """An object of a message: its keys are attributes, and can be looked up and listed as in a dict."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no {name!r} here, but {', '.join(vars(self))}")

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __contains__(self, name: str) -> bool:
        return name in vars(self)

    def __iter__(self) -> Any:
        return iter(vars(self))


def decode_message(line: bytes) -> Any:
    """Decode a message: objects become `Record`s, except that objects with numbers as keys become dicts."""
    return json.loads(line, object_hook=_make_record)


def _make_record(found: dict[str, Any]) -> Any:
    if found and all(key.isdecimal() for key in found):
        return {int(key): value for key, value in found.items()}
    return Record(**found)


def encode_value(value: Any) -> str:
    """Encode a value as JSON, NumPy's types included; a value that is not JSON becomes its `repr`."""
    try:
        return json.dumps(value, default=_to_plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(format_repr(value))


def _to_plain(value: Any) -> Any:
    if isinstance(value, Record):
        return vars(value)
    return value.tolist() if hasattr(value, "tolist") else format_repr(value)


class Lines:
    """The conversation of one match, over the descriptors of koth's adapter."""

    def __init__(self, incoming: BinaryIO, outgoing: int) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self.match_info: Any = decode_message(incoming.readline() or sys.exit()).hello
        self.note: Any = None

    def play(self, module: ModuleType, error_text: Any) -> None:
        """Answer questions until the match ends; `error_text` describes exceptions to the bot's author."""
        entry = getattr(module, "Bot", None)
        if not isinstance(entry, type) or not callable(getattr(entry, "act", None)):
            raise TypeError("a bot in Python is a class Bot with a method act(self, obs)")
        bot: Any = entry() if entry.__init__ is object.__init__ else entry(self.match_info)  # type: ignore[misc]
        self._send(ready="true")
        for line in self._incoming:
            obs = decode_message(line)
            if "bye" in obs:
                return
            number = vars(obs).pop("ask")
            vars(obs).setdefault("left", Record(bank=self.match_info.bank, strikes=self.match_info.strikes))
            try:
                answer = {"returned": encode_value(bot.act(obs))}
            except Exception as error:
                sys.stderr.write(error_text.format_trace(error))
                answer = {"error": encode_value(error_text.format_line(error)[:2000])}
            if drawn := debug.take():
                answer["draw"] = encode_value(drawn)
            take_note(self)
            if self.note is not None:
                text, self.note = encode_value(self.note), None
                answer["note"] = text if len(text) <= LARGEST_NOTE else encode_value(f"(not kept: {len(text)} bytes)")
            self._send(ask=encode_value(number), **answer)

    def send_crash(self, text: str) -> None:
        """Send koth the reason why the bot can't go on."""
        self._send(crash=encode_value(text[:2000]))

    def _send(self, **parts: str) -> None:
        view = memoryview(("{" + ", ".join(f'"{key}": {text}' for key, text in parts.items()) + "}\n").encode())
        while view:
            view = view[os.write(self._outgoing, view) :]
