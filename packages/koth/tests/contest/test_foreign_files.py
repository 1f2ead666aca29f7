"""Files as other systems leave them: read where their meaning is clear, else refused with the cause and the cure."""

from __future__ import annotations

import os
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from koth.contest.preflight import build, start_once
from koth.contest.start_hints import start_hints
from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.game import Game, TimeControl
from koth.games import load
from koth.sandbox.isolation import Isolation
from koth.session.bot import Bot
from koth.session.faults import FaultReport

ZOMBIES, PACMAN = load("zombies"), load("pacman")
HERE = Interpreters()
MARK = b"\xef\xbb\xbf"
PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        print(json.dumps({"ready": True}), flush=True)
"""


def folder(place: Path, files: dict[str, bytes | str]) -> Path:
    """A bot's folder with these files, none of them executable."""
    for name, content in files.items():
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return place


def found(path: Path, game: Game = ZOMBIES) -> Bot:
    """The only bot at a path."""
    found = find_entrants(game, [str(path)], HERE)
    bots, problems = found.bots, found.problems
    assert problems == []
    (bot,) = bots
    return bot


def refused(path: Path, game: Game = ZOMBIES) -> str:
    """Why the bot at a path is none."""
    found = find_entrants(game, [str(path)], HERE)
    bots, (problem,) = found.bots, found.problems
    assert bots == []
    return str(problem)


@pytest.mark.parametrize("write", [lambda text: MARK + text.encode(), lambda text: text.encode("utf-16")])
@pytest.mark.parametrize("name", ["koth.toml", "command.txt"])
def test_kothsown_files_in_the_encodings_of_windows(name: str, write: object, tmp_path: Path) -> None:
    text = 'command = "python prog.py"\r\n' if name == "koth.toml" else "python prog.py\r\n"
    place = folder(tmp_path / "fox", {name: write(text), "prog.py": PROGRAM})  # type: ignore[operator]
    assert found(place).argv == (HERE.python, "prog.py")


def test_marks_are_removed_from_the_copies_of_sources_alone(tmp_path: Path) -> None:
    files = {"bot.py": MARK + PROGRAM.encode(), "lib/Help.JAVA": MARK + b"class Help {}", "data.txt": MARK + b"data"}
    built, problem = build(found(folder(tmp_path / "fox", files)), tmp_path / "copies")
    assert problem == ""
    assert (built.folder / "bot.py").read_bytes() == PROGRAM.encode()
    assert (built.folder / "lib" / "Help.JAVA").read_bytes() == b"class Help {}"
    assert (built.folder / "data.txt").read_bytes() == files["data.txt"]


@pytest.mark.parametrize("start", ["#!/bin/sh\n", MARK.decode() + "#!/usr/bin/env python3\n", b"\x7fELF"])
@pytest.mark.parametrize("command", ["./run.sh", "run.sh"])
def test_a_program_without_its_bit_gets_it_in_the_copy(start: str | bytes, command: str, tmp_path: Path) -> None:
    place = folder(tmp_path / "fox", {"koth.toml": f'command = "{command}"', "run.sh": start})
    built, problem = build(found(place), tmp_path / "copies")
    assert problem == ""
    assert os.access(built.argv[0], os.X_OK)
    assert not os.access(place / "run.sh", os.X_OK)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("run.bat", "python prog.py\r\n", "it is for Windows, and this is Linux"),
        ("RUN.PS1", "python prog.py\r\n", "it is for Windows, and this is Linux"),
        ("fox.exe", b"MZ\x90\0", "may run by Mono: mono fox.exe"),
        ("fox", b"MZ\x90\0", "it is for Windows, and this is Linux"),
        ("fox", b"\xcf\xfa\xed\xfe", "it is for macOS, and this is Linux"),
        ("run.sh", "python3 prog.py\n", "name that in the command: sh run.sh"),
        ("run.sh", "#!/bin/sh\r\nexec python3 prog.py\r\n", r'save it with Linux line endings ("\n")'),
        ("run.sh", "#!/opt/no/such/thing -x\n", "'/opt/no/such/thing -x', which is not on this machine"),
        ("run.sh", "#!python3\n", "'python3', which is not a path such as /usr/bin/env"),
        ("run.sh", "#!/usr/bin/env no-such-thing\n", "'no-such-thing', which is not installed"),
    ],
)
def test_a_program_that_can_not_start_here_is_refused_by_its_cause(
    name: str, content: str | bytes, reason: str, tmp_path: Path
) -> None:
    place = folder(tmp_path / "fox", {"koth.toml": f'command = "./{name}"', name: content})
    _, problem = build(found(place), tmp_path / "copies")
    assert problem.startswith(f"{name} can't be started: ")
    assert reason in problem
    assert "KOTH_ALLOW_READ" not in problem


