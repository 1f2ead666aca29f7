"""Faults of a bot with their context, for its author."""

from __future__ import annotations

from dataclasses import dataclass

NO_REASON = "the process ended"
"""The text of a crash without a known reason."""
CLOSED = "closed its output"
"""The text of the fault of a process that closed its output but runs on."""
QUOTED_BYTES = 200
"""The number of bytes of a message that a report shows."""
LONGEST_TEXT = 2000
"""The number of characters of a fault's text that are kept."""
EXCERPT = 4096
"""The number of bytes that are kept of the messages around a fault, and of stderr."""


@dataclass
class FaultReport:
    """A fault with its context, for the author of the bot.

    `turn` counts from 1 (0: while starting), `asked` is the open question, `said` the bot's last message since then
    (or the beginning of one), `end` the exit status of the process. `stderr` is the end of the bot's stderr at that
    time; `wall` and `charged` are the seconds of its question, once that is over. These three differ from run to run.
    """

    kind: str
    turn: int
    text: str
    asked: bytes = b""
    end: str = ""
    count: int = 1
    said: bytes = b""
    stderr: bytes = b""
    wall: float = 0.0
    charged: float = 0.0

    def __post_init__(self) -> None:
        self.add("")
        self.asked, self.said = self.asked[:EXCERPT], self.said[:EXCERPT]

    def add(self, text: str) -> None:
        """Add to the text; characters that are not valid Unicode are escaped, because no database stores them."""
        self.text = (self.text + text).encode("utf-8", "backslashreplace").decode()[:LONGEST_TEXT]

    @property
    def ending(self) -> str:
        """The exit status of the process, unless the text implies it."""
        return ending(self.kind, self.text, self.end)


class FaultReports(dict[str, FaultReport]):
    """The first fault of each kind, which counts the faults of its kind."""

    def note(self, report: FaultReport) -> FaultReport | None:
        """Count a fault; return its report if it is the first of its kind."""
        if (first := self.setdefault(report.kind, report)) is report:
            return report
        first.count += 1
        return None


def ending(kind: str, text: str, end: str) -> str:
    """Return the description of a process's end, unless it only repeats the text of the fault."""
    return "" if kind == "crash" and text.partition(";")[0] != NO_REASON and end.startswith("exit status") else end


def add_ending(kind: str, text: str, end: str) -> str:
    """Return the text of a fault and, in brackets, how its process ended, unless the text says so."""
    end = ending(kind, text, end)
    return f"{text} ({end})" if end else text


def quote(message: bytes) -> str:
    """Return the beginning of a message as printable text."""
    return repr(message[:QUOTED_BYTES])[2:-1]
