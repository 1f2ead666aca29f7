"""The languages of the JVM that koth knows, a row each: their files, compilers, runtimes and packages."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from koth.build.jvm.jdk import Jdk, JvmError


@dataclass(frozen=True)
class JvmLanguage:
    """A language of the JVM: Debian's package, the jars that its programs need, the command of its compiler.

    Programs in a language without a compiler are scripts, which koth's adapter evaluates, in a JVM with `options`.
    Jars are in Debian's folder, or in a bot's own `lib`, where the last part of the pattern names them.
    """

    name: str
    package: str
    runtime: tuple[str, ...] = ()
    compiler: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    class_path: str = "-cp"
    """The compiler's option for the class path."""
    reads_java: bool = False
    """True if the compiler reads Java's sources, too, so that both languages may use each other."""


JYTHON = ("-Dpython.cachedir.skip=true", "-Dpython.console=", "-Dpython.home=/usr/share/jython")
CLOJURE = ("java/clojure.jar", "java/spec.alpha.jar", "java/core.specs.alpha.jar")
SCALA = ("java/scala-library.jar", "java/scala-reflect.jar")
FREGE = ("java", "-Xss8m", "-Xmx1g", "-XX:+UseSerialGC", "-jar")
LANGUAGES = {
    ".scala": JvmLanguage("scala", "scala", SCALA, ("scalac", "-nobootcp"), reads_java=True),
    ".kt": JvmLanguage(
        *("kotlin", "kotlin", ("java/kotlin-stdlib.jar",), ("kotlinc", "-no-stdlib", "-no-reflect")), reads_java=True
    ),
    ".java": JvmLanguage("java", "default-jdk-headless", (), ("javac",)),
    ".groovy": JvmLanguage("groovy", "groovy", ("java/groovy.jar",), ("groovyc",)),
    ".fr": JvmLanguage("frege", "a frege*.jar of the Frege project", ("java/frege*.jar",), FREGE, class_path="-fp"),
    ".js": JvmLanguage("rhino", "rhino", ("java/rhino.jar",)),
    ".py": JvmLanguage("jython", "jython", ("java/jython.jar",), options=JYTHON),
    ".rb": JvmLanguage("jruby", "jruby", ("jruby/lib/*.jar",), (), ("-Djruby.home=/usr/share/jruby", "-Xss2m")),
    ".clj": JvmLanguage("clojure", "clojure", CLOJURE),
}
"""Languages by the ending of a file, in the order in which their compilers run."""
COMPILED = {ending: language for ending, language in LANGUAGES.items() if language.compiler}
SCRIPTS = {ending: language for ending, language in LANGUAGES.items() if not language.compiler}
GUAVA = JvmLanguage("guava", "libguava-java", ("java/guava.jar",))


def language_names() -> list[str]:
    """Return the valid values of `language` in the manifest of a bot for the JVM."""
    return ["jvm", *(language.name for language in LANGUAGES.values())]


def find_jars(language: JvmLanguage, libraries: Sequence[Path] = ()) -> list[Path]:
    """Return the jars of a language's runtime: a bot's own, or the installed ones."""
    share, found = Path(os.environ.get("KOTH_SHARE", "/usr/share")), list[Path]()
    for pattern in language.runtime:
        place, _, name = pattern.rpartition("/")
        own = [jar for jar in libraries if fnmatchcase(jar.name, name)]
        found += own or (sorted((share / place).glob(name)) if (share / place).is_dir() else [])
    return found


def find_runtime(language: JvmLanguage, libraries: Sequence[Path]) -> list[Path]:
    """Return the jars of a language's runtime. Raises JvmError that names the package."""
    found = find_jars(language, libraries)
    if language.runtime and not found:
        raise JvmError(
            f"bots in {language.name} need its runtime: install {language.package}, or put its jars in lib/"
        )
    return found


def compiler_command(language: JvmLanguage, jdk: Jdk, libraries: Sequence[Path]) -> list[str]:
    """Return the command that starts the compiler of a language other than Java. Raises JvmError."""
    program, *words = language.compiler
    if program == "java":
        return [str(jdk.java), *words, str(find_runtime(language, libraries)[0])]
    found = shutil.which(program)
    if found is None:
        raise JvmError(f"bots in {language.name} need its compiler {program}: install {language.package}")
    return [found, *words]


REGISTRY = "PlayerRegistry"
"""The name that marks a script as a script for the JVM."""
REGISTERS = re.compile(r"register_?[pP]layer\s*(?:[(]\s*)?([\"'])(.{1,80}?)\1(?=\s*,|\s+[\w(])")


def find_registered_names(text: str) -> list[str]:
    """Return the names under which a script registers players, if the names are literals."""
    return list(dict.fromkeys(found[1] for found in REGISTERS.findall(text)))