def test_a_build_step_without_its_bit_runs(tmp_path: Path) -> None:
    step = "#!/bin/sh\necho built > made.txt\n"
    manifest = 'build = "./make.sh"\ncommand = "python prog.py"'
    place = folder(tmp_path / "fox", {"koth.toml": manifest, "make.sh": step, "prog.py": PROGRAM})
    built, problem = build(found(place), tmp_path / "copies")
    assert problem == ""
    assert (built.folder / "made.txt").read_text() == "built\n"


def zipped(file: Path, names: dict[str, str]) -> Path:
    """A zip as programs of Windows make it: no modes."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in names.items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 0, 0x20
            archive.writestr(info, content)
    return file


@pytest.mark.parametrize("slash", ["/", "\\"])
@pytest.mark.parametrize("ending", ["zip", "ZIP", "Zip"])
def test_zips_of_windows(slash: str, ending: str, tmp_path: Path) -> None:
    names = {"fox/koth.toml": 'command = "./run.sh"', "fox/run.sh": "#!/bin/sh\n", "fox/lib/help.py": "x = 1"}
    file = zipped(tmp_path / f"fox.{ending}", {name.replace("/", slash): text for name, text in names.items()})
    built, problem = build(found(file), tmp_path / "copies")
    assert problem == ""
    assert stat.S_IMODE((built.folder / "run.sh").stat().st_mode) == 0o755
    assert (built.folder / "lib" / "help.py").read_text() == "x = 1"


@pytest.mark.parametrize("name", ["..\\bot.py", "C:\\bot.py", "\\\\host\\bot.py", "fox\\..\\..\\bot.py"])
def test_paths_of_windows_that_lead_outside_are_refused(name: str, tmp_path: Path) -> None:
    assert "lies outside of it" in refused(zipped(tmp_path / "fox.zip", {name: ""}))


@pytest.mark.parametrize("name", ["bot.PY", "Bot.Py", "BOT.PY", "BOT.RB", "bot.LUA"])
def test_endings_in_capitals(name: str, tmp_path: Path) -> None:
    file = folder(tmp_path / "fox", {name: "import sys\nsys.stdin.read()\n"}) / name
    for path in (file, file.parent):
        assert found(path, PACMAN).language in ("python", "ruby", "lua")


def test_a_class_in_a_file_whose_ending_is_in_capitals_starts(tmp_path: Path) -> None:
    source = "class Good:\n    def do_turn(self, context):\n        return None\n"
    bot = found(folder(tmp_path / "fox", {"Bot.PY": source}))
    assert bot.has_adapter
    assert start_once(ZOMBIES, ZOMBIES.rulesets["published"], [bot], TimeControl(start=30)) == []


JAVA = "{public} class {name} {{ public static void main(String[] words) {{}} }}"


@pytest.mark.parametrize(
    ("name", "source", "reason"),
    [
        ("bot.C", "int main(void) { return 0; }", "rename it: bot.c"),
        ("Bot.JAVA", JAVA.format(public="public", name="Bot"), "rename it: Bot.java"),
        ("bot.java", JAVA.format(public="public", name="Bot"), "its public class is Bot"),
        ("bot.java", MARK.decode() + JAVA.format(public="public final", name="Fox"), "to be called Fox.java; rename"),
        ("bot.cs", 'System.Console.WriteLine("x");', "no class in it has a static method Main"),
    ],
)
def test_sources_that_their_compilers_refuse(name: str, source: str, reason: str, tmp_path: Path) -> None:
    assert reason in refused(folder(tmp_path / "fox", {name: source}), PACMAN)


def test_a_class_that_is_not_public_may_have_any_name(tmp_path: Path) -> None:
    bot = found(folder(tmp_path / "fox", {"bot.java": JAVA.format(public="", name="bot")}), PACMAN)
    assert bot.argv[-1] == "bot"


def test_a_main_file_below_a_manifest_is_named(tmp_path: Path) -> None:
    source = JAVA.format(public="public", name="Bot")
    place = folder(tmp_path / "fox", {"koth.toml": 'protocol = "json"', "src/Bot.java": source})
    assert "main = PATH in koth.toml names one" in refused(place, PACMAN)
    folder(place, {"koth.toml": 'main = "src/Bot.java"'})
    assert found(place, PACMAN).build[-1][-1] == "./src/Bot.java"


def test_a_program_in_python_speaks_json_where_classes_are_usual(tmp_path: Path) -> None:
    assert found(folder(tmp_path / "fox", {"bot.py": PROGRAM})).protocol == "json"
    api = "class Good:\n    def do_turn(self, context):\n        return None\n"
    assert found(folder(tmp_path / "cat", {"bot.py": api})).has_adapter


def test_a_slow_start_is_told_its_option(tmp_path: Path) -> None:
    """No word of other programs, which it does not start."""
    place = folder(
        tmp_path / "fox", {"koth.toml": 'command = "python prog.py"', "prog.py": "import time; time.sleep(60)"}
    )
    (broken,) = start_once(ZOMBIES, ZOMBIES.rulesets["published"], [found(place)], TimeControl(start=0.3))
    assert "--start-timeout SECONDS" in broken.reason
    assert "subprocesses" not in broken.reason


def test_a_first_message_without_its_end_is_not_told_to_be_sent(tmp_path: Path) -> None:
    source = "import os, sys, time\nos.write(1, b'{\"ready\": true}')\ntime.sleep(60)"
    place = folder(tmp_path / "fox", {"koth.toml": 'command = "python prog.py"', "prog.py": source})
    (broken,) = start_once(ZOMBIES, ZOMBIES.rulesets["published"], [found(place)], TimeControl(start=1))
    unfinished = 'the output has no end of line, a "\\n": {"ready": true}'
    assert broken.reason == f"late: not ready within 1 s: it slept for 3 s; {unfinished}"
    assert not broken.hints


def test_a_silent_program_learns_that_its_output_may_lie_in_a_buffer(tmp_path: Path) -> None:
    place = folder(tmp_path / "fox", {"koth.toml": 'command = "python prog.py"', "prog.py": PROGRAM})
    late = FaultReport("late", 0, "not ready within 10 s")
    assert any("fflush(stdout) in C" in hint for hint in start_hints(found(place), late, "", Isolation()))


def test_a_temporary_file_is_no_matter_of_paths(tmp_path: Path) -> None:
    words = "[Errno 2] No usable temporary directory found in ['/tmp', '/var/tmp', '/usr/tmp', '/bot']"
    source = f"raise FileNotFoundError({words!r})"
    bot = found(folder(tmp_path / "fox", {"koth.toml": 'command = "python prog.py"', "prog.py": source}))
    (broken,) = start_once(ZOMBIES, ZOMBIES.rulesets["published"], [bot], TimeControl(start=30))
    assert [*broken.hints] == [
        "it wants a temporary file: bots have a folder for these at isolation strong (koth doctor)"
    ]


def test_the_names_of_bots_stay(tmp_path: Path) -> None:
    with pytest.raises(KothError, match="no such file"):
        raise find_entrants(ZOMBIES, [str(tmp_path / "no.ZIP")], HERE).problems[0]
    assert replace(found(zipped(tmp_path / "Fox.ZIP", {"bot.py": PROGRAM})), name="x").path.name == "Fox"


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("ready", True),
        ("Hello", True),
        ('{"hello": 1}', True),
        ("{'ready': True}", False),
        ('{"Ready": true}', False),
    ],
)
def test_the_first_message_is_told_to_those_who_do_not_know_it(said: str, is_told: bool, tmp_path: Path) -> None:
    source = f"import sys\nprint({said!r}, flush=True)\nsys.stdin.read()"
    place = folder(tmp_path / "fox", {"koth.toml": 'command = "python prog.py"', "prog.py": source})
    (broken,) = start_once(ZOMBIES, ZOMBIES.rulesets["published"], [found(place)], TimeControl(start=30))
    assert ('it is ready when it says {"ready": true}' in broken.hints) == is_told
