// «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

«choices»

/** A bot in one match. What it prints is kept for its author. */
class Bot {
  constructor(hello) {
    // What holds for the whole match:
    //   «hello»
    this.hello = hello;
    this.state = hello.seed % 2 ** 32;
  }
«questions»

  answer_«name»(question) {
    // «about»
    return «answer»;
  }
«end»

  /** A value drawn at random. Math.random has no seed: with it no match could be repeated. */
  pick(values) {
    this.state = (this.state + 0x9e3779b9) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return values[((mixed ^ (mixed >>> 15)) >>> 0) % values.length];
  }
}

console.log = console.error;
let bot;
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  let answer = { ready: true };
  if (message.bye) return lines.close();
  if (message.hello) bot = new Bot(message.hello);
  else answer = { ask: message.ask, ...bot[`answer_${message.question}`](message) };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
