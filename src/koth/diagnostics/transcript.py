"""A bot's conversation in a match together with its stderr, as lines for its author."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from koth.diagnostics.explain import conversation
from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.diagnostics.why import readable_text

MARKS = "# '<' what it received or saw, '>' what the game read of its answer, '!' what was wrong, '|' its stderr"


def transcript_lines(
    again: Rerun, recorded: RecordedBot, stderr: Iterable[tuple[int | None, bytes]]
) -> Iterator[str]:
    """Yield the lines of a conversation; the stderr of a turn follows the turn's first question."""
    rest = [(turn, readable_text(text).splitlines()) for turn, text in stderr if turn is not None]
    for now, mark, text in conversation(again, recorded):
        yield from (f"{mark} {line}".rstrip() for line in text.split("\n"))
        while mark == "<" and rest and rest[0][0] <= now:
            yield from (f"| {line}" for line in rest.pop(0)[1])
