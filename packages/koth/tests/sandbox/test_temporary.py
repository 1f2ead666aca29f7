"""The temporary folder of a bot: its own, bounded, counted, and gone after the match."""

from __future__ import annotations

import re
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from koth.contest.preflight import build
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.match import Hosting, play
from koth.sandbox import usage
from koth.sandbox.environment import PYTHON
from koth.sandbox.mounts import find_mounts
from koth.sandbox.policy import FOR_BOTS, MEGABYTE, TEMPORARY_BYTES, TEMPORARY_FILES
from koth.sandbox.supervised_process import SupervisedProcess
from tests.sandbox.zoo import isolation, program, running
from tests.session.arena import GAME, PATIENT, SEED, SETTINGS

WITH_MOUNTS = ("strong+cgroup", "strong")

FILLS = """
import tempfile
print("begins with", os.listdir("/tmp"), tempfile.gettempdir(), os.path.expanduser("~"), file=sys.stderr)
written = 0
try:
    with open("/tmp/koth-zoo", "wb", buffering=0) as file:
        while True:
            written += file.write(bytes(65536))
except OSError as error:
    print("bytes", written, error.strerror, file=sys.stderr)
os.remove("/tmp/koth-zoo")
try:
    for number in range(10000):
        os.mkdir(f"/tmp/koth-zoo-{number}")
except OSError as error:
    print("files", number, error.strerror, file=sys.stderr)
os.rmdir("/tmp/koth-zoo-0")
os.rename("/tmp/koth-zoo-1", "/tmp/koth-zoo-0")
"""

SPIES = """
for q in questions():
    print(os.listdir("/tmp"), file=sys.stderr)
    say(stay(q))
"""


def mount_points(folder: Path) -> set[Path]:
    """What a sandbox has in /tmp if koth's Python is there: the folders down to each of its mounts, and these."""
    inside = [Path(mount.inside) for mount in find_mounts([PYTHON], folder, [])]
    return {place for path in inside for place in (path, *path.parents) if Path("/tmp") in place.parents}


@pytest.mark.parametrize("level", WITH_MOUNTS)
def test_it_is_full_at_its_bounds_its_owner_s_and_empty_in_the_next_match(level: str, tmp_path: Path) -> None:
    bots = [program(tmp_path, FILLS, "fills"), program(tmp_path, "", "spies", after=SPIES)]
    confined = isolation(level)
    cast = [build(bot, tmp_path / "copies", confined)[0] for bot in bots]
    points = mount_points(tmp_path)
    shown = sorted({point.parts[2] for point in points})
    for _ in range(2):
        hosting = Hosting(ruleset="published", time_control=PATIENT, isolation=confined)
        result = play(GAME, SETTINGS, cast, SEED, hosting)
        fills, spies = (result.records[bot.name] for bot in bots)
        assert (fills.faults, spies.faults) == ({}, {})
        assert fills.stderr.decode().splitlines() == [
            f"begins with {shown} /tmp /tmp",
            f"bytes {TEMPORARY_BYTES} No space left on device",
            f"files {TEMPORARY_FILES - 1 - len(points)} No space left on device",
        ]
        assert set(spies.stderr.decode().splitlines()) == {str(shown)}, "what the other bot has written"
    assert not list(Path(tempfile.gettempdir()).glob("koth-zoo*"))


@pytest.mark.parametrize(("level", "why"), [("partial", "Permission denied"), ("limits", "File too large")])
def test_at_a_level_without_mounts_there_is_none(level: str, why: str, tmp_path: Path) -> None:
    source = f"""
    path = {str(tmp_path / "koth-zoo")!r} if {level!r} == "limits" else "/tmp/koth-zoo"
    try:
        with open(path, "wb", buffering=0) as file:
            file.write(b"x")
    except OSError as error:
        print(error.strerror, file=sys.stderr)
    """
    bot, _ = build(program(tmp_path, source), tmp_path / "copies", isolation(level))
    hosting = Hosting(ruleset="published", time_control=PATIENT, isolation=isolation(level))
    record = play(GAME, SETTINGS, [bot], SEED, hosting).records["bad"]
    assert (record.faults, record.stderr.decode().strip()) == ({}, why)


