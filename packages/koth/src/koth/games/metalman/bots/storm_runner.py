"""Avoids the collapse: lets the others fight, keeps out of reach, and stands where the map will collapse last."""

from typing import Any

from koth.games.metalman.atlas import REACH, Atlas, Place, act, turned


class StormRunner:
    def __init__(self, *start: Any) -> None:
        self.atlas = Atlas()

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        atlas = self.atlas
        atlas.look(state)
        spotter, assassin = state["spotter location"], state["assasin location"]
        danger = atlas.threatened()
        home = atlas.distances([atlas.centre])

        def score(place: Place) -> Any:
            # Ten rounds of ground are enough; the more of it, the nearer the others are.
            late = max(0, 10 - atlas.rounds_left(place))
            room = len(atlas.reach(place, 1))  # not into dead ends
            return place in danger, late, -min(away(place), 8), -room, home.get(place, 999)

        def away(place: Place) -> int:
            return min((abs(e.place[0] - place[0]) + abs(e.place[1] - place[1]) for e in atlas.enemies), default=8)

        blocked = {assassin} if state["assasin alive"] else set()
        there, spotter_steps = atlas.strike_or_go(spotter, REACH["spotter"], score, blocked)
        blocked = {there} if state["spotter alive"] else set()
        _, assassin_steps = atlas.strike_or_go(assassin, REACH["assasin"], score, blocked)
        # Turning all the time, it has seen every side in four rounds; the two look opposite ways.
        look = turned(state["spotter direction"])
        return act(spotter_steps, look, assassin_steps, [-look[0], -look[1]])
