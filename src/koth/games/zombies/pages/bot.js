// A first bot: keep away from zombies, shoot the one that comes too near.
//
// What it is told and may answer stands in koth.js. What you print goes to stderr, which koth keeps for you.

const koth = require("./koth.js");

class Mine {
  /**
   * For each of our players what it does.
   * @param {koth.ActQuestion} question
   * @returns {koth.ActAnswer}
   */
  answerAct({ players }) {
    return { moves: Object.fromEntries(players.map((player) => [player.number, this.move(player)])) };
  }

  /**
   * @param {koth.Player} player
   * @returns {koth.Move}
   */
  move({ seen, bullets }) {
    let nearest = 0;
    let [x, y] = [0, 0];
    let distance = Infinity;
    for (const [dx, dy, name, number] of seen) {
      const far = Math.max(Math.abs(dx), Math.abs(dy));
      if (name === "Zombie" && far < distance) [nearest, x, y, distance] = [number, dx, dy, far];
    }
    if (distance === Infinity) return "STAY";
    if (distance <= 2 && bullets > 0) return { shoot: ["Zombie", nearest] };
    return MOVES[1 - Math.sign(x)][1 - Math.sign(y)];
  }
}

// By the signs of a step's x and y, each 1 more.
/** @type {koth.Step[][]} */
const MOVES = [
  ["NORTHWEST", "WEST", "SOUTHWEST"],
  ["NORTH", "STAY", "SOUTH"],
  ["NORTHEAST", "EAST", "SOUTHEAST"],
];

koth.play(() => new Mine());
