"""An author's program that looks for all that is not its own: `python cheat.py HILL HOST PORT` prints what it found.

It prints a JSON object: the name of an attempt -> whether it succeeded.
"""

import contextlib
import ctypes
import json
import os
import socket
import stat
import sys

HILL, HOST, PORT = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SECRET = b"no author may see this"
libc = ctypes.CDLL(None, use_errno=True)


def holds_secret(path):
    with contextlib.suppress(OSError):
        if stat.S_ISREG(os.stat(path).st_mode):  # a pipe would wait, and lose what is read from it
            with open(path, "rb") as file:
                return SECRET in file.read(1 << 20)
    return False


def pids():
    return [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def writes(path):
    with contextlib.suppress(OSError), open(path, "w"):
        return True
    return False


def connects(family, address):
    with contextlib.suppress(OSError), socket.socket(family) as link:
        link.settimeout(5)
        link.connect(address)
        return True
    return False


def may_trace():
    """Attach to koth without stopping it; this ends with this process."""
    seize = 0x4206
    return libc.ptrace(seize, HOST, 0, 0) >= 0


def may_signal():
    with contextlib.suppress(OSError):
        os.kill(HOST, 0)
        return True
    return False


found = {
    "the hill's database": holds_secret(f"{HILL}/hill.sqlite"),
    "another author's bot": holds_secret(f"{HILL}/rounds/authors/ben/bot/bot.py"),
    "a sibling folder": holds_secret("../ben/bot/bot.py"),
    "a folder through koth": any(holds_secret(f"/proc/{pid}/root{HILL}/hill.sqlite") for pid in (1, HOST)),
    "an open file of koth's": any(holds_secret(f"/proc/{pid}/fd/{k}") for pid in (1, HOST) for k in range(3, 60)),
    "its own environment": any(SECRET.decode() in value for value in os.environ.values()),
    "the environment of a process": any(holds_secret(f"/proc/{pid}/environ") for pid in pids()),
    "writing to another's folder": writes(f"{HILL}/rounds/authors/ben/bot/stolen"),
    "writing to the hill": writes(f"{HILL}/stolen"),
    "signals to koth": may_signal(),
    "tracing koth": may_trace(),
    "a socket in the hill": connects(socket.AF_UNIX, f"{HILL}/socket"),
    "an abstract socket": connects(socket.AF_UNIX, f"\0{HILL}"),
    "the network": connects(socket.AF_INET, ("127.0.0.1", PORT)),
}
print(json.dumps(found))
