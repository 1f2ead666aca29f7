"""The text of `koth check` for the author of a broken bot: the bot's own line first, in words of its game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from koth.discovery.plays import find_game
from koth.errors import KothError
from koth.session.stack_location import find_crash, find_location
from tests.cli.program import Koth

SMALL = ("--set", "players=3", "--max-turns", "4")
CLASS = """
from koth.games.zombies.bot import Move

class Bot:
    def do_turn(self, context):
        {}
        return Move.STAY
"""
LINES = """
import sys
sys.stdin.readline()
count = 0
for line in sys.stdin:
    if line.startswith("Q"):
        break
    count += 1
    {}
    print("X", flush=True)
"""


def made(folder: Path, text: str, **files: str) -> Path:
    folder.mkdir()
    (folder / "bot.py").write_text(text)
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    return folder


def test_what_does_not_start_is_told_first_and_alone(koth: Koth, tmp_path: Path) -> None:
    made(tmp_path / "broken", CLASS.format("pass").replace("context):", "context)"))
    done = koth("check", "broken", *SMALL)
    assert done.code == 1
    first, *rest = done.out.splitlines()
    assert first == "the bot does not start: SyntaxError: expected ':' (bot.py, line 5)"
    assert rest[0] == "  it printed:"
    assert rest[-1] == "not ready yet"
    assert "/koth/" not in done.out
    assert "bot_adapter.py" not in done.out
    made(tmp_path / "bare", "x = 1\n")
    done = koth("check", "bare", *SMALL, "--game", "zombies")
    first, last = done.out.splitlines()  # what it printed is that line, and stands there once
    assert first.startswith("the bot does not start: TypeError: a zombies bot is one class with ")
    assert last == "not ready yet"
    made(
        tmp_path / "brief",
        "import sys\nsys.stdin.readline()\n",
        koth_toml='command = "python bot.py"\nprotocol = "json"\n',
    )
    assert koth("check", "brief", *SMALL, "--game", "zombies").out.splitlines() == [
        "the bot does not start: the process ended (exit status 0)",
        "  the bot ended without an error: a bot must read until the match is over",
        "not ready yet",
    ]
    waits = "import sys\nprint('starting up', flush=True)\nsys.stdin.read()\n"  # it does not end by itself
    made(tmp_path / "chatty", waits, koth_toml='command = "python bot.py"\n')
    assert koth("check", "chatty", *SMALL, "--game", "zombies").out.splitlines()[1:] == [
        "  it said:",
        "      starting up",
        "  it says 'starting up', which is not an answer; write your own notes to stderr: "
        "print(..., file=sys.stderr) in Python, fprintf(stderr, ...) in C",
        '  it is ready when it says {"ready": true}',
        "not ready yet",
    ]
    refused = koth("run", "zombies", "chatty", "@runner", "--out", "none").err
    assert 'it is ready when it says {"ready": true}' in refused
    made(
        tmp_path / "learner", "import no_such_torch.nn\n", koth_toml='command = "python bot.py"\nprotocol = "json"\n'
    )
    *_, cure, _ = koth("check", "learner", *SMALL, "--game", "zombies").out.splitlines()
    assert "has no module no_such_torch; a Python that has it: KOTH_INTERPRETERS=python=PATH" in cure
    refused = koth("run", "zombies", "learner", "@runner", "--out", "out").err.splitlines()
    assert cure in (line.removeprefix("    ") for line in refused) or cure.strip() in refused
    assert refused[-1] == "koth check BOT says more; --skip-broken goes on without it"
    told = json.loads(koth("check", "broken", *SMALL, "--json").out)
    assert [step["step"] for step in told["steps"]] == ["start"]
    assert (
        koth("run", "zombies", "broken", "@runner", "--out", "out").err.count("SyntaxError: expected ':' (bot.py")
        == 1
    )


def test_an_author_of_a_class_sees_his_own_words(koth: Koth, tmp_path: Path) -> None:
    made(tmp_path / "bot", CLASS.format("if context.id.number == 1: return 'NORTH'\n        {}['far']"))
    done = koth("check", "bot", *SMALL)
    assert "do_turn returned 'NORTH', not a Move or a Shoot: use Move.NORTH" in done.out
    assert any(line.strip().startswith("player 1 at ") for line in done.out.splitlines())
    assert "KeyError: " in done.out
    assert "(bot.py, line 7)" in done.out
    assert "z a zombie  # a body" in done.out
    assert "it received" not in done.out
    assert '"ask"' not in done.out
    assert done.out.count("Traceback (most recent call last):") <= 2, "not one for each player"
    koth("run", "zombies", "bot", "@runner", "--matches", 1, "--max-turns", 2, "--set", "players=3", "--out", "out")
    told = koth("why", "out", "bot", "--details").out
    assert "use Move.NORTH" in told
    assert '"ask"' not in told


def test_what_only_follows_is_no_fault_of_its_own(koth: Koth, tmp_path: Path) -> None:
    made(tmp_path / "chatty", LINES.format('print("debug", count)'), koth_toml='game = "pacman"\n')
    done = koth("check", "chatty", "--max-turns", 3)
    assert "write your own notes to stderr: print(..., file=sys.stderr)" in done.out
    assert "unasked" not in done.out
    tried = "tried: 3 of 500 turns alone; 3 of 500 turns against others; --max-turns 500 tries all"
    assert done.out.splitlines()[-1] == f"not ready yet ({tried})"
    made(tmp_path / "pacman", LINES.format("pass"))
    done = koth("check", "pacman", "--max-turns", 3)
    assert done.code == 0
    assert done.out.splitlines()[-1] == f"no fault: it is ready to play ({tried})"


OUTSIDE = {
    "while True:\n    pass": "the bot was computing",
    "import time\ntime.sleep(99)": "the bot was waiting in the system call ",
    "sys.stdin.readline()": "the bot was waiting for input: does it flush its output?",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [pytest.param("while True:\n    pass", marks=pytest.mark.long), *list(OUTSIDE)[1:]],
    ids=["spins", "sleeps", "does-not-flush"],
)
def test_of_other_programs_is_told_what_they_do(code: str, koth: Koth, tmp_path: Path) -> None:
    made(tmp_path / "hang", "import sys\nsys.stdin.readline()\nsys.stdin.readline()\n" + code)
    done = koth("check", "hang", "--game", "pacman", "--max-turns", 3, "--against", "@camper")
    assert OUTSIDE[code] in done.out


PYTHON = b"""five
Traceback (most recent call last):
  File "/bot/main.py", line 14, in <module>
    message["players"][7]
  File "/usr/lib/python3/json.py", line 3, in far
