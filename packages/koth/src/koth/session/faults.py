"""Faults of a bot with their context, for its author."""

from __future__ import annotations

from dataclasses import dataclass

NO_REASON = "the process ended"
"""The text of a crash without a known reason."""
CLOSED = "closed its output"
"""The text of the fault if a process closed its output but runs on."""
QUOTED_BYTES = 200
"""The most bytes that a report shows of a message."""
LONGEST_TEXT = 2000
"""The most characters that are kept of a fault's text."""
EXCERPT = 4096
"""The most bytes that are kept of each message around a fault, and of stderr."""


@dataclass
class FaultReport:
    """A fault with its context, for the author of the bot.

    `turn` counts from 1 (0: while starting), `asked` is the open question, `said` the bot's last message since the
    question, or the message's beginning, `end` the exit status of the process. `stderr` is the end of the bot's
    stderr at the fault; `wall` and `charged` are the seconds of the question, once the question is over. `stderr`,
    `wall` and `charged` differ from run to run.
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
        """Add to the text; escape characters that are not valid Unicode, which databases can't store."""
        self.text = (self.text + text).encode("utf-8", "backslashreplace").decode()[:LONGEST_TEXT]

    @property
    def ending(self) -> str:
        """The exit status of the process, unless the text implies it."""
        return ending(self.kind, self.text, self.end)


class FaultReports(dict[str, FaultReport]):
    """The reports of faults by kind: the first fault of each kind, which counts all faults of the kind."""

    def note(self, report: FaultReport) -> FaultReport | None:
        """Count a fault; return the report if the fault is the first of its kind."""
        if (first := self.setdefault(report.kind, report)) is report:
            return report
        first.count += 1
        return None


def ending(kind: str, text: str, end: str) -> str:
    """Return the description of a process's end, unless it only repeats the text of the fault."""
    return "" if kind == "crash" and text.partition(";")[0] != NO_REASON and end.startswith("exit status") else end


def add_ending(kind: str, text: str, end: str) -> str:
    """Return the text of a fault and, in brackets, how the bot's process ended, unless the text says so."""
    end = ending(kind, text, end)
    return f"{text} ({end})" if end else text


def quote(message: bytes) -> str:
    """Return the beginning of a message as printable text."""
    return repr(message[:QUOTED_BYTES])[2:-1]
