"""Holds a hill: the spotter stays on highground and sees all around it, the assassin guards it and captures."""

from typing import Any

from koth.games.metalman.atlas import HIGHGROUND, REACH, Atlas, Place, act, facing, turned


class HillSitter:
    def __init__(self, *start: Any) -> None:
        self.atlas = Atlas()

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        atlas = self.atlas
        atlas.look(state)
        spotter, assassin = state["spotter location"], state["assasin location"]
        # There is always a hill near the centre, seen or not.
        hills = [hill for hill in atlas.places(HIGHGROUND) if atlas.rounds_left(hill) > 8] or [atlas.centre]
        danger = atlas.threatened()
        away = atlas.distances(hills)

        def climb(place: Place) -> Any:
            return place in danger, away.get(place, 999)

        blocked = {assassin} if state["assasin alive"] else set()
        there, spotter_steps = atlas.strike_or_go(spotter, REACH["spotter"], climb, blocked)

        post = atlas.distances([there if state["spotter alive"] else hills[0]])

        def guard(place: Place) -> Any:
            return place in danger, abs(post.get(place, 999) - 2)

        blocked = {there} if state["spotter alive"] else set()
        end, assassin_steps = atlas.strike_or_go(assassin, REACH["assasin"], guard, blocked)
        at_home = away.get(there, 999) == 0
        look = turned(state["spotter direction"]) if at_home else facing(there, hills[0], state["spotter direction"])
        watch = facing(there, end, state["assasin direction"]) if at_home else facing(end, hills[0], look)
        return act(spotter_steps, look, assassin_steps, watch)
