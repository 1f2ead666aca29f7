"""Starts and ends that go wrong: a sandbox that is never made, processes that do not end, failed starts; signals."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from koth.build.steps import run_build_step
from koth.sandbox import supervised_process
from koth.sandbox.command import Command
from koth.sandbox.descendants import signal_all
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import PLAIN, Isolation, SandboxError
from koth.sandbox.policy import FOR_BUILDING, SandboxPolicy
from koth.sandbox.supervised_process import SupervisedProcess
from koth.session.process import BotProcess
from tests.contest.folders import wait_until
from tests.sandbox.zoo import isolation

linux = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="a system without namespaces")


@pytest.fixture
def stuck(tmp_path: Path) -> Isolation:
    """A level whose bwrap hangs."""
    bwrap = tmp_path / "bwrap"
    bwrap.write_text("#!/bin/sh\nexec sleep 600\n")
    bwrap.chmod(0o755)
    return Isolation("strong", bwrap=str(bwrap))


def sleeping(level: Isolation, folder: Path) -> SupervisedProcess:
    return level.start(["/bin/sleep", "600"], folder, {}, SandboxPolicy(), stdin=-1, stdout=-1, stderr=-1)


@linux
def test_koth_can_end_a_program_that_waits_for_its_sandbox(stuck: Isolation, tmp_path: Path) -> None:
    child = sleeping(stuck, tmp_path)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(1)
    child.kill()
    assert child.wait(20) == -signal.SIGKILL
    assert child.sandbox_failed()
    child.close()


@linux
def test_a_sandbox_has_only_so_long_to_be_made(
    stuck: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("koth.sandbox.isolation.START_TIMEOUT", 0.5, raising=False)
    child = sleeping(stuck, tmp_path)
    assert child.wait(20) == -signal.SIGKILL
    assert child.sandbox_failed()
    assert child.stderr.read() == b"bwrap was not done after 0.5 s\n"
    child.close()


@linux
def test_a_bot_whose_sandbox_hangs_can_be_closed(stuck: Isolation, tmp_path: Path) -> None:
    process = BotProcess(Command(("/bin/sleep", "600"), tmp_path), stuck, 100, 100)
    assert process.start() == ""
    process.kill()
    wait_until(lambda: process.child is not None and process.child.poll() is not None, 20)
    with pytest.raises(ArenaError, match="koth ended the program before it had started"):
        process.exit_code()
    process.close()


@linux
def test_the_wait_for_an_end_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped supervisor stands for processes that the system itself keeps."""
    monkeypatch.setattr(supervised_process, "END_TIMEOUT", 0.2, raising=False)
    process = BotProcess(Command(("/bin/sleep", "600"), tmp_path), PLAIN, 100, 100)
    assert process.start() == ""
    assert process.child.program_pid()
    supervisor = process.child.supervisor_pid()
    os.kill(supervisor, signal.SIGSTOP)
    try:
        with pytest.raises(ArenaError, match="did not end"):
            process.close()
        assert process.stdout == -1, "its files are closed all the same"
        process.close()
    finally:
        os.kill(supervisor, signal.SIGCONT)
    wait_until(lambda: not Path(f"/proc/{supervisor}").exists(), 20)


def open_files() -> set[str]:
    """The descriptors of this process."""
    return {fd for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")}


@linux
def test_a_start_that_fails_leaves_no_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sleeping(PLAIN, tmp_path).close()  # the spawner is there now
    before = open_files()

    def fails(files: list[int], libraries: tuple[str, ...]) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(supervised_process._Spawner, "start_supervisor", fails)
    with pytest.raises(SandboxError) as failed:
        sleeping(PLAIN, tmp_path)
    assert len(os.listdir("/proc/self/fd")) == len(before) + 1, (
        "closed, and not only when it is collected"
    )  # the list's
    del failed


@linux
def test_a_cache_that_can_not_be_written_blames_no_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unwritable(*_: object) -> Path:
        raise PermissionError("/cache can't be written; set KOTH_CACHE_DIR to a folder of yours")

    monkeypatch.setattr("koth.sandbox.bwrap.stage", unwritable)
    level, words = Isolation("strong", bwrap="bwrap"), "strong could be made: /cache can't be written; set KOTH_CACHE"
    with pytest.raises(ArenaError, match=words):
        BotProcess(Command(("/bin/true",), tmp_path), level, 100, 100).start()
    with pytest.raises(SandboxError, match=words):
        run_build_step(["/bin/true"], tmp_path, level, FOR_BUILDING)


@linux
def test_ended_programs_leave_no_file_open(tmp_path: Path) -> None:
    sleeping(PLAIN, tmp_path).close()
    before = open_files()
    for _ in range(5):
        process = BotProcess(Command(("/bin/sleep", "600"), tmp_path), Isolation("limits"), 100, 100)
        assert process.start() == ""
        process.close()
    assert open_files() == before


# -- signals


@linux
def test_a_number_that_has_passed_on_gets_no_signal() -> None:
    """The second list no longer has the number: its process ended, and a stranger may have the number by now."""
    with subprocess.Popen(["/bin/sleep", "600"]) as stranger:
        lists = iter([[stranger.pid], [], []])
        signal_all(lambda: next(lists), signal.SIGTERM)
        assert stranger.poll() is None
        stranger.kill()
        assert stranger.wait() == -signal.SIGKILL


@linux
def test_signals_reach_all_that_there_are_and_their_children() -> None:
    with subprocess.Popen(["/bin/sleep", "600"]) as one, subprocess.Popen(["/bin/sleep", "600"]) as other:
        lists = iter([[one.pid], [one.pid, other.pid], [one.pid, other.pid], [one.pid, other.pid]])
        signal_all(lambda: next(lists), signal.SIGTERM)
        assert (one.wait(10), other.wait(10)) == (-signal.SIGTERM, -signal.SIGTERM)


@linux
@pytest.mark.parametrize("level", ["none", "partial", "strong"])
def test_a_program_is_signalled_by_its_descriptor(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    process = BotProcess(Command(("/bin/sleep", "600"), tmp_path), isolation(level), 100, 100)
    assert process.start() == ""
    wait_until(lambda: process.pid() != 0, 20)
    monkeypatch.setattr(os, "kill", lambda pid, number: pytest.fail(f"signal {number} to the number {pid}"))

    def state() -> str:
        return Path(f"/proc/{process.pid()}/stat").read_text().rpartition(") ")[2][:1]

    process.child.send_signal(signal.SIGSTOP)
    wait_until(lambda: state() == "T", 20)
    process.child.send_signal(signal.SIGCONT)
    wait_until(lambda: state() != "T", 20)
    process.close()


@linux
def test_an_ended_supervisor_has_no_processes(tmp_path: Path) -> None:
    """Its number may be another process's by now, whose children are nobody's to stop."""
    child = sleeping(PLAIN, tmp_path)
    program = child.program_pid()
    child.kill()
    wait_until(lambda: not Path(f"/proc/{program}").exists(), 20)
    time.sleep(0.1)  # its supervisor reports the end
    child._reports["supervisor"] = os.getpid()
    with subprocess.Popen(["/bin/sleep", "600"]) as stranger:
        assert child.pids() == []
        stranger.terminate()
    child.close()
