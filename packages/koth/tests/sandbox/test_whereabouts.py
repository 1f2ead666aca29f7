"""A bot sees no path of the host's but those that the host shows it: not where its copy lies, nor where koth does."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.contest.preflight import build
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.files.cache import cache_folder
from koth.game import TimeControl
from koth.sandbox.mounts import PACKAGE
from tests.sandbox.zoo import hosted, isolation
from tests.session.arena import GAME, Quiet, python_bot

STRONG = ("strong+cgroup", "strong")

LOOKS = """
cat /proc/self/mountinfo /proc/self/mounts /proc/self/environ /proc/self/cmdline /proc/self/maps /proc/1/cmdline >&2
readlink /proc/self/cwd /proc/self/exe >&2
"""


def told(stderr: bytes, *places: Path) -> list[str]:
    """Return the paths among these that a bot's findings contain; the findings must not be empty."""
    text = stderr.decode(errors="replace")
    assert " /usr " in text
    assert "PATH=" in text
    return [str(place) for place in places if str(place) in text]


@pytest.mark.parametrize("level", STRONG)
def test_a_program_of_its_own(level: str, tmp_path: Path, quiet: Quiet) -> None:
    home = tmp_path / "bad"
    home.mkdir()
    manifest = 'protocol = "json"\ncommand = ["./bot.sh"]\nsubprocesses = true\n[env]\nMINE = "/bot:."\n'
    (home / "koth.toml").write_text(manifest)
    (home / "bot.sh").write_text(f"#!/bin/sh\n{LOOKS}")
    (home / "bot.sh").chmod(0o755)
    bot = load_bot(GAME, home, Interpreters(), "bad")
    record = hosted(bot, tmp_path, level, quiet)
    assert told(record.stderr, tmp_path, PACKAGE, Path.home() / ".cache") == [], record.stderr.decode()
    assert b"MINE=/bot:." in record.stderr


@pytest.mark.parametrize("level", STRONG)
def test_a_build(
    level: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sees where it works: nowhere that tells a check from a contest."""
    monkeypatch.setenv("KOTH_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    home = tmp_path / "bad"
    home.mkdir()
    (home / "koth.toml").write_text('protocol = "json"\ncommand = ["./bot.sh"]\nbuild = ["./bot.sh"]\n')
    (home / "bot.sh").write_text("#!/bin/sh\ncat /proc/self/mountinfo /proc/self/environ > seen\n")
    (home / "bot.sh").chmod(0o755)
    bot, problem = build(load_bot(GAME, home, Interpreters(), "bad"), tmp_path / "copies", isolation(level))
    assert problem == ""
    assert told((bot.folder / "seen").read_bytes(), tmp_path) == []
    assert bot.folder.parent == tmp_path / "copies"
    assert list(cache_folder("builds").iterdir()) == []


CLASS = """
import os, sys
for name in ("mountinfo", "mounts", "environ", "cmdline", "maps"):
    print(open(f"/proc/self/{name}").read(), file=sys.stderr)
print([getattr(module, "__file__", "") for module in sys.modules.values()], os.environ, sys.path, sys.argv,
      file=sys.stderr)

class Bad:
    def do_turn(self, context):
        return None
"""


@pytest.mark.parametrize("level", STRONG)
def test_a_class_in_python(level: str, tmp_path: Path, quiet: Quiet) -> None:
    """Beside the environment that runs it, which tells by itself where it lies."""
    record = hosted(python_bot(tmp_path, CLASS), tmp_path, level, quiet)
    assert b"/koth/games/zombies/bot.py" in record.stderr
    assert told(record.stderr, tmp_path, PACKAGE) == [], record.stderr.decode()


@pytest.mark.parametrize("level", ["none", "strong"])
@pytest.mark.parametrize("folder", ["a:b", "a:/b"])
def test_a_folder_with_a_colon_is_played_from_its_copy(level: str, folder: str, tmp_path: Path, quiet: Quiet) -> None:
    (home := tmp_path / folder).mkdir(parents=True)
    record = hosted(python_bot(home, f"{CLASS}\nprint(__file__, file=sys.stderr)"), home, level, quiet)
    assert record.stderr.decode().splitlines()[-1].endswith("/bad.py")
    assert str(home / "bad.py") not in record.stderr.decode()


JAVA = """
package player;
import zombie.*;
import java.nio.file.*;

public class Bad implements Player {
  public Bad() throws Exception {
    for (String name : new String[] {"mountinfo", "mounts", "environ", "cmdline", "maps"})
      System.err.println(new String(Files.readAllBytes(Path.of("/proc/self/" + name))));
    System.err.println(System.getProperties());
    System.err.println(Bad.class.getProtectionDomain().getCodeSource());
  }

  public Action doTurn(PlayerContext context) { return Move.STAY; }
}
"""


@pytest.mark.needs("javac")
@pytest.mark.parametrize("level", STRONG)
def test_a_class_in_java(level: str, tmp_path: Path, quiet: Quiet) -> None:
    (home := tmp_path / "bad" / "player").mkdir(parents=True)
    (home / "Bad.java").write_text(JAVA)
    bot = load_bot(GAME, home, Interpreters(), "bad")
    record = hosted(bot, tmp_path, level, quiet, TimeControl(start=60, question=30))
    assert b"file:/classes/bot-" in record.stderr
    assert told(record.stderr, tmp_path, PACKAGE, cache_folder("jvm")) == [], record.stderr.decode()
