"""Hostile bots in C, which speaks to the kernel directly, and in Java, which has a machine of its own."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.game import TimeControl
from koth.sandbox import seccomp
from koth.sandbox.policy import SandboxPolicy
from tests.sandbox.zoo import CONFINED, hosted, isolation, program
from tests.session.arena import GAME, Quiet

C = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void told(const char *name, long result) {
    fprintf(stderr, "%s: %s\n", name, result < 0 ? strerror(errno) : "done");
    if (result > 2) close((int)result);
}

static long forked(long result) {
    if (result == 0) _exit(0);
    return result;
}

int main(int count, char **words) {
    char attributes[256] = {0};
    if (count > 1) {
        syscall(atol(words[1]), 0, attributes, 0, 0, 0, 0);
        printf("went on: %s\\n", strerror(errno));
        return 0;
    }
    told("ptrace", ptrace(PTRACE_ATTACH, getppid(), 0, 0));
    told("io_uring", syscall(425, 4, attributes));
    told("user namespace", unshare(CLONE_NEWUSER));
    told("network namespace", unshare(CLONE_NEWUSER | CLONE_NEWNET));
    told("old namespace", syscall(SYS_setns, 0, 0));
    told("root folder", chroot("."));
    told("clone", forked(syscall(SYS_clone, 17, 0, 0, 0, 0)));
    told("clone with namespaces", forked(syscall(SYS_clone, CLONE_NEWUSER | 17, 0, 0, 0, 0)));
    told("clone3", forked(syscall(435, attributes, 88)));
#ifdef __x86_64__
    told("fork", forked(syscall(SYS_fork)));
    told("x32", syscall(0x40000000 | 39));
#endif
    told("inet", socket(AF_INET, SOCK_STREAM, 0));
    told("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    told("vsock", socket(40, SOCK_STREAM, 0));
    told("crypto", socket(38, SOCK_SEQPACKET, 0));
    told("memory file", syscall(SYS_memfd_create, "zoo", 0));
    told("shared memory", syscall(SYS_shmget, 0, 1 << 20, 01600));
    told("semaphores", syscall(SYS_semget, 0, 1, 01600));
    told("messages", syscall(SYS_msgget, 0, 01600));
    told("queue", syscall(SYS_mq_open, "zoo", O_CREAT | O_RDWR, 0600, 0));
    told("priority", syscall(SYS_setpriority, 0, 0, 0));
    told("outlive", prctl(PR_SET_PDEATHSIG, 0));
    told("outlive with a signal", prctl(PR_SET_PDEATHSIG, 15));
    told("terminal", ioctl(0, 0x5412, "x"));
    told("clock", syscall(SYS_clock_settime, 0, attributes));
    char *line = 0;
    size_t size = 0;
    if (getline(&line, &size, stdin) < 0) return 0;
    puts("{\"ready\": true}");
    fflush(stdout);
    while (getline(&line, &size, stdin) > 0) {
        char *ask = strstr(line, "\"ask\":");
        if (!ask) return 0;
        printf("{\"ask\": %d, \"moves\": {", atoi(ask + 6));
        const char *comma = "";
        for (char *p = line; (p = strstr(p, "\"number\":")); comma = ", ")
            printf("%s\"%d\": \"STAY\"", comma, atoi(p += 9));
        puts("}}");
        fflush(stdout);
    }
}
"""

