// «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

type Json = any; // eslint-disable-line @typescript-eslint/no-explicit-any

«choices»

/** A bot in one match. What it prints is kept for its author. */
class Bot {
  [method: string]: Json;
  private state: number;

  constructor(private readonly hello: Json) {
    // What holds for the whole match:
    //   «hello»
    this.state = hello.seed % 2 ** 32;
  }
«questions»

  answer_«name»(question: Json): Json {
    // «about»
    return «answer»;
  }
«end»

  /** A value drawn at random. Math.random has no seed: with it no match could be repeated. */
  private pick<T>(values: readonly T[]): T {
    this.state = (this.state + 0x9e3779b9) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return values[((mixed ^ (mixed >>> 15)) >>> 0) % values.length];
  }
}

// What is used of Node, so that its types need not be installed.
declare const process: Json;
declare const require: Json;

console.log = console.error;
let bot: Bot;
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line: string) => {
  const message = JSON.parse(line);
  let answer: Json = { ready: true };
  if (message.bye) return lines.close();
  if (message.hello) bot = new Bot(message.hello);
  else answer = { ask: message.ask, ...bot[`answer_${message.question}`](message) };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
