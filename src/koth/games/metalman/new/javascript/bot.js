// A first bot: run for the centre, capture whoever comes within reach.
// koth writes one JSON object per line to our stdin, we answer with one line each.

const readline = require("readline");

const STEPS = [[-1, 0], [0, 1], [1, 0], [0, -1]];
let known = null; // the map as far as we have seen it: -1 unknown, 0 wall, 1 floor, 2 highground

function look(state) {
  const enemies = [];
  known ??= state.board.map((row) => row.map(() => -1));
  state.board.forEach((row, r) => row.forEach((square, c) => {
    if (typeof square === "object") {
      enemies.push([r, c]);
      square = square.square;
    }
    const ring = Math.min(r, c, known.length - 1 - r, row.length - 1 - c);
    if (ring < state["circles collapsed"]) square = 0;
    if (square !== -1) known[r][c] = square;
  }));
  return enemies;
}

// All squares within so many steps over known ground, with the steps that lead there.
function reach(start, most, blocked) {
  const found = new Map([[String(start), { place: start, steps: [] }]]);
  for (const { place, steps } of found.values()) {
    if (steps.length === most) continue;
    for (const step of STEPS) {
      const there = [place[0] + step[0], place[1] + step[1]];
      const free = (known[there[0]]?.[there[1]] ?? 0) > 0 && String(there) !== String(blocked);
      if (free && !found.has(String(there))) found.set(String(there), { place: there, steps: [...steps, step] });
    }
  }
  return found;
}

const distance = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);

// Capture if we can, else get as near to the centre as we can.
function go(start, most, blocked, enemies) {
  const places = reach(start, most, blocked);
  for (const enemy of enemies) if (places.has(String(enemy))) return places.get(String(enemy));
  const centre = [known.length >> 1, known[0].length >> 1];
  return [...places.values()].reduce((a, b) => (distance(b.place, centre) < distance(a.place, centre) ? b : a));
}

let facts;
const turned = ([row, column]) => [column, -row];

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.hello) {
    facts = message.hello;
    console.log(JSON.stringify({ ready: true }));
  } else if (message.ask) {
    const enemies = look(message);
    // A dead piece is in nobody's way.
    const partner = message["assasin alive"] ? message["assasin location"] : null;
    const spotter = go(message["spotter location"], facts.spotter_steps, partner, enemies);
    const stopped = message["spotter alive"] ? spotter.place : null;
    const assassin = go(message["assasin location"], facts.assassin_steps, stopped, enemies);
    console.log(JSON.stringify({
      ask: message.ask,
      Spotter: { moves: spotter.steps, direction: turned(message["spotter direction"]) },
      Assasin: { moves: assassin.steps, direction: turned(message["assasin direction"]) },
    }));
  }
});
