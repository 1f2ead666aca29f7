"""Strange programs in a manifest: the bot can't be started, but the arena never fails."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from koth.contest.preflight import build, start_once
from koth.discovery.entrants import find_entrants
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.manifest import KEYS, protocol_options
from koth.errors import BotError
from koth.game import TimeControl
from koth.games import GAMES
from koth.games import load as load_game
from tests.sandbox.zoo import LEVELS, isolation
from tests.session.arena import GAME, SETTINGS

PROGRAMS = [
    "/proc/self/exe",
    "/proc/1/exe",
    "/opt/../proc/self/exe",
    "/proc/self/root/bin/true",
    "/dev/fd/0",
    "/dev/null",
    "/dev/../bin/true",
    "//usr/bin/true",
    "/tmp/../bin/true",
    "/bot/../bin/true",
    "/bot/main.py",
    "/koth/adapter/bot_adapter.py",
    "/oldroot/bin/true",
    "/etc/passwd",
    "/root/../bin/true",
    "/",
    "../../../bin/true",
    "/" + "x" * 5000,
]


def why_not(tmp_path: Path, command: list[str], level: str) -> str:
    """Why a bot with this command can't play."""
    home = tmp_path / "bot"
    home.mkdir()
    (home / "koth.toml").write_text('command = ["sh"]\n')
    bot = replace(load_bot(GAME, home, Interpreters()), argv=tuple(command))  # as if nobody had looked at it
    bot, problem = build(bot, tmp_path / "copies", isolation(level))
    assert problem == ""
    (broken,) = start_once(GAME, SETTINGS, [bot], TimeControl(start=10), isolation(level))
    return broken.reason


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda word: word[:30])
@pytest.mark.parametrize("level", LEVELS)
def test_a_strange_program(level: str, program: str, tmp_path: Path) -> None:
    assert why_not(tmp_path, [program, "-c"], level)


@pytest.mark.parametrize("level", ["none", *LEVELS])
def test_a_command_that_is_too_long(level: str, tmp_path: Path) -> None:
    assert "Argument list too long" in why_not(tmp_path, ["/bin/cat", "x" * 200_000], level)


@pytest.mark.parametrize("key", ["command", "build", "main", "python", "name", "entry"])
def test_a_character_that_ends_texts(key: str, tmp_path: Path) -> None:
    (tmp_path / "koth.toml").write_text(f'{key} = "a\\u0000b"\n')
    with pytest.raises(BotError, match=rf"{key} has the character U.0000"):
        load_bot(GAME, tmp_path, Interpreters())


def test_the_same_in_a_line_of_commands(tmp_path: Path) -> None:
    (tmp_path / "command.txt").write_bytes(b"/bin/echo a\0b\n")
    with pytest.raises(BotError, match=r"a command has the character U.0000"):
        load_bot(GAME, tmp_path, Interpreters())


VALUES = [
    *("1", "-1", "1.5", "nan", "inf", "true", "[]", '["a"]', "[1]", "{}", "{a = 1}", "1979-05-27", '""', '"x"'),
    *('"\\u202e"', '"../.."', '"/etc"', '"*"', '"**/*"', '"["', '"bot.py"', '"sh"', '"jvm"', '"jython"', '"frames"'),
    *("9" * 5000, "1e400", '"' + "y" * 100_000 + '"', '[[[["a"]]]]', "[" * 3000 + "]" * 3000, "'''a\nb'''", "="),
]


@pytest.mark.parametrize("name", GAMES)
def test_manifests_of_any_kind(name: str, tmp_path: Path) -> None:
    """A bot, or an error in words."""
    game, dice = load_game(name), random.Random(11)
    keys = [*KEYS, *(option for protocol in game.protocols for option in protocol_options(game, protocol))]
    for number in range(300):
        home = tmp_path / str(number)
        home.mkdir()
        (home / "koth.toml").write_text("".join(f"{key} = {dice.choice(VALUES)}\n" for key in dice.sample(keys, 2)))
        if dice.random() < 0.5:
            (home / "bot.py").write_text("")
        if dice.random() < 0.3:
            (home / "bot.js").write_text("PlayerRegistry registerPlayer('a', ")
        found = find_entrants(game, [str(home)], Interpreters())
        bots, errors = found.bots, found.problems
        assert len(bots) + len(errors) == 1, (home / "koth.toml").read_text()


WANTS = {
    "a command": ("koth.toml", 'command = ["{}", "main.py"]\n'),
    "a python": ("koth.toml", 'python = "{}"\ncommand = ["python", "main.py"]\n'),
    "a build": ("koth.toml", 'command = ["./bot"]\nbuild = ["{} make.py"]\n'),
    "a command.txt": ("command.txt", "{} main.py\n"),
    "its build": ("command.txt", "{} main.py\n./bot\n"),
}


@pytest.mark.parametrize("kind", WANTS)
def test_other_users_programs_are_not_shown(kind: str, tmp_path: Path) -> None:
    """A bot that guesses their path would see their files, or a whole Python environment."""
    theirs = tmp_path / "home" / "venv" / "bin" / "python"
    theirs.parent.mkdir(parents=True)
    theirs.symlink_to(sys.executable)
    name, text = WANTS[kind]
    (home := tmp_path / "bot").mkdir()
    (home / name).write_text(text.format(theirs))
    (home / "main.py").write_text("")
    with pytest.raises(BotError, match=f"it wants to run {theirs}; to allow it: KOTH_ALLOW_READ={theirs}"):
        load_bot(GAME, home, Interpreters())
    for may in (Interpreters(paths=(theirs.parents[1],)), Interpreters(python=str(theirs))):
        load_bot(GAME, home, may)
