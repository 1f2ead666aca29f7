"""Messages that are not quite right: read where their meaning is clear, else refused with the cause and the cure."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from koth.diagnostics.hints import JSON_CURES, OTHER_CURES, find_hint
from koth.engine.batch import Batch
from koth.games import load
from koth.protocol.bot_protocol import Answer, Fault, Ready
from koth.protocol.json_mistakes import SYNTAX
from tests.session.arena import HASTY, PATIENT, good_bot, json_bot, match

GAME = load("pacman")
SETTINGS = next(iter(GAME.rulesets.values()))

READ = {
    b'{"ask": 1, "move": "N"}': Answer,
    b'{"ask": 1.0, "move": "N"}': Answer,
    b'{"ask": 1e0, "move": "N"}': Answer,
    b'  {"ask":1,"move":"N"}\r': Answer,
}
AT_START = {
    b'{"ready": true}': Ready,
    b'{"ask": 0, "ready": true}': Ready,
    b'{"ready": true, "ask": null, "name": "Fox"}': Ready,
}
REFUSED = {
    # message: (what is wrong with it, what cures it)
    b'{"ask": "1", "move": "N"}': ('"ask" must be the number of its question, not the text "1"', ""),
    b'{"ask": 1.5, "move": "N"}': ("not 1.5", ""),
    b'{"Ask": 1, "Move": "N"}': ('its key is "Ask", and must be "ask"', ""),
    b'{"ready": "yes"}': ('"ready" must be true, not the text "yes"', ""),
    b'{"move": "N"}': ("an answer must repeat the number of its question", ""),
    b'[{"ask": 1, "move": "N"}]': ("a JSON object, not a list", "alone, with nothing around it"),
    b'"{\\"ask\\": 1, \\"move\\": \\"N\\"}"': ("not the text", "alone, with nothing around it"),
    b"{'ask': 1, 'move': 'N'}": ("single quotes", "in double quotes, not in single ones"),
    b'{"ask": 1, "move": \'N\'}': ("single quotes", "in double quotes, not in single ones"),
    b'{ask: 1, move: "N"}': ("a key has no double quotes", "put its keys in double quotes"),
    b'{"ask": 1, "move": N}': ("a text has no double quotes", "put its texts in double quotes"),
    b'{"ask": 1, "move": "N",}': ("a comma stands before a closing bracket", "leave out the comma"),
    b'{"ask": 1, "note": [1, 2, ], "move": "N"}': ("a comma stands before a closing bracket", "leave out the comma"),
    b'{"ask": 1, "move": "N", "note": True}': ("true, false and null", "in small letters"),
    b'{"ask": 1, "move": "N", "note": None}': ("true, false and null", "in small letters"),
    b'{"ask": 1, "move": "N", "note": undefined}': ("true, false and null", "in small letters"),
    b'{"ask": 1, "move": "N", "note": NaN}': ("it has NaN", "send a number, or null"),
    b'{"ask": 1, "move": "N", "note": -Infinity}': ("it has -Infinity", "send a number, or null"),
    b'{"ask": 1, "move": "N", "note": -nan}': ("NaN or Infinity", "send a number, or null"),
    b'{"ask": 1, "move": "N", "note": 1e999}': ("larger than 1.8e308", "a smaller number"),
    b'{"ask": 1, "move": "N", "note": 007}': ("a number is not written as in JSON", "write numbers as 7"),
    b'{"ask": 1, "move": "N", "note": .5}': ("a number is not written as in JSON", "write numbers as 7"),
    b'{"ask": 1, "move": "N", "note": 0x1F}': ("a number is not written as in JSON", "write numbers as 7"),
    b'{"ask": 1, "move": "N"} // north': ("it has a comment", "leave out the comment"),
    b'{"ask": 1, /* north */ "move": "N"}': ("it has a comment", "leave out the comment"),
    b'{"ask": 1, "move": "N"}{"ask": 2, "move": "N"}': ("two messages are in one line", "behind each"),
    b'{"ask": 1, "move": "N"};': ("more stands behind the message", "where its last bracket closes"),
    b"{": ("it ends in the middle, and a message is one line", "write each message as one line"),
    b'{"ask": 1,': ("it ends in the middle, and a message is one line", "write each message as one line"),
    b'{"ask": 1, "note": "one': ("it ends in the middle", "write each message as one line"),
    b'{"ask" => 1, "move" => "N"}': ("no colon", "put a colon between a key and its value"),
    b'{"ask" = 1, "move" = "N"}': ("no colon", "put a colon between a key and its value"),
    b'{\\"ask\\": 1, \\"move\\": \\"N\\"}': ("a text within a text", "write the object itself"),
    '{“ask”: 1, “move”: “N”}'.encode(): ("not the plain ones", "plain double quotes"),
    b'{"ask": 1, "move": "N", "note": "a\tb"}': ("control character", r"a tab as \t"),
    b'{"ask": 1, "move": "N", "note": "\\x41"}': ("an escape that JSON lacks", r"a backslash in a text as \\"),
    b'{"ask": 1, "move": "N", "note": "\\ud83d"}': ("half a character", "between whole characters"),
    b'{"ask": 1, "note": ' + b"[" * 3000: ("within each other", "a flat message"),
    '{"ask": 1, "move": "N"}'.encode("utf-16"): ("not UTF-8 but UTF-16", "write UTF-8: "),
    '{"ask": 1, "move": "N"}\n'.encode("utf-16-le"): ("not UTF-8 but UTF-16", "write UTF-8: "),
    '{"ask": 1, "move": "N", "note": "é"}'.encode("latin-1"): ("not UTF-8: the byte 0xE9 after", "write UTF-8: "),
    b'{"ask": 1, "move": "N"}\0': ("it has the character U+0000", "as many bytes as strlen says"),
    b'\x1b[32m{"ask": 1, "move": "N"}\x1b[0m': ("it has codes for colours", "switch the colours off"),
    b"thinking": ("not JSON", "write your own notes to stderr"),
}  # fmt: skip
HAS_ALREADY = {
    # what a hint recommends: whether a message has it already
    "in double quotes": lambda said: (
        "'" not in said and not re.search(r"[{,:]\s*(?!true|false|null)[A-Za-z\u201c]", said)
    ),
    "leave out the comma ": lambda said: not re.search(r",\s*[}\]]", said),
    "write UTF-8": lambda said: "\0" not in said and "\ufffd" not in said,
    "alone, with nothing around it": lambda said: said.startswith("{"),
    "one line": lambda said: said.endswith("}"),
    "behind each": lambda said: "}{" not in said,
    "small letters": lambda said: not re.search("True|None|undefined", said),
    "writes it so": lambda said: bool(re.search(r"NaN|-Infinity|\\ud83d", said)),  # json.dumps has written it
    "to stderr": lambda said: said.startswith("{") and said.endswith("}"),
}


def answered(message: bytes, asked: int) -> object:
    """What the JSON protocol makes of a message at the start (0), or after a question."""
    batch = Batch(GAME, SETTINGS, GAME.seats.start, [0])
    speaker = GAME.protocols["json"](SETTINGS, GAME.seats.start)
    speaker.hello(GAME.match_info(SETTINGS, batch.state, 0, 0))
    if asked:
        assert batch.observations is not None
        speaker.ask(batch.observations.rows(0, 1))
    return speaker.decode(message)


@pytest.mark.parametrize("message", READ)
def test_a_clear_answer_is_read(message: bytes) -> None:
    answer = answered(message, 1)
    assert isinstance(answer, READ[message])
    assert not answer.fault.any()


@pytest.mark.parametrize("message", AT_START)
def test_a_clear_first_message_is_read(message: bytes) -> None:
    assert isinstance(answered(message, 0), AT_START[message])


@pytest.mark.parametrize("message", REFUSED, ids=lambda message: message[:60].decode("latin-1"))
def test_another_message_is_refused_with_cause_and_cure(message: bytes) -> None:
    cause, cure = REFUSED[message]
    fault = answered(message, 1)
    assert isinstance(fault, Fault)
    assert cause in fault.text
    hint = find_hint(GAME, SETTINGS, "json", "garbage", message)
    assert cure in hint
    assert bool(cure) == bool(hint)
    said = message.decode("utf-8", "replace")
    assert [words for words, has in HAS_ALREADY.items() if words in hint and has(said)] == []


@pytest.mark.parametrize("language", ["", "python", "c#", "java", "ruby", "c"])
def test_no_hint_names_a_library_that_wrote_the_mistake(language: str) -> None:
    for value in (float("nan"), float("inf"), "\ud83d", 10**400):
        written = json.dumps({"ask": 1, "note": value}).encode()
        assert "writes it so" not in find_hint(GAME, SETTINGS, "json", "garbage", written, language)


def test_every_mistake_has_a_cure() -> None:
    assert {mistake.kind for mistake in SYNTAX} <= {*JSON_CURES, *OTHER_CURES, "behind"}


MARKED = r"""
def say(message):
    os.write(1, b"\n \t\r\n\xef\xbb\xbf\xef\xbb\xbf" + json.dumps(message).encode() + b"\r\n\n   ")

