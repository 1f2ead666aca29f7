"""Bots for the JVM written, loaded and played by tests."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from koth.discovery.entrants import find_entrants
from koth.discovery.folder import BotSpec, load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample
from koth.game import Observations, TimeControl
from koth.games import load as load_game
from koth.match import Hosting, Result, Watching, play
from koth.protocol.bot_protocol import Answer, Ready
from koth.protocol.frames import HEADER
from koth.session.bot import Bot

GAME = load_game("zombies")
SMALL: Any = replace(GAME.rulesets["published"], players=4, density=0.02)
"""Four players a bot: short matches."""
HEAD = "package player;\nimport zombie.*;\nimport java.util.*;\n"
PATIENT = TimeControl(start=60, question=30)


def java(name: str, turn: str = "return Move.STAY;", more: str = "") -> str:
    """The source of an entry: what its doTurn does, and what else is in its class."""
    body = f"{more}{more and chr(10)}  public Action doTurn(PlayerContext context) {{\n{turn}\n  }}"
    return f"{HEAD}public class {name} implements Player {{\n{body}\n}}\n"


def written(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder, with these files in it."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def bots_at(path: Path) -> list[Bot]:
    """The bots of this file or folder; nothing is wrong with any."""
    found = find_entrants(GAME, [BotSpec(None, str(path))], Interpreters())
    for problem in found.problems:
        raise problem
    return found.bots


def names_at(path: Path) -> list[str]:
    """Their names."""
    return [bot.name for bot in bots_at(path)]


def fight(
    bots: Sequence[Bot],
    settings: Any = SMALL,
    seed: int = 3,
    time_control: TimeControl = PATIENT,
    replay: Path | None = None,
    turns: int | None = None,
) -> Result:
    """Play these bots against one that stands still."""
    quiet = load_bot(GAME, find_sample("zombies", "stand_still"), Interpreters())
    return play(
        GAME,
        settings,
        [*bots, quiet],
        seed,
        Hosting(time_control=time_control, replay=replay),
        Watching(max_turns=turns),
    )


class Conversation:
    """A bot's process spoken to by hand: questions with made-up windows, and its answers."""

    def __init__(self, bot: Bot, settings: Any = GAME.rulesets["published"], names: Sequence[str] = ()) -> None:
        self.questions = GAME.questions(settings, 4)
        self.protocol = bot.open_protocol(GAME, settings, 4)
        self.names = [bot.name, *names]
        command = bot.command(7)
        self.process = subprocess.Popen(
            command.argv, cwd=command.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        state = GAME.initial_state(settings, 4, [1])
        match_info = {
            **GAME.match_info(settings, state, 0, 0),
            "names": self.names,
            "seed": 7,
            "seconds": 30.0,
            "bank": 2.0,
        }
        match_info["strikes"] = 3
        self._send(self.protocol.hello(match_info))
        assert isinstance(self.protocol.decode(self._frame()), Ready)

    def _send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _frame(self) -> bytes:
        assert self.process.stdout is not None
        header = self.process.stdout.read(HEADER.size)
        return header + self.process.stdout.read(HEADER.unpack(header)[0])

    def code(self, name: str, number: int) -> int:
        """The identity as it stands in a window."""
        return (number << 8) + ["Zombie", "DeadBody", *self.names].index(name) + 1

    def ask(self, *players: Mapping[str, Any], used: int = 0) -> Answer:
        """Ask for players with `number`, `bullets`, `x`, `y`, `clock` and `seen`: identity by (dx, dy).

        `used` is what the header says of the bot's time.
        """
        rows = len(players)
        question = self.questions["act"]
        observation = {name: np.zeros((rows, *f.shape), f.dtype) for name, f in question.observation.items()}
        for row, player in enumerate(players):
            for key in ("number", "bullets", "x", "y", "clock"):
                observation[key][row] = player.get(key, 0)
            observation["window"][row, 8, 8] = self.code(self.names[0], player["number"])
            for (dx, dy), (name, number) in player.get("seen", {}).items():
                observation["window"][row, 8 + dy, 8 + dx] = self.code(name, number)
        index = np.arange(rows, dtype=np.int32)
        observations = Observations(question, np.zeros(rows, np.int32), np.zeros(rows, np.int32), index, observation)
        frame = self.protocol.ask(observations)
        self._send(frame[:10] + used.to_bytes(2, "little") + frame[12:])
        answer = self.protocol.decode(self._frame())
        assert isinstance(answer, Answer)
        return answer

    def close(self) -> str:
        """End it; what it printed."""
        self._send(self.protocol.bye([]))
        _, printed = self.process.communicate(timeout=30)
        assert self.process.returncode == 0
        return printed.decode()
