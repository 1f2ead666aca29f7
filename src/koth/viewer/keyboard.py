"""The terminal's keyboard: decoding keys, and the effects of keys and time on the player."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from koth.viewer.letters import RESET

SPEEDS = (0.5, 1, 2, 4, 8, 15, 30, 60, 120, 250, 500, 1000)
HELP = (
    "space  play, pause        ← →  a turn      ↑ ↓  ten turns",
    "g G    start, end         + -  speed       l    stay at a live match's end",
    "b B    next bot, before   e    its eyes    z    letters close up, or the whole",
    "/      find: a bot's name, or a turn's number        ?  this help        q  quit",
)


class Player:
    """The state of a replay's player: the current turn and the way it is shown, changed by keys and time."""

    def __init__(self, last: int, speed: float, turn: int, bots: Sequence[str] = (), fog: bool = True) -> None:
        self.last = last
        self.speed = speed
        self.time = float(turn)
        self.playing = True
        self.left = False
        self.bots = bots
        self.fog = fog
        """True if the game defines what a bot sees."""
        self.focus: int | None = None
        """The seat that is followed, and whose view is shown with `eyes`."""
        self.eyes = False
        self.close_up = False
        self.live = False
        """True to stay at the end of a match that is still being played."""
        self.help = False
        self.typed: str | None = None
        """The text of a search while it is being typed."""
        self._clock: float | None = None

    @property
    def turn(self) -> int:
        return int(self.time)

    @property
    def status(self) -> str:
        """The text of the top line beside the turn."""
        if self.typed is not None:
            return f"find: {self.typed}"
        state = "live" if self.live else "playing" if self.playing else "paused"
        who = "" if self.focus is None else f" · {'eyes of' if self.eyes else 'with'} {self.bots[self.focus]}"
        if self.eyes and not self.fog:
            who = " · no eyes in this game"
        return f"{state}, {self.speed:g}/s{who} · ? help · q quit"

    @property
    def look(self) -> tuple[int | None, bool, bool, bool]:
        """Focus, eyes, close-up, help: the way to show the board."""
        return self.focus, self.eyes, self.close_up, self.help

    def grown(self, last: int) -> None:
        """Update the last turn of a match that is being played."""
        self.last = last
        if self.live:
            self.time = float(last)

    def pass_time(self, now: float) -> None:
        """Play up to the moment `now`, in seconds."""
        if self.playing and self._clock is not None:
            self.time = min(self.time + (now - self._clock) * self.speed, self.last)
            self.playing = self.time < self.last
        self._clock = now

    def press(self, key: str) -> None:
        """Handle a key; unknown keys (and "") have no effect."""
        if self.typed is not None:
            self._type(key)
            return
        if key:
            self.help = key == "?" and not self.help
        steps = {"right": 1, "left": -1, "up": 10, "down": -10, "h": -1}
        if key in steps:
            self.playing = self.live = False
            self.time = float(min(max(self.turn + steps[key], 0), self.last))
        elif key in ("g", "home", "G", "end"):
            self.playing = self.live = False
            self.time = 0.0 if key in ("g", "home") else float(self.last)
        elif key in ("+", "=", "-"):
            self.speed = self._other_speed(key != "-")
        elif key == " ":
            self.playing, self.live = not self.playing, False
            if self.playing and self.time >= self.last:
                self.time = 0.0
        elif key in ("q", "\x03"):
            self.left = True
        else:
            self._look(key)

    def _look(self, key: str) -> None:
        """Handle keys that change the way the board is shown."""
        if key == "l":
            self.live, self.playing = not self.live, False
        elif key in ("b", "\t", "B") and self.bots:
            step = -1 if key == "B" else 1
            self.focus = (step if step > 0 else 0) - 1 if self.focus is None else self.focus + step
            self.focus %= len(self.bots)
        elif key == "\x1b":
            self.focus, self.eyes = None, False
        elif key == "e" and self.bots:
            self.eyes = not self.eyes
            self.focus = 0 if self.focus is None else self.focus
        elif key == "z":
            self.close_up = not self.close_up
        elif key == "/":
            self.typed = ""

    def _type(self, key: str) -> None:
        """Handle a key of a search: for a bot by a part of its name, or a turn by its number."""
        words = self.typed or ""
        if key == "\x1b":
            self.typed = None
        elif key in ("\x7f", "\b"):
            self.typed = words[:-1]
        elif key in ("\r", "\n"):
            self.typed = None
            if words.isascii() and words.isdigit():
                self.playing, self.time = False, float(min(int(words), self.last))
            elif words:
                found = [seat for seat, bot in enumerate(self.bots) if words.lower() in bot.lower()]
                self.focus = found[0] if found else self.focus
        elif len(key) == 1 and key.isprintable():
            self.typed = words + key

    def _other_speed(self, faster: bool) -> float:
        if faster:
            return next((speed for speed in SPEEDS if speed > self.speed), self.speed)
        return next((speed for speed in reversed(SPEEDS) if speed < self.speed), self.speed)


@contextmanager
def raw_terminal() -> Iterator[TextIO]:
    """Read single keys on an alternate screen; the terminal is restored in any case."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    out = sys.stdout
    try:
        tty.setcbreak(sys.stdin)
        out.write("\x1b[?1049h\x1b[?25l\x1b[?7l")
        yield out
    finally:
        out.write(RESET + "\x1b[?7h\x1b[?25h\x1b[?1049l")
        out.flush()
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


_KEYS = {"\x1b[C": "right", "\x1b[D": "left", "\x1b[A": "up", "\x1b[B": "down"} | {
    "\x1b[H": "home", "\x1b[F": "end", "\x1b[1~": "home", "\x1b[4~": "end"
}  # fmt: skip
_KEYS |= {"\x1bO" + code[2:]: key for code, key in list(_KEYS.items()) if len(code) == 3}


_ONE = re.compile(r"\x1b(?:\[[0-9;]*[~A-Za-z]|O[A-Za-z])|.", re.S)


def pressed_keys(seconds: float) -> list[str]:
    """Return the next keys, waiting at most `seconds`; several when typed fast, or held."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    if not ready:
        return []
    typed = os.read(sys.stdin.fileno(), 64)
    return keys_of(typed.decode("utf-8", "ignore")) if typed else ["q"]  # the terminal is closed


def keys_of(typed: str) -> list[str]:
    """Decode the keys in a typed text."""
    return [_KEYS.get(key, key) for key in _ONE.findall(typed)]
