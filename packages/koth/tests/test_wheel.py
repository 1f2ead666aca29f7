"""koth's wheel holds what git holds under its `src/koth`, and works where nothing but it and its dependencies is."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from koth.discovery.starts import find_starts
from koth.games import GAMES

ROOT = Path(__file__).resolve().parents[3]


def files_of_git() -> list[str]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listing.stdout.splitlines() if (ROOT / name).is_file() or (ROOT / name).is_symlink()]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of nothing but git's files: what lies in `build/` would get into a wheel."""
    source = tmp_path_factory.mktemp("source")
    for name in files_of_git():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, source / name, follow_symlinks=False)
    return source


def build_wheel(source: Path, name: str, out: Path) -> Path:
    """Build a package's wheel in a folder, by way of an sdist."""
    build = f"from setuptools.build_meta import build_sdist; print(build_sdist({str(out)!r}))"
    built = subprocess.run(
        [sys.executable, "-c", build], cwd=source / "packages" / name, capture_output=True, text=True, check=True
    )
    sdist = out / built.stdout.splitlines()[-1]
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", out, sdist], check=True)
    (made,) = out.glob(f"{name.replace('koth', 'koth_arena').replace('-', '_')}-[0-9]*.whl")
    return made


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    package = source / "packages/koth"
    (package / "src/koth/__pycache__").mkdir()
    (package / "src/koth/__pycache__/stale.pyc").touch()
    return build_wheel(source, "koth", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that has the wheel's `koth`."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_description_for_an_index_has_no_relative_links(installed: Path) -> None:
    (metadata,) = installed.glob("koth_arena-*.dist-info/METADATA")
    _, _, description = metadata.read_text(encoding="utf-8").partition("\n\n")
    assert description.startswith("# koth-arena")
    for readme in (ROOT / "packages").glob("*/README.md"):
        assert re.findall(r"\]\((?!http)", readme.read_text(encoding="utf-8")) == []


def koth(installed: Path, *commands: list[str], cwd: Path) -> str:
    """Commands of the wheel's koth, one after another; its rules are not compiled, which would take longer."""
    environment = os.environ | {"PYTHONPATH": str(installed), "NUMBA_DISABLE_JIT": "1"}
    code = f"import koth; from koth.cli import cli; [cli.main(c, standalone_mode=False) for c in {commands}]"
    code += f"; assert koth.__file__.startswith({str(installed)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_has_the_files_of_git(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("koth/")}
    kept = files_of_git()
    source = "packages/koth/src/"
    code = {name.removeprefix(source) for name in kept if name.startswith(source) and name != f"{source}koth/docs"}
    assert packed == code | {f"koth/{name}" for name in kept if name.startswith("docs/")}


def test_the_docs_are_read_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert koth(installed, ["docs", "standings"], cwd=tmp_path) == (ROOT / "docs/standings.md").read_text()
    assert koth(installed, ["docs", "pacman/rules"], cwd=tmp_path).startswith("# ")


def test_every_start_comes_out_of_the_wheel_whole(installed: Path, tmp_path: Path) -> None:
    all_starts = [(game, lang, file) for game in GAMES for lang, file in find_starts(game).items()]
    koth(installed, *(["new", game, f"{game}-{lang}", "--lang", lang] for game, lang, _ in all_starts), cwd=tmp_path)
    for game, lang, file in all_starts:
        assert (tmp_path / f"{game}-{lang}" / file.name).read_bytes() == file.read_bytes()


def test_a_new_game_comes_out_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    koth(installed, ["new-game", "gold"], cwd=tmp_path)
    made = {str(path.relative_to(tmp_path / "koth-gold")) for path in (tmp_path / "koth-gold").rglob("*.*")}
    skeleton = "packages/koth/src/koth/skeleton/"
    kept = [name for name in files_of_git() if name.startswith(skeleton)]
    assert made == {name.removeprefix(skeleton).replace("skeleton", "gold") for name in kept}


@pytest.mark.needs("c++")
def test_a_start_in_cpp_plays_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    made = ["new", "pacman", "mine", "--lang", "c++"]
    run = ["run", "pacman", "mine", "@random_walk", "--matches", "1", "--set", "turns=5", "--json"]
    told = json.loads(koth(installed, made, run, cwd=tmp_path).splitlines()[-1])
    assert {line["bot"]: line["faults"] for line in told["standings"]} == {"mine": {}, "random_walk": {}}


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `koth` of an environment that has the wheel and what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "-c", ROOT / "requirements.lock"]
    subprocess.run([*pip, wheel], check=True)
    return folder / "bin/koth"


@pytest.mark.slow
def test_an_author_needs_the_wheel_only(clean: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}

    def said(*words: str) -> str:
        done = subprocess.run(
            [clean, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    said("new", "zombies", "mine")
    short = ["--max-turns", "20", "--seed", "1"]
    told = json.loads(said("run", "zombies", "mine", "rival=mine", "-n", "1", *short, "--out", "run", "--json"))
    faults = {line["bot"]: line["faults"] for line in told["standings"]}
    assert faults == {"mine": {}, "rival": {}}
    assert json.loads(said("check", "mine", *short, "--json"))["ok"]
    said("export", "run", "site")
    assert "mine" in (tmp_path / "site/index.html").read_text()
    replay = min((tmp_path / "run/replays").iterdir())
    said("export", str(replay), "match.html")
    assert "mine" in (tmp_path / "match.html").read_text()


@pytest.mark.long
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_the_wheels_of_all_packages_work(source: Path, wheel: Path, version: str, tmp_path: Path) -> None:
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "--version"], capture_output=True, check=False).returncode:
        pytest.skip(f"python{version} not found")
    others = [path.name for path in (ROOT / "packages").iterdir() if path.name != "koth"]
    wheels = [wheel, *(build_wheel(source, name, tmp_path) for name in others)]
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    place = tmp_path / "venv/bin"
    subprocess.run([place / "python", "-m", "pip", "install", "--quiet", *wheels], check=True)
    lines = """
        koth run zombies @runner @herd --matches 1 --max-turns 20 --out run
        koth verify run
        koth hill init zombies hill
        koth hill submit hill @runner --author ann
        koth hill submit hill @herd --author ben
        koth hill run hill --matches 1 --isolation none
        koth verify hill
        koth study --help
        koth worker --help
        python -c "import koth_learn; koth_learn.make('pacman', matches=2, seats=4).reset(seed=1)"
    """
    for line in filter(None, map(str.strip, lines.splitlines())):
        name, *more = shlex.split(line)
        subprocess.run([place / name, *more], cwd=tmp_path, check=True)
