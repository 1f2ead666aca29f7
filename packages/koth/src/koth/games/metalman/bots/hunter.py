"""Follows every enemy in sight, and goes to where it last saw an enemy; otherwise walks around the centre."""

from typing import Any

from koth.games.metalman.atlas import REACH, Atlas, Place, act, facing, turned


class Hunter:
    def __init__(self, *start: Any) -> None:
        self.atlas = Atlas()
        # Where an enemy piece was last seen, and how many rounds ago.
        self.trail: dict[tuple[int, str], tuple[Place, int]] = {}

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        atlas = self.atlas
        atlas.look(state)
        self.remember()
        spotter, assassin = state["spotter location"], state["assasin location"]
        goals = [place for place, _ in self.trail.values()] or [atlas.centre]
        danger = atlas.threatened()
        distance = atlas.distances(goals)

        # Stopping within an enemy's reach would give it the first blow.
        def stalk(place: Place) -> Any:
            return place in danger, distance.get(place, 999)

        def shadow(place: Place) -> Any:
            return place in danger, abs(distance.get(place, 999) - 4)

        blocked = {assassin} if state["assasin alive"] else set()
        there, spotter_steps = atlas.strike_or_go(spotter, REACH["spotter"], shadow, blocked)
        blocked = {there} if state["spotter alive"] else set()
        end, assassin_steps = atlas.strike_or_go(assassin, REACH["assasin"], stalk, blocked)
        goal = min(goals, key=lambda goal: abs(goal[0] - there[0]) + abs(goal[1] - there[1]))
        if self.trail:
            looks = facing(there, goal, state["spotter direction"]), facing(end, goal, state["assasin direction"])
        else:  # look round
            looks = turned(state["spotter direction"]), turned(state["assasin direction"])
        return act(spotter_steps, looks[0], assassin_steps, looks[1])

    def remember(self) -> None:
        self.trail = {key: (place, age + 1) for key, (place, age) in self.trail.items() if age < 3}
        for enemy in self.atlas.enemies:
            self.trail[enemy.player, enemy.type] = enemy.place, 0
