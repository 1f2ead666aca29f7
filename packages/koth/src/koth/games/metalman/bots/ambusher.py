"""Waits behind a corner: hides where walls cover it, watches the open side, captures pieces within reach."""

from typing import Any

from koth.games.metalman.atlas import REACH, STEPS, WALL, Atlas, Place, Step, act, facing


class Ambusher:
    def __init__(self, *start: Any) -> None:
        self.atlas = Atlas()

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        atlas = self.atlas
        atlas.look(state)
        spotter, assassin = state["spotter location"], state["assasin location"]
        danger = atlas.threatened()

        blocked = {assassin} if state["assasin alive"] else set()
        there, spotter_steps = self.go(spotter, REACH["spotter"], danger, blocked)
        blocked = {there} if state["spotter alive"] else set()
        end, assassin_steps = self.go(assassin, REACH["assasin"], danger, blocked)
        return act(spotter_steps, self.watch(there, state["timer"]), assassin_steps, self.watch(end, state["timer"]))

    def go(self, start: Place, most: int, danger: set[Place], blocked: set[Place]) -> tuple[Place, list[Step]]:
        atlas = self.atlas
        inside = atlas.distances([atlas.centre])

        def score(place: Place) -> Any:
            # A place is good for an ambush if the storm leaves it alone for a while and walls cover its back.
            late = max(0, 6 - atlas.rounds_left(place))
            return place in danger, late, -min(self.cover(place), 2), inside.get(place, 999)

        return atlas.strike_or_go(start, most, score, blocked)

    def cover(self, place: Place) -> int:
        return sum(self.atlas.terrain((place[0] + step[0], place[1] + step[1])) == WALL for step in STEPS)

    def watch(self, place: Place, timer: int) -> Step:
        """Look through one open side after another, towards the centre every other round."""
        open_sides = [
            list(step) for step in STEPS if self.atlas.terrain((place[0] + step[0], place[1] + step[1])) != WALL
        ]
        inward = facing(place, self.atlas.centre, [1, 0])
        return open_sides[timer // 2 % len(open_sides)] if open_sides and timer % 2 else inward
