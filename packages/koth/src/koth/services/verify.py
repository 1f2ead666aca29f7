"""The verification of a replay, or of a contest's matches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from koth.contest.reading import MatchReader
from koth.diagnostics.verdict import verify_matches, verify_replay
from koth.games import load
from koth.replay.reader import Replay


@dataclass(frozen=True)
class RecordDifference:
    """A part of a contest's record that could not be reproduced, and the difference."""

    what: str
    difference: str


@dataclass(frozen=True, repr=False)
class Verification:
    """The result of recording a contest's matches again."""

    matches: int
    differences: tuple[RecordDifference, ...]
    is_over: bool
    """True if the contest's secret is revealed."""
    is_committed: bool
    """True if the secret was committed to before the first match; False if the host chose and revealed the secret."""

    @property
    def ok(self) -> bool:
        """True if there is no difference."""
        return not self.differences

    def __str__(self) -> str:
        lines = [f"{item.what}: {item.difference}" for item in self.differences]
        return "\n".join(lines or [f"{self.matches} matches agree with the record"])

    __repr__ = __str__


def verify_file(path: Path) -> str | None:
    """Record a replay's match again; return the difference, or None. Raises KothError."""
    replay = Replay(path)
    return verify_replay(load(replay.header["game"]), replay)


def verify(reader: MatchReader) -> Verification:
    """Record a contest's matches again, and compare the results with the contest's record. Raises KothError."""
    record = reader.plan()
    found = list(verify_matches(reader, load(record["game"])))
    return Verification(
        sum(what.startswith("match ") for what, _ in found),
        tuple(RecordDifference(what, difference) for what, difference in found if difference is not None),
        record["secret"] is not None,
        not record["revealed"],
    )
