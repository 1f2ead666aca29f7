// A first bot: keep away from zombies, shoot the one that comes too near.
// koth writes one JSON object per line to our stdin, we answer with one line each.

const readline = require("readline");

function move(player) {
  let nearest = null;
  let distance = 99;
  for (const [dx, dy, name, number] of player.seen) {
    const d = Math.max(Math.abs(dx), Math.abs(dy));
    if (name === "Zombie" && d < distance) {
      nearest = { dx, dy, number };
      distance = d;
    }
  }
  if (!nearest) return "STAY";
  if (distance <= 2 && player.bullets > 0) return { shoot: ["Zombie", nearest.number] };
  const north = nearest.dy > 0 ? "NORTH" : nearest.dy < 0 ? "SOUTH" : "";
  const east = nearest.dx > 0 ? "WEST" : nearest.dx < 0 ? "EAST" : "";
  return north + east || "STAY";
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.hello) {
    console.log(JSON.stringify({ ready: true }));
  } else if (message.ask) {
    const moves = {};
    for (const player of message.players) moves[player.number] = move(player);
    console.log(JSON.stringify({ ask: message.ask, moves }));
  }
});
