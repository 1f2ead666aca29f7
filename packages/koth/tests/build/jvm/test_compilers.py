"""Compilers run code of the sources that they are given: it gets no further than a bot would."""

from __future__ import annotations

import functools
import os
import shutil
import socket
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from koth.build import steps
from koth.build.jvm import adapter, compiling, entries, jdk, languages
from koth.discovery.entrants import find_only
from koth.discovery.folder import BotSpec, load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.locations import find_locations
from koth.errors import BotError, KothError
from koth.sandbox.isolation import Isolation, SandboxError
from koth.session.bot import Bot
from tests.build.jvm.arena import GAME, java, written
from tests.cli.program import Koth
from tests.sandbox.zoo import CONFINED, isolation

pytestmark = pytest.mark.needs("javac")

SPY = r"""
import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.control.*;
import org.codehaus.groovy.transform.*;

/** A transformation: groovyc finds it on the class path and runs it on whatever it compiles. */
@GroovyASTTransformation(phase = CompilePhase.CLASS_GENERATION)
public class Spy implements ASTTransformation {
  interface Attempt { void run() throws Exception; }

  static void attempt(String name, Attempt attempt) {
    String outcome = "done";
    try { attempt.run(); } catch (Exception e) { outcome = "refused " + e; }
    System.err.println("attempt " + name + ": " + outcome);
  }

  static void check(boolean condition) throws IOException {
    if (!condition) throw new IOException("no");
  }

  static File out() {
    for (File file : new File(".").listFiles()) if (file.getName().startsWith("koth-")) return file;
    throw new IllegalStateException();
  }

  public void visit(ASTNode[] nodes, SourceUnit unit) {
    ACT
  }
}
"""

ATTEMPTS = r"""
    attempt("read a file", () -> Files.readString(Path.of("SECRET")));
    attempt("write a file", () -> Files.writeString(Path.of("OUTSIDE"), "mine"));
    attempt("write to the cache", () -> Files.writeString(Path.of("CACHE/poison"), "mine"));
    attempt("read another bot's classes", () -> Files.readString(Path.of("CACHE/bot-other/entries.txt")));
    attempt("read its environment", () -> check(System.getenv("KOTH_ZOO") != null));
    attempt("read an environment", () -> check(Files.readString(Path.of("/proc/HOST/environ")).contains("KOTH_ZOO")));
    attempt("connect", () -> new Socket("127.0.0.1", PORT).close());
    attempt("signal the arena", () -> check(new ProcessBuilder("kill", "-0", "HOST").start().waitFor() == 0));
    attempt("write to its copy", () -> Files.writeString(Path.of("scratch"), "mine"));
    throw new IllegalStateException();
"""

OWN = {"write to its copy"}
"""What a compiler may do."""
WRITES = {"write a file", "write to the cache"}
"""These may seem to work, where the place is in /tmp, which is a compiler's own; what counts is the host's file."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The cache, with koth's own classes and another bot's in it; nothing unfinished is left there."""
    side = adapter.build_adapter("zombies", jdk.find_jdk())
    place = tmp_path / "cache" / "jvm"
    for made in (side.bot_adapter, side.classes):
        shutil.copytree(made, place / made.name)
    monkeypatch.setenv("KOTH_CACHE_DIR", str(tmp_path / "cache"))
    written(place / "bot-other", {"entries.txt": "Other"})
    yield place
    assert all("." not in path.name for path in place.iterdir()), "something unfinished"


def complaint(folder: Path, level: Isolation) -> str:
    """Why the bot in this folder can't be loaded."""
    with pytest.raises(BotError) as caught:
        only(folder, level)
    return str(caught.value)


def only(folder: Path, level: Isolation) -> Bot:
    """The only bot of this folder."""
    return find_only(GAME, BotSpec(None, str(folder)), Interpreters(), level)


@functools.cache
def library(act: str) -> bytes:
    """A jar with a transformation that does this."""
    with tempfile.TemporaryDirectory() as place:
        source = written(Path(place), {"Spy.java": SPY.replace("ACT", act)})
        runtime = ":".join(map(str, languages.find_jars(languages.COMPILED[".groovy"])))
        subprocess.run(["javac", "-proc:none", "-cp", runtime, "Spy.java"], cwd=source, check=True)
        with zipfile.ZipFile(source / "spy.jar", "w") as jar:
            for file in sorted(source.glob("*.class")):
                jar.write(file, file.name)
            jar.writestr("META-INF/services/org.codehaus.groovy.transform.ASTTransformation", "Spy\n")
        return (source / "spy.jar").read_bytes()


def transformed(folder: Path, act: str) -> Path:
    """A bot in Groovy whose library does this when groovyc compiles the bot."""
    bot = "package player\nimport zombie.*\n"
    bot += "class Bad implements Player { Action doTurn(PlayerContext context) { Move.STAY } }\n"
    return written(folder / "bot", {"Bad.groovy": bot, "lib/spy.jar": library(act)})


