"""Classification of Python files by their text: a class `Bot` for koth's adapter, or a program."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from koth.discovery.bot_class import is_program
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import BotError
from koth.games import load as load_game

GAME = load_game("pacman")
CLASS = "class Bot:\n    def act(self, obs):\n        return 'N'\n"
LOOP = "import sys\nfor line in sys.stdin:\n    print('N', flush=True)\n"

CLASSES = {
    "alone": CLASS,
    "with helpers": "import random\nfrom os import path\n\nWAYS = 'NESW'\n\ndef way():\n    return WAYS[0]\n\n"
    + CLASS,
    "built on another": "from mine import Best\n\n@print\nclass Bot(Best): pass\n",
    "with tables that functions make": "def table():\n    return [1]\n\n"
    + CLASS
    + "\nTABLE = table()\nfor x in TABLE:\n    print(x)\n",
    "with words in texts": '"""\nfor line in sys.stdin: Bot()\n"""\n'
    + CLASS
    + "\nprint('Bot', \"input()\")  # Bot(stdin)\n",
    "with a function that nobody calls": "import sys\n\ndef main():\n    Bot().act(sys.stdin)\n\n" + CLASS,
    "with its own name": "import logging\nlog = logging.getLogger(__name__)\n" + CLASS,
    "of another file": '"""Walks."""\n\nfrom __future__ import annotations\nfrom brain.walk import (\n    Bot,\n)\n',
    "of another file and name": "from brain import Best as Bot\n",
    "that is not Python": "class Bot:\n    def act(self, obs)\n        return 'N'\n",
    "with the ends of lines of Windows": CLASS.replace("\n", "\r\n"),
}
PROGRAMS = {
    "a loop": LOOP,
    "a class beside a loop": CLASS + LOOP,
    "a class in its loop": CLASS + "bot = Bot()\nwhile True:\n    print(bot.act(input()))\n",
    "a main function": "import sys\n"
    + CLASS
    + "\ndef talk():\n    return sys.stdin\n\ndef main():\n    talk()\n\nif __name__ == '__main__':\n    main()\n",
    "descriptors": "import os\n" + CLASS + "while True:\n    Bot().act(os.read(0, 9))\n",
    "a class of another file, which it runs": "from brain import Bot\nBot().run()\n",
    "a function of another file": "from brain import Bot, run\n\nrun()\n",
    "another class of another file": "from brain import Bot as Player\n",
    "another class": CLASS.replace("Bot", "Player"),
    "nothing": "",
}
EITHER = {
    "what it calls reads": "from wire import run\n" + CLASS + "run(Bot())\n",
    "a main function": CLASS + "\ndef main():\n    run(Bot())\n\nrandom.seed(1)\nmain()\n",
    "a trial": CLASS + "if __name__ == '__main__':\n    test()\n",
}


def protocol(folder: Path, text: str, **files: str) -> str:
    """The protocol of a bot with this text."""
    home = folder / "home"
    home.mkdir()
    (home / "bot.py").write_bytes(text.encode())
    for name, told in files.items():
        (home / name.replace("_", ".")).write_text(told)
    return load_bot(GAME, home, Interpreters()).protocol


@pytest.mark.parametrize("name", CLASSES)
def test_a_class(name: str, tmp_path: Path) -> None:
    assert protocol(tmp_path, CLASSES[name]) == "python"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name: str, tmp_path: Path) -> None:
    assert protocol(tmp_path, PROGRAMS[name]) == "text"


@pytest.mark.parametrize("name", EITHER)
def test_an_ambiguous_file_names_the_line_and_the_cure(name: str, tmp_path: Path) -> None:
    text = EITHER[name]
    with pytest.raises(BotError) as told:
        protocol(tmp_path, text)
    line = next(
        number for number, line in enumerate(text.split("\n"), 1) if line.startswith(("run(", "main()", "if "))
    )
    assert f"class Bot, but line {line} runs something by itself" in str(told.value)
    assert 'protocol = "python" or command = "python bot.py"' in str(told.value)


@pytest.mark.parametrize(
    ("manifest", "wanted"),
    [('protocol = "python"', "python"), ('protocol = "json"', "json"), ('command = "python bot.py"', "text")],
)
@pytest.mark.parametrize("text", [CLASS, LOOP, EITHER["a trial"]])
def test_a_manifest_says_which(text: str, manifest: str, wanted: str, tmp_path: Path) -> None:
    assert protocol(tmp_path, text, koth_toml=manifest) == wanted


def test_options_of_a_wire_are_for_programs(tmp_path: Path) -> None:
    assert protocol(tmp_path, CLASS, koth_toml='coordinates = "col,row"') == "text"


@pytest.mark.parametrize("more", ['command = "python bot.py"', 'main = "bot.js"'])
def test_the_class_is_in_a_main_file_in_python(more: str, tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r'protocol = "python" is for a main file in Python'):
        protocol(tmp_path, CLASS, bot_js="", koth_toml=f'protocol = "python"\n{more}')


@pytest.mark.parametrize("game", ["zombies", "aliens", "metalman"])
def test_a_game_with_an_api_of_its_own_keeps_it(game: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(CLASS)
    assert load_bot(load_game(game), tmp_path / "bot.py", Interpreters()).protocol == "frames"
    (tmp_path / "koth.toml").write_text('protocol = "python"')
    assert load_bot(load_game(game), tmp_path, Interpreters()).protocol == "python"


LONG = {
    "a text without an end": '"' + '\\"' * 500_000,
    "quotes": "'''" * 300_001,
    "statements": "a\n" * 500_000,
    "starts": "Bot\n" * 250_000 + CLASS,
    "brackets": "(" * 1_000_000,
    "lines that go on": "\\\n" * 500_000,
    "imports": "from " + "import " * 150_000,
    "imports under another name": "from a import " + "Bot as B, " * 100_000,
    "blank lines": "stdin" + "\n" * 1_000_000,
    "a chain": "".join(f"def f{n}(): f{n + 1}()\n" for n in range(30_000)) + "f0()\n" * 30_000 + CLASS,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_no_text_takes_long(name: str, tmp_path: Path) -> None:
    """Each file has a megabyte, and is read in less than a second."""
    begun = time.process_time()
    with contextlib.suppress(BotError):
        protocol(tmp_path, LONG[name])
    is_program(tmp_path / "home" / "bot.py")
    assert time.process_time() - begun < 20
