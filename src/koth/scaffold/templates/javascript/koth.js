// «title»: what a bot is told and may answer, as types, and the loop of messages.
//
// Made by `koth new` from the game's declaration. It need not be changed: the page to write is bot.js. The types stand
// in comments, which editors read: they complete names, and with `// @ts-check` they tell what is wrong.
<% macro about(shape) %><% if doc(shape) %>// «doc(shape)|join(" ")»
<% endif %><% endmacro %>
<% for shape in named %>

<% if kind(shape) == "Enum" %>
«about(shape)»/** @type {readonly ["«shape.values|join('", "')»"]} */
const all«shape.name»s = [
<% for value in shape.values %>
  "«value»",
<% endfor %>
];
/** @typedef {(typeof all«shape.name»s)[number]} «shape.name» */
<% elif kind(shape) == "Choice" %>
«about(shape)»/** @typedef {
<%- for case in shape.cases %>«" | " if not loop.first»«type(case.shape)»<% endfor %>} «shape.name» */
<% elif shape.row %>
«about(shape)»/** @typedef {[
<%- for member in shape.members %>«", " if not loop.first»«field(member.key)»: «type(member.shape)»<% endfor %>]} «shape.name» */
<% else %>
/**
<% if doc(shape) %>
 * «doc(shape)|join(" ")»
<% endif %>
 * @typedef {{
<% for member in shape.members %>
 *   «key(member.key)»«"?" if shape.name not in said and kind(member.shape) == "Maybe"»: «type(member.shape)»,«"  // " + sentence(member.doc) if member.doc»
<% endfor %>
 * }} «shape.name»
 */
<% endif %>
<% endfor %>

/**
 * A bot for one match: made of what it is told first, it answers each question.
 * @typedef {{
<% for each in asked %>
 *   «method(each)»(question: «each.question.name»): «each.answer.name»,  // «each.doc»
<% endfor %>
 * }} Bot
 */

/**
 * Plays one match, from koth's hello to its goodbye. What is printed meanwhile goes to stderr, for the author.
 * @param {(hello: Hello) => Bot} newBot
 */
function play(newBot) {
  /** @type {Bot} */
  let bot;
  /** @param {object} value */
  const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
  console.log = console.error; // what you print is for yourself
  const lines = require("readline").createInterface({ input: process.stdin });
  lines.on("line", (/** @type {string} */ line) => {
    const message = JSON.parse(line);
    if (message.hello) {
      bot = newBot(message.hello);
      say({ ready: true });
<% for each in asked %>
    } else if (message.question === "«each.name»") {
      say({ ask: message.ask, ...answered("«method(each)»", bot.«method(each)»(message)) });
<% endfor %>
    } else if (message.bye) {
      lines.close();
    } else {
      throw new Error(`no question of this game: ${line}`);
    }
  });
}

/**
 * Random numbers that follow from a seed, in [0, 1), so that a match can be played again.
 * @param {number} seed
 * @returns {() => number}
 */
function random(seed) {
  let state = seed % 2 ** 32;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/**
 * @param {string} method
 * @param {object} answer
 */
function answered(method, answer) {
  if (typeof answer === "object" && answer !== null) return answer;
  throw new TypeError(`${method} returned ${answer}, not an object: is a return missing?`);
}

module.exports = { play, random<% for shape in named if kind(shape) == "Enum" %>, all«shape.name»s<% endfor %> };
