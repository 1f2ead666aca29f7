"""The JSON that Python hands to the viewer's pages. `static/page-data.d.ts` is written from these classes
(`tests/viewer/test_page_data.py`), so that the type checkers of both sides know the same shapes.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class ContestTitle(TypedDict):
    """A contest's name, its start, and its number of matches, if that is known."""

    name: str
    started: str
    matches: NotRequired[int | None]


class ListedMatch(TypedDict):
    """A match of a list: `places` are those of its bots in the list's `entrants`, by seat, and `scores` theirs.

    `more` has other scores by name. Without a result these and `turns` are None. `details`: there are `MatchDetails`.
    """

    name: str
    url: str
    game: str
    places: list[int]
    turns: int | None
    scores: list[float | None] | None
    more: dict[str, float] | None
    details: bool


class SitePlace(TypedDict, total=False):
    """Addresses that a page of a site leads to; `bots` by name. `of` is the bot whose page it is, `files` are beside
    the contest's page.
    """

    home: str
    before: str | None
    next: str | None
    matches: str
    bots: dict[str, str]
    of: str | None
    files: dict[str, str]


class Listing(TypedDict):
    """The list of matches that a page loads first; `entrants` names every bot in it once.

    `isRun`: a contest's page is there, too. `isDev`: somebody is at work on what is shown (`WorkState`).
    """

    entrants: list[str]
    contest: ContestTitle | None
    matches: list[ListedMatch]
    isRun: NotRequired[bool]
    isDev: NotRequired[bool]
    site: NotRequired[SitePlace]


class MatchFault(TypedDict):
    """Faults of one kind of a bot in a match: how many, and turn, text and stderr of the first."""

    bot: str
    kind: str
    count: int
    turn: int | None
    text: str
    stderr: str


class MatchDetails(TypedDict):
    """What is known of a match beside its replay: by bot `stderr` as pairs of a turn and a text, and `notes`."""

    faults: list[MatchFault]
    stderr: dict[str, list[list[Any]]]
    notes: dict[str, list[dict[str, Any]]]


class PlayingMatch(TypedDict):
    """A match in play; `still`: nothing has come of it for a while."""

    name: str
    turn: int
    still: bool


class ScoreHistory(TypedDict):
    """Each bot's score after some numbers of matches, None before its first."""

    matches: list[int]
    scores: dict[str, list[float | None]]


class History(ScoreHistory):
    """The same with the `names` of the last of these matches."""

    names: list[str]


class FaultExample(TypedDict):
    """A reason of faults, and the match and the turn of the first such fault."""

    text: str
    match: str
    turn: int


class FaultsOfKind(TypedDict):
    """Faults of one kind of a bot in a contest, with the reasons found in most matches; `more` is the number of
    others.
    """

    bot: str
    kind: str
    count: int
    matches: int
    reasons: list[FaultExample]
    more: int


class MatchEnding(TypedDict):
    """How matches ended for a bot, with a match and a turn to watch, if there is one."""

    text: str
    match: NotRequired[str]
    turn: NotRequired[int]


class CountedMatches(TypedDict):
    """What is computed of a contest's matches: `standings` are `Standing.as_json`, `columns` their keys and heads.

    `others` are names that score without being bots of the contest; `total` is the number of matches planned.
    """

    game: str
    ruleset: str
    started: str
    total: int
    bots: list[str]
    others: list[str]
    columns: list[tuple[str, str]]
    standings: list[dict[str, Any]]
    notes: list[str]
    explanations: list[str]
    history: History
    faults: list[FaultsOfKind]


class Knockout(TypedDict):
    """A knockout, as `Bracket.as_json` has it, with the names of matches."""

    rounds: list[dict[str, Any]]
    winner: str | None


class RunState(CountedMatches):
    """A contest now. `done` matches are over, of which `counted` are in the standings.

    `held`: a process runs the contest, None if unknown. `settled`: it ended before all matches were played, because
    its goal was reached. `knockout` is None if there is to be none. `about` is a host's title and text.
    """

    done: int
    counted: int
    held: bool | None
    settled: bool
    knockout: Knockout | None
    playing: list[PlayingMatch]
    about: dict[str, str] | None


class EmbeddedData(TypedDict):
    """The data in a page that is a file; `run`, `versus` and `endings` are those of a contest's page."""

    listing: Listing
    details: NotRequired[MatchDetails | None]
    site: NotRequired[SitePlace]
    run: NotRequired[RunState]
    versus: NotRequired[dict[str, dict[str, list[int]]]]
    endings: NotRequired[list[MatchEnding]]


class WorkFault(TypedDict):
    """A kind of fault of a bot that is at work on: the first one, and what is to be done."""

    kind: str
    turn: int
    count: int
    text: str
    remark: str


class WorkState(TypedDict):
    """How a bot stands that somebody is at work on (`koth.viewer.workbench.Now`).

    Of a draft on a site, `isOver`: nothing more comes of it, and `transcript` is the address of its messages.
    """

    round: int
    state: str
    text: str
    turn: int
    said: str
    match: str
    faults: list[WorkFault]
    remarks: list[str]
    isOver: NotRequired[bool]
    transcript: NotRequired[str]
