"""Imports point down only, games are named once, and every game has what a game needs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from koth.games import GAMES, load

SOURCE = Path(__file__).parents[1] / "src" / "koth"

LIST = "games.__init__"
"""The list of games names their modules, for whoever asks for one: it belongs to the ground."""

LAYERS = (
    ("__init__", "adapter", "errors", "escaping", "events", "extras", "names", "question", "seat_labels"),
    ("files",),
    ("compile",),
    ("buffers", "encoding", "frame", "game", "grid", "kernel", "rng"),
    ("engine",),
    (LIST,),
    ("protocol",),
    ("games", "plain"),
    ("sandbox",),
    ("session",),
    ("build",),
    ("discovery",),
    ("replay",),
    ("match", "warmup"),
    ("standings",),
    ("contest",),
    ("remote",),
    ("diagnostics",),
    ("viewer",),
    ("services",),
    ("cli", "api"),
    ("__main__",),
)
"""From the ground up: a module may import from its own layer and from those before it."""

APART = {"testing": 12, "testing.blocks": 15}
"""Packages (and modules of theirs) that nobody else imports, and how many layers from the ground they may use."""

BOT_ADAPTER = "adapter.bot_adapter"
"""It runs in the bot's process and hands over to the `bot.py` of the game whose name it is told."""

PUBLIC = "koth.api"
"""What `import koth` offers, imported late by the package itself, which everything may import."""

SHARED = ("defaults", "default_glyphs")
"""Modules beside the games that all of them may import."""

NOT_THE_ENGINE = ("bots", "new")
"""Folders of a game that hold bots and templates of bots."""


def modules() -> Iterator[tuple[Path, str]]:
    """Every module of the engine with its dotted path inside `koth`."""
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if not parts[0].startswith("skeleton") and not (
            parts[0] == "games" and len(parts) > 2 and parts[2] in NOT_THE_ENGINE
        ):
            yield path, ".".join(parts)


def imports(path: Path, by_name: bool = True) -> Iterator[str]:
    """Yield the imports of a module from `koth`, anywhere in it, as dotted paths inside `koth`.

    With `by_name` also module names in strings, whole or at the beginning of an f-string: for `import_module`,
    `find_spec`, `python -m`.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and by_name:
            if is_module(node.value):
                yield node.value.removeprefix("koth.")
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("koth.") for name in names if name.startswith("koth."))


def is_module(text: str) -> bool:
    """Return whether this is the dotted name of a module or package of koth (ending in a dot: of one within)."""
    if not re.fullmatch(r"koth(\.\w+)+\.?", text):
        return False
    path = SOURCE.joinpath(*text.removesuffix(".").split(".")[1:])
    return path.is_dir() or path.with_suffix(".py").exists()


def layer(module: str) -> int:
    """Return the layer of a name, from the bottom; a name that is not a module is one of the package's own
    (`__version__`).
    """
    parts = module.split(".")
    top = LIST if parts[0] == "games" and parts[1:2] not in [[part] for part in (*GAMES, "defaults")] else parts[0]
    found = [number for number, names in enumerate(LAYERS) if top in names]
    known = (SOURCE / top).is_dir() or (SOURCE / f"{top}.py").exists()
    assert found or top in APART or not known, f"{top} stands in no layer"
    return found[0] if found else APART.get(module, APART.get(top, 0))


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: module[1])
def test_imports_point_down(module: tuple[Path, str]) -> None:
    path, name = module
    for imported in imports(path, by_name=name not in (BOT_ADAPTER, LIST)):
        if name == "__init__" and f"koth.{imported}".startswith(PUBLIC):
            continue
        assert layer(imported) <= layer(name), f"{name} imports {imported}"
        top = imported.split(".")[0]
        assert top not in APART or top == name.split(".")[0], f"{name} imports {imported}"


def test_imports_by_name_are_seen(tmp_path: Path) -> None:
    file = tmp_path / "sly.py"
    file.write_text(
        'import_module("koth.viewer.export")\nfind_spec(f"koth.games.{x}.bot")\n"koth.no_module"\n"koth"\n'
    )
    assert list(imports(file)) == ["viewer.export", "games."]


def test_only_the_words_of_the_command_line_import_late() -> None:
    """Late imports keep help quick; everywhere else in the faces they would only hide what depends on what."""
    late = {
        path.parent.name if path.parent.name == "commands" else path.name
        for path in (SOURCE / "cli").rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        and any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(function))
    }
    assert late == {"commands"}


@pytest.mark.parametrize("game", GAMES)
def test_games_do_not_import_each_other(game: str) -> None:
    for path in (SOURCE / "games" / game).rglob("*.py"):
        for imported in imports(path):
            parts = imported.split(".")
            assert parts[0] != "games" or parts[1] in (game, *SHARED), f"{path} imports {imported}"


@pytest.mark.parametrize("game", GAMES)
def test_what_runs_beside_a_bot_imports_nothing_of_the_engine(game: str) -> None:
    """A game's `bot.py` may split into further modules of its folder; the runner imports nothing at all."""
    assert list(imports(SOURCE / "adapter" / "bot_adapter.py", by_name=False)) == []
    assert {name.rpartition(".")[0] for name in imports(SOURCE / "adapter" / "declared_bot.py")} <= {"adapter.kit"}
    todo, done = [f"games.{game}.bot"] if (SOURCE / "games" / game / "bot.py").exists() else [], set()
    while todo:
        name = todo.pop()
        path = SOURCE.joinpath(*name.split(".")).with_suffix(".py")
        if not path.exists():  # a name out of a module
            name = name.rpartition(".")[0]
            path = SOURCE.joinpath(*name.split(".")).with_suffix(".py")
        assert name.startswith(f"games.{game}.") or name == "adapter.kit", f"the bots' module of {game} needs {name}"
        assert not re.search("^ *(import|from) (numpy|numba)", path.read_text(encoding="utf-8"), re.MULTILINE)
        if name not in done:
            done.add(name)
            todo += imports(path)


