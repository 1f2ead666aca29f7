// A first bot: eats what is next to it, keeps off ghosts, and walks where it has been least.
// koth reads stdout: print to stderr (console.error), which is kept for you.

const WORTH = {o: 10, O: 50, F: 100, G: -1000}; // pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing
const STEPS = [["N", -1, 0], ["E", 0, 1], ["S", 1, 0], ["W", 0, -1]];

class Bot {
  constructor(walls) {
    this.walls = walls; // a hex digit a square, row by row: 1 is a wall in the north, 2 east, 4 south, 8 west
    this.side = Math.sqrt(walls.length); // the maze is square, and its opposite edges touch
    this.visits = new Array(walls.length).fill(0);
  }

  /** Where it goes; `seen` has squares as [row, col, letter], its own first. */
  act(seen) {
    const letters = new Map(seen.map(([row, col, letter]) => [row * this.side + col, letter]));
    const [row, col] = seen[0];
    const here = row * this.side + col;
    this.visits[here]++;
    let best = "X", most = -Infinity;
    STEPS.forEach(([move, down, right], bit) => {
      if (parseInt(this.walls[here], 16) >> bit & 1) return;
      const there = (row + down + this.side) % this.side * this.side + (col + right + this.side) % this.side;
      const score = (WORTH[letters.get(there)] ?? 0) - this.visits[there];
      if (score > most) [best, most] = [move, score];
    });
    return best;
  }
}

let bot;
const lines = require("readline").createInterface({input: process.stdin});
lines.on("line", (line) => {
  if (line === "Q") return lines.close();
  if (!bot) bot = new Bot(line);
  else {
    const squares = line.split(" ").map((word) => word.match(/(\d+),(\d+)(.)/));
    console.log(bot.act(squares.map(([, row, col, letter]) => [Number(row), Number(col), letter])));
  }
});
