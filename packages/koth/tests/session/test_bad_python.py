"""Bad Python class bots, as real processes under koth's adapter."""

from __future__ import annotations

import re
import textwrap
import time
from pathlib import Path

import pytest

from koth.game import TimeControl
from koth.games.zombies.state import SHOOT
from koth.session.conversation import Limits
from koth.session.local import InlineBot
from tests.session.arena import HASTY, Quiet, bad_match, boards, good_bot, match, python_bot

BOT = """
import os, sys, time
from koth.games.zombies.bot import Move, Shoot

{top}

class Bad:
    def __init__(self):
        {init}

    def do_turn(self, context):
        {turn}
        return Move.STAY
"""


def source(top: str = "", init: str = "pass", turn: str = "pass") -> str:
    return BOT.format(top=textwrap.dedent(top), init=init, turn=turn)


NEVER_READY = {
    "an exception at import": (source("raise ValueError('no such thing')"), "ValueError: no such thing"),
    "no Python": ("class Bad", "SyntaxError"),
    "not UTF-8": ("# -*- coding: ascii -*-\nx = 'é'", "SyntaxError"),
    "a missing module": (source("import no_such_module"), "No module named 'no_such_module'"),
    "no class": (
        "x = 1",
        "a zombies bot is one class with a method do_turn(context); found: none "
        "(a program that speaks JSON says so in its koth.toml)",
    ),
    "a misspelt method": (
        "class Bad:\n    def doTurn(self, context): ...\n    def _do(self): ...\n\ndef do_turn(context): ...",
        "found: none, but the class Bad with doTurn, the function do_turn (a program",
    ),
    "two classes": (source() + "\nclass Worse(object):\n    do_turn = None", "found: Bad, Worse"),
    "an exception in its constructor": (source(init="raise KeyError('never')"), "KeyError: 'never'"),
    "a constructor with arguments": (source() + "\nBad.__init__ = lambda self, x: None", "missing 1 required"),
    "exit at import": (source("sys.exit('I quit')"), "I quit"),
    "a shadow of the API": ("import koth.games.zombies.rules", "No module named 'koth.game'"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NEVER_READY)
def test_never_ready(name: str, tmp_path: Path, quiet: Quiet) -> None:
    text, told = NEVER_READY[name]
    record, turns = bad_match(python_bot(tmp_path, text), tmp_path, quiet)
    assert record.faults == {"crash": 1}
    assert record.fault_reports["crash"].turn == 0
    assert told in record.stderr.decode() + record.fault_reports["crash"].text
    assert "bot_adapter.py" not in record.stderr.decode()
    assert turns[1].questions[0]["gone"] == [0]


GONE_AT_TURN_4 = {
    "exit": ("sys.exit()", "crash", "exit status 0"),
    "exit at once": ("os._exit(3)", "crash", "exit status 3"),
    "killed": ("os.kill(os.getpid(), 11)", "crash", "killed by SIGSEGV"),
    "closes everything": ("os.closerange(0, 100)", "crash", "exit status 1"),
    "never catches up": ("os.closerange(0, 100); time.sleep(60)", "closed", ""),
    "floods stderr through print": ("print('x' * 100000)", "flood", ""),
    "floods stderr": ("os.write(2, b'x' * 100000)", "flood", ""),
    "finds the wire and sends no end": ("os.write(4, b'\\xff' * 100000); time.sleep(60)", "flood", ""),
}


@pytest.mark.parametrize("name", GONE_AT_TURN_4)
def test_gone_for_the_match(name: str, tmp_path: Path, quiet: Quiet) -> None:
    statement, kind, end = GONE_AT_TURN_4[name]
    bad = python_bot(tmp_path, source(turn=f"if context.game_clock == 3: {statement}"))
    limits = Limits(message=1 << 16, question=1 << 16, stderr=1 << 16)
    record, turns = bad_match(bad, tmp_path, quiet, limits=limits)
    assert record.faults == {kind: 1}
    assert (record.fault_reports[kind].turn, record.fault_reports[kind].end) == (4, end)
    gone = [line.turn for line in turns for ask in line.questions if ask.get("gone")]
    assert gone == [line.turn for line in turns if line.questions and line.turn > 3]


@pytest.mark.slow
def test_it_ends_once_though_it_says_so_before_it_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Late, and then it tells why it ends, while another one thinks."""
    monkeypatch.setattr("koth.session.referee.draw_look", lambda: 10_000_000)
    bot = python_bot(tmp_path, source(turn="if context.game_clock == 3: time.sleep(4); sys.exit('enough')"))
    slow = InlineBot(
        "slow", lambda observations, match_info: time.sleep(6.0 * (observations.fields["clock"][0] == 3)) or {}
    )
    result, _ = match([bot, slow], tmp_path, HASTY)
    assert result.records["bad"].faults == {"crash": 1, "late": 1}
    assert "enough" in result.records["bad"].fault_reports["crash"].text


EVERY_PLAYER = {
    "an exception": ("1 / 0", "error", "ZeroDivisionError: division by zero"),
    "endless recursion": ("self.do_turn(context)", "error", "RecursionError"),
    "an exception that can't be shown": ("raise type('E', (Exception,), {'__str__': lambda e: 1 / 0})", "error", ""),
    "an exception with a strange text": ("raise ValueError('\\ud800 \\x1b[31m \\u202e')", "error", "ValueError: "),
    "None": ("return None", "illegal", "do_turn returned None, not a Move or a Shoot"),
    "a name": ("return 'NORTH'", "illegal", "do_turn returned 'NORTH'"),
    "the class": ("return Move", "illegal", "do_turn returned"),
    "something that can't be shown": (
        "return type('X', (), {'__repr__': lambda x: 1 / 0})()", "error", "ZeroDivisionError: division by zero"
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY_PLAYER)
def test_faults_of_single_players(name: str, tmp_path: Path, quiet: Quiet) -> None:
    statement, kind, text = EVERY_PLAYER[name]
    record, _ = bad_match(python_bot(tmp_path, source(turn=statement)), tmp_path, quiet)
    assert record.faults == {kind: sum(quiet.rows)}
    assert text in record.fault_reports[kind].text


def test_one_player_of_three_fails(tmp_path: Path, quiet: Quiet) -> None:
    fails = "if context.game_clock == 3 and context.id.number == 1: raise ValueError('it is me')"
    record, turns = bad_match(python_bot(tmp_path, source(turn=fails)), tmp_path, quiet)
    assert record.faults == {"error": 1}
    assert re.fullmatch(
        r"player 1 at \d+,\d+: ValueError: it is me \(bad.py, line 12\)", record.fault_reports["error"].text
    )
    assert b'File "bad.py", line 12, in do_turn\n' in record.stderr
    assert b"/koth/" not in record.stderr
    assert b"in do_turn\n" in record.stderr
    assert turns[4].questions[0]["f"] == [1, 6]


HARMLESS = {
    "prints at import": source("print('x' * 100); os.write(1, b'\\xff\\n')"),
    "prints in its constructor": source(init="print({'ready': True})"),
    "prints every turn": source(turn='print(\'{"ask": 1, "moves": {}}\', flush=True)'),
    "writes to descriptor 1": source(turn="os.write(1, bytes(16))"),
    "a child writes": source(turn="os.system('echo hello')"),
    "closes what it can print to": source("sys.stdout.close(); sys.stdin.close()"),
    "takes stdout away": source("sys.stdout = None"),
    "waits for input": source("try: input()\nexcept EOFError: print('nobody there')"),
    "reads descriptor 0": source(turn="assert os.read(0, 10) == b''"),
    "changes to another folder": source("os.chdir('/')"),
    "deletes what it was started with": source("sys.argv.clear(); sys.path.clear(); sys.modules.pop('json', None)"),
    "a thread that never ends": source("import threading; threading.Thread(target=time.sleep, args=(60,)).start()"),
    "a file of its own called json": source("import sys; sys.modules['json'] = None"),
    "shoots nobody": source(turn="if context.bullets == 99: return Shoot(None)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HARMLESS)
def test_no_fault(name: str, tmp_path: Path, quiet: Quiet) -> None:
    record, _ = bad_match(python_bot(tmp_path, HARMLESS[name]), tmp_path, quiet, TimeControl(start=30, question=20))
    assert record.faults == {}


TARGETS = ["None", "3", "'me'", "('Zombie',)", "('Zombie', -1)", "('Zombie', 10 ** 30)", "('Zombie', 1.5)", "([], 1)"]


def test_shots_at_targets_that_can_not_exist(tmp_path: Path) -> None:
    """They cost a bullet each and are not faults."""
    turn = f"return Shoot([{', '.join(TARGETS)}][context.game_clock % {len(TARGETS)}])"
    result, replay = match([python_bot(tmp_path, source(turn=turn)), good_bot(tmp_path)], tmp_path)
    assert result.records["bad"].faults == {}
    hashes = boards(replay)
    _, same = match(
        [InlineBot("bad", lambda observations, match_info: {"action": SHOOT}), good_bot(tmp_path)], tmp_path
    )
    assert hashes == boards(same)


def test_its_output_is_kept_for_its_author(tmp_path: Path, quiet: Quiet) -> None:
    bad = python_bot(tmp_path, source("print('loaded')", turn="print('turn', context.game_clock)"))
    record, _ = bad_match(bad, tmp_path, quiet)
    lines = record.stderr.decode().splitlines()
    assert lines[0] == "loaded"
    turns = [f"turn {turn}" for turn, rows in enumerate(quiet.rows) for _ in range(rows)]
    assert lines[1:] == turns


def test_it_has_its_folder_its_lib_and_site_packages(tmp_path: Path, quiet: Quiet) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "deep.py").write_text("WORD = 'deep'")
    (tmp_path / "near.py").write_text("WORD = 'near'")
    top = """
    import deep, near
    print(deep.WORD, near.WORD, os.getcwd(), [m for m in sys.modules if m.startswith('numpy')])
    import numpy
    print(numpy.arange(3).sum(), __name__, __file__ == sys.argv[0])
    """
    record, _ = bad_match(python_bot(tmp_path, source(top)), tmp_path, quiet)
    assert record.faults == {}
    assert record.stderr.decode().splitlines() == [f"deep near {tmp_path} []", "3 bad True"]


def test_its_randomness_is_its_own_and_the_same_each_time(tmp_path: Path, quiet: Quiet) -> None:
    top = "import random; print(random.random(), hash('word'), os.environ['KOTH_SEED'])"
    first, _ = bad_match(python_bot(tmp_path, source(top)), tmp_path, quiet)
    again, _ = bad_match(python_bot(tmp_path, source(top)), tmp_path, quiet)
    assert first.stderr == again.stderr
    assert len(first.stderr.split()) == 3


def test_nothing_of_the_engine_is_there(tmp_path: Path, quiet: Quiet) -> None:
    top = """
    print(sorted(m for m in sys.modules if m.startswith(('koth', 'numba'))), [n for n in os.environ if 'KOTH' in n])
    """
    record, _ = bad_match(python_bot(tmp_path, source(top)), tmp_path, quiet)
    kit = ["koth", "koth.adapter", "koth.adapter.kit", "koth.games", "koth.games.zombies", "koth.games.zombies.bot"]
    assert record.stderr.decode().strip() == f"{kit} ['KOTH_SEED']"
