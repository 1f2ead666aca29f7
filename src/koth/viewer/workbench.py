"""What the page of `koth dev` shows beside the board: what has become of a bot after each save of its author's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from koth.contest.private import write_private
from koth.contest.schedule import match_name
from koth.diagnostics.checkup import Problem
from koth.diagnostics.explain import conversation
from koth.diagnostics.rerun import Again, Told
from koth.errors import KothError
from koth.game import Game
from koth.match import BotReport
from koth.replay.reader import SUFFIX, Replay
from koth.session.bot import Bot
from koth.viewer.contest import left_by, number_of, said_in, text_of
from koth.viewer.server import Watched, app_of
from koth.viewer.summary import Match, find_matches

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

KEPT = 20
"""Matches that are kept, the latest ones."""

State = Literal["building", "starting", "playing", "played", "broken"]


@dataclass(frozen=True)
class Now:
    """How it stands: the number of the round, what is being done, in words, and what is wrong with the bot."""

    number: int = 0
    state: State = "building"
    text: str = ""
    turn: int = 0
    """How far the round's match has come."""
    said: str = ""
    """What a build or a start that failed has printed."""
    problems: Sequence[Problem] = ()
    remarks: Sequence[str] = ()

    @property
    def match(self) -> str:
        """The name of the round's match."""
        return match_name(self.number)

    def as_json(self) -> dict[str, Any]:
        faults = [
            {"kind": p.kind, "turn": p.turn, "count": p.count, "text": p.text or p.meaning, "remark": p.remark}
            for p in self.problems
        ]
        about = {"round": self.number, "state": self.state, "text": self.text, "turn": self.turn, "said": self.said}
        return {**about, "match": self.match, "faults": faults, "remarks": list(self.remarks)}


@dataclass
class Workbench:
    """The rounds of one author's bot, each with a match of its own, in a folder."""

    game: Game
    folder: Path
    bot: str
    now: Now = field(default_factory=Now)
    _records: dict[str, Mapping[str, BotReport]] = field(default_factory=dict)
    _told: dict[str, tuple[str, Told]] = field(default_factory=dict)
    """By match: what the bot was called, and how it was spoken to."""

    @property
    def replay(self) -> Path:
        """Where the match of this round is written."""
        return self._file(self.now.match)

    def _file(self, name: str) -> Path:
        return self.folder / "replays" / f"{name}{SUFFIX}"

    @property
    def names(self) -> list[str]:
        return []  # every round's bots stand in its replay

    @property
    def title(self) -> dict[str, Any]:
        return {"name": f"koth dev {self.bot}", "started": ""}

    def keep(self, bot: Bot, records: Mapping[str, BotReport]) -> None:
        """What the bots of this round's match have left. The oldest match goes, when there are many."""
        write_private(self.folder, self.now.number, records)
        self._records[self.now.match] = records
        self._told[self.now.match] = (bot.name, Told(bot.protocol, bot.options))
        for name in [*self._records][:-KEPT]:
            del self._records[name], self._told[name]
            self._file(name).unlink(missing_ok=True)

    def drop(self) -> None:
        """Remove the match of this round, which a new round has cut short."""
        self.replay.unlink(missing_ok=True)

    def told(self, name: str) -> dict[str, Any] | None:
        """See `koth.viewer.contest.Run.told`."""
        records, number = self._records.get(name), number_of(name)
        if records is None or number is None:
            return None
        faults = [
            {
                "bot": bot, "kind": kind, "count": fault_report.count, "turn": fault_report.turn,
                "text": fault_report.text,
                "stderr": text_of(fault_report.stderr),
            }
            for bot, record in records.items()
            for kind, fault_report in record.fault_reports.items()
        ]  # fmt: skip
        return {"faults": faults, **left_by(self.folder, number, [*records])}

    def talk(self, name: str, bot: str, turn: int) -> list[tuple[str, str]] | None:
        """See `koth.viewer.contest.Run.talk`; of the author's own bot only."""
        own, how = self._told.get(name, ("", Told()))
        if own != bot:
            return None
        again = Again(self.game, Replay(self._file(name)), bot)
        return said_in(conversation(again, how), turn)


class _Rounds(Watched):
    """The matches of a workbench: there may be none yet, and old ones go."""

    def __init__(self, bench: Workbench) -> None:
        self.path = bench.folder
        self._known: dict[str, Match] = {}

    def look(self) -> list[Match]:
        try:
            found = find_matches(self.path, self._known)
        except KothError:
            found = []  # nothing was played yet
        self._known = {match.name: match for match in found}
        return [match for match in found if match.can_be_shown]


def make_dev_app(bench: Workbench) -> Starlette:
    """The ASGI application of a workbench."""

    def now(request: Request) -> Response:
        from starlette.responses import JSONResponse

        return JSONResponse(bench.now.as_json())

    return app_of(_Rounds(bench), about=bench, now=now)
