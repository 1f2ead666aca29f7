// Life above all, in JavaScript over JSON lines: a big animal that only strikes back when it can hardly lose.
// koth writes one JSON object per line to our stdin, we answer each with one line.

const readline = require("readline");

const STEPS = {
  NORTH: [0, -1], NORTHEAST: [1, -1], EAST: [1, 0], SOUTHEAST: [1, 1],
  SOUTH: [0, 1], SOUTHWEST: [-1, 1], WEST: [-1, 0], NORTHWEST: [-1, -1],
};

/** Steps aside if somebody stands next to us and a neighbouring square is free. */
function move({ fields, sight }) {
  const at = (dx, dy) => fields[sight + dx][sight + dy];
  const names = Object.keys(STEPS);
  const free = names.filter((name) => at(...STEPS[name]) === " ");
  return free.length < names.length && free.length > 0 ? free[0] : "STAY";
}

function fights({ hp, levels, enemy }) {
  const [life, strength] = enemy;
  return hp > 4 * strength && levels[1] * 4 >= life;
}

const answers = {
  points: ({ instances }) => ({ points: Object.fromEntries(instances.map((n) => [n, [8, 2, 0, 0, 0]])) }),
  move: ({ aliens }) => ({ moves: Object.fromEntries(aliens.map((alien) => [alien.number, move(alien)])) }),
  meet: ({ aliens }) => ({ fights: Object.fromEntries(aliens.map((alien) => [alien.number, fights(alien)])) }),
};

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.hello) console.log(JSON.stringify({ ready: true }));
  else if (message.ask) console.log(JSON.stringify({ ask: message.ask, ...answers[message.question](message) }));
});
