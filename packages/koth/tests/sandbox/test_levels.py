"""The choice of a level and its messages; no level is silently weaker than it promises."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from koth.cli import cli, main
from koth.contest.preflight import build, start_once
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.match import Hosting, play
from koth.sandbox import probe
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import LEVELS, PLAIN, Isolation, SandboxError
from koth.sandbox.levels import PROMISES, check_for_strangers, choose_level, try_level
from koth.session.bot import Bot
from tests.sandbox.zoo import CONFINED, isolation, program
from tests.session.arena import GAME, PATIENT, SETTINGS, good_bot

BEST = choose_level().level


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Changes to this machine, before and after which nothing is known of its levels."""
    try_level.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    try_level.cache_clear()


def fake_bwrap(folder: Path, script: str) -> str:
    file = folder / "bwrap"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


def test_the_strongest_is_chosen() -> None:
    working = [level for level in LEVELS if try_level(level).works]
    assert working[-1] == BEST
    assert try_level("none").works


def test_one_by_name() -> None:
    assert choose_level("none").level == "none"
    if try_level("limits").works:
        assert choose_level("limits").level == "limits"
    with pytest.raises(KothError, match=r"no level of isolation 'strnog'.*strong"):
        choose_level("strnog")


@pytest.mark.parametrize("level", LEVELS)
def test_missing_promises_are_listed(level: str) -> None:
    trial = try_level(level)
    if trial.works:
        assert list(trial.isolation.missing) == [text for name, text in PROMISES.items() if not trial.held.get(name)]
        assert set(trial.isolation.versions) == {"kernel", "bwrap", "landlock"}
    else:
        assert trial.why


