"""The JSON that Python passes to the viewer's pages.

`tests/viewer/test_page_data.py` writes `static/page-data.d.ts` from these classes, so that the type checkers for
Python and JavaScript know the same types.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class ContestTitle(TypedDict):
    """A contest's name, start, and number of matches (if known)."""

    name: str
    started: str
    matches: NotRequired[int | None]


class ListedMatch(TypedDict):
    """A match of a list: `places` are the bots' indices in the list's `entrants`, by seat; `scores` are by seat, too.

    `more` has other scores by name. Without a result, `scores`, `more` and `turns` are None. `details` is True if the
    match has `MatchDetails`.
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
    """Addresses to which a page of a site links; `bots` maps names to addresses.

    `of` is the bot of a bot's page; `files` maps further files of a contest's page to texts.
    """

    home: str
    before: str | None
    next: str | None
    matches: str
    bots: dict[str, str]
    of: str | None
    files: dict[str, str]


class Listing(TypedDict):
    """The list of matches that a page loads first; `entrants` names every bot once.

    `isRun` is True if there is a contest's page, `isDev` if the page shows a bot under development (`WorkState`).
    """

    entrants: list[str]
    contest: ContestTitle | None
    matches: list[ListedMatch]
    isRun: NotRequired[bool]
    isDev: NotRequired[bool]
    site: NotRequired[SitePlace]


class MatchFault(TypedDict):
    """A bot's faults of one kind in a match: the number, and the turn, text and stderr of the first fault."""

    bot: str
    kind: str
    count: int
    turn: int | None
    text: str
    stderr: str


class MatchDetails(TypedDict):
    """A match's details, which the replay lacks: faults, and by bot `stderr` (pairs of turn and text) and `notes`."""

    faults: list[MatchFault]
    stderr: dict[str, list[list[Any]]]
    notes: dict[str, list[dict[str, Any]]]


class PlayingMatch(TypedDict):
    """A match being played; `still` is True if the replay has not grown for a while."""

    name: str
    turn: int
    still: bool


class ScoreHistory(TypedDict):
    """Each bot's score after the numbers of matches in `matches`; None before the bot's first match."""

    matches: list[int]
    scores: dict[str, list[float | None]]


class History(ScoreHistory):
    """A score history with the `names` of the matches after which scores are given."""

    names: list[str]


class FaultExample(TypedDict):
    """A reason for faults, and the match and turn of the first fault with this reason."""

    text: str
    match: str
    turn: int


class FaultsOfKind(TypedDict):
    """A bot's faults of one kind in a contest, with the most frequent reasons; `more` counts further reasons."""

    bot: str
    kind: str
    count: int
    matches: int
    reasons: list[FaultExample]
    more: int


class MatchEnding(TypedDict):
    """A sentence on how a bot's matches ended, with a match and turn to watch, if possible."""

    text: str
    match: NotRequired[str]
    turn: NotRequired[int]


class CountedMatches(TypedDict):
    """Computed results of a contest's matches: `standings` are from `Standing.as_json`, `columns` keys and headings.

    `others` are names with scores that are not bots of the contest; `total` is the number of planned matches.
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
    """A knockout, as from `Bracket.as_json`, but with the names of matches."""

    rounds: list[dict[str, Any]]
    winner: str | None


class RunState(CountedMatches):
    """The current state of a contest. `done` matches are finished, of which `counted` are in the standings.

    `held` is True if a process runs the contest, None if unknown; `settled` if the contest ended early, because the
    goal was reached. `knockout` is None without a knockout. `about` is the host's title and text.
    """

    done: int
    counted: int
    held: bool | None
    settled: bool
    knockout: Knockout | None
    playing: list[PlayingMatch]
    about: dict[str, str] | None


class EmbeddedData(TypedDict):
    """The data in an exported page; `run`, `versus` and `endings` are for a contest's page."""

    listing: Listing
    details: NotRequired[MatchDetails | None]
    site: NotRequired[SitePlace]
    run: NotRequired[RunState]
    versus: NotRequired[dict[str, dict[str, list[int]]]]
    endings: NotRequired[list[MatchEnding]]


class WorkFault(TypedDict):
    """The faults of one kind of a bot under development: the first fault, the number, and advice."""

    kind: str
    turn: int
    count: int
    text: str
    remark: str


class WorkState(TypedDict):
    """The state of a bot under development (`koth.viewer.workbench.Now`).

    For a try on a site, `isOver` means that the state is final, and `transcript` is the address of the messages.
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
