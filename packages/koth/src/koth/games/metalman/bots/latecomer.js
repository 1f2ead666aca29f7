// JavaScript: stays near the edge as long as it holds, in nobody's reach, and lets the others fight in the middle.
// koth writes one JSON object per line to our stdin, we answer each with one line. Squares are [row, column].

const readline = require("node:readline");

const STEPS = [[-1, 0], [0, 1], [1, 0], [0, -1]];
let facts; // what the hello said
let known; // the map as far as we have seen it: -1 unknown, 0 wall, 1 floor, 2 highground

/** How far a square is from the edge of the whole map. */
const ring = ([r, c]) => Math.min(r, c, facts.rows - 1 - r, facts.columns - 1 - c);
const distance = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);
const terrain = ([r, c]) => known[r]?.[c] ?? 0; // off the map: a wall

/** Take in what is seen now; returns the enemies: where they are, and how far each can strike. */
function look({ board, "circles collapsed": circles }) {
  const enemies = [];
  known ??= board.map((row) => row.map(() => -1));
  board.forEach((row, r) => row.forEach((square, c) => {
    const isEnemy = typeof square === "object";
    if (isEnemy) {
      enemies.push({ at: [r, c], far: square.type === "spotter" ? facts.spotter_steps : facts.assassin_steps });
    }
    const seen = isEnemy ? square.square : square;
    if (ring([r, c]) < circles) known[r][c] = 0;
    else if (seen !== -1) known[r][c] = seen;
  }));
  return enemies;
}

/** All squares to which `steps` lead from these, breadth first; the nearest come first. */
function walk(starts, most, isFree) {
  const found = new Map(starts.map((place) => [String(place), { place, steps: [] }]));
  for (const { place, steps } of found.values()) {
    if (steps.length === most) continue;
    for (const step of STEPS) {
      const there = [place[0] + step[0], place[1] + step[1]];
      if (!found.has(String(there)) && isFree(there)) found.set(String(there), { place: there, steps: [...steps, step] });
    }
  }
  return found;
}

/** Capture if we can; else to the nearest square that holds for long enough, out of everybody's reach. */
function go(start, most, partner, enemies, message) {
  const circles = message["circles collapsed"];
  const isFree = (place) => terrain(place) > 0 && String(place) !== String(partner);
  const places = [...walk([start], most, isFree).values()];
  const holding = places.filter(({ place }) => message.timer > 1 || ring(place) > circles);
  const prey = holding.find(({ place }) => enemies.some(({ at }) => String(at) === String(place)));
  if (prey) return prey;
  const goals = [];
  known.forEach((row, r) => row.forEach((_, c) => {
    if (terrain([r, c]) !== 0 && ring([r, c]) >= circles + 2) goals.push([r, c]);
  }));
  if (!goals.length) goals.push([facts.rows >> 1, facts.columns >> 1]);
  const ways = walk(goals, Infinity, (place) => terrain(place) !== 0); // where nobody has looked there may be a way
  const worth = ({ place, steps }) => {
    const strikers = enemies.filter(({ at, far }) => distance(at, place) <= far).length;
    const wayIn = ways.get(String(place))?.steps.length ?? 99;
    return -wayIn - 50 * strikers - 0.1 * steps.length;
  };
  return (holding.length ? holding : places).reduce((best, each) => (worth(each) > worth(best) ? each : best));
}

/** The step that leads most towards the middle. */
function inwards([r, c]) {
  const [down, right] = [facts.rows / 2 - r, facts.columns / 2 - c];
  return Math.abs(down) > Math.abs(right) ? [down > 0 ? 1 : -1, 0] : [0, right > 0 ? 1 : -1];
}

function act(message) {
  const enemies = look(message);
  // Only a living partner is in the way. The spotter moves first.
  const partner = message["assasin alive"] ? message["assasin location"] : null;
  const spotter = go(message["spotter location"], facts.spotter_steps, partner, enemies, message);
  const stopped = message["spotter alive"] ? spotter.place : null;
  const assassin = go(message["assasin location"], facts.assassin_steps, stopped, enemies, message);
  // The spotter looks inwards and, every other round, aside; the assassin looks where it does not.
  const [down, right] = inwards(spotter.place);
  const aside = [right, -down];
  return {
    Spotter: { moves: spotter.steps, direction: message.timer % 2 ? [down, right] : aside },
    Assasin: { moves: assassin.steps, direction: message.timer % 2 ? aside : [down, right] },
  };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.hello) {
    facts = message.hello;
    console.log(JSON.stringify({ ready: true }));
  } else if (message.ask) {
    console.log(JSON.stringify({ ask: message.ask, ...act(message) }));
  }
});
