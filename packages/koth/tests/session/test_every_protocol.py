"""Every way to be merely broken, over lines and frames, and every wrong message over every protocol of every game."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from koth.game import Question, TimeControl
from koth.games import GAMES
from koth.games import load as load_game
from tests.trials import play_beside_rival, trial

TALK = """
import os, re, struct, sys, time
WIRE, SIZES = "%s", %s
HEADER = struct.Struct("<IIHHI")

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def read():
    if WIRE == "frames":
        head = sys.stdin.buffer.read(HEADER.size)
        if len(head) < HEADER.size:
            sys.exit()
        size, number, kind, _, rows = HEADER.unpack(head)
        sys.stdin.buffer.read(size)
        if kind == 0xFFFF:
            sys.exit()
        return number, kind, rows
    line = sys.stdin.readline()
    if not line or line.strip() == "Q" or '"bye"' in line:
        sys.exit()
    found = re.search('"ask": ?([0-9]+)', line)
    return int(found[1]) if found else 0, 1, 1

def say(data):
    os.write(1, data)

def message(text):
    return HEADER.pack(len(text), number, kind, 0, rows) + text if WIRE == "frames" else text + b"\\n"

def answer(n):
    # One that leaves the bot in the game; its bodies do nothing, or not much.
    if WIRE == "frames":
        return message(bytes(rows * SIZES[kind - 1]))
    points = ", ".join('"%%d": [0, 0, 0, 0, 0]' %% body for body in range(4))
    text = '{"ask": %%d, "move": "N", "moves": {}, "points": {%%s}, "fights": {}}' %% (n, points)
    return b"N\\n" if WIRE == "text" else message(text.encode())

def questions():
    global number, kind, rows
    if WIRE != "text":
        read()
        number = kind = rows = 0
        say(HEADER.pack(0, 0, 0, 0, 0) if WIRE == "frames" else b'{"ready": true}\\n')
    while True:
        number, kind, rows = read()
        yield number

"""

BABBLE = {"garbage", "illegal", "missing", "unasked"}
"""What may be made of an answer that is none; the last, where what opens a conversation is answered too."""

WAYS = {
    "crashes at import": ("raise ValueError", {"crash"}),
    "crashes at its first question": ("for n in questions(): 1 / 0", {"crash"}),
    "crashes at its third question": ("for at, n in enumerate(questions()): say(answer(n)) if at < 2 else 1 / 0",
                                      {*BABBLE, "crash"}),
    "is late by a little": ("for n in questions(): burn(0.4); say(answer(n))", {*BABBLE, "late"}),
    "exits": ("for n in questions(): sys.exit(3)", {"crash"}),
    "hangs": ("for n in questions(): time.sleep(60)", {"late"}),
    "says half of something": ("for n in questions(): say(message(b'{ N')[:-1]); time.sleep(60)", {"late"}),
    "talks nonsense": ("for n in questions(): say(message(b'\\xff\\x00{]\\x1b[2J'))", BABBLE),
    "answers another thing": ("for n in questions(): say(message(b'{\"ask\": %d, \"what\": []}' % n))",
                              BABBLE),
    "floods": ("for n in questions():\n  while True: say(b'\\xff' * 65536)", {"flood"}),
    "answers too often": ("for n in questions(): say(message(b'{\"ask\": %d}' % n) * 500)",
                          {"garbage", "missing", "unasked", "flood", "illegal"}),
    "answers before the question": ("say(b'[]\\n' * 200 if WIRE != 'frames' else bytes(1600))\n"
                                    "for n in questions(): time.sleep(60)",
                                    {"garbage", "unasked", "late", "flood"}),
    "closes its output": ("for n in questions(): os.close(1); time.sleep(60)", {"closed", "late"}),
}  # fmt: skip

FATAL = {"crashes at its third question": "crash", "is late by a little": "late"}
"""What must be among the faults, where others may come before."""

PROTOCOLS = [(game, protocol) for game in GAMES for protocol in (*load_game(game).protocols, "frames")]


def row_size(question: Question) -> int:
    """Bytes of a row of an answer in frames: its fields and a code for its fault."""
    return 1 + sum(np.dtype(f.dtype).itemsize * math.prod(f.shape) for f in question.answer.values())


WRONG_MESSAGES = {"talks nonsense", "answers another thing", "answers too often", "answers before the question"}
WHOLE = (PROTOCOLS[0], next(pair for pair in PROTOCOLS if pair[1] == "frames"))
"""Protocols, one of lines and one of frames, over which everything is tried: the others only read messages."""
TRIED = [(*pair, way) for pair in PROTOCOLS for way in WAYS if pair in WHOLE or way in WRONG_MESSAGES]


@pytest.mark.slow_but
@pytest.mark.parametrize(("name", "protocol", "way"), TRIED, ids=lambda word: word)
def test_broken(name: str, protocol: str, way: str, tmp_path: Path) -> None:
    source, kinds = WAYS[way]
    home = tmp_path / "broken"
    home.mkdir()
    (home / "koth.toml").write_text(f'protocol = "{protocol}"\ncommand = ["python", "-S", "main.py"]\n')
    questions = load_game(name).questions(trial(name).settings, 2).values()
    (home / "main.py").write_text(TALK % (protocol, list(map(row_size, questions))) + source + "\n")
    time_control = TimeControl(start=20, question=0.3 if "late" in kinds else 20, first=1, late_in_a_row=1)
    result = play_beside_rival(name, home, tmp_path / "bots", time_control)
    assert set(result.records["broken"].faults) <= kinds
    assert way not in FATAL or FATAL[way] in result.records["broken"].faults
    assert result.records["broken"].faults
    assert set(result.records["rival"].faults) <= {"late"}, result.records["rival"].fault_reports
