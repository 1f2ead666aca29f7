"""The languages of programs that koth can build and start from a main file, and the files that are main files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.build.bot_files import read_beginning

PROGRAM_NAME = "koth-built"
"""The name of the program that koth compiles."""


@dataclass(frozen=True)
class Language:
    """The language of main files with one ending: the commands for running and building.

    In the words, `{main}` is the main file, `{sources}` all files with this ending in the main file's folder (a word
    for each), `{built}` the compiled program, `{class}` a Java class. `main_pattern` matches text that only a main
    file has.
    """

    name: str
    run: tuple[str, ...]
    build: tuple[str, ...] = ()
    main_pattern: str = (
        r"(?i)stdin|\bgets\b|\bread_?-?line|\bio\.(?:read|lines)\b|<>|\bARGF\b|\b(?:raw_)?input\s*\("
        r"|\bfileinput\b|\b(?:open|read\w*)\s*\(\s*0\b|__name__\s*=="
    )


_C = r"\bmain\s*\("
LANGUAGES = {
    ".py": Language("python", ("python", "{main}")),
    ".js": Language("javascript", ("node", "{main}")),
    ".mjs": Language("javascript", ("node", "{main}")),
    ".cjs": Language("javascript", ("node", "{main}")),
    ".rb": Language("ruby", ("ruby", "{main}")),
    ".lua": Language("lua", ("lua", "{main}")),
    ".php": Language("php", ("php", "{main}")),
    ".pl": Language("perl", ("perl", "{main}")),
    ".tcl": Language("tcl", ("tclsh", "{main}")),
    ".scm": Language("scheme", ("guile", "--no-auto-compile", "{main}")),
    ".lisp": Language("lisp", ("sbcl", "--dynamic-space-size", "256", "--script", "{main}")),
    ".R": Language("r", ("Rscript", "{main}")),
    ".jl": Language("julia", ("julia", "{main}")),
    ".c": Language("c", ("{built}",), ("cc", "-O2", "-o", PROGRAM_NAME, "{sources}", "-lm", "-pthread"), _C),
    ".cpp": Language("c++", ("{built}",), ("c++", "-O2", "-o", PROGRAM_NAME, "{sources}", "-pthread"), _C),
    ".cc": Language("c++", ("{built}",), ("c++", "-O2", "-o", PROGRAM_NAME, "{sources}", "-pthread"), _C),
    ".f90": Language(
        "fortran", ("{built}",), ("gfortran", "-O2", "-o", PROGRAM_NAME, "{main}"), r"(?i)^[ \t]*program\b"
    ),
    ".rs": Language(
        "rust", ("{built}",), ("rustc", "--edition", "2021", "-O", "-o", PROGRAM_NAME, "{main}"), r"\bfn\s+main\b"
    ),
    ".go": Language("go", ("{built}",), ("go", "build", "-o", PROGRAM_NAME, "{sources}"), r"\bfunc\s+main\b"),
    ".hs": Language(
        "haskell",
        ("{built}",),
        ("ghc", "-v0", "-O", "-outputdir", "koth-objects", "-o", PROGRAM_NAME, "{main}"),
        r"\bmain\b",
    ),
    ".ml": Language("ocaml", ("{built}",), ("ocamlopt", "-o", PROGRAM_NAME, "{main}")),
    ".nim": Language(
        "nim",
        ("{built}",),
        ("nim", "c", "-d:release", "--hints:off", "--nimcache:koth-objects", f"-o:{PROGRAM_NAME}", "{main}"),
    ),
    ".pas": Language("pascal", ("{built}",), ("fpc", "-O2", f"-o{PROGRAM_NAME}", "{main}"), r"(?i)^[ \t]*program\b"),
    ".cs": Language("c#", ("mono", "{built}"), ("mcs", f"-out:{PROGRAM_NAME}", "{sources}"), r"\bMain\s*\("),
    ".java": Language(
        "java",
        ("java", "-XX:+UseSerialGC", "-Xmx256m", "-cp", ".", "{class}"),
        ("javac", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", ".", "-sourcepath", "{root}", "{sources}"),
        r"\bstatic\s+(?:final\s+)?void\s+main\b|\bvoid\s+main\s*\(",
    ),
}
"""Languages by the ending of the main file."""

ENDINGS = {ending.lower(): ending for ending in LANGUAGES}
"""The keys of `LANGUAGES`, by ending in lower case."""
MAIN_NAMES = ("bot", "main")
"""Names of main files, in any case; the folder's name is another, and a game can have its own."""
NEVER_BOTS = re.compile(r"(setup|conftest|__init__|noxfile|test_.*|.*_test|.*Test)\.\w+")
"""Files that are never bots."""


