"""A person who is a function: a match with somebody at its page, without a page."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from koth.game import Game, Observations
from koth.match import Hosting, Result, Watching, play
from koth.session.local import InlineBot
from koth.viewer.person import Person

Act = Callable[[dict[str, Any]], dict[str, Any] | None]
"""From a question to the answer's content; None: go away and never come back."""


class Example:
    """The game's JSON with an answer without a fault to each question: what somebody says who does nothing."""

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._stay: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._protocol, name)

    def ask(self, observations: Observations) -> bytes:
        self._stay = json.loads(self._protocol.example(0, observations))
        data: bytes = self._protocol.ask(observations)
        return data

    def stay(self, ask: dict[str, Any]) -> dict[str, Any]:
        """The content of that answer."""
        return {key: value for key, value in self._stay.items() if key != "ask"}


class Page(threading.Thread):
    """Reads a person's lines as a page would, and answers."""

    def __init__(self, person: Person, act: Act) -> None:
        super().__init__(daemon=True)
        self.person = person
        self.act = act
        self.said: list[dict[str, Any]] = []

    def say(self, message: dict[str, Any]) -> None:
        self.said.append(message)
        self.person.receive(json.dumps(message).encode())

    def run(self) -> None:
        done = 0
        while True:
            self.person.page_seen()
            for line in self.person.messages[done:]:
                done += 1
                message = json.loads(line)
                if "hello" in message:
                    self.say({"ready": True})
                elif "ask" in message:
                    content = self.act(message)
                    if content is None:
                        return
                    self.say({"ask": message["ask"], **content})
                elif "bye" in message:
                    return
            time.sleep(0.001)


def play_with(
    game: Game,
    settings: Any,
    replay: Path,
    *,
    act: Act | None = None,
    questions: int | None = None,
    turns: int | None = None,
    patience: float = 60,
) -> tuple[Person, Result]:
    """Play a match of a person against two who do nothing; without `act` the person does nothing either.

    After so many `questions` it goes away and never comes back.
    """
    protocol = Example(game.protocols["json"](settings, 3))
    person = Person("Ann", protocol, game.frame_spec, patience)
    page = Page(
        person, lambda ask: None if questions is not None and ask["ask"] > questions else (act or protocol.stay)(ask)
    )
    page.start()
    others = [InlineBot(name, lambda observations, match_info: {}) for name in ("left", "right")]
    result = play(game, settings, [person, *others], 3, Hosting(replay=replay), Watching(max_turns=turns))
    page.join(10)
    assert not page.is_alive()
    return person, result
