// A first bot: eats what is next to it, walks on, and keeps off ghosts.
//
// What it is told and may answer stands in koth.js. What you print goes to stderr, which koth keeps for you.

const koth = require("./koth.js");

/** What a square is worth by its letter: pellet, power pellet, fruit, ghost; P is another Pac-Man, X nothing. */
const WORTH = new Map([["o", 10], ["O", 50], ["F", 100], ["G", 0]]);

/** A move with its step down and to the right, in the order of a square's walls: 1, 2, 4, 8.
 * @type {[koth.Move, number, number][]} */
const STEPS = [["N", -1, 0], ["E", 0, 1], ["S", 1, 0], ["W", 0, -1]];

class Mine {
  /** @param {koth.Hello} hello */
  constructor({ walls, side, seed }) {
    this.random = koth.random(seed); // all our luck from here: then a match can be played again
    this.walls = walls; // a hex digit a square, row by row
    this.side = side;
  }

  /**
   * Where we go.
   * @param {koth.MoveQuestion} question
   * @returns {koth.MoveAnswer}
   */
  answerMove({ row, col, seen }) {
    const letters = new Map(seen.map(([r, c, letter]) => [r * this.side + c, letter]));
    const walls = parseInt(this.walls[row * this.side + col], 16);
    /** @type {koth.Move} */
    let best = "X";
    let most = 0;
    STEPS.forEach(([move, down, right], bit) => {
      if ((walls >> bit) & 1) return;
      const there = ((row + down + this.side) % this.side) * this.side + ((col + right + this.side) % this.side);
      const worth = (WORTH.get(letters.get(there) ?? "") ?? 1) + this.random();
      if (worth > most) [best, most] = [move, worth];
    });
    return { move: best };
  }
}

koth.play((hello) => new Mine(hello));