def test_without_bwrap_the_next_level_is_taken(elsewhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elsewhere.setenv("PATH", str(tmp_path))
    assert not choose_level().is_at_least("strong")
    with pytest.raises(SandboxError, match="bubblewrap is not installed\nInstall it: apt install bubblewrap"):
        choose_level("strong")
    with pytest.raises(SandboxError, match=r"untrusted bots run at isolation strong or above, not at \w+"):
        check_for_strangers(choose_level())


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        ("bwrap: setting up uid map: Permission denied", "apparmor-profiles"),
        ("bwrap: No permissions to create new namespace", "Docker"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"),
        ("bwrap: Creating new namespace failed: user/max_user_namespaces exceeded (ENOSPC)", "sysctl"),
        ("bwrap: Unknown option --perms", "too old"),
    ],
)
def test_a_bwrap_that_fails_is_no_sandbox(
    words: str, cure: str, elsewhere: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake_bwrap(tmp_path, f'echo "{words}" >&2; exit 1')
    elsewhere.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    trial = try_level("strong")
    assert trial.why == words
    assert cure in trial.cure
    assert not choose_level().is_at_least("strong")


def test_a_bwrap_that_isolates_nothing_is_found_out(elsewhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The probes inside decide, whatever bwrap reports."""
    real = isolation("strong").bwrap
    try_level.cache_clear()
    fake_bwrap(tmp_path, f'words=$2; shift 2\nexec {real} --args "$words" --ro-bind /etc /etc "$@"')
    elsewhere.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    trial = try_level("strong")
    assert not trial.works
    assert "the probes failed (not so: files of the host" in trial.why


@pytest.fixture
def strong_but_broken(tmp_path: Path) -> Isolation:
    """Return a sandbox whose bwrap stopped working after it was chosen."""
    return replace(isolation("strong"), bwrap=fake_bwrap(tmp_path, 'echo "bwrap: out of order" >&2; exit 1'))


def test_a_sandbox_that_fails_is_no_bots_loss(tmp_path: Path, strong_but_broken: Isolation) -> None:
    two = [good_bot(tmp_path), replace(good_bot(tmp_path), name="other")]
    with pytest.raises(ArenaError, match=r"no sandbox of level strong could be made: bwrap: out of order"):
        play(GAME, SETTINGS, two, 1, Hosting(time_control=PATIENT, isolation=strong_but_broken))
    with pytest.raises(ArenaError, match="out of order"):
        start_once(GAME, SETTINGS, [good_bot(tmp_path)], PATIENT, strong_but_broken)
    gone = replace(strong_but_broken, bwrap=str(tmp_path / "nowhere"))
    with pytest.raises(ArenaError, match="No such file"):
        play(GAME, SETTINGS, two, 1, Hosting(time_control=PATIENT, isolation=gone))


def test_a_run_whose_sandbox_fails_scores_nothing(
    tmp_path: Path,
    strong_but_broken: Isolation,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("koth.services.contests.choose_level", lambda wanted: strong_but_broken)
    monkeypatch.setattr(sys, "argv", ["koth", "run", "zombies", "@stand_still", "--out", str(tmp_path / "run")])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "koth: no sandbox of level strong could be made: bwrap: out of order" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_sandbox_that_fails_builds_nothing(tmp_path: Path, strong_but_broken: Isolation) -> None:
    bot = program(tmp_path, "", manifest='build = ["true"]\n')
    with pytest.raises(SandboxError, match="out of order"):
        build(bot, tmp_path / "copies", strong_but_broken)


@pytest.mark.parametrize("level", CONFINED)
def test_a_bot_that_looks_like_a_broken_sandbox_is_a_bot(level: str, tmp_path: Path) -> None:
    """It can't void a match by saying bwrap's words and ending as bwrap does."""
    bot = program(tmp_path, "print('bwrap: setting up uid map: Permission denied', file=sys.stderr); sys.exit(1)")
    copies = [build(each, tmp_path / "copies", isolation(level))[0] for each in (bot, good_bot(tmp_path))]
    result = play(GAME, SETTINGS, copies, 1, Hosting(time_control=PATIENT, isolation=isolation(level)))
    assert result.records["bad"].faults == {"crash": 1}
    assert result.records["good"].faults == {}


@pytest.mark.parametrize("level", CONFINED)
def test_a_wrapper_that_forks_gets_a_hint(level: str, tmp_path: Path) -> None:
    home = tmp_path / "wrapped"
    home.mkdir()
    (home / "koth.toml").write_text('protocol = "json"\ncommand = ["sh", "run.sh"]\n')
    (home / "run.sh").write_text("python3 main.py\ntrue\n")
    (home / "main.py").write_text("import time\nprint('{\"ready\": true}', flush=True)\ntime.sleep(60)\n")
    (broken,) = start_once(GAME, SETTINGS, [_copied(home, tmp_path, level)], PATIENT, isolation(level))
    assert "`subprocesses = true` in a bot's koth.toml allows it" in broken.reason
    (home / "koth.toml").write_text('subprocesses = true\nprotocol = "json"\ncommand = ["sh", "run.sh"]\n')
    if level == "partial":
        _, problem = build(load_bot(GAME, home, Interpreters()), tmp_path / "copies", isolation(level))
        assert "isolation partial can't confine" in problem
    else:
        assert start_once(GAME, SETTINGS, [_copied(home, tmp_path, level)], PATIENT, isolation(level)) == []


def _copied(home: Path, tmp_path: Path, level: str, *paths: Path) -> Bot:
    chosen = replace(isolation(level), trusts_processes=True)
    bot, problem = build(load_bot(GAME, home, Interpreters(paths=paths)), tmp_path / "copies", chosen)
    assert problem == ""
    return bot


@pytest.mark.parametrize("level", CONFINED)
def test_a_program_out_of_reach_is_found_before_the_first_match(level: str, tmp_path: Path) -> None:
    """The program needs a file beside it that is not shown to bots."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "real").write_text("#!/bin/sh\necho '{\"ready\": true}'\nread hello\n")
    (tools / "run").write_text(f"#!/bin/sh\nexec sh {tools / 'real'}\n")
    (tools / "run").chmod(0o755)
    home = tmp_path / "bot"
    home.mkdir()
    (home / "koth.toml").write_text(f'protocol = "json"\ncommand = ["{tools / "run"}"]\n')
    allowed = _copied(home, tmp_path, level, tools / "run")
    (broken,) = start_once(GAME, SETTINGS, [allowed], PATIENT, isolation(level))
    assert "real" in broken.reason


def test_strangers(elsewhere: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere.setattr(sys, "argv", ["koth", "run", "zombies", "--untrusted", "--isolation", "none", "-n", "1"])
    elsewhere.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "untrusted bots run at isolation strong or above, not at none" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("level", ["none", "limits", "partial", "strong"])
def test_a_run_says_its_level(level: str, tmp_path: Path) -> None:
    isolation(level)
    words = ["run", "zombies", "@stand_still", "@wanderer", "-n", "1", "--seed", "1", "--set", "players=3"]
    result = CliRunner().invoke(cli, [*words, "--isolation", level, "--out", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    told = json.loads((tmp_path / "run" / "run.json").read_text())["isolation"]
    assert told["level"] == level
    assert told["missing"] == list(try_level(level).isolation.missing)
    line = f"koth: bots run at isolation {level}: run only your own"
    assert (line in result.output) == (level != "strong")


@pytest.mark.parametrize("way", ["..", "a link"])
def test_the_path_by_which_koth_was_started_changes_no_level(way: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(sys.prefix)
    roundabout = {"..": f"{sys.prefix}/../{Path(sys.prefix).name}", "a link": str(tmp_path / "link")}[way]
    argv = [f"{roundabout}/bin/{Path(sys.executable).name}", "-m", "koth", "doctor"]
    assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout.startswith(
        f"Bots run at isolation {BEST} here."
    )


def test_nor_does_the_path_of_a_bots_interpreter(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(sys.prefix)
    given = Interpreters.find({"python": f"{tmp_path}/link/bin/../bin/python"})
    home = program(tmp_path, "").path
    copy, _ = build(load_bot(GAME, home, given, "bad"), tmp_path / "copies", isolation("strong"))
    start_once(GAME, SETTINGS, [copy], PATIENT, isolation("strong"))


def test_doctor() -> None:
    result = CliRunner().invoke(cli, ["doctor"])
    assert result.exit_code == 0
    assert result.output.startswith(f"Bots run at isolation {BEST} here.\n")
    for trial in map(try_level, LEVELS):
        assert trial.works or f"{trial.level} is not available: {trial.why}" in result.output
    told = json.loads(CliRunner().invoke(cli, ["doctor", "--json"]).output)
    assert told["level"] == BEST
    assert list(told["levels"]) == list(reversed(LEVELS))


def test_a_host_that_may_be_traced_is_not_stopped() -> None:
    """At a level that forbids nothing the probe's attempt succeeds, and koth waits for its result."""
    with subprocess.Popen(["/bin/sleep", "600"]) as host:
        try:
            arguments = {"host": host.pid, "secret": "/", "port": 9, "outside": []}
            arguments |= {"temporary": 1, "memory": 1, "tasks": 1}
            attempts = [sys.executable, "-I", "-S", probe.__file__, json.dumps(arguments)]
            held = json.loads(subprocess.run(attempts, stdout=subprocess.PIPE, check=True).stdout)
            state = Path(f"/proc/{host.pid}/stat").read_text().rpartition(")")[2].split()[0]
        finally:
            host.kill()
    assert (held["tracing"], state) == (False, "S")


def test_plain_is_no_isolation() -> None:
    assert PLAIN.level == "none"
    assert not PLAIN.is_at_least("limits")


WRITES = """
class Bot:
    def __init__(self, *_): open({mark!r}, "w").close()
    def do_turn(self, context): return None
"""


def test_a_strangers_run_is_gone_on_with_at_the_best_level(tmp_path: Path) -> None:
    """The level in a stranger's run.json is not trusted."""
    mark = tmp_path / "mark"
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text(WRITES.format(mark=str(mark)))
    out = ["--isolation", "none", "--out", str(tmp_path / "run")]
    words = ["run", "zombies", str(tmp_path / "bot"), "-n", "1", "--set", "players=3", "--seed", "1"]
    assert CliRunner().invoke(cli, [*words, *out]).exit_code == 0
    assert mark.exists()
    mark.unlink()
    database = sqlite3.connect(tmp_path / "run" / "results.sqlite")
    with database:
        for (table,) in list(database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")):
            if table in ("matches", "scores", "faults", "timings"):
                database.execute(f"DELETE FROM {table}")
    database.close()
    done = CliRunner().invoke(cli, ["resume", str(tmp_path / "run")])
    if BEST != "none":
        assert f"this run began at isolation none; it goes on at {BEST}" in done.output
    assert mark.exists() == (BEST in ("none", "limits"))
