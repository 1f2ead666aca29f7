"""A first bot: runs to the centre, and captures enemies that come within four steps."""

from typing import Any

from koth.games.metalman.atlas import REACH, Atlas, act, facing, turned


class Bot:
    # A new object is made for every match. Places are (row, column), directions steps: [1, 0] is down.

    def __init__(
        self,
        spotter_point: tuple[int, int],
        assasin_point: tuple[int, int],
        spotter_direction: list[int],
        assasin_direction: list[int],
    ) -> None:
        self.atlas = Atlas()  # remembers what you have seen of the map

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        self.atlas.look(state)
        spotter, assassin = state["spotter location"], state["assasin location"]
        centre = self.atlas.centre

        away = self.atlas.distances([centre])

        def score(place: tuple[int, int]) -> int:
            return away.get(place, 999)

        # The spotter moves first, the assassin after it. They must not bump into each other while both live.
        blocked = [assassin] if state["assasin alive"] else []
        there, spotter_steps = self.atlas.strike_or_go(spotter, REACH["spotter"], score, blocked)
        blocked = [there] if state["spotter alive"] else []
        end, assassin_steps = self.atlas.strike_or_go(assassin, REACH["assasin"], score, blocked)
        return act(
            spotter_steps,
            turned(state["spotter direction"]),
            assassin_steps,
            facing(end, centre, state["assasin direction"]),
        )
