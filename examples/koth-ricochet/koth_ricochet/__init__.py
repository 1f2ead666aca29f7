"""Ricochet: bullets that bounce, mines, and fog (RULES.md)."""

from koth.game import ContestDefaults, Field, FrameSpec, Question, Units
from koth.plain import PlainGame
from koth_ricochet.match import ACTIONS, WAYS, Ricochet, Settings


class RicochetGame(PlainGame):
    """The game as the arena knows it."""

    name = "ricochet"
    title = "Ricochet"
    seats = range(2, 7)
    rulesets = {"standard": Settings(), "duel": Settings(side=11, walls=6)}  # noqa: RUF012
    contest_defaults = ContestDefaults(matches=24, aggregate="mean", seats=4)
    default_entrants = ("hunter", "dodger")
    match = Ricochet
    frame_spec = FrameSpec(
        units=[Units("x", "y", each=1, reach="reach")], things=["bullets", "struck"], own=["mines"]
    )  # rules 11 and 12
    event_kinds = {"struck": "it lost a life (rule 8)", "killed": "it lost its last life (rule 8)"}  # noqa: RUF012

    def questions(self, settings: Settings, seats: int) -> dict[str, Question]:
        """The one question: what a bot sees (rules 11 and 12), and its action."""
        width = 2 * settings.sight + 1

        def place(doc: str, ragged: str | None = None) -> Field:
            return Field("u1", low=0, high=settings.side - 1, ragged=ragged, doc=doc)

        observation = {
            "turn": Field("<i4", low=0, high=settings.turns, doc="turns played"),
            "x": place("the bot's own place, from west to east"),
            "y": place("from north to south"),
            "lives": Field("u1", (seats,), low=0, high=settings.lives, doc="everybody's, by seat"),
            "mines": Field("u1", low=0, high=settings.mines, doc="mines that it has left"),
            "window": Field("u1", (width, width), names=".#", doc="itself in the middle: # is wall"),
            "rivals": Field("u1", low=0, high=seats - 1, doc="living rivals in the window"),
            "rival_seat": Field("u1", low=0, high=seats - 1, ragged="rivals"),
            "rival_x": place("of each", "rivals"),
            "rival_y": place("of each", "rivals"),
            "bullets": Field("u1", low=0, high=seats, doc="bullets in the window"),
            "bullet_seat": Field("u1", low=0, high=seats - 1, ragged="bullets", doc="whose it is"),
            "bullet_x": place("of each", "bullets"),
            "bullet_y": place("of each", "bullets"),
            "bullet_way": Field("u1", names=tuple(WAYS), ragged="bullets", doc="where it flies"),
            "own_mines": Field("u1", low=0, high=settings.mines, doc="own mines that lie about"),
            "mine_x": place("of each", "own_mines"),
            "mine_y": place("of each", "own_mines"),
        }
        answer = {"action": Field("u1", default=ACTIONS.index("stay"), names=ACTIONS)}
        return {"act": Question("act", observation, answer, max_rows=seats, doc="What does the bot do?")}


GAME = RicochetGame()
