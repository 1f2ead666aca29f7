// All players go to one point of the board, the lighthouse, and shoot every zombie that comes within two squares.
// Plain Node: a JSON line comes in, a JSON line goes out. Players are named by their numbers.

const readline = require("node:readline");

const MOVES = {
  NORTHWEST: [-1, -1], NORTH: [0, -1], NORTHEAST: [1, -1], EAST: [1, 0], STAY: [0, 0],
  WEST: [-1, 0], SOUTHEAST: [1, 1], SOUTH: [0, 1], SOUTHWEST: [-1, 1],
};

let side; // squares along an edge of the board, which is a torus

// How far b is from a along one axis, the short way round.
const offset = (a, b) => ((((b - a + (side >> 1)) % side) + side) % side) - (side >> 1);

function decide(player) {
  const taken = new Set();
  for (const [dx, dy, name, number] of player.seen) {
    if (name === "Zombie" && player.bullets > 0 && Math.max(Math.abs(dx), Math.abs(dy)) <= 2) {
      return { shoot: [name, number] };
    }
    taken.add(`${dx},${dy}`);
  }
  const [x, y] = [offset(player.x, side >> 1), offset(player.y, side >> 1)];
  let best = "STAY";
  let nearest = Math.max(Math.abs(x), Math.abs(y));
  for (const [move, [dx, dy]] of Object.entries(MOVES)) {
    const distance = Math.max(Math.abs(x - dx), Math.abs(y - dy));
    if (distance < nearest && !taken.has(`${dx},${dy}`)) [best, nearest] = [move, distance];
  }
  return best;
}

const say = (message) => console.log(JSON.stringify(message));

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.hello) {
    side = message.hello.side;
    say({ ready: true });
  } else if (message.ask) {
    const moves = {};
    for (const player of message.players) moves[player.number] = decide(player);
    say({ ask: message.ask, moves });
  }
});
