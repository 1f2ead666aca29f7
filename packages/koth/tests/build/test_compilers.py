"""Compilers run code of what they compile, in more ways than can be counted: whatever it tries, it gets nowhere.

Each way below has a burglar run while a bot is built: a script that looks for what is the host's, writes elsewhere,
and leaves a daemon behind. That it ran is part of the test.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from koth.contest.preflight import build, start_once
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.session.bot import Bot
from tests.sandbox.zoo import isolation
from tests.session.arena import GAME, PATIENT, SETTINGS

LEVEL = "strong"

BURGLAR = """#!/bin/sh
exec 3>&1 4>&2 >> /bot/ran.txt 2>&1
echo begun
cat {near}/secret; ls {near}; ls /proc/{pid}; kill -0 {pid}
echo x > {near}/new; echo x > /usr/new; echo x > /settings/new; echo x > /etc/alternatives/new
(setsid sleep 2718.31 3>&- 4>&- &)
echo done
exec >&3 2>&4
case "$1" in "") ;; /*|./*) [ -x "$1" ] && exec "$@" ;; *) exec "$@" ;; esac
"""

SECRET = "the host's own\n"
LIGHT = "export JAVA_OPTS='-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto'"
CALLS_SH = "sh /bot/burglar.sh"

WAYS: dict[str, tuple[str, dict[str, str], str]] = {
    "gcc, a wrapper in a file of options": (
        "cc",
        {"options": "-wrapper /bot/burglar.sh", "a.c": "int main(void) { return 0; }"},
        "gcc @options a.c",
    ),
    "gcc, a specification": (
        "cc",
        {"specs": "*link_command:\n/bot/burglar.sh\n\n", "a.c": "int main(void) {}"},
        "gcc -specs=/bot/specs a.c",
    ),
    "gcc, a plug-in": (
        "cc",
        {
            "p.c": f"int plugin_is_GPL_compatible; int system(const char *);\n"
            f'__attribute__((constructor)) void f(void) {{ system("{CALLS_SH}"); }}\n'
            "int plugin_init(void *a, void *b) { return 0; }",
            "a.c": "int main(void) { return 0; }",
        },
        "gcc -shared -fPIC -o p.so p.c; gcc -fplugin=/bot/p.so a.c",
    ),
    "rustc, a macro of procedures": (
        "rustc",
        {
            "pm.rs": "extern crate proc_macro;\n#[proc_macro]\n"
            "pub fn m(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n"
            'std::process::Command::new("/bot/burglar.sh").status().unwrap();\n"()".parse().unwrap() }',
            "a.rs": "fn main() { pm::m!() }",
        },
        "rustc --edition 2021 --crate-type proc-macro pm.rs; rustc --edition 2021 --extern pm=libpm.so a.rs",
    ),
    "rustc, a linker": (
        "rustc",
        {"options": "-Clinker=/bot/burglar.sh", "a.rs": "fn main() {}"},
        "rustc @options a.rs",
    ),
    "go, what runs its tools": (
        "go",
        {"go.mod": "module a\n", "a.go": "package main\nfunc main() {}\n//go:generate /bot/burglar.sh\n"},
        "go generate; go env -w GOFLAGS=-toolexec=/bot/burglar.sh; timeout 20 go build -a internal/goarch",
    ),
    "ghc, a template": (
        "ghc",
        {
            "A.hs": "{-# LANGUAGE TemplateHaskell #-}\nimport Language.Haskell.TH\nimport System.Process\n"
            f'main = print $(runIO (callCommand "{CALLS_SH}") >> [| 1 |])\n'
        },
        "ghc A.hs",
    ),
    "ghc, a preprocessor in a pragma": (
        "ghc",
        {"A.hs": "{-# OPTIONS_GHC -F -pgmF /bot/burglar.sh #-}\nmain = pure ()\n"},
        "ghc A.hs",
    ),
    "ghci, its settings": ("ghc", {".ghci": f":! {CALLS_SH}\n", "A.hs": "main = pure ()\n"}, "ghc -e main A.hs"),
    "npm, scripts of a package": (
        "npm",
        {
            "package.json": '{"name": "a", "version": "1.0.0", "scripts": {"preinstall": "/bot/burglar.sh"},'
            ' "imports": {"#host": "/etc/passwd"}}',
            ".npmrc": "offline=true\naudit=false\nfund=false\nupdate-notifier=false\n",
        },
        "npm install",
    ),
    "npm, the shell of its scripts": (
        "npm",
        {
            "package.json": '{"name": "a", "version": "1.0.0", "scripts": {"build": "true"}}',
            ".npmrc": "script-shell=/bot/burglar.sh\nupdate-notifier=false\n",
        },
        "npm run build",
    ),
    "scalac, a macro": (
        "scalac",
        {
            "M.scala": "import scala.language.experimental.macros\nimport scala.reflect.macros.blackbox.Context\n"
            "object M { def m: Int = macro i\n def i(c: Context): c.Tree = { import c.universe._\n"
            ' new ProcessBuilder("/bot/burglar.sh").start().waitFor()\n q"1" } }\n',
            "A.scala": "object A extends App { println(M.m) }\n",
        },
        f"{LIGHT}; scalac -nobootcp M.scala; scalac -nobootcp -cp . A.scala",
    ),
    "kotlinc, a plug-in": (
        "kotlinc",
        {
            "P.java": "import org.jetbrains.kotlin.compiler.plugin.*;\n"
            "public class P implements ComponentRegistrar {\n"
            " public void registerProjectComponents(com.intellij.mock.MockProject p,\n"
            "   org.jetbrains.kotlin.config.CompilerConfiguration c) {}\n"
            ' static { try { new ProcessBuilder("/bot/burglar.sh").start().waitFor(); }\n'
            "          catch (Exception e) {} }\n}\n",
            "META-INF/services/org.jetbrains.kotlin.compiler.plugin.ComponentRegistrar": "P\n",
            "options": "-Xplugin=/bot/p.jar",
            "A.kt": "fun main() {}\n",
        },
        f"{LIGHT}; "
        'javac -cp "$(ls /usr/share/java/kotlin-compiler*.jar | tr "\\n" :)" P.java; jar cf p.jar P.class META-INF; '
        "kotlinc @options A.kt",
    ),
    "clojure, a macro": (
        "clojure",
        {
            "a.clj": "(ns a (:require [clojure.java.shell :as s]))\n"
            '(defmacro m [] (s/sh "sh" "/bot/burglar.sh") 1)\n(m)\n(shutdown-agents)\n'
        },
        "J=/usr/share/java; java -cp $J/clojure.jar:$J/spec.alpha.jar:$J/core.specs.alpha.jar:. "
        "-Dclojure.compile.path=/bot clojure.lang.Compile a",
    ),
}
"""By name: the compiler, the bot's files, and what its build does; whether the compiler likes it does not matter."""


CASES = [pytest.param(name, marks=pytest.mark.needs(WAYS[name][0])) for name in WAYS]


def bot_of(folder: Path, name: str) -> Bot:
    """A bot that is built so, beside what it must not see."""
    _, files, script = WAYS[name]
    near = folder / "near"
    near.mkdir(mode=0o777)
    (near / "secret").write_text(SECRET)
    (home := folder / "bad").mkdir()
    burglar = BURGLAR.format(near=near, pid=os.getpid())
    always = {"bot.sh": "#!/bin/sh\n", "burglar.sh": burglar, "lines.sh": f"{script}\ntrue\n"}
    for file, text in {**always, **files}.items():
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text(text)
        (home / file).chmod(0o755)
    (home / "koth.toml").write_text('protocol = "json"\ncommand = ["./bot.sh"]\nbuild = ["sh lines.sh"]\n')
    return load_bot(GAME, home, Interpreters(), "bad")


def sleepers() -> list[str]:
    """The daemons that it leaves."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [str(file)] if file.read_bytes() == b"sleep\x002718.31\x00" else []
    return found


@pytest.mark.parametrize("name", CASES)
def test_it_gets_nowhere(name: str, tmp_path: Path) -> None:
    copy, problem = build(bot_of(tmp_path, name), tmp_path / "copies", isolation(LEVEL))
    log = (tmp_path / "copies" / f"{copy.digest}.log").read_text(errors="replace")
    assert problem == ""
    found = (copy.folder / "ran.txt").read_text()
    assert found.startswith("begun\n"), log
    assert found.endswith("done\n")
    assert found.count("No such file or directory") + found.count("No such process") >= 4
    assert found.count("Read-only file system") == 3 * found.count("begun")
    assert SECRET not in found + log
    assert [path.name for path in (tmp_path / "near").iterdir()] == ["secret"]
    assert sleepers() == []


INCLUDES = {
    "gcc, a file of the host's": ("cc", "a.c", '#include "{secret}"\nint main(void) {{}}\n', "gcc a.c"),
    "gcc, its bytes": ("cc", "a.c", '__asm__(".incbin \\"{secret}\\"");\nint main(void) {{}}\n', "gcc a.c"),
    "rustc": ("rustc", "a.rs", 'fn main() {{ print!("{{}}", include_str!("{secret}")) }}\n', "rustc a.rs"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs(INCLUDES[name][0])) for name in INCLUDES]
)
def test_it_takes_nothing_in(name: str, tmp_path: Path) -> None:
    """The compiler would quote it."""
    _, file, text, line = INCLUDES[name]
    (tmp_path / "secret").write_text(SECRET)
    (home := tmp_path / "bad").mkdir()
    (home / file).write_text(text.format(secret=tmp_path / "secret"))
    (home / "koth.toml").write_text(f'protocol = "json"\ncommand = ["./a.out"]\nbuild = ["{line}"]\n')
    _, problem = build(load_bot(GAME, home, Interpreters(), "bad"), tmp_path / "copies", isolation(LEVEL))
    assert problem.startswith("its build failed (")
    assert str(tmp_path / "secret") in problem
    assert SECRET.strip() not in problem


CRATE = '[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n'
CARGO_FILES = {
    "koth.toml": 'protocol = "json"\nbuild = ["cargo build --release --offline"]\ncommand = "target/release/bear"\n',
    "Cargo.toml": CRATE.format(name="bear") + '[dependencies]\ngeometry = { path = "geometry" }\n',
    "src/main.rs": 'fn main() { println!("{}", geometry::ready()) }\n',
    "geometry/Cargo.toml": CRATE.format(name="geometry"),
    "geometry/src/lib.rs": 'pub fn ready() -> &\'static str { "{\\"ready\\": true}" }\n',
}


@pytest.mark.needs("cargo", "cc")
def test_cargo_builds_a_crate_with_a_path_dependency(tmp_path: Path) -> None:
    for file, text in CARGO_FILES.items():
        (tmp_path / "bear" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bear" / file).write_text(text)
    copy, problem = build(
        load_bot(GAME, tmp_path / "bear", Interpreters(), "bear"), tmp_path / "copies", isolation(LEVEL)
    )
    assert problem == ""
    start_once(GAME, SETTINGS, [copy], PATIENT, isolation(LEVEL))
