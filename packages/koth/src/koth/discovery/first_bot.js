// A first bot, which answers a question always in the same way. What is asked, and may be answered: koth docs GAME/messages.
// koth reads stdout: print to stderr (console.error), which is kept for you.

/** By question: a legal answer. */
const ANSWERS = {};

function answer({question, bodies}) {
  if (!bodies) return ANSWERS[question];
  const each = (example) => Object.fromEntries(bodies.map(({body}) => [body, Object.values(example)[0]]));
  return Object.fromEntries(Object.entries(ANSWERS[question]).map(([key, example]) => [key, each(example)]));
}

const lines = require("readline").createInterface({input: process.stdin});
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.bye) return lines.close();
  if (message.hello) return console.log('{"ready": true}'); // message.hello has what holds for the whole match
  console.log(JSON.stringify({ask: message.ask, ...answer(message)}));
});