def spied(tmp_path: Path, cache: Path, level: Isolation) -> dict[str, str]:
    """Return the report of the spy in a bot's library on its attempts."""
    secret = tmp_path / "secret"
    secret.write_text("the host's")
    host = subprocess.Popen(["sleep", "60"], env={**os.environ, "KOTH_ZOO": "the host's"})
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            act = ATTEMPTS.replace("PORT", str(server.getsockname()[1]))
            words = {"SECRET": secret, "OUTSIDE": tmp_path / "new", "CACHE": cache, "HOST": host.pid}
            for word, value in words.items():
                act = act.replace(word, str(value))
            text = complaint(transformed(tmp_path, act), level)
    finally:
        host.kill()
        host.wait()
    assert "groovy can't be compiled:\n" in text
    assert secret.read_text() == "the host's"
    lines = [line.partition("attempt ")[2] for line in text.splitlines() if line.startswith("attempt ")]
    told = {name: outcome.split()[0] for line in lines for name, _, outcome in [line.partition(": ")]}
    assert len(told) == ATTEMPTS.count("attempt(")
    return told


@pytest.mark.slow
@pytest.mark.needs("groovyc")
@pytest.mark.parametrize("level", CONFINED)
def test_a_transformation_gets_nowhere(
    level: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOTH_ZOO", "the host's")
    told = spied(tmp_path, cache, isolation(level))
    assert {name for name, outcome in told.items() if outcome == "done"} - WRITES == OWN
    assert not (tmp_path / "new").exists()
    assert not (cache / "poison").exists()
    assert not (tmp_path / "bot" / "scratch").exists()


@pytest.mark.needs("groovyc")
def test_its_attempts_are_real(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without isolation it gets all that koth's user has; only its environment is koth's in any case."""
    monkeypatch.setenv("KOTH_ZOO", "the host's")
    told = spied(tmp_path, cache, Isolation())
    assert {name for name, outcome in told.items() if outcome == "refused"} == {"read its environment"}
    assert (tmp_path / "new").read_text() == "mine"
    assert not (tmp_path / "bot" / "scratch").exists()
    (cache / "poison").unlink()


LEFT = {
    "a link in the place of its classes": (
        'out().delete(); Files.createSymbolicLink(out, Path.of("/etc"));',
        "the compilers have left a link|can't be compiled",
    ),
    "a link among its classes": (
        'Files.createSymbolicLink(out.resolve("x.class"), Path.of("/etc/passwd"));',
        "",  # what a host would not have made is taken away
    ),
    "a closed folder among its classes": (
        'Files.createDirectory(out.resolve("shut")); out.resolve("shut").toFile().setReadable(false);',
        "" if os.getuid() == 0 else "shut: Permission denied|can't be read",
    ),
}


@pytest.mark.slow
@pytest.mark.needs("groovyc")
@pytest.mark.parametrize("name", LEFT)
def test_what_a_compiler_leaves_is_looked_at(name: str, tmp_path: Path, cache: Path) -> None:
    act, words = LEFT[name]
    act = f"try {{ Path out = out().toPath(); {act.replace('out()', 'out.toFile()')} }} catch (IOException e) {{ }}"
    folder = transformed(tmp_path, act)
    if words:
        with pytest.raises(BotError, match=words):
            only(folder, isolation("strong"))
        return
    (made,) = only(folder, isolation("strong")).made
    assert not any(path.is_symlink() for path in made.rglob("*"))
    assert sorted(path.name for path in made.iterdir()) == ["classes", "result.json"]


@pytest.mark.slow
@pytest.mark.needs("groovyc")
@pytest.mark.parametrize("level", ["none", "limits", *CONFINED])
def test_a_compiler_that_does_not_end(
    level: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = isolation(level)
    folder = transformed(tmp_path, "while (nodes != null) { }")
    monkeypatch.setattr(steps, "SECONDS", 3)
    monkeypatch.setattr("koth.session.cpu_clock.Stopwatch.is_overloaded", False)  # however busy the machine is
    text = complaint(folder, chosen)
    assert text == f"{folder}: groovy can't be compiled (not done after 3 s)"


PROCESSOR = r"""
import java.util.*;
import javax.annotation.processing.*;
import javax.lang.model.element.*;

public class Spy extends AbstractProcessor {
  static { try { new java.io.FileWriter("OUTSIDE").close(); } catch (java.io.IOException e) { } }
  public Set<String> getSupportedAnnotationTypes() { return Set.of("*"); }
  public boolean process(Set<? extends TypeElement> types, RoundEnvironment round) {
    throw new RuntimeException("it ran");
  }
}
"""


PLUGIN = r"""
public class Spy implements com.sun.source.util.Plugin {
  static { try { new java.io.FileWriter("OUTSIDE").close(); } catch (java.io.IOException e) { } }
  public String getName() { return "spy"; }
  public boolean autoStart() { return true; }
  public void init(com.sun.source.util.JavacTask task, String... words) { System.err.println("it ran"); }
}
"""

RUN_BY_JAVAC = {
    "javax.annotation.processing.Processor": PROCESSOR,
    "com.sun.source.util.Plugin": PLUGIN,
}
"""What javac runs, by the service that a jar on its class path offers."""


@pytest.mark.slow
@pytest.mark.parametrize("service", RUN_BY_JAVAC)
@pytest.mark.parametrize("level", ["none", "strong"])
def test_what_javac_could_be_made_to_run_is_not_run(level: str, service: str, tmp_path: Path, cache: Path) -> None:
    text = RUN_BY_JAVAC[service].replace("OUTSIDE", str(tmp_path / "new"))
    source = written(tmp_path / "spy", {"Spy.java": text})
    subprocess.run(["javac", "-proc:none", "Spy.java"], cwd=source, check=True)
    folder = written(tmp_path / "bot", {"Fox.java": java("Fox"), "lib/README": ""})
    with zipfile.ZipFile(folder / "lib" / "spy.jar", "w") as jar:
        jar.write(source / "Spy.class", "Spy.class")
        jar.writestr(f"META-INF/services/{service}", "Spy\n")
    words = ["javac", "-cp", "bot/lib/spy.jar:" + str(adapter.build_adapter("zombies", jdk.find_jdk()).classes)]
    real = subprocess.run([*words, "-d", "out", "bot/Fox.java"], cwd=tmp_path, capture_output=True, text=True)
    assert "it ran" in real.stderr
    (tmp_path / "new").unlink()
    assert only(folder, isolation(level)).name == "Fox"
    assert not (tmp_path / "new").exists()


def test_a_sandbox_that_fails_compiles_nothing(tmp_path: Path, cache: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text('#!/bin/sh\necho "bwrap: out of order" >&2; exit 1\n')
    broken.chmod(0o755)
    folder = written(tmp_path / "bot", {"Fox.java": java("Fox")})
    with pytest.raises(SandboxError, match="out of order"):
        only(folder, Isolation("strong", bwrap=str(broken)))


def test_what_a_folder_links_to_is_not_read(tmp_path: Path) -> None:
    """Not even to find out what kind of bot it is: the end of that file is never reached."""
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "Fox.java").symlink_to("/dev/zero")
    with pytest.raises(KothError, match=r"Fox\.java is a link; name a bot that lies elsewhere by itself: /dev/zero"):
        only(folder, Isolation())
    with pytest.raises(KothError):
        load_bot(GAME, folder, Interpreters())


@pytest.mark.parametrize("name", ["koth.toml", "command.txt"])
def test_what_says_how_a_bot_runs_is_no_link(name: str, tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / name).symlink_to("/etc/passwd")
    with pytest.raises(BotError, match=rf"{name} is a link"):
        load_bot(GAME, tmp_path / "bot", Interpreters())


def test_a_main_file_that_is_no_bot(tmp_path: Path) -> None:
    """koth would read it to see what it registers."""
    written(tmp_path, {"bot/koth.toml": 'main = "../other.js"\n', "other.js": "PlayerRegistry"})
    with pytest.raises(BotError, match=r"main = '../other.js' does not lie in the bot's folder"):
        load_bot(GAME, tmp_path / "bot", Interpreters())


def test_a_source_of_empty_lines(tmp_path: Path) -> None:
    """It takes no longer to read than another of its size."""
    assert not find_locations(GAME, written(tmp_path / "bot", {"Fox.java": "\n" * 500_000})).places
    script = "// PlayerRegistry " + "registerPlayer('" * 50_000
    assert load_bot(GAME, written(tmp_path, {"long.js": script}) / "long.js", Interpreters()).name == "long"


SMALL = ("--set", "players=2", "--set", "density=0.02", "--matches", "1", "--seed", "3")


def test_every_command_compiles_at_the_level_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    koth = Koth(monkeypatch, capfd)
    chosen = isolation("strong").level
    seen: list[str] = []
    really = entries.compile_sources

    def noted(context: compiling.CompileContext, *rest: object) -> compiling.Compiled:
        seen.append(context.isolation.level)
        return really(context, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(entries, "compile_sources", noted)
    written(tmp_path / "fox", {"Fox.java": java("Fox")})
    at = ("--isolation", chosen)
    assert koth("run", "zombies", "fox", "@stand_still", *SMALL, *at, "--out", "out").code == 0
    assert koth("resume", "out").code == 0
    assert koth("check", "fox", "--game", "zombies", "--max-turns", "3", *at).code == 0
    replay = next((tmp_path / "out").rglob("*.koth.gz"))
    assert koth("debug", replay, "--bot", "Fox", "--turn", "1", *at).code == 0
    assert koth("play", "zombies", "fox", "--name", "Fox", *at).code == 2
    assert seen == [chosen] * 5
