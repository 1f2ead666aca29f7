"""The languages of the JVM that koth knows: their files, compilers, runtimes and packages."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.build.jvm.jdk import JvmError


@dataclass(frozen=True)
class JvmLanguage:
    """A language of the JVM other than Java.

    `runtime` lists the jars that programs need, as patterns of files; `options` are options of the JVM. A compiled
    language has a `compiler`; the adapter evaluates programs in other languages.
    """

    name: str
    package: str
    runtime: tuple[str, ...]
    compiler: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    class_path: str = "-cp"
    """The compiler's option for the class path."""
    after_java: bool = False
    """True if the language is compiled after Java's sources, which its compiler does not read."""


SCRIPTS = {
    ".js": JvmLanguage("rhino", "rhino", ("{java}/rhino.jar",)),
    ".py": JvmLanguage(
        "jython",
        "jython",
        ("{java}/jython.jar",),
        options=("-Dpython.cachedir.skip=true", "-Dpython.console=", "-Dpython.home=/usr/share/jython"),
    ),
    ".rb": JvmLanguage(
        "jruby", "jruby", ("{share}/jruby/lib/*.jar",), options=("-Djruby.home=/usr/share/jruby", "-Xss2m")
    ),
    ".clj": JvmLanguage(
        "clojure", "clojure", ("{java}/clojure.jar", "{java}/spec.alpha.jar", "{java}/core.specs.alpha.jar")
    ),
}
"""Languages by the ending of a script."""

COMPILED = {
    ".scala": JvmLanguage(
        "scala", "scala", ("{java}/scala-library.jar", "{java}/scala-reflect.jar"), ("scalac", "-nobootcp")
    ),
    ".kt": JvmLanguage("kotlin", "kotlin", ("{java}/kotlin-stdlib.jar",), ("kotlinc", "-no-stdlib", "-no-reflect")),
    ".groovy": JvmLanguage("groovy", "groovy", ("{java}/groovy.jar",), ("groovyc",), after_java=True),
    ".fr": JvmLanguage("frege", "", (), ("frege",), class_path="-fp", after_java=True),
}
"""Languages by the ending of a source file, in the order in which their compilers run (Java's runs before Groovy's).
"""

GUAVA = JvmLanguage("guava", "libguava-java", ("{java}/guava.jar",))


def language_names() -> list[str]:
    """Return the valid values of `language` in the manifest of a bot for the JVM."""
    return ["jvm", "java", *(language.name for language in (*SCRIPTS.values(), *COMPILED.values()))]


def find_jars(language: JvmLanguage) -> list[Path]:
    """Return the installed jars of the language's runtime."""
    share = Path(os.environ.get("KOTH_SHARE", "/usr/share"))
    found: list[Path] = []
    for pattern in language.runtime:
        path = Path(pattern.format(java=share / "java", share=share))
        found += sorted(path.parent.glob(path.name)) if path.parent.is_dir() else []
    return found


def find_runtime(language: JvmLanguage, given: Sequence[Path]) -> list[Path]:
    """Return the runtime's jars; none if the bot brings jars. Raises JvmError that names the package."""
    found = find_jars(language)
    if language.name == "frege" and not any(is_frege(jar) for jar in given):
        raise JvmError(NO_FREGE)
    if not found and not given:
        raise JvmError(
            f"bots in {language.name} need its runtime: install {language.package}, or put its jars in lib/"
        )
    return found


def is_frege(jar: Path) -> bool:
    """Return whether a jar is the Frege compiler, by the jar's name (frege3.24.405.jar, fregec.jar)."""
    return re.fullmatch(r"fregec?[-.\d].*\.jar|fregec?\.jar", jar.name) is not None


NO_FREGE = (
    "bots in Frege need the Frege compiler, which no package has: download frege*.jar from the Frege project's "
    "releases, and name the jar with --interpreter frege=JAR or put it into the bots' folder or into lib/"
)


def compiler_command(language: JvmLanguage, java: Path, path: Sequence[Path], frege: str) -> list[str]:
    """Return the command that starts the language's compiler. Raises JvmError that names the package."""
    if language.name == "frege":
        jar = frege or next((str(place) for place in path if is_frege(place)), "")
        if not jar:
            raise JvmError(NO_FREGE)
        return [str(java), "-Xss8m", "-Xmx1g", "-XX:+UseSerialGC", "-jar", jar]
    program = shutil.which(language.compiler[0])
    if program is None:
        raise JvmError(
            f"bots in {language.name} need its compiler {language.compiler[0]}: install {language.package}"
        )
    return [program, *language.compiler[1:]]


REGISTERS = re.compile(r"register_?[pP]layer\s*(?:[(]\s*)?([\"'])(.{1,80}?)\1(?=\s*,|\s+[\w(])")


def find_registered_names(text: str) -> list[str]:
    """Return the names under which a script registers players, if the names are literals."""
    return list(dict.fromkeys(found[1] for found in REGISTERS.findall(text)))