def language_names() -> list[str]:
    """Return the valid values of `language` in a program's manifest."""
    return list(dict.fromkeys(language.name for language in LANGUAGES.values()))


def ending_of(file: Path) -> str:
    """Return a file's ending in the spelling of `LANGUAGES`, ignoring case."""
    return ENDINGS.get(file.suffix.lower(), file.suffix.lower())


def can_be_main(file: Path) -> bool:
    """Return whether a file has what only a program of its language has, or a first line for Linux."""
    text = read_beginning(file)
    pattern = LANGUAGES[ending_of(file)].main_pattern
    return text.startswith("#!") or re.search(pattern, text, re.MULTILINE) is not None


def has_main_name(file: Path, folder: Path, names: Sequence[str] = ()) -> bool:
    """Return whether a file of a bot's folder is called as a main file; `names` are the game's own main names."""
    own = os.path.basename(os.path.abspath(folder))  # of "." too
    return file.stem.lower() in (name.lower() for name in (*MAIN_NAMES, own, *names))


IMPORTS = re.compile(
    r"""^[ \t]*(?:import|from|use|mod|source|load)\b([^\n]*)"""
    r"""|(?<![#\w])(?:require\w*|import|include\w*|dofile|loadfile|load|source)[ \t]*+\(?[ \t]*+["']([^"'\n]*)""",
    re.MULTILINE,
)
"""Lines that import other files, in any language."""


def find_imports(files: Sequence[Path]) -> dict[Path, Path]:
    """Return the files that another file of their language imports, each with one that imports it. Raises OSError."""
    importers: dict[tuple[str, str], list[Path]] = {}
    stems = {file.stem for file in files}
    for file in files:
        lines = map("".join, IMPORTS.findall(read_beginning(file)))
        for word in stems.intersection(word for line in lines for word in re.findall(r"\w+", line)):
            importers.setdefault((LANGUAGES[ending_of(file)].name, word), []).append(file)
    found: dict[Path, Path] = {}
    for file in files:
        for other in importers.get((LANGUAGES[ending_of(file)].name, file.stem), []):
            if other != file:
                found.setdefault(file, other)
    return found


def fill_words(template: Sequence[str], folder: Path, main: Path, sources: Sequence[Path]) -> tuple[str, ...]:
    """Fill in the placeholders of a language's build step, which runs in the bot's folder."""
    names = [f"./{file.relative_to(folder)}" for file in sources]
    root = source_root(main)
    if not root.is_relative_to(folder):  # the bot's folder is itself a folder of the package
        root = folder
    values = {"{main}": f"./{main.relative_to(folder)}", "{root}": f"./{root.relative_to(folder)}"}
    filled: list[str] = []
    for word in template:
        filled += names if word == "{sources}" else [values.get(word, word)]
    return tuple(filled)


def start_command(language: Language, folder: Path, main: Path) -> tuple[str, ...]:
    """Return the command that starts a bot of this language."""
    values = {"{main}": str(main), "{built}": str(folder / PROGRAM_NAME), "{class}": java_class(main)}
    return tuple(values.get(word, word) for word in language.run)


def java_class(main: Path) -> str:
    """Return the name of a Java file's class, with package."""
    if main.suffix != ".java":
        return main.stem
    found = re.search(r"^[ \t]*package\s+([\w.]+)", read_beginning(main), re.MULTILINE)
    return f"{found[1]}.{main.stem}" if found else main.stem


def source_root(main: Path) -> Path:
    """Return the folder of a Java file's packages; of other files their own folder."""
    folders = java_class(main).split(".")[:-1]
    parts = main.parent.parts
    return (
        Path(*parts[: len(parts) - len(folders)])
        if folders and list(parts[-len(folders) :]) == folders
        else main.parent
    )


def find_build_problem(main: Path, language: Language) -> str:
    """Return why the compiler would refuse a main file, and a remedy, or ""."""
    ending = ending_of(main)
    if language.build and main.suffix != ending:
        return f"compilers know the ending {ending} in small letters only; rename it: {main.stem}{ending}"
    if language.name == "java":
        names = re.findall(r"^public\s+(?:final\s+)?class\s+(\w+)", read_beginning(main), re.MULTILINE)
        if names and main.stem not in names:
            return f"its public class is {names[0]}, so Java wants the file to be called {names[0]}.java; rename it"
    if language.name == "c#" and not any(can_be_main(file) for file in [main, *main.parent.glob("*.cs")]):
        return "no class in it has a static method Main: Mono's compiler takes no statements outside of classes"
    return ""