WRITES = """
import sys
for size in map(int, sys.stdin):
    open("/tmp/koth-zoo", "wb").write(bytes(size))
    print("written", flush=True)
"""


def test_its_files_count_as_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "SPARE", 0)

    def used(child: SupervisedProcess, size: int) -> int:
        child.stdin.write(b"%d\n" % size)
        assert child.stdout.readline() == b"written\n"
        with closing(usage.Usage(child, replace(FOR_BOTS, memory=MEGABYTE), has_family=False)) as measured:
            found = re.match(r"used (\d+) MB", measured.find_excess())
        return int(found[1])

    with running("strong", tmp_path, WRITES) as child:
        assert used(child, 0) + 13 > used(child, 12 * MEGABYTE) >= used(child, 0) + 11


BESIDE = """
here = os.path.dirname(os.path.abspath(__file__))
open("log.txt", "a").write("x")
open(os.path.join(here, "main.py"), "a").write("# changed")
print(here, sorted(os.listdir(".")), len(open("log.txt").read()), file=sys.stderr)
"""


LOGS_IN_C = """
#include <stdio.h>
#include <unistd.h>
int main(void) {
    char here[100], line[1000];
    fprintf(stderr, "%s, in %s\\n", fopen("log.txt", "w") ? "written" : "refused", getcwd(here, sizeof here));
    puts("{\\"ready\\": true}");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {}
}
"""


@pytest.mark.parametrize("level", WITH_MOUNTS)
def test_a_writable_bot_writes_beside_its_files_in_a_copy_that_is_gone_after_the_match(
    level: str, tmp_path: Path
) -> None:
    bot = program(tmp_path, BESIDE, "old", manifest="writable = true")
    bot, problem = build(bot, tmp_path / "copies", isolation(level))
    assert problem == ""
    for _ in range(2):
        hosting = Hosting(ruleset="published", time_control=PATIENT, isolation=isolation(level))
        record = play(GAME, SETTINGS, [bot], SEED, hosting).records["old"]
        assert (record.faults, record.stderr.decode()) == ({}, "/tmp/bot ['koth.toml', 'log.txt', 'main.py'] 1\n")
    assert {path.name for path in bot.folder.iterdir()} == {"koth.toml", "main.py"}


@pytest.mark.needs("cc")
def test_a_compiled_bot_is_started_from_its_own_folder_and_writes_in_the_copy(tmp_path: Path) -> None:
    """Nothing is executed from a folder that can be written to."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "main.c").write_text(LOGS_IN_C)
    (tmp_path / "old" / "koth.toml").write_text('protocol = "json"\nwritable = true\n')
    bot, problem = build(load_bot(GAME, tmp_path / "old", Interpreters()), tmp_path / "copies", isolation("strong"))
    assert problem == ""
    hosting = Hosting(ruleset="published", time_control=PATIENT, isolation=isolation("strong"))
    assert play(GAME, SETTINGS, [bot], SEED, hosting).records["old"].stderr == b"written, in /tmp/bot\n"


@pytest.mark.parametrize(
    ("level", "files", "why"),
    [
        ("partial", {}, "it writes beside its files (`writable = true`), which takes isolation strong"),
        ("strong", {"large": 8 * MEGABYTE}, "with `writable = true` its folder may have at most 8 MB and 500 files"),
    ],
)
def test_a_writable_bot_that_can_not_be_played(level: str, files: dict[str, int], why: str, tmp_path: Path) -> None:
    bot = program(tmp_path, "", "old", manifest="writable = true")
    for name, size in files.items():
        (bot.path / name).write_bytes(bytes(size))
    bot = load_bot(GAME, bot.path, Interpreters())
    assert build(bot, tmp_path / "copies", isolation(level))[1] == why
