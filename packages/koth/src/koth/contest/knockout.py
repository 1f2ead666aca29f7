"""The knockout of a contest: rounds that are drawn and played after all other matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from koth.contest.bracket import Bracket, build_bracket, count_rounds, seed_bots
from koth.contest.contest import Contest
from koth.contest.reading import MatchRow
from koth.contest.schedule import ScheduledMatch, schedule_round
from koth.contest.store import Store
from koth.errors import KothError
from koth.game import Game
from koth.games import load
from koth.standings.table import Standings, standings


def check_pairs(game: Game) -> None:
    """Refuse a knockout if the game is not played in pairs. Raises KothError."""
    seats = game.seats
    if 2 not in seats:
        bots = f"{seats.start} to {seats.stop - 1} bots"
        raise KothError(f"--knockout takes a game of two seats; {game.name} is played by {bots}")


def check_knockout(contest: Contest) -> None:
    """Refuse a contest's knockout if the game is not played in pairs, or with only one bot. Raises KothError."""
    if contest.knockout is None:
        return
    check_pairs(load(contest.game))
    if len(contest.bots) < 2:
        raise KothError("--knockout takes two bots or more")


def bracket_of(
    table: Standings, first: int | None, commitment: str, drawn: Mapping[int, Sequence[str]], rows: Iterable[MatchRow]
) -> Bracket:
    """Return the knockout of the `first` best bots in the standings; empty without a knockout, or before its draw."""
    if first is None or not drawn:
        return Bracket()
    return build_bracket(seed_bots(table.ranks, first, commitment), table.aggregate, drawn, rows)


def play_rounds(contest: Contest, store: Store, play: Callable[[Sequence[ScheduledMatch]], object]) -> None:
    """Draw and `play` round after round; return early if a match of a round could not be played.

    The standings must be complete. Rounds on record are not drawn again.
    """
    scores = store.scores()
    table = standings(scores, load(contest.game).contest_defaults, contest.matches)
    ranks = seed_bots(table.ranks, contest.knockout, contest.commitment)
    places = {bot.name: place for place, bot in enumerate(contest.bots)}
    matches = int(scores.matches.min())
    for number in range(1, count_rounds(len(ranks)) + 1):
        drawn = [match for match in store.schedule() if (match.stage, match.round) == (contest.stage, number)]
        if not drawn:
            duels = build_bracket(ranks, table.aggregate, store.knockout(), store.matches()).rounds[number - 1]
            pairs = [(places[one], places[other]) for one, other in (duel.bots for duel in duels) if one and other]
            drawn = _draw_round(contest, store, number, pairs, matches)
            store.keep_round(drawn)
        play(drawn)
        if {match.number for match in drawn} - set(store.numbers()):
            return


def _draw_round(
    contest: Contest, store: Store, number: int, pairs: Sequence[tuple[int, int]], matches: int
) -> list[ScheduledMatch]:
    before = store.schedule()
    last, block = (max(getattr(match, key) for match in before) for key in ("number", "block"))
    first = ScheduledMatch(last + 1, block + 1, (), 0, contest.stage, number)
    return schedule_round(pairs, matches, contest.secret.tables, contest.pair_form, first)
