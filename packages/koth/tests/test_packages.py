"""The borders of koth's packages: koth imports none of the others, and they import only what koth exports."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import koth
from tests.elsewhere import Elsewhere

PACKAGES = Path(__file__).parents[3] / "packages"
EXPORTED = {
    "koth-cluster": {
        "cli.commands.group", "cli.commands.options", "cli.terminal", "contest.addresses", "contest.bundle",
        "contest.job", "contest.match_runner", "contest.preflight", "contest.run", "contest.workers",
        "discovery.folder", "discovery.interpreters", "errors", "files.folders", "game", "match", "replay.names",
        "sandbox", "sandbox.isolation", "sandbox.levels", "services.options", "session.bot",
    },
    "koth-hill": {
        "build.steps", "cli.commands.group", "cli.commands.options", "cli.screen", "cli.terminal",
        "contest.addresses", "contest.bracket", "contest.bundle", "contest.compare", "contest.contest",
        "contest.job", "contest.knockout", "contest.lock", "contest.match_runner", "contest.preflight",
        "contest.private", "contest.reading", "contest.record", "contest.results", "contest.run",
        "contest.schedule", "contest.seating", "contest.sqlite_limits", "contest.store", "contest.workers",
        "diagnostics.checkup", "diagnostics.endings", "diagnostics.explain", "diagnostics.rerun",
        "diagnostics.why", "discovery.archives", "discovery.entrants", "discovery.folder",
        "discovery.interpreters", "discovery.languages", "discovery.locations", "discovery.packing",
        "discovery.samples", "discovery.starts", "engine.secret", "engine.settings", "errors", "escaping",
        "events", "extras", "files.beneath", "files.cache", "files.folders", "files.shape", "game", "games",
        "match", "names", "question", "remote.season", "remote.site", "replay.gzip_members", "replay.names",
        "replay.reader", "replay.writer", "sandbox.command", "sandbox.copies", "sandbox.failures",
        "sandbox.isolation", "sandbox.levels", "sandbox.policy", "services.checks", "services.comparisons",
        "services.guide", "services.machines", "services.options", "session.bot", "session.faults", "standings.looks",
        "standings.paired", "standings.ranking", "standings.rating", "standings.scores", "standings.text",
        "viewer.contest", "viewer.frame_cache", "viewer.listing", "viewer.page_data", "viewer.play",
        "viewer.server", "viewer.summary", "viewer.workbench", "warmup",
    },
    "koth-learn": {
        "adapter", "buffers", "encoding", "errors", "game", "games", "kernel", "match", "question", "rng",
        "build.bot_files", "compile.sources", "contest.preflight", "diagnostics.rerun",
        "discovery.entrants", "discovery.interpreters", "discovery.locations",
        "engine.batch", "engine.plain_data", "engine.secret", "engine.settings", "games.board_text",
        "replay.names", "replay.reader", "replay.verify", "sandbox.isolation",
        "session.bot", "session.local", "session.referee", "session.seats",
        "standings.difference", "standings.paired",
    },
    "koth-studies": {
        "cli.commands.group", "cli.commands.options", "cli.compiling", "cli.screen", "cli.terminal",
        "compile.code_cache", "contest.lock", "contest.private", "contest.reading", "contest.record",
        "contest.results", "contest.run", "contest.run_reader",
        "contest.seating", "diagnostics.checkup", "discovery.entrants", "discovery.manifest",
        "engine.secret", "engine.settings", "errors", "escaping", "files.beneath", "files.folders", "files.shape",
        "game", "games", "replay.names", "sandbox", "sandbox.cgroup", "sandbox.command", "sandbox.copies",
        "sandbox.environment", "sandbox.failures", "sandbox.isolation", "sandbox.levels", "sandbox.mounts",
        "sandbox.policy", "sandbox.start_request", "sandbox.supervised_process", "sandbox.users", "services",
        "services.checks", "services.contests", "services.entrants", "services.guide", "services.line_chart",
        "services.observer", "services.options", "services.standings", "services.starts", "services.why",
        "session.cpu_clock", "standings.difference", "standings.paired", "standings.scores", "standings.text",
    },
}  # fmt: skip
"""The modules of koth that each package may import."""


def imported(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the modules that files below a folder import, with the file."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                yield path, node.module or ""
            elif isinstance(node, ast.Import):
                yield from ((path, alias.name) for alias in node.names)


def test_every_package_has_a_border() -> None:
    assert EXPORTED.keys() | {"koth"} == {path.parent.name for path in PACKAGES.glob("*/pyproject.toml")}


@pytest.mark.parametrize("name", EXPORTED)
def test_a_package_imports_only_what_koth_exports(name: str) -> None:
    used = {module for _, module in imported(PACKAGES / name / "src") if re.match(r"koth(\.|$)", module)}
    assert used - {"koth"} == {f"koth.{module}" for module in EXPORTED[name]}


def test_koth_imports_none_of_them() -> None:
    (source,) = koth.__path__
    others = re.compile(r"koth_(?!skeleton)\w+")
    assert [(str(path), module) for path, module in imported(Path(source)) if others.match(module)] == []


@pytest.mark.parametrize("name", EXPORTED)
def test_packages_have_one_version_and_a_readme(name: str) -> None:
    project = tomllib.loads((PACKAGES / name / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == koth.__version__
    assert (PACKAGES / name / project["readme"]).read_text(encoding="utf-8").startswith(f"# {project['name']}")


SEAMS = """
import sys
from importlib import metadata
real = metadata.entry_points
class Point:
    dist = None
    def __init__(self, name, value): self.name, self.value = name, value
    def load(self): raise ZeroDivisionError("inside")
