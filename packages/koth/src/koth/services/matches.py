"""A match outside a contest."""

from __future__ import annotations

import itertools
import tempfile
from functools import cache
from pathlib import Path

from koth.contest.preflight import build, other_seats_text
from koth.discovery.entrants import find_entrants
from koth.engine.secret import key_of
from koth.engine.settings import choose
from koth.errors import BotError, KothError
from koth.games import load
from koth.match import Hosting, Watching, play
from koth.replay.names import replay_name
from koth.services.entrants import Entries, NamedEntries
from koth.services.options import MatchOptions
from koth.services.results import PlayedMatch


@cache
def _own_folder() -> tempfile.TemporaryDirectory[str]:
    """Return the folder for replays if `out` is not given; removed when this process ends."""
    return tempfile.TemporaryDirectory(prefix="koth-matches-")


_numbers = itertools.count(1)


def play_match(game_name: str, entries: Entries, options: MatchOptions) -> PlayedMatch:
    """Play one match between bots, given in seat order. Raises KothError."""
    game = load(game_name)
    ruleset, settings = choose(game, options.ruleset, options.settings)
    isolation, named = options.own_isolation, NamedEntries.of(entries)
    found = find_entrants(game, named.words, options.grants, isolation)
    if found.problems:
        raise found.problems[0]
    names = [bot.name for bot in named.in_order(found.bots)]
    if len(names) not in game.seats:
        raise KothError(f"{game.name} seats {game.seats.start} to {game.seats.stop - 1} bots, not {len(names)}")
    for bot in found.bots:
        if not bot.plays_at(len(names)):
            raise BotError(f"{bot.name}: {other_seats_text(bot, len(names))}")
    number = next(_numbers)
    replay = Path(options.out) if options.out else Path(_own_folder().name) / replay_name(number)
    if replay.exists():
        raise KothError(f"{replay} is there already; choose another out")
    with tempfile.TemporaryDirectory(prefix="koth-match-") as place:
        ready = []
        for bot in found.bots:
            built, problem = build(bot, Path(place), isolation)
            if problem:
                raise BotError(f"{bot.name}: {problem}")
            ready.append(built)
        hosting = Hosting(
            ruleset=ruleset, time_control=options.time_control(game), isolation=isolation, replay=replay
        )
        result = play(
            game,
            settings,
            named.in_order(ready),
            key_of(options.seed),
            hosting,
            Watching(max_turns=options.max_turns),
        )
    faults = {name: report.faults for name, report in result.records.items()}
    return PlayedMatch(hosting.match, result.turns, result.scores, faults, lambda: replay)
