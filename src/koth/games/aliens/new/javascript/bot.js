// A first bot: walks up to prey, and fights what looks weaker.
// koth writes one JSON object per line to our stdin, we answer with one line each.

const readline = require("readline");

const MOVES = [
  ["NORTHWEST", "WEST", "SOUTHWEST"],
  ["NORTH", "STAY", "SOUTH"],
  ["NORTHEAST", "EAST", "SOUTHEAST"],
];

function move({ fields, sight }) {
  // fields[sight][sight] is where we stand, fields[sight + 1][sight] the square to the east.
  for (let x = 0; x < fields.length; x++) {
    for (let y = 0; y < fields.length; y++) {
      if ("WTEH".includes(fields[x][y]) && (x !== sight || y !== sight)) {
        return MOVES[1 + Math.sign(x - sight)][1 + Math.sign(y - sight)];
      }
    }
  }
  return MOVES[Math.floor(Math.random() * 3)][Math.floor(Math.random() * 3)];
}

function fights({ levels, enemy }) {
  const [life, strength] = enemy; // each may look higher than it is
  return strength < levels[1] && life < 10;
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.hello) {
    console.log(JSON.stringify({ ready: true }));
  } else if (message.question === "points") {
    // life, strength, defense, vision, cleverness: at most 10 together, for each of our 100 instances
    const points = {};
    for (const number of message.instances) points[number] = [3, 4, 0, 3, 0];
    console.log(JSON.stringify({ ask: message.ask, points }));
  } else if (message.question === "move") {
    const moves = {};
    for (const alien of message.aliens) moves[alien.number] = move(alien);
    console.log(JSON.stringify({ ask: message.ask, moves }));
  } else if (message.question === "meet") {
    const answers = {};
    for (const alien of message.aliens) answers[alien.number] = fights(alien);
    console.log(JSON.stringify({ ask: message.ask, fights: answers }));
  }
});
