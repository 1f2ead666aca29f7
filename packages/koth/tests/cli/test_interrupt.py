"""A signal that arrives in a destructor, or while a library makes an object, ends the program all the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import signal, sys, threading, time
from koth.cli.interrupt import handle_interrupts

def anywhere():
    signal.raise_signal(NUMBER)

class Ends:
    def __del__(self):
        signal.raise_signal(NUMBER)

class Made:
    def __init__(self):
        signal.raise_signal(NUMBER)
        self.pointer = 1

    def __del__(self):
        assert self.pointer

def destructor():
    Ends()

def ending():
    # Python waits for this thread when the signal comes
    main = threading.main_thread().ident
    def interrupt():
        while sys._current_frames()[main].f_code.co_name != "_shutdown":
            time.sleep(0.01)
        signal.pthread_kill(main, NUMBER)
        time.sleep(60)
    threading.Thread(target=interrupt).start()
    sys.exit()

def half_made():
    exec("Made()", {"__name__": "llvmlite.binding.ffi", "Made": Made})

NUMBER = signal.Signals[sys.argv[2]]
handle_interrupts()
try:
    globals()[sys.argv[1]]()
    time.sleep(600)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("place", ["anywhere", "destructor", "half_made", "ending"])
def test_no_interrupt_is_lost(place: str, number: str) -> None:
    command = [sys.executable, "-c", SCRIPT, place, number]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (130, "")
