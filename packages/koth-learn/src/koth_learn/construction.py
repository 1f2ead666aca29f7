"""Construction of environments from the name of a game and options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from koth.engine.plain_data import shorten
from koth.engine.settings import choose
from koth.errors import KothError, choices
from koth.game import Game
from koth.games import load
from koth_learn.encodings import encode, encoding_of
from koth_learn.environment import Environment, Shaping
from koth_learn.opponents import BotOpponents
from koth_learn.policies import Opponent, PolicyOpponents
from koth_learn.spec import PolicySpec


def make(
    name: str,
    matches: int = 1,
    seats: int | None = None,
    *,
    opponents: Mapping[int, Opponent] | None = None,
    ruleset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    limit: int | None = None,
    reward: str = "score",
    shaping: Shaping | None = None,
    copies: bool = False,
    autoreset: bool = True,
    **options: Any,
) -> Environment:
    """Return matches of a game by its name, with `seats` bots in each (default: as in contests, or the fewest).

    `opponents` play some of the seats: bots as on a command line (`{1: "@greedy"}`), policies or a `PolicyPool`.
    `settings` change constants, as `koth run --set` does. After `limit` turns a match is truncated. `reward` is
    "score", "zero_sum" or "unit". `copies=True` allows `copy` during a match. Without `autoreset` (single matches
    only) a match stays at its end until the next reset. `options` go to the game's encoding (docs/learning.md).
    Raises KothError for an invalid option.
    """
    game = load(name)
    ruleset_name, chosen = choose(game, ruleset, settings or {})
    seats = game.contest_defaults.seats or game.seats.start if seats is None else seats
    if type(matches) is not int or matches < 1 or seats not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        raise KothError(f"{name} takes 1 match or more of {least} to {most} seats, not {matches} of {seats}")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise KothError(f"limit={limit}: limit must be a whole number from 1 on, or None")
    if not autoreset and matches > 1:
        raise KothError(f"autoreset=False is for a single match, not for {matches}")
    _check_options(game, options)
    if not isinstance(opponents, Mapping | None):
        raise KothError(f"opponents must be a dict of seats and bots, as {{1: '@NAME'}}, not {shorten(opponents)}")
    named = dict(opponents or {})
    if set(named) - set(range(seats)) or len(named) == seats:
        raise KothError(f"opponents must take some of the seats 0 to {seats - 1} and leave one, not {sorted(named)}")
    bots = {seat: word for seat, word in named.items() if isinstance(word, str)}
    policies = {seat: policy for seat, policy in named.items() if not isinstance(policy, str)}
    if bots and copies:
        raise KothError("bots as opponents can't be copied: leave out copies=True, or let policies play")
    encoding = encode(game, chosen, seats, matches, options)
    return Environment(
        game, chosen, seats, encoding, matches, PolicySpec.of(name, encoding, ruleset, settings, options),
        limit=limit, reward=reward, shaping=shaping, copies=copies,
        autoreset=autoreset,
        bots=BotOpponents(game, chosen, ruleset_name, seats, bots) if bots else None,
        policies=PolicyOpponents(seats, policies, encoding.choices) if policies else None,
    )  # fmt: skip


MAKE = [word for word in inspect.signature(make).parameters if word != "options"]
"""The options of `make`, apart from those of a game's encoding."""


def _check_options(game: Game, options: Mapping[str, Any]) -> None:
    parameters = inspect.signature(encoding_of(game)).parameters
    known = [key for key, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY]
    for word in options:
        if word not in known:
            raise KothError(f"make has no option {word!r}{choices(word, [*MAKE, *known])}")
