"""The list of matches that a page loads first; small, because the list names every bot once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from koth.escaping import address
from koth.viewer.page_data import ContestTitle, ListedMatch, Listing
from koth.viewer.summary import MatchSummary


def listing(
    matches: Sequence[MatchSummary],
    entrants: Sequence[str] = (),
    has_details: Callable[[str], bool] = lambda name: False,
    contest: ContestTitle | None = None,
) -> Listing:
    """Return a list of matches between `entrants` (and other bots, listed after `entrants`).

    `has_details` returns whether a match, given by name, has `MatchDetails`. `contest` is the contest's title.
    """
    seats = [[bot["name"] for bot in match.header["bots"]] for match in matches]
    place = {name: k for k, name in enumerate(dict.fromkeys([*entrants, *(name for bots in seats for name in bots)]))}
    found = [
        _list_match(match, bots, place, has_details(match.name)) for match, bots in zip(matches, seats, strict=True)
    ]
    return {"entrants": list(place), "contest": contest, "matches": found}


def _list_match(match: MatchSummary, bots: Sequence[str], place: Mapping[str, int], details: bool) -> ListedMatch:
    scores = match.result["scores"] if match.result else None
    own = frozenset(bots)
    return {
        "name": match.name,
        "url": address(match.name, "replays/"),
        "game": match.header["game"],
        "places": [place[name] for name in bots],
        "turns": match.result["turns"] if match.result else None,
        "scores": None if scores is None else [scores.get(name) for name in bots],
        "more": None if scores is None else {name: score for name, score in scores.items() if name not in own},
        "details": details,
    }
