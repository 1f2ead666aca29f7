// «title»: what a bot is told and may answer, as types, and the loop of messages.
//
// Made by `koth new` from the game's declaration. It need not be changed: the page to write is bot.ts.
<% for shape in named %>

<% if doc(shape) %>
/** «doc(shape)|join(" ")» */
<% endif %>
<% if kind(shape) == "Enum" %>
export const all«shape.name»s = [
<% for value in shape.values %>
  "«value»",
<% endfor %>
] as const;
export type «shape.name» = (typeof all«shape.name»s)[number];
<% elif kind(shape) == "Choice" %>
export type «shape.name» =
<%- for case in shape.cases %>«" |" if not loop.first» «type(case.shape)»<% endfor %>;
<% elif shape.row %>
export type «shape.name» = [
<%- for member in shape.members %>«", " if not loop.first»«field(member.key)»: «type(member.shape)»<% endfor %>
];
<% else %>
export interface «shape.name» {
<% for member in shape.members %>
<% if member.doc %>
  /** «sentence(member.doc)» */
<% endif %>
  «key(member.key)»«"?" if shape.name not in said and kind(member.shape) == "Maybe"»: «type(member.shape)»;
<% endfor %>
}
<% endif %>
<% endfor %>

/** A bot for one match: made of what it is told first, it answers each question. */
export interface Bot {
<% for each in asked %>
  /** «each.doc» */
  «method(each)»(question: «each.question.name»): «each.answer.name»;
<% endfor %>
}

/** Random numbers that follow from a seed, in [0, 1), so that a match can be played again. */
export function random(seed: number): () => number {
  let state = seed % 2 ** 32;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

// What is used of Node, so that its types need not be installed.
declare const process: { stdin: unknown };
declare function require(name: "readline"): {
  createInterface(options: { input: unknown }): { on(event: "line", heard: (line: string) => void): void; close(): void };
};

/** Plays one match, from koth's hello to its goodbye. */
export function play(newBot: (hello: Hello) => Bot): void {
  let bot: Bot;
  const say = (value: object) => console.log(JSON.stringify(value));
  const lines = require("readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    if (message.hello) {
      bot = newBot(message.hello);
      say({ ready: true });
<% for each in asked %>
    } else if (message.question === "«each.name»") {
      say({ ask: message.ask, ...bot.«method(each)»(message) });
<% endfor %>
    } else if (message.bye) {
      lines.close();
    } else {
      throw new Error(`no question of this game: ${line}`);
    }
  });
}
