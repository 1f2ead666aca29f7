"""Which system calls programs in many languages make: `python -m scripts.trace_calls > calls.json`.

Each language has a program (`traced/`) that does what bots do: it reads lines and answers them, reads a file, starts
threads, fills and gives back memory, draws numbers, looks at clocks, sleeps, and fails at what bots may not do.
strace watches; what a compiler does while it builds is told apart. koth's `sandbox/calls.txt` was made of it; a call
that it has as `end` must not be among these.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).with_name("traced")
SMALL = "-XX:+UseSerialGC -Xmx128m"
FILES = "mkdir -p a; cp bot.bash a; install -m 755 bot.bash b; tar cf c.tar a; rm -r a"
PROGRAMS = {
    # name: (file, how it is built, how it is run)
    "python": ("bot_python.txt", "", f"{sys.executable} bot_python.txt"),
    "c": ("bot.c", "gcc -O2 -pthread bot.c -o bot", "./bot"),
    "c-static": ("bot.c", "gcc -O2 -static -pthread bot.c -o bot", "./bot"),
    "c++": ("bot.cpp", "g++ -O2 -pthread bot.cpp -o bot", "./bot"),
    "rust": ("bot.rs", "rustc -O bot.rs", "./bot"),
    "go": ("bot.go", "go build -o bot bot.go", "./bot"),
    "ruby": ("bot.rb", "", "ruby bot.rb"),
    "php": ("bot.php", "", "php bot.php"),
    "mono": ("bot.cs", "mcs bot.cs", "mono bot.exe"),
    "haskell": ("bot.hs", "ghc -O -threaded bot.hs", "./bot +RTS -N2"),
    "node": ("bot.js", "", "node bot.js"),
    "java": ("Bot.java", "javac Bot.java", f"java {SMALL} Bot"),
    "java-g1": ("Bot.java", "javac Bot.java", "java -XX:+UseG1GC -Xmx256m Bot"),
    "lua": ("bot.lua", "", "lua5.4 bot.lua"),
    "perl": ("bot.pl", "", "perl bot.pl"),
    "ocaml": ("bot.ml", "", "ocaml bot.ml"),
    "shell": ("bot.sh", "", "sh bot.sh"),
    "bash": ("bot.bash", FILES, "bash bot.bash"),
}
CALL = r"^\d+ +(?:<\.\.\. )?([a-z_0-9]+)(?=\(| resumed)"
LINES = "one\ntwo\nthree\n\n"


def calls_of(line: str, folder: Path) -> list[str]:
    """The names of the calls that a command and all it starts make."""
    log = folder / "trace.log"
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    strace = ["strace", "-f", "-qq", "-o", str(log), "sh", "-c", f"exec {line}" if ";" not in line else line]
    done = subprocess.run(
        strace, cwd=folder, env=environment, input=LINES, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        print(f"{line}: status {done.returncode}: {done.stderr[-500:]}", file=sys.stderr)
    return sorted(
        set(re.findall(r"^\d+ +(?:<\.\.\. )?([a-z_0-9]+)(?=\(| resumed)", log.read_text(errors="replace"), re.M))
    )


def main() -> None:
    found: dict[str, dict[str, list[str]]] = {"run": {}, "build": {}}
    wanted = sys.argv[1:] or list(PROGRAMS)
    for name in wanted:
        file, build, run = PROGRAMS[name]
        program = (build or run).split()[0]
        if not shutil.which(program):
            print(f"{name}: {program} is not here", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            shutil.copy(HERE / file, folder / file)
            if build:
                found["build"][name] = calls_of(build, folder)
            found["run"][name] = calls_of(run, folder)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
