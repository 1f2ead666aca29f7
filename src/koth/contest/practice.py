"""Before the first match: every bot is built, loaded and started once, so that all broken ones are known."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from koth.bots.folder import Bot
from koth.bots.panel import Panel
from koth.bots.process import BotProcess, Limits, argv_text
from koth.game import Batch, Budgets, Game
from koth.match import bot_facts
from koth.rng import derive

BUILD_SECONDS = 120.0


@dataclass(frozen=True)
class Broken:
    """A bot that can't play, and why."""

    bot: Bot
    reason: str


def build(bot: Bot, folder: Path) -> tuple[Bot, str]:
    """Run a bot's build lines in a private copy of its folder; the bot that lives there, and what went wrong.

    The output of the build is kept beside the copy.
    """
    if not bot.build:
        return bot, ""
    copy = folder / bot.digest
    log = folder / f"{bot.digest}.log"
    built = replace(bot, folder=copy, build=(), argv=tuple(_moved(word, bot.folder, copy) for word in bot.argv))
    if (copy / ".koth-built").exists():
        return built, ""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(bot.folder, copy, symlinks=True)
    output = b""
    for line in bot.build:
        output += f"$ {argv_text(line)}\n".encode()
        try:
            done = subprocess.run(
                line, cwd=copy, capture_output=True, timeout=BUILD_SECONDS, stdin=subprocess.DEVNULL, check=False
            )
            output += done.stdout + done.stderr
            problem = f"exit status {done.returncode}" if done.returncode else ""
        except OSError as error:
            problem = error.strerror or str(error)
        except subprocess.TimeoutExpired:
            problem = f"not done after {BUILD_SECONDS:g} s"
        log.write_bytes(output)
        if problem:
            tail = output.decode(errors="replace").strip()[-2000:]
            return bot, f"its build failed ({problem}):\n{tail}"
    (copy / ".koth-built").touch()
    return built, ""


def _moved(word: str, old: Path, new: Path) -> str:
    """A path in the old folder, as one in the new."""
    return str(new / Path(word).relative_to(old)) if word.startswith(f"{old}/") else word


def rehearse(game: Game, settings: Any, bots: Sequence[Bot], budgets: Budgets) -> list[Broken]:
    """Start every bot once; who does not get as far as its first question is broken.

    A bot whose wire has no word for being ready is asked the first question of a match as well.
    """
    most = game.convention.table or len(bots)
    broken = []
    for first in range(0, len(bots), most):
        group = list(bots[first : first + most])
        filler = [bots[0]] * max(0, game.seats.start - len(group))
        broken += _rehearse(game, settings, group, filler, budgets)
    return broken


def _rehearse(
    game: Game, settings: Any, group: Sequence[Bot], filler: Sequence[Bot], budgets: Budgets
) -> list[Broken]:
    cast = [*group, *filler]
    batch = Batch(game, settings, len(cast), [derive(0, "rehearsal")])
    processes = {
        seat: BotProcess(bot.command(derive(0, "bot", seat)), bot.open_wire(game, settings, len(cast)), Limits())
        for seat, bot in enumerate(cast)
    }
    names = [bot.name for bot in cast]
    facts = {seat: bot_facts(game, settings, "", batch, seat, names, budgets) for seat in processes}
    with Panel(processes, budgets) as panel:
        panel.start(facts)
        if batch.asks is not None:
            silent = {seat for seat, process in processes.items() if not process.wire.handshake}
            asked = {seat: rows for seat, rows in batch.asks.of_match(0) if seat in silent}
            if asked:
                panel.ask(asked, 0)
        panel.bye()
        return [Broken(cast[seat], _reason(processes[seat])) for seat in range(len(group)) if processes[seat].gone]


def _reason(process: BotProcess) -> str:
    trouble = next(reversed(process.troubles.values()))
    end = f" ({trouble.end})" if trouble.end else ""
    stderr = process.stderr.text().decode(errors="replace").strip()[-2000:]
    return f"{trouble.kind}: {trouble.text}{end}" + (f"\n{stderr}" if stderr else "")