def test_a_game_is_named_only_in_its_folder_and_in_the_list() -> None:
    names = re.compile("|".join(rf"\b{name}\b" for name in GAMES), re.IGNORECASE)
    found = []
    for path in sorted(SOURCE.rglob("*")):
        parts = path.relative_to(SOURCE).parts
        if (
            not path.is_file()
            or path.suffix in (".pyc", ".class", ".jar", ".png")
            or parts == ("games", "__init__.py")
        ):
            continue
        if parts[0] == "games" and parts[1] in GAMES:
            continue
        text = path.read_text(encoding="utf-8")
        found += [f"{path.relative_to(SOURCE)}: {match[0]}" for match in names.finditer(text)]
    assert found == []


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_files(game: str) -> None:
    folder = SOURCE / "games" / game
    modules = (
        "__init__.py",
        "state.py",
        "turn.py",
        "rules.py",
        "observation.py",
        "protocol.py",
        "author.py",
    )
    for name in ("RULES.md", "draw.js", *modules):
        assert (folder / name).is_file(), f"{game} has no {name}"
    assert (
        len(set(load(game).default_entrants))
        == len(load(game).default_entrants)
        >= max(2, load(game).contest_defaults.seats or 0)
    ), "samples"
    assert (folder.parents[3] / "tests" / "games" / game).is_dir()


@pytest.mark.parametrize("game", GAMES)
def test_every_game_matches_its_entry_in_the_list(game: str) -> None:
    loaded = load(game)
    assert loaded.name == game
    assert loaded.version >= 1
    assert loaded.rulesets
    assert set(loaded.default_entrants) <= {path.stem for path in (SOURCE / "games" / game / "bots").iterdir()}
    settings = next(iter(loaded.rulesets.values()))
    for name, question in loaded.questions(settings, loaded.seats[0]).items():
        assert question.name == name
        assert question.doc


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_name_every_setting(game: str) -> None:
    rules = (SOURCE / "games" / game / "RULES.md").read_text(encoding="utf-8")
    settings = next(iter(load(game).rulesets.values()))
    for knob in fields(settings):
        assert f"`{knob.name}`" in rules, f"RULES.md of {game} does not name the setting {knob.name}"
    for ruleset in load(game).rulesets:
        assert ruleset in rules


@pytest.mark.parametrize("game", GAMES)
def test_docstrings_cite_rules_that_there_are(game: str) -> None:
    folder = SOURCE / "games" / game
    rules = (folder / "RULES.md").read_text(encoding="utf-8")
    numbers = {int(number) for number in re.findall(r"^(?:## )?(\d+)\. ", rules, re.MULTILINE)}
    cited = set()
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for words in re.findall(r"\b[Rr]ules? (\d+(?:(?:, | and | to )\d+)*)", text):
            cited |= {int(number) for number in re.findall(r"\d+", words)}
    assert cited
    assert cited <= numbers, f"{game} has no rules {sorted(cited - numbers)}"
