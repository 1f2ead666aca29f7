// A first bot: walks up to prey, and fights what looks weaker.
// koth reads stdout: print to stderr (console.error), which is kept for you.

const MOVES = [["NORTHWEST", "NORTH", "NORTHEAST"], ["WEST", "STAY", "EAST"], ["SOUTHWEST", "SOUTH", "SOUTHEAST"]];

/** Points for life, strength, defense, vision and cleverness of an instance: at most 10 together. */
const points = () => [3, 4, 0, 3, 0];

/** Where an instance goes: fields[sight][sight] is where it stands, fields[sight + 1][sight] the square to the east. */
function move({number, sight, fields}) {
  for (const [x, column] of fields.entries()) {
    for (const [y, letter] of [...column].entries()) {
      if ("WTEH".includes(letter) && (x !== sight || y !== sight)) {
        return MOVES[1 + Math.sign(y - sight)][1 + Math.sign(x - sight)];
      }
    }
  }
  return MOVES[number % 2 * 2][number % 3]; // straight on, each its own way
}

/** Whether an instance wants to fight; each of the enemy's levels may look higher than it is. */
function fights({levels: [, ownStrength], enemy: [life, strength]}) {
  return strength < ownStrength && life < 10;
}

const each = (aliens, answer) => Object.fromEntries(aliens.map((alien) => [alien.number, answer(alien)]));
const ANSWERS = {
  points: ({instances}) => ({points: Object.fromEntries(instances.map((number) => [number, points()]))}),
  move: ({aliens}) => ({moves: each(aliens, move)}),
  meet: ({aliens}) => ({fights: each(aliens, fights)}),
};
const lines = require("readline").createInterface({input: process.stdin});
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.bye) return lines.close();
  if (message.hello) return console.log('{"ready": true}'); // message.hello has what holds for the whole match
  console.log(JSON.stringify({ask: message.ask, ...ANSWERS[message.question](message)}));
});
