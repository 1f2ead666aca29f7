// A first bot: eats what is next to it, walks on, and keeps off ghosts.

const WORTH = { o: 10, O: 50, F: 100, G: 0 }; // pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing
let walls = null; // a hex digit a square, row by row: 1 north, 2 east, 4 south, 8 west
let side = 0;

function choose(line) {
  // "3,7X 2,7o 3,8G": squares as row,column and what is there; the first one is our own.
  const words = line.split(" ");
  const [row, col] = words[0].slice(0, -1).split(",").map(Number);
  const seen = Object.fromEntries(words.map((word) => [word.slice(0, -1), word.at(-1)]));
  let best = "X";
  let most = 0;
  [["N", -1, 0], ["E", 0, 1], ["S", 1, 0], ["W", 0, -1]].forEach(([move, down, right], bit) => {
    if ((parseInt(walls[row * side + col], 16) >> bit) & 1) return; // a wall
    const there = seen[`${(row + down + side) % side},${(col + right + side) % side}`];
    const worth = (WORTH[there] ?? 1) + Math.random();
    if (worth > most) [best, most] = [move, worth];
  });
  return best;
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "Q") process.exit(0); // the game is over
  else if (walls === null) [walls, side] = [line, Math.sqrt(line.length)];
  else console.log(choose(line));
});
