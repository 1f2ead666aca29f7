"""The same brain in Java and in Python sees the same, answers the same, and so plays the same match."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample
from koth.games import load as load_game
from koth.match import Hosting, play
from tests.build.jvm.arena import PATIENT, written

pytestmark = pytest.mark.needs("javac")

ZOMBIES = {
    "Twin.java": """package player;
import zombie.*;
public class Twin implements Player {
  public Action doTurn(PlayerContext context) {
    int sum = context.getBullets() + 3 * context.getX() + 5 * context.getY() + 7 * context.getGameClock()
        + 11 * context.getId().getNumber() + context.getBoardSize();
    PlayerId[][] field = context.getPlayField();
    for (int x = 0; x < 17; x++) for (int y = 0; y < 17; y++)
      if (field[x][y] != null) sum += (x + 17 * y) * (field[x][y].getNumber() + field[x][y].getName().length());
    int highest = 0;
    PlayerId target = null;
    for (PlayerId who : context.shootablePlayers())
      if (who.getName().equals("Zombie") && who.getNumber() > highest) { highest = who.getNumber(); target = who; }
    return target != null && sum % 3 == 0 ? new Shoot(target) : Move.values()[sum % 9];
  }
}
""",
    "twin.py": """
from koth.games.zombies.bot import Move, Shoot
class Twin:
    def do_turn(self, context):
        total = (context.bullets + 3 * context.x + 5 * context.y + 7 * context.game_clock
            + 11 * context.id.number + context.board_size)
        for x, column in enumerate(context.play_field):
            for y, who in enumerate(column):
                if who is not None:
                    total += (x + 17 * y) * (who.number + len(who.name))
        targets = [who for who in context.shootable_players() if who.is_zombie]
        return Shoot(max(targets)) if targets and total % 3 == 0 else Move.values()[total % 9]
""",
}
ALIENS = {
    "Twin.java": """package alien;
import planet.Move;
public class Twin extends Alien {
  private static int made;
  private final int number = made++;
  public void setAbilityPoints(float[] abilities) {
    abilities[number % 5] = 2.5f;
    abilities[3] += 3.3f;
    abilities[4] += 4;
  }
  private int self() {
    return getLifeLvl() + 3 * getStrengthLvl() + 5 * getDefenseLvl() + 7 * getVisionLvl() + 11 * getClevernessLvl()
        + 13 * getCurrentHp() + 17 * getVisionFieldsCount() + 19 * getClevernessBlur() + getRepresentedChar();
  }
  public Move move(char[][] fields) {
    int sum = self();
    for (int x = 0; x < fields.length; x++) for (int y = 0; y < fields.length; y++)
      sum += (x + 3 * y) * fields[x][y];
    Move move = Move.values()[sum % 9];
    return move.getXOffset() + 2 * move.getYOffset() == sum % 2 ? move : Move.STAY;
  }
  public boolean wantToFight(int[] enemyAbilities) {
    int sum = self();
    for (int k = 0; k < enemyAbilities.length; k++) sum += (k + 1) * enemyAbilities[k];
    return sum % 3 == 0;
  }
}
""",
    "twin.py": """
from koth.games.aliens.bot import Alien, Move
class Twin(Alien):
    def set_ability_points(self, points):
        points[self.number % 5] = 2.5
        points[3] += 3.3
        points[4] += 4
    def total(self):
        return (self.life + 3 * self.strength + 5 * self.defense + 7 * self.vision + 11 * self.cleverness
            + 13 * self.hp + 17 * self.sight + 19 * (self.blur + 1) + ord("A"))
    def move(self, fields):
        total = self.total()
        for x, column in enumerate(fields):
            for y, letter in enumerate(column):
                total += (x + 3 * y) * ord(letter)
        move = list(Move)[total % 9]
        return move if move.x + 2 * move.y == total % 2 else Move.STAY
    def want_to_fight(self, enemy):
        return (self.total() + sum((k + 1) * level for k, level in enumerate(enemy))) % 3 == 0
""",
}
SMALLER: dict[str, dict[str, Any]] = {
    "zombies": {"players": 8, "density": 0.03},
    "aliens": {"instances": 20, "prey": 20, "rounds": 60},
}


@pytest.mark.parametrize(("name", "ruleset"), [(n, r) for n in SMALLER for r in ("published", "original")])
def test_the_same_brain_plays_the_same_match(tmp_path: Path, name: str, ruleset: str) -> None:
    game = load_game(name)
    settings = replace(game.rulesets[ruleset], **SMALLER[name])
    folder = written(tmp_path, ZOMBIES if name == "zombies" else ALIENS)
    rival = load_bot(game, find_sample(name, game.default_entrants[0]), Interpreters())
    matches = []
    for file in ("Twin.java", "twin.py"):
        replay = tmp_path / f"{file}.koth.gz"
        bot = replace(load_bot(game, folder / file, Interpreters(), "Twin"), digest="the same")
        result = play(game, settings, [bot, rival], 11, Hosting(time_control=PATIENT, ruleset=ruleset, replay=replay))
        assert {who: record.faults for who, record in result.records.items()} == {"Twin": {}, rival.name: {}}
        matches.append((result.turns, result.scores, gzip.decompress(replay.read_bytes()).decode().splitlines()))
    assert matches[0][0] > 10
    assert matches[0] == matches[1]