ENDS = [
    *("process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "bpf", "perf_event_open"),
    *("userfaultfd", "add_key", "keyctl", "mount", "umount2", "pivot_root", "open_tree", "move_mount", "fsopen"),
    *("mount_setattr", "memfd_secret", "vmsplice", "seccomp", "kexec_load", "init_module", "reboot", "acct"),
    *("quotactl", "open_by_handle_at", "fanotify_init", "sethostname", "move_pages", "open_tree_attr"),
]
"""Calls that no honest program makes: they end a bot at once. (Without a filter they'd fail for their arguments.)"""

NOT_THERE = ("clone3", "x32", "io_uring", "shared memory", "semaphores", "messages", "queue")
"""Calls that programs can do without when a kernel does not have them."""

NAMES = [line.split('"')[1] for line in C.splitlines() if line.strip().startswith('told("')]

_reports: dict[str, dict[str, str]] = {}


@pytest.fixture
def c_report(level: str, quiet: Quiet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the report of the bot in C at this level; it is built in the sandbox too."""
    if level not in _reports:
        folder = tmp_path_factory.mktemp("c")
        home = folder / "bad"
        home.mkdir()
        (home / "koth.toml").write_text(
            'protocol = "json"\nbuild = ["cc -w -O1 -o bot bot.c"]\ncommand = ["./bot"]\n'
        )
        (home / "bot.c").write_text(C)
        record = hosted(load_bot(GAME, home, Interpreters(), "bad"), folder, level, quiet)
        assert record.faults == {}, record.stderr.decode()
        lines = record.stderr.decode().splitlines()
        _reports[level] = {name: outcome for line in lines for name, _, outcome in [line.partition(": ")]}
    return _reports[level]


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program, which makes the one call whose number it is told."""
    folder = tmp_path_factory.mktemp("caller")
    folder.chmod(0o755)
    (folder / "bot.c").write_text(C)
    subprocess.run(["cc", "-w", "-O1", "-o", "bot", "bot.c"], cwd=folder, check=True)
    return folder


@pytest.mark.skipif(shutil.which("cc") is None, reason="cc not found: apt install gcc")
@pytest.mark.parametrize("level", CONFINED)
def test_a_call_that_is_on_no_list_is_the_end(level: str, caller: Path) -> None:
    chosen, table = isolation(level), seccomp.read_calls(platform.machine())
    for name in ENDS:
        argv = [str(caller / "bot"), str(table[name][0])]
        child = chosen.start(argv, caller, {}, SandboxPolicy(), stdin=subprocess.DEVNULL, stdout=-1, stderr=-1)
        said, _ = child.communicate(60)
        assert (child.forbidden_call(), child.returncode, said) == (name, -9, b""), name
        child.close()


@pytest.mark.parametrize("level", CONFINED)
def test_the_fault_names_it(level: str, tmp_path: Path, quiet: Quiet) -> None:
    source = """
    import ctypes
    ctypes.CDLL(None).mount(b"none", b"/tmp", b"tmpfs", 0, b"")
    """
    record = hosted(program(tmp_path, source), tmp_path, level, quiet)
    assert record.faults == {"crash": 1}
    assert record.fault_reports["crash"].text == "made the system call mount, which no bot may make"


@pytest.mark.skipif(shutil.which("cc") is None, reason="cc not found: apt install gcc")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", CONFINED)
def test_system_calls_are_refused(level: str, name: str, c_report: dict[str, str]) -> None:
    if name in ("fork", "x32") and platform.machine() != "x86_64":
        pytest.skip("only x86-64 has it")
    expected = "Function not implemented" if name in NOT_THERE else "Operation not permitted"
    assert c_report[name] == ("Inappropriate ioctl for device" if name == "terminal" else expected)


JAVA = """
package player;
import zombie.*;
import java.io.*;
import java.lang.management.*;
import java.net.*;
import java.nio.*;
import java.nio.file.*;
import java.util.*;

public class Bad implements Player {
  interface Attempt { void run() throws Throwable; }

  static void told(String name, Attempt attempt) {
    String outcome = "done";
    try { attempt.run(); } catch (Throwable e) { outcome = "refused " + e; }
    System.err.println(name + ": " + outcome);
  }

  public Bad() {
    told("read", () -> Files.readAllBytes(Path.of("SECRET")));
    told("write", () -> Files.write(Path.of("/tmp/koth-zoo"), new byte[17 << 20]));
    told("own folder", () -> Files.write(Path.of("new"), new byte[9]));
    told("connect", () -> new Socket("127.0.0.1", 9).close());
    told("listen", () -> new ServerSocket(0).close());
    told("program", () -> new ProcessBuilder("/bin/true").start().waitFor());
    told("attach", () -> Class.forName("com.sun.tools.attach.VirtualMachine").getMethod("attach", String.class)
        .invoke(null, "" + ProcessHandle.current().pid()));
    told("internals", () -> Class.forName("jdk.internal.misc.Unsafe").getMethod("getUnsafe").invoke(null));
    told("watch", () -> Path.of("/usr").register(FileSystems.getDefault().newWatchService(),
        StandardWatchEventKinds.ENTRY_CREATE));
    told("lock", () -> java.nio.channels.FileChannel.open(Path.of("/usr/bin/env")).lock(0, 1, true));
    told("end the first", () -> { if (!ProcessHandle.of(1).get().destroyForcibly()) throw new IOException(); });
    told("others", () -> ProcessHandle.allProcesses().filter(p -> p.pid() != 1 && p.pid() !=
        ProcessHandle.current().pid()).findAny().get());
    told("memory outside", () -> {
      java.lang.reflect.Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
      field.setAccessible(true);
      java.lang.reflect.Method allocate = field.getType().getMethod("allocateMemory", long.class);
      for (int i = 0; i < 100; i++) allocate.invoke(field.get(null), 20L << 20);
    });
    told("direct memory", () -> {
      List<ByteBuffer> hoard = new ArrayList<>();
      while (hoard.size() < 1000) hoard.add(ByteBuffer.allocateDirect(1 << 20));
    });
  }

  public Action doTurn(PlayerContext context) { return Move.STAY; }
}
"""


@pytest.mark.slow
@pytest.mark.needs("javac")
@pytest.mark.parametrize("level", CONFINED)
def test_java(level: str, tmp_path: Path, quiet: Quiet) -> None:
    home = tmp_path / "bad" / "player"
    home.mkdir(parents=True)
    secret = tmp_path / "secret"
    secret.write_text("the host's")
    (home / "Bad.java").write_text(JAVA.replace("SECRET", str(secret)))
    bot = load_bot(GAME, home, Interpreters(), "bad")
    record = hosted(bot, tmp_path, level, quiet, TimeControl(start=60, question=30))
    assert set(record.faults) <= {"memory", "crash"}, record.stderr.decode()  # what it took may be lacking elsewhere
    told = dict(line.split(": ", 1) for line in record.stderr.decode().splitlines() if ": " in line)
    names = [line.split('"')[1] for line in JAVA.splitlines() if line.startswith('    told("')]
    assert len(names) == 14
    for name in names:
        assert told[name].startswith("refused"), told


@pytest.mark.needs("javac")
@pytest.mark.parametrize("level", CONFINED)
def test_a_full_heap_is_a_memory_fault(level: str, tmp_path: Path, quiet: Quiet) -> None:
    home = tmp_path / "bad" / "player"
    home.mkdir(parents=True)
    source = "package player; import zombie.*; import java.util.*;\npublic class Bad implements Player {\n"
    source += "  List<byte[]> hoard = new ArrayList<>();\n  public Action doTurn(PlayerContext context) {\n"
    source += "    while (true) hoard.add(new byte[1 << 20]);\n  }\n}\n"
    (home / "Bad.java").write_text(source)
    bot = load_bot(GAME, home, Interpreters(), "bad")
    record = hosted(bot, tmp_path, level, quiet, TimeControl(start=60, question=60))
    assert list(record.faults) == ["memory"]
