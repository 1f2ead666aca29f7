"""The state of `koth dev` for the page: the result of a bot's match after each save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from koth.contest.private import read_log, write_private
from koth.diagnostics.checkup import CheckStep, Problem
from koth.diagnostics.explain import conversation
from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.game import Game
from koth.match import BotReport
from koth.replay.names import SUFFIX, match_name, match_number
from koth.replay.reader import Replay
from koth.session.bot import Bot
from koth.session.faults import add_ending
from koth.viewer.contest import decode_stderr, find_messages, make_details
from koth.viewer.page_data import ContestTitle, MatchDetails, MatchFault, WorkFault, WorkState
from koth.viewer.server import WatchedReplays, app_of
from koth.viewer.summary import find_matches

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

KEPT_ROUNDS = 20
"""The largest number of kept matches; the latest stay."""

State = Literal["building", "starting", "playing", "played", "broken"]


@dataclass(frozen=True)
class Now:
    """The current state: the round's number, the activity as text, and the bot's problems."""

    number: int = 0
    state: State = "building"
    text: str = ""
    turn: int = 0
    """The current turn of the round's match."""
    said: str = ""
    """The output of a failed build or start."""
    problems: Sequence[Problem] = ()
    remarks: Sequence[str] = ()

    @property
    def match(self) -> str:
        """The name of the round's match."""
        return match_name(self.number)

    def as_json(self) -> WorkState:
        return {
            "round": self.number,
            "state": self.state,
            "text": self.text,
            "turn": self.turn,
            "said": self.said,
            "match": self.match,
            "faults": [
                WorkFault(kind=p.kind, turn=p.turn, count=p.count, text=p.text or p.meaning, remark=p.remark)
                for p in self.problems
            ],
            "remarks": list(self.remarks),
        }


def describe_failure(step: CheckStep) -> tuple[str, str]:
    """Return a line on why a bot can't play, and the output of the failed build or start."""
    if not step.problems:
        first, _, rest = step.text.partition("\n")
        return first, rest
    problem = step.problems[0]
    text = f"it does not start: {problem.text}" if step.name == "start" else step.text
    return text.partition("\n")[0], problem.stderr


@dataclass
class Workbench:
    """The rounds of one author's bot, with a match in each round, in a folder."""

    game: Game
    folder: Path
    bot: str
    now: Now = field(default_factory=Now)
    _records: dict[str, Mapping[str, BotReport]] = field(default_factory=dict)
    _formats: dict[str, tuple[str, RecordedBot]] = field(default_factory=dict)
    """The bot's name and recorded protocol, by match."""

    @property
    def replay(self) -> Path:
        """The path of the current round's replay."""
        return self._file(self.now.match)

    def _file(self, name: str) -> Path:
        return self.folder / "replays" / f"{name}{SUFFIX}"

    @property
    def names(self) -> list[str]:
        return []  # each round's replay has its own bots

    @property
    def title(self) -> ContestTitle:
        return {"name": f"koth dev {self.bot}", "started": ""}

    def keep(self, bot: Bot, records: Mapping[str, BotReport]) -> None:
        """Store the bots' stderr and notes of the round's match; remove the oldest match if there are too many."""
        write_private(self.folder, self.now.number, records)
        self._records[self.now.match] = records
        self._formats[self.now.match] = (bot.name, RecordedBot(bot.protocol, bot.options))
        for name in [*self._records][:-KEPT_ROUNDS]:
            del self._records[name], self._formats[name]
            self._file(name).unlink(missing_ok=True)

    def drop(self) -> None:
        """Remove the match of the current round, which a new round has interrupted."""
        self.replay.unlink(missing_ok=True)

    def details(self, name: str) -> MatchDetails | None:
        """Return a match's details, see `koth.viewer.contest.Dashboard.details`."""
        records, number = self._records.get(name), match_number(name)
        if records is None or number is None:
            return None
        faults = [
            MatchFault(
                bot=bot, kind=kind, count=fault_report.count, turn=fault_report.turn,
                text=add_ending(kind, fault_report.text, fault_report.end),
                stderr=decode_stderr(fault_report.stderr),
            )
            for bot, record in records.items()
            for kind, fault_report in record.fault_reports.items()
        ]  # fmt: skip
        return make_details(faults, {bot: read_log(self.folder, number, bot) for bot in records})

    def talk(self, name: str, bot: str, turn: int) -> list[tuple[str, str]] | None:
        """Return the messages of the author's own bot, see `koth.viewer.contest.Dashboard.talk`."""
        own, how = self._formats.get(name, ("", RecordedBot()))
        if own != bot:
            return None
        again = Rerun(self.game, Replay(self._file(name)), bot)
        return find_messages(conversation(again, how), turn)


def make_dev_app(bench: Workbench) -> Starlette:
    """Make the ASGI application for a workbench."""

    def now(request: Request) -> Response:
        from starlette.responses import JSONResponse

        return JSONResponse(bench.now.as_json())

    return app_of(WatchedReplays(partial(find_matches, bench.folder)), about=bench, now=now)