IndexError: list index out of range
"""
NODE = b"""/bot/bot.js:12
        foo.bar()
TypeError: Cannot read properties of undefined (reading 'bar')
    at node:internal/far:3:49
    at Interface.<anonymous> (/bot/bot.js:12:13)

Node.js v20.20.2
"""
RUST = b"""
thread 'main' (7) panicked at ./bot.rs:27:50:
index out of bounds: the len is 0 but the index is 3
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
OLD_RUST = b"""thread 'main' panicked at 'index out of bounds: the len is 0 but the index is 3', ./bot.rs:27:50
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
GO = b"""panic: runtime error: index out of range [3] with length 0

goroutine 1 [running]:
main.(*Bot).answer(...)
\t/bot/bot.go:12
main.main()
\t/bot/bot.go:40 +0x1d
"""
CPP = b"terminate called after throwing an instance of 'std::out_of_range'\n"


@pytest.mark.parametrize(
    ("stderr", "told"),
    [
        (PYTHON, "IndexError: list index out of range (main.py, line 14)"),
        (PYTHON + b"and on it goes\n", ""),
        (RUST, "index out of bounds: the len is 0 but the index is 3 (bot.rs, line 27)"),
        (OLD_RUST, "index out of bounds: the len is 0 but the index is 3 (bot.rs, line 27)"),
        (GO, "panic: runtime error: index out of range [3] with length 0 (bot.go, line 12)"),
        (CPP + b"  what():  far away\n", "std::out_of_range: far away"),
        (CPP, "std::out_of_range"),
        (NODE, "TypeError: Cannot read properties of undefined (reading 'bar') (bot.js, line 12)"),
        (b"Error: I only say so\n", ""),
        (b"", ""),
        (b'  File "' * 10_000, ""),
    ],
)
def test_the_exception_of_which_a_program_died(stderr: bytes, told: str) -> None:
    assert find_crash(stderr, Path("/home/ann/bot")) == told


def test_where_it_is() -> None:
    told = b'old\nStack (most recent call first):\n  File "/usr/x.py", line 1 in y\n  File "/bot/a.py", line 7 in f\n'
    assert find_location(told, Path("/home/ann")) == "a.py, line 7, in f"
    jvm = b"no answer in time; the bot is at player.MyBot.doTurn(MyBot.java:17)\n\tat java.lang.Thread.sleep(x)\n"
    assert find_location(jvm, Path("/home/ann")) == "player.MyBot.doTurn(MyBot.java:17)"
    assert find_location(b"nothing", Path("/home/ann")) == ""
    forged = told.replace(b"line 7", b"line " + b"7" * 5000)
    assert find_location(forged, Path("/home/ann")) == "", "no number of a line"


def test_the_game_is_told_by_manifest_and_folder(tmp_path: Path) -> None:
    made(tmp_path / "ann", "print()", koth_toml='game = "pacman"\n')
    assert find_game(str(tmp_path / "ann")) == "pacman"
    (tmp_path / "metalman").mkdir()
    assert find_game(str(made(tmp_path / "metalman" / "bob", "print()"))) == "metalman"
    made(tmp_path / "eve", "print()", koth_toml='game = "chess"\n')
    with pytest.raises(KothError, match=r"koth.toml: game = 'chess': no such game .*there are: zombies"):
        find_game(str(tmp_path / "eve"))
