"""The filter of system calls, as the bytes of a classic BPF program; the kernel runs it at every call.

What a bot has no business with fails with EPERM. `clone3` is answered with ENOSYS, so that libraries fall
back on `clone`, whose flags a filter can see.
"""

from __future__ import annotations

import errno
import platform
import struct

DENIED = {
    # name: (x86_64, aarch64)
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "socket": (41, 198),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "settimeofday": (164, 170),
    "adjtimex": (159, 171),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "personality": (135, 92),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
}
"""Always refused. Some are no danger by themselves but reach what namespaces do not separate."""

CHILDREN = {"fork": (57, None), "vfork": (58, None)}
"""Refused unless the bot may start processes."""

CLONE = (56, 220)
CLONE3 = (435, 435)
PRCTL = (157, 167)
IOCTL = (16, 29)

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}

CLONE_THREAD = 0x10000
CLONE_NEW = 0x7E020000
"""Every flag that makes a new namespace."""
PR_SET_PDEATHSIG, SIGKILL = 1, 9
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
X32 = 0x40000000

ALLOW, KILL = 0x7FFF0000, 0x80000000
LOAD, JUMP_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER, ARCH = 0, 4
"""Where the number of the call and the architecture lie in what the filter sees."""

Instruction = tuple[int, int, int, int]


def supported() -> bool:
    """Whether there is a filter for this machine."""
    return platform.machine() in COLUMN


def program(*, processes: bool, machine: str = "") -> bytes:
    """The filter for this machine (or the named one). Raises KeyError for a machine without a table."""
    machine = machine or platform.machine()
    column = COLUMN[machine]
    denied = DENIED if processes else {**DENIED, **CHILDREN}
    code: list[Instruction] = [
        (LOAD, 0, 0, ARCH),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        _give(KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":
        code += [(JUMP_SET, 0, 1, X32), _refuse(errno.ENOSYS)]
    code += _on(CLONE3[column], [_refuse(errno.ENOSYS)])
    for numbers in denied.values():
        number = numbers[column]
        if number is not None:
            code += _on(number, [_refuse(errno.EPERM)])
    code += _on(CLONE[column], _clone(processes))
    # A bot may ask to die with koth, as it does anyway, but not to outlive it.
    death = [_argument(1), (JUMP_EQUAL, 1, 0, SIGKILL), _refuse(errno.EPERM), _give(ALLOW)]
    code += _on(PRCTL[column], [_argument(0), (JUMP_EQUAL, 0, 4, PR_SET_PDEATHSIG), *death, _give(ALLOW)])
    terminal = [(JUMP_EQUAL, 1, 0, TIOCSTI), (JUMP_EQUAL, 0, 1, TIOCLINUX), _refuse(errno.EPERM)]
    code += _on(IOCTL[column], [_argument(1), *terminal, _give(ALLOW)])
    code.append(_give(ALLOW))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _clone(processes: bool) -> list[Instruction]:
    refused = [(JUMP_SET, 0, 1, CLONE_NEW), _refuse(errno.EPERM)]
    if not processes:
        refused += [(JUMP_SET, 1, 0, CLONE_THREAD), _refuse(errno.EPERM)]
    return [_argument(0), *refused, _give(ALLOW)]


def _on(number: int, then: list[Instruction]) -> list[Instruction]:
    """Do this for one call; `then` ends with an answer."""
    return [(JUMP_EQUAL, 0, len(then), number), *then]


def _argument(index: int) -> Instruction:
    """Load the lower half of an argument (the upper halves of these are not used)."""
    return (LOAD, 0, 0, 16 + 8 * index)


def _refuse(number: int) -> Instruction:
    return _give(0x00050000 | number)


def _give(answer: int) -> Instruction:
    return (RETURN, 0, 0, answer)
