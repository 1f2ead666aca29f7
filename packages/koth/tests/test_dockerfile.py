"""The Dockerfile's steps after Debian's packages, run as a script in folders of their own: no container is needed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
STEPS = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())


def packages_by(command: str) -> list[str]:
    """Return the words that a shell in the repository's root makes of a command."""
    done = subprocess.run(["sh", "-ec", command], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_its_packages_are_listed_where_ci_reads_them() -> None:
    image = re.search(r"apt-get install .*\$\((.*?)\)", STEPS)
    tested = re.search(r"packages=\(\$\((.*)\)\)", (ROOT / ".ci/run").read_text())
    assert image
    assert tested
    installed = packages_by(image[1].replace("/tmp/", ""))
    assert {"bubblewrap", "gcc", "default-jdk-headless"} <= set(installed) < set(packages_by(tested[1]))
    assert all(re.fullmatch(r"[a-z0-9.+-]+", name) for name in packages_by(tested[1]))


@pytest.mark.long
def test_it_installs_and_warms(tmp_path: Path) -> None:
    kept = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for name in kept:
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / "src" / name, follow_symlinks=False)
    (install,) = re.findall(r"^RUN (python3 -m venv .*)$", STEPS, re.MULTILINE)
    (variables,) = re.findall(r"^ENV (.*)$", STEPS, re.MULTILINE)
    (warm,) = re.findall(r"^RUN (koth .*)$", STEPS, re.MULTILINE)
    script = f"{install}\nmkdir /opt/koth/cache /contest\nexport {variables}\n{warm}\ncd /contest\n"
    script += "koth run pacman @random_walk -n 1 --max-turns 5\n"
    script = re.sub(r"(?<![\w.])/(?=src|opt/koth|contest)", f"{tmp_path}/", script)
    (tmp_path / "opt").mkdir()
    done = subprocess.run(["bash", "-euc", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / "src").exists()
    assert "zombies: compiled" in done.stdout
    assert "random_walk" in done.stdout
