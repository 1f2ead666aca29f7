// A first bot: keep away from zombies, shoot the one that comes too near.
// koth reads stdout: print to stderr (console.error), which is kept for you.

const MOVES = [["NORTHWEST", "NORTH", "NORTHEAST"], ["WEST", "STAY", "EAST"], ["SOUTHWEST", "SOUTH", "SOUTHEAST"]];

/** What one of your 50 players does: a move, or {shoot: [name, number]}. */
function act({bullets, seen}) {
  // seen: everybody in sight as [squares to the east, squares to the south, name, number]
  const zombies = seen.filter(([, , name]) => name === "Zombie");
  if (!zombies.length) return "STAY";
  const distance = ([dx, dy]) => Math.max(Math.abs(dx), Math.abs(dy));
  const nearest = zombies.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  const [dx, dy, name, number] = nearest;
  if (distance(nearest) <= 2 && bullets > 0) return {shoot: [name, number]};
  return MOVES[1 - Math.sign(dy)][1 - Math.sign(dx)];
}

const lines = require("readline").createInterface({input: process.stdin});
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.bye) return lines.close();
  if (message.hello) return console.log('{"ready": true}'); // message.hello has what holds for the whole match
  const moves = Object.fromEntries(message.players.map((player) => [player.number, act(player)]));
  console.log(JSON.stringify({ask: message.ask, moves}));
});
