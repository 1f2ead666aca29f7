"""The SDK for authors' own tools: the API of the games as a jar with sources, and a Maven project around it."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from koth import __version__
from koth.build.jvm.adapter import HERE, RELEASE, api_folder, api_sources, javac
from koth.build.jvm.jdk import JvmError, find_jdk
from koth.games import playable

JAR = "koth-api.jar"
SHARED = ("Debug.java", "Json.java")
"""koth's own classes that bots of all games may use, and those that these need."""
POM = f"""<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bots</groupId>
  <artifactId>bots</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>{RELEASE}</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>koth</groupId>
      <artifactId>koth-api</artifactId>
      <version>{__version__}</version>
      <scope>system</scope>
      <systemPath>${{project.basedir}}/{JAR}</systemPath>
    </dependency>
  </dependencies>
</project>
"""
"""The project's own classes are in `src/main/java`, where koth finds them too."""


def games_on_the_jvm() -> list[str]:
    """Return the games that have an API for the JVM, sorted; games of packages only if they can be played."""
    return sorted(game for game in playable() if api_sources(game))


def _apis() -> list[tuple[str, Path, list[Path]]]:
    """Return name, folder and files of each game's API, and of the classes that all share."""
    games = [(game, api_folder(game)) for game in games_on_the_jvm()]
    found = [(game, root, sorted(path for path in root.rglob("*") if path.is_file())) for game, root in games]
    return [*found, ("koth.jvm", HERE / "java", [HERE / "java" / "koth" / "jvm" / name for name in SHARED])]


def _put(jar: zipfile.ZipFile, root: Path, files: Sequence[Path]) -> None:
    """Write files of a folder into a jar, which is the same each time."""
    for file in files:
        name = zipfile.ZipInfo(file.relative_to(root).as_posix(), (2000, 1, 1, 0, 0, 0))
        jar.writestr(name, file.read_bytes())


def write_sdk(folder: Path) -> list[Path]:
    """Write the API jar of all games and a `pom.xml` into a folder; existing files of the author are kept.

    Returns the written files. Raises JvmError: there is no JDK, or the folder can't be written.
    """
    jdk = find_jdk()
    written = [folder / JAR]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as temporary, zipfile.ZipFile(folder / JAR, "w") as jar:
            for name, root, sources in _apis():
                out = Path(temporary) / name
                out.mkdir()
                done = javac(jdk, [file for file in sources if file.suffix == ".java"], [], out)
                if done.returncode:
                    raise JvmError(f"{jdk.javac} can't compile the API of {name}:\n{done.stdout}")
                _put(jar, out, sorted(path for path in out.rglob("*") if path.is_file()))
                _put(jar, root, sources)
        if not (folder / "pom.xml").exists():
            (folder / "pom.xml").write_text(POM, encoding="utf-8")
            written.append(folder / "pom.xml")
    except OSError as error:
        raise JvmError(f"{error.filename or folder}: {error.strerror}") from None
    return written
