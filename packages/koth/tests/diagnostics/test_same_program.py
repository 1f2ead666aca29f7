"""koth check starts exactly the program that a contest starts: odd programs fare alike in both."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.program import Koth

LOOP = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        print(json.dumps({"ready": True}), flush=True)
    elif "ask" in message:
        print(json.dumps({"ask": message["ask"], "move": "N"}), flush=True)
"""
NODE_LOOP = """
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.hello) console.log(JSON.stringify({ready: true}));
  else if (message.ask) console.log(JSON.stringify({ask: message.ask, move: "N"}));
});
"""
STARTED_AS_ITSELF = """
import os, sys
assert not [name for name in os.environ if name.startswith("KOTH_") and name != "KOTH_SEED"]
assert sys.argv == [ARGV] and __name__ == "__main__" and sys.gettrace() is None and sys.getprofile() is None
assert sys.modules["__main__"].__dict__ is globals()
"""
PYTHON = {
    "file": 'open(os.path.dirname(__file__) + "/weights.txt").read()',
    "parents": 'import pathlib; (pathlib.Path(__file__).parents[0] / "weights.txt").read_text()',
    "after-chdir": 'os.chdir("/"); open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "weights.txt"))',
    "loader": "open(os.path.join(os.path.dirname(__loader__.path), 'weights.txt'))",
    "threads": "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
    "signals": "import signal; assert signal.getsignal(signal.SIGUSR2) == signal.SIG_DFL",
    "other-program": "'other.py' in sys.argv[0] or os.execv(sys.executable, [sys.executable, '-S', 'other.py'])",
    "by-runpy": "import runpy; runpy.run_path('other.py')",
    "missing": 'open(os.path.dirname(__file__) + "/no-such-file")',
    "crashes-late": "import threading; threading.Timer(0.0, lambda: os._exit(3)).start(); input()",
    "hangs": "while True: pass",
}
FAIL = {"missing", "crashes-late", "hangs"}


def verdicts(koth: Koth, name: str) -> tuple[bool, bool]:
    """Whether the bot plays without a fault, by check and by run."""
    limits = ("--max-turns", 3, "--start-timeout", 0.5 if name == "hangs" else 3)
    check = koth("check", name, "--game", "pacman", *limits)
    names = ("pacman", name, "@camper", "--matches", 1, "--seats", 2)
    run = koth("run", *names, *limits, "--out", f"out-{name}", "--json")
    plays = run.code == 0 and not any(bot["faults"] for bot in json.loads(run.out)["standings"] if bot["bot"] == name)
    return check.code == 0, plays


def made(name: str, main: str, text: str, command: str) -> None:
    folder = Path(name)
    folder.mkdir()
    (folder / main).write_text(text, encoding="latin-1")
    (folder / "other.py").write_text(LOOP)
    (folder / "weights.txt").write_text("1")
    (folder / "koth.toml").write_text(f'command = {command}\nprotocol = "json"\n')


@pytest.mark.parametrize("name", PYTHON)
def test_odd_programs_in_python(name: str, koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "# coding: latin-1\n# \xe9\n" + STARTED_AS_ITSELF.replace("ARGV", '"prog.py"') + PYTHON[name] + "\n" + LOOP
    made(name, "prog.py", text, '"python prog.py"')
    assert verdicts(koth, name) == ((name not in FAIL),) * 2


@pytest.mark.needs("node")
def test_an_odd_program_in_javascript(koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = """
if (require.main !== module || process.execArgv.length || process.env.NODE_OPTIONS) process.exit(1);
if (Object.keys(require.cache).length !== 1) process.exit(1);
"""
    made("node", "prog.js", text + NODE_LOOP, '"node prog.js"')
    assert verdicts(koth, "node") == (True, True)


@pytest.mark.skipif(shutil.which("python3", path="/usr/bin") is None, reason="there is no other Python")
def test_another_python(koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import sys; assert sys.flags.isolated\n" + LOOP
    made("other", "prog.py", text, '["/usr/bin/python3", "-I", "prog.py"]')
    assert verdicts(koth, "other") == (True, True)