def entry_points(group, name=None):
    return [Point(name or "study", "strange:thing")] if "{broken}" else []
metadata.entry_points = entry_points
from koth.cli import main
sys.argv = ["koth", {words}]
main()
"""


@pytest.mark.parametrize(
    ("broken", "words", "told"),
    [
        ("", ["study", "x.toml"], "koth study is in another package of koth: pip install"),
        ("", ["worker", "x"], "koth worker is in another package of koth: pip install"),
        (
            "",
            ["run", "zombies", "@herd", "--cluster", "tls://x:1"],
            "--cluster takes another package of koth",
        ),
        ("yes", ["study", "x.toml"], "study = strange:thing can't be loaded: ZeroDivisionError: inside"),
        ("yes", ["--help"], "study = strange:thing can't be loaded: ZeroDivisionError: inside"),
    ],
)
def test_a_package_that_is_missing_or_fails_is_named_in_one_line(broken: str, words: list[str], told: str) -> None:
    code = SEAMS.replace("{broken}", broken).replace("{words}", ", ".join(map(repr, words)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert told in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr
    assert done.returncode == (0 if words == ["--help"] else 2)


def test_koth_says_where_learning_is() -> None:
    with pytest.raises(AttributeError, match="koth_learn is a package of its own: pip install"):
        _ = koth.learn


def test_koth_loads_no_other_package() -> None:
    code = "import sys, koth, koth.cli; print([name for name in sys.modules if name.startswith('koth_')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_strangers_package_adds_what_koths_own_packages_add(tmp_path: Path) -> None:
    place = Elsewhere(tmp_path)
    place.install(Path(__file__).with_name("seams"))
    assert place.koth("greet", "world").stdout == "hello world\n"
    assert "greet" in place.koth("--help").stdout
    words = ("zombies", "@runner", "@herd", "-n", "1", "--max-turns", "3", "--out", "run")
    assert "no cluster at here: this machine plays" in place.koth("run", *words, "--cluster", "here").stderr
    (tmp_path / "album.txt").write_text("run")
    assert (
        place.koth("standings", ".", "--format", "csv").stdout
        == place.koth("standings", "run", "--format", "csv").stdout
    )
    assert place.koth("verify", ".").stdout == ".: verified, 1 match\n"
    assert "no bot had a fault" in place.koth("why", ".").stdout
    assert place.koth("verify", "./matches/1").stdout.startswith("./matches/1: ")
