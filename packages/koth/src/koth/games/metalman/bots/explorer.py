"""Explores everything: walks to the nearest square that it has not seen, and keeps out of all enemies' reach."""

from typing import Any

from koth.games.metalman.atlas import REACH, UNKNOWN, Atlas, Place, Step, act, facing


class Explorer:
    def __init__(
        self, spotter_point: Place, assasin_point: Place, spotter_direction: Step, assasin_direction: Step
    ) -> None:
        self.atlas = Atlas()

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        atlas = self.atlas
        atlas.look(state)
        # What collapses soon is not worth a look.
        unseen = [place for place in atlas.places(UNKNOWN) if atlas.rounds_left(place) > 5]
        goals = unseen or [atlas.centre]
        danger = atlas.threatened()
        distance = atlas.distances(goals)

        def score(place: Place) -> Any:
            return place in danger, distance.get(place, 999)

        spotter, assassin = state["spotter location"], state["assasin location"]
        # It would rather look on, but nobody passes up the chance of a capture.
        blocked = {assassin} if state["assasin alive"] else set()
        there, spotter_steps = atlas.strike_or_go(spotter, REACH["spotter"], score, blocked)
        blocked = {there} if state["spotter alive"] else set()
        end, assassin_steps = atlas.strike_or_go(assassin, REACH["assasin"], score, blocked)

        def look(place: Place, direction: Step) -> Step:
            return facing(
                place, min(goals, key=lambda goal: abs(goal[0] - place[0]) + abs(goal[1] - place[1])), direction
            )

        return act(
            spotter_steps,
            look(there, state["spotter direction"]),
            assassin_steps,
            look(end, state["assasin direction"]),
        )