for q in questions(): say(stay(q))
"""


def test_marks_and_blank_lines_around_messages_are_skipped(tmp_path: Path) -> None:
    result, _ = match([json_bot(tmp_path, MARKED), good_bot(tmp_path)], tmp_path, PATIENT)
    assert result.records["bad"].faults == {}


UNFINISHED = {
    "start": ("read(); os.write(1, b'{\"ready\": true}')", 'has no end of line, a "\\n": {"ready": true}'),
    "start, ended by a return": (
        "read(); os.write(1, b'{\"ready\": true}\\r')",
        'has no end of line, a "\\n" (it ends with "\\r"): {"ready": true}',
    ),
    "turn": ('next(q := questions()); os.write(1, b\'{"ask": 1, "moves": {}}\')', 'a "\\n": {"ask": 1, "moves": {}}'),
    "turn, blank": ("for q in questions(): say('')", "; the bot wrote only blank lines"),
}


@pytest.mark.parametrize("name", UNFINISHED)
def test_a_message_without_its_end_is_told_in_the_same_words(name: str, tmp_path: Path) -> None:
    source, told = UNFINISHED[name]
    time_control = HASTY if name.startswith("turn") else replace(HASTY, start=0.5)
    wait = "\nimport time; time.sleep(60)" if "for" not in source else ""
    result, _ = match([json_bot(tmp_path, source + wait), good_bot(tmp_path)], tmp_path, time_control)
    text = result.records["bad"].fault_reports["late"].text
    assert told in text
    assert "does it flush" not in text
