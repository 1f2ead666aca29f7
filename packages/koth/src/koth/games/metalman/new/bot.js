// A first bot: run for the centre, capture whoever comes within reach.
// koth reads stdout: print to stderr (console.error), which is kept for you.

const STEPS = [[-1, 0], [0, 1], [1, 0], [0, -1]]; // up, right, down, left, as [rows, columns]
const WALL = 0, UNSEEN = -1;

class Bot {
  constructor({rows, columns, spotter_steps, assassin_steps}) {
    this.reach = {spotter: spotter_steps, assasin: assassin_steps};
    this.open = Array.from({length: rows}, () => new Array(columns).fill(true)); // what it has not seen may be open
    this.centre = [rows >> 1, columns >> 1];
  }

  answer(question) {
    this.enemies = new Set();
    question.board.forEach((line, row) => line.forEach((square, column) => {
      const ground = square.square ?? square; // with an enemy on it {playerId, direction, type, square}
      if (ground !== UNSEEN) this.open[row][column] = ground !== WALL;
      if (square.playerId !== undefined) this.enemies.add(`${[row, column]}`);
    }));
    this.home = this.search(this.centre, Infinity, null);
    // The spotter moves first. While both live they are in each other's way.
    const assassinAt = question["assasin alive"] ? question["assasin location"] : null;
    const spotter = this.go(question["spotter location"], this.reach.spotter, assassinAt);
    const assassin = this.go(question["assasin location"], this.reach.assasin, question["spotter alive"] ? spotter.end : null);
    const turned = ([down, right]) => [right, -down]; // look around, clockwise
    return {
      Spotter: {moves: spotter.moves, direction: turned(question["spotter direction"])},
      Assasin: {moves: assassin.moves, direction: turned(question["assasin direction"])},
    };
  }

  /** The squares within `reach` steps: how many it takes, the last of these, and the square before it. */
  search(from, reach, blocked) {
    const found = new Map([[`${from}`, {place: from, steps: 0}]]);
    for (const [key, {place, steps}] of found) {
      for (const step of steps < reach ? STEPS : []) {
        const next = [place[0] + step[0], place[1] + step[1]];
        if (this.open[next[0]]?.[next[1]] && `${next}` !== `${blocked}` && !found.has(`${next}`)) {
          found.set(`${next}`, {place: next, steps: steps + 1, step, before: key});
        }
      }
    }
    return found;
  }

  /** Steps to an enemy within reach, else towards the centre. */
  go(from, reach, blocked) {
    const found = this.search(from, reach, blocked);
    const score = (key) => (this.enemies.has(key) ? -1 : this.home.get(key)?.steps ?? Infinity);
    const best = [...found.keys()].reduce((a, b) => (score(b) < score(a) ? b : a));
    const moves = [];
    for (let at = found.get(best); at.step; at = found.get(at.before)) moves.unshift(at.step);
    return {moves, end: found.get(best).place};
  }
}

let bot;
const lines = require("readline").createInterface({input: process.stdin});
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.bye) return lines.close();
  if (message.hello) bot = new Bot(message.hello);
  console.log(JSON.stringify(message.hello ? {ready: true} : {ask: message.ask, ...bot.answer(message)}));
});
