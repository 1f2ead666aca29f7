"""Exit codes are those of docs/commands.md wherever stdout and stderr lead: the walk is over click's declarations."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from koth.cli.commands import cli
from tests.cli.program import SMALL, Koth, bot_file

STREAMS = {
    "open": "",
    "a pipe that ends": "| true",
    "no stdout": ">&-",
    "no stderr": "2>&-",
    "nothing": "<&- >&- 2>&-",
    "stdout full": ">/dev/full",
    "stderr full": "2>/dev/full",
    "both full": ">/dev/full 2>/dev/full",
}
"""What the streams lead to, by how a shell writes it."""
FEW = ("open", "stdout full")
"""Those of the walk over all commands, which takes a process for each."""
WALK = """
import json, os, sys
os.environ["COLUMNS"] = "80"
from koth.cli import main
from importlib import import_module

def lead(streams):
    out = err = None
    if "|" in streams:
        read, out = os.pipe()
        os.close(read)
    full = os.open("/dev/full", os.O_WRONLY)
    kept = [os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for name in ("stdout.txt", "stderr.txt")]
    targets = [None, out or (full if ">/dev/full" in streams.replace("2>/dev/full", "") else kept[0])]
    targets.append(full if "2>/dev/full" in streams else kept[1])
    for handle, (name, sign) in enumerate([("stdin", "<&-"), ("stdout", ">&-"), ("stderr", "2>&-")]):
        is_closed = sign in (streams.replace("2>&-", "") if handle == 1 else streams)
        if is_closed:
            os.close(handle)
            setattr(sys, name, None)
        elif handle:
            os.dup2(targets[handle], handle)
            setattr(sys, name, open(handle, "w", closefd=False, buffering=1 if handle == 2 else -1))

words_of, streams_of, imports = json.loads(sys.stdin.read())
for name in imports:
    import_module(name)
codes = []
for words in words_of:
    for streams in streams_of:
        child = os.fork()
        if not child:
            lead(streams)
            sys.argv = ["koth", *words]
            main()  # its SystemExit ends this child as it ends the program
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        codes.append([code, open("stdout.txt").read(), open("stderr.txt").read()])
print(json.dumps(codes))
"""
"""Runs many commands with many streams; each is a process, forked from one that has imported koth."""


WORK = [f"koth.cli.{name}" for name in ("lists", "standings", "why", "pages", "doctor", "run", "check")]
"""The work of the commands that are run in earnest."""


def walk(
    commands: Sequence[Sequence[str]], folder: Path, streams: Sequence[str], imports: Sequence[str] = ()
) -> list[dict[str, tuple[int, str, str]]]:
    """The code, stdout and stderr of each command, by the streams that it had."""
    done = subprocess.run(
        [sys.executable, "-c", WALK],
        input=json.dumps([commands, [STREAMS[name] for name in streams], imports]),
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    codes = iter(json.loads(done.stdout))
    return [{name: tuple(next(codes)) for name in streams} for _ in commands]


def declared(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of each command that is declared, groups included."""
    yield path
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from declared(inner, (*path, name))


def check(code: int, says: str, found: dict[str, tuple[int, str, str]], words: Sequence[str]) -> None:
    """A code that depends on the streams only where a result on stdout is lost."""
    for name, (got, out, err) in found.items():
        lost = says == "stdout" and name in ("stdout full", "both full")
        assert got == (2 if lost else code), (words, name, got, err)
        assert "Traceback" not in err, (words, name, err)
        assert "Exception ignored" not in err, (words, name, err)
        if name == "stdout full" and lost:
            assert err == "koth: koth can't write its output: No space left on device\n", words
        if name == "a pipe that ends" and says == "stdout":
            assert not out, words
            assert err == found["open"][2], words


def test_every_command_has_its_code_wherever_its_output_goes(tmp_path: Path) -> None:
    commands = [[*path, "--help"] for path in declared(cli)]
    refused = [[*path, "--no-such-option"] for path in declared(cli)]
    assert len(commands) > 15
    for words, found in zip(commands, walk(commands, tmp_path, FEW), strict=True):
        check(0, "stdout", found, words)
    check(0, "stdout", walk(commands[:1], tmp_path, [*STREAMS])[0], commands[0])
    check(2, "stderr", walk(refused[:1], tmp_path, [*STREAMS])[0], refused[0])
    for words, found in zip(refused, walk(refused, tmp_path, FEW[:1]), strict=True):
        check(2, "stderr", found, words)
        assert "No such option" in found["open"][2]


@pytest.mark.slow
def test_results_and_answers_keep_their_code(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "good")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "koth.toml").write_text("nonsense = 1\n")
    played = koth("run", "zombies", "@runner", "good.py", "--matches", 1, "--max-turns", 2, "--out", "out", *SMALL)
    assert played.code == 0
    wanted = {
        ("standings", "out"): 0,
        ("docs",): 0,
        ("doctor",): 0,
        ("docs", "zombies/messages"): 0,
        ("why", "out"): 0,
        ("list", "good.py", "--game", "zombies"): 0,
        ("list", "broken", "--game", "zombies"): 1,
        ("standings", "out", "--format", "json"): 0,
    }
    for (words, code), found in zip(wanted.items(), walk([*wanted], tmp_path, FEW, WORK), strict=True):
        check(code, "stdout", found, words)
    first = ("standings", "out")
    check(0, "stdout", walk([first], tmp_path, [*STREAMS], WORK)[0], first)
    lost = [
        ["standings", "no"],
        ["run", "pacman", "no"],
        ["check", "no", "--game", "pacman"],
    ]
    for words, found in zip(lost, walk(lost, tmp_path, ("nothing",), WORK), strict=True):
        check(2, "stderr", found, words)


SHELL = """
set -o pipefail
koth() { "$0" -m koth "$@"; }
koth list | true; echo $? >&3
koth list >/dev/full; echo $? >&3
koth check bad.py --game zombies --max-turns 2 | true; echo $? >&3
koth run zombies a=good.py b=good.py --matches 1 --max-turns 2 --out quiet 2>&- >/dev/null; echo $? >&3
koth standings nowhere 2>&-; echo $? >&3
"""


@pytest.mark.slow
def test_a_shell_gets_the_documented_codes(koth: Koth, tmp_path: Path) -> None:
    """Also of whole programs: twins are mentioned on stderr, which is closed, and the contest is played."""
    bot_file(tmp_path, "good")
    bot_file(tmp_path, "bad", "import nothing_of_this_name\n")
    done = subprocess.run(
        ["bash", "-c", f"exec 3>&1 >/dev/null; {SHELL}", sys.executable], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.split() == ["0", "2", "1", "0", "2"], done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "quiet" / "results.sqlite").exists()
    assert done.stderr.count("koth: koth can't write its output: No space left on device\n") == 1


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_pipe_that_does_not_block_is_waited_for(size: int) -> None:
    """Some programs (Node) leave their pipes so; a full one is not an error."""
    source = f"""
import os, sys
os.set_blocking(1, False)
from koth.cli.streams import prepare_streams
prepare_streams()
print("x" * {size}, flush=True)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert len(done.stdout) == size + 1
