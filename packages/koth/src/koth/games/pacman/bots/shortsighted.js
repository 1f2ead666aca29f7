// Sees a few steps far: takes the step with the best mix of food near and ghosts not so near.
"use strict";

const STEPS = [["N", -1, 0], ["E", 0, 1], ["S", 1, 0], ["W", 0, -1]];
const VALUE = {o: 10, O: 40, F: 80, G: -300, P: -5};
const AS_GHOST = {P: 100};
let walls = null;
let side = 0;
const visits = new Map();

function distance(a, b) {
  const along = (x, y) => Math.min(Math.abs(x - y), side - Math.abs(x - y));
  return along(a[0], b[0]) + along(a[1], b[1]);
}

function choose(line) {
  const seen = line.split(" ").map((word) => [word.slice(0, -1).split(",").map(Number), word.at(-1)]);
  const [me, self] = seen[0];
  const value = self === "G" ? AS_GHOST : VALUE;
  const closed = parseInt(walls[me[0] * side + me[1]], 16);
  visits.set(String(me), (visits.get(String(me)) ?? 0) + 1);
  let best = "X";
  let most = -Infinity;
  STEPS.forEach(([move, down, right], bit) => {
    if ((closed >> bit) & 1) return;
    const there = [(me[0] + down + side) % side, (me[1] + right + side) % side];
    let worth = -4 * (visits.get(String(there)) ?? 0);
    for (const [square, what] of seen.slice(1)) worth += (value[what] ?? 0) / (1 + distance(there, square)) ** 2;
    if (worth > most) [best, most] = [move, worth];
  });
  return best;
}

require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  if (line === "Q") process.exit(0);
  else if (walls === null) [walls, side] = [line, Math.sqrt(line.length)];
  else process.stdout.write(`${choose(line)}\n`);
});
