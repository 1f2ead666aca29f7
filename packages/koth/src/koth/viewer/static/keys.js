// The keys, in one table: what they do, and the words for it in the help.

import {make, targetOf} from "./dom.js";

/**
 * `[keys as shown, words, KeyboardEvent.key values, action name, argument]`
 * @type {[string[], string, string[] | null, string?, number?][]}
 */
const KEYS = [
  [["space"], "play or pause", [" ", "k"], "toggle"],
  [["→", "←"], "a turn on, a turn back", null],
  [["shift →", "shift ←"], "ten turns", null],
  [["Home", "End"], "first, last turn", null],
  [["."], "next moment", [".", ">"], "moment", 1],
  [[","], "moment before", [",", "<"], "moment", -1],
  [["+", "−"], "faster, slower", null],
  [["l"], "go with a match that is being played; again: stay", ["l"], "live"],
  [["z", "Z"], "zoom in, out (or the wheel, or two fingers)", null],
  [["0"], "the whole board", ["0"], "whole"],
  [["f"], "follow what is pointed at (or click it)", ["f"], "follow"],
  [["b", "B"], "next bot, bot before in focus", null],
  [["e"], "see through the eyes of the bot in focus; again: see all", ["e"], "eyes"],
  [["/"], "find a unit by name or number; enter: the next one", ["/"], "seek"],
  [["n", "p"], "next match, match before", null],
  [["w"], "the whole screen", ["w"], "full"],
  [["s"], "save a picture of the board", ["s"], "photo"],
  [["t"], "dark or light", ["t"], "theme"],
  [["Esc"], "let go of all that", ["Escape"], "letGo"],
  [["?"], "this help", ["?"], "help"],
];

/** @type {Record<string, [string, number]>} */
const PAIRS = {
  ArrowRight: ["step", 1], ArrowLeft: ["step", -1], Home: ["jump", 0], End: ["jump", Infinity],
  "+": ["faster", 1], "=": ["faster", 1], "-": ["faster", -1], "−": ["faster", -1],
  z: ["zoom", 1.5], Z: ["zoom", 1 / 1.5], b: ["nextBot", 1], B: ["nextBot", -1], n: ["match", 1], p: ["match", -1],
};

/** @type {Map<string, [string, number?]>} */
const ACTIONS = new Map(Object.entries(PAIRS));
for (const [, , keys, action, argument] of KEYS) {
  for (const key of keys ?? []) ACTIONS.set(key, [action, argument]);
}

const TYPED = new Set(["SELECT", "INPUT"]); // what takes keys itself

/** Call `actions[name](argument)` for every key of the table. */
export function listen(actions) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const known = ACTIONS.get(event.key);
    const own = targetOf(event)?.closest("button, select, summary, a, input");
    if (!known || (own && (event.key === " " || TYPED.has(own.tagName)))) return;
    event.preventDefault();
    const [action, argument] = known;
    actions[action](event.shiftKey && action === "step" ? 10 * argument : argument);
  });
}

/** Fill the help's list. */
export function describe(list) {
  const items = KEYS.flatMap(([keys, words]) => [
    make("dt", null, ...keys.map((key) => make("kbd", null, key))), make("dd", null, words)]);
  list.replaceChildren(...items);
}
