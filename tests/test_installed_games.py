"""Games of installed packages: found by their entry points, imported when named, harmless when broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PYTHON = (sys.executable, "-m", "koth")

EXAMPLE = Path(__file__).parents[1] / "examples" / "koth-snakes"
HASTY = 'raise RuntimeError("imported")\n'


def install(folder: Path, package: str, games: dict[str, str], modules: dict[str, str]) -> None:
    """Lay a package down as pip would: its modules, and the metadata with its entry points."""
    for module, text in modules.items():
        (folder / module).mkdir(parents=True)
        (folder / module / "__init__.py").write_text(text)
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "".join(f"{game} = {module}\n" for game, module in games.items())
    (info / "entry_points.txt").write_text(f"[koth.games]\n{lines}")


def koth(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([*PYTHON, *words], env=environment, capture_output=True, text=True, check=False)


def test_only_the_game_that_is_named_is_imported(tmp_path: Path) -> None:
    install(tmp_path, "hasty", {"hasty": "hasty_game"}, {"hasty_game": HASTY})
    assert "imported" not in koth(tmp_path, "bots", "zombies").stderr
    assert koth(tmp_path, "bots", "zombies").returncode == 0
    named = koth(tmp_path, "run", "hasty")
    assert named.returncode == 2
    assert named.stderr.strip() == "koth: the game hasty of hasty can't be loaded: RuntimeError: imported"


def test_kinds_of_broken_packages_are_told_in_a_line(tmp_path: Path) -> None:
    install(tmp_path, "nowhere", {"nowhere": "not_there"}, {})
    install(tmp_path, "one", {"twice": "one_twice"}, {"one_twice": ""})
    install(tmp_path, "two", {"twice": "two_twice"}, {"two_twice": ""})
    install(tmp_path, "greedy", {"zombies": "greedy_zombies"}, {"greedy_zombies": HASTY})
    install(tmp_path, "empty", {"empty": "empty_game"}, {"empty_game": ""})
    listed = koth(tmp_path, "games")
    assert listed.returncode == 0
    assert "zombies" in listed.stdout
    assert sorted(listed.stderr.splitlines()) == [
        "greedy brings a game zombies, too: koth's own is played",
        "the game empty of empty can't be loaded: AttributeError: module 'empty_game' has no attribute 'GAME'",
        "the game nowhere: its package nowhere has no package 'not_there'",
        "the game twice is brought by one and two: uninstall all but one",
    ]
    wrong = koth(tmp_path, "run", "nowher")
    assert wrong.returncode == 2
    assert "did you mean nowhere?" in wrong.stderr


def test_koths_own_game_wins(tmp_path: Path) -> None:
    install(tmp_path, "greedy", {"metalman": "greedy_metalman"}, {"greedy_metalman": HASTY})
    played = koth(tmp_path, "run", "metalman", "--games", "1", "--json", "--out", str(tmp_path / "run"))
    assert played.returncode == 0, played.stderr
    assert koth(tmp_path, "new", "metalman", str(tmp_path / "new")).returncode == 0


def test_a_game_of_a_package_plays_like_any_other(tmp_path: Path) -> None:
    """The example's samples hold a contest, its replay verifies, and `koth new` starts a bot that plays."""
    install(tmp_path, "koth-snakes", {"snakes": "koth_snakes"}, {})
    (tmp_path / "koth_snakes").symlink_to(EXAMPLE / "koth_snakes")
    out = tmp_path / "run"
    assert koth(tmp_path, "new", "snakes", str(tmp_path / "mine")).returncode == 0
    short = ("--games", "1", "--seed", "3", "--set", "turns=20")
    done = koth(tmp_path, "run", "snakes", str(tmp_path / "mine"), "@hungry", *short, "--json", "--out", str(out))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {line["bot"] for line in told["standings"]} == {"mine", "hungry"}
    assert all(line["faults"] == {} for line in told["standings"])
    verified = koth(tmp_path, "verify", str(out))
    assert verified.returncode == 0, verified.stderr
