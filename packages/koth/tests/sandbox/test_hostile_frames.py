"""Classes in Python that write to the protocol's descriptor themselves: only they are hit."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sandbox.zoo import CONFINED, hosted
from tests.session.arena import PATIENT, Quiet, python_bot

BOT = """
import os, signal, struct, sys, threading, time
from koth.games.zombies.bot import Move

frame = sys._getframe()
while "outgoing" not in frame.f_locals:
    frame = frame.f_back
incoming, outgoing = frame.f_locals["incoming"].fileno(), frame.f_locals["outgoing"]

def write(number, kind, rows, body, size=None):
    header = struct.pack("<IIHHI", len(body) if size is None else size, number, kind, 0, rows)
    os.write(outgoing, header + body)

def refused_for_ever():
    while True:
        try:
            os.execv("/usr/bin/true", ["true"])
        except OSError:
            pass

class Bad:
    asked = 0

    def do_turn(self, context):
        if context.game_clock == 3 and not Bad.asked:
            Bad.asked = context.game_clock + 1
            attack(Bad.asked)
        return Move.STAY

def attack(n):
"""
ATTACKS = {
    "deep last words": (
        "write(0, 0xffff, 0, b'{\"kind\":\"crash\",\"text\":' + b'[' * 1020 + b']' * 1020 + b'}')",
        {"crash", "garbage"},
    ),
    "thousands of stray frames": ("for _ in range(3000): write(n + 9, 1, 1, b'')", {"unasked"}),
    "words that it is ready, again": ("write(0, 0, 0, b'')", {"garbage", "unasked"}),
    "a frame without an end": ("write(n, 1, 1, b'', size=0xffffffff)", {"flood", "late"}),
    "a frame of another number of rows": ("write(n, 1, 0xffffffff, bytes(18))", {"garbage", "unasked"}),
    "half a million errors": (
        "write(n, 1, 3, bytes([4] * 3) + bytes(12) + bytes([6] * 3)"
        " + b'{\"errors\":[' + b'[0,\"\"],' * 500_000 + b'[0,\"\"]]}')",
        {"error"},
    ),
    "no input": ("os.close(incoming)", {"crash"}),
    "no output": ("os.close(outgoing)", {"crash", "closed"}),
    "all of its threads stopped": ("os.kill(0, signal.SIGSTOP)", {"late"}),
    "calls that are refused": (
        "[threading.Thread(target=refused_for_ever, daemon=True).start() for _ in range(4)]; time.sleep(60)",
        {"late"},
    ),
}
"""What is done in one turn, and the faults of which there is one then."""


OF_THE_SANDBOX = ("all of its threads stopped", "calls that are refused")
"""Attacks in which the level has a say."""


@pytest.mark.slow_but
@pytest.mark.parametrize(
    ("level", "name"),
    [(level, name) for level in CONFINED[1:] for name in (ATTACKS if level == "strong" else OF_THE_SANDBOX)],
)
def test_only_their_writer_is_affected(level: str, name: str, tmp_path: Path, quiet: Quiet) -> None:
    source, kinds = ATTACKS[name]
    bad = python_bot(tmp_path, BOT + textwrap.indent(source, "    ") + "\n")
    time_control = replace(PATIENT, question=5, bank=0, late_in_a_row=1)
    faults = set(hosted(bad, tmp_path, level, quiet, time_control).faults)
    assert faults & kinds, faults
