// A check of what a game's play.js exports: mistakes are named.

const isText = (value) => typeof value === "string";
const isList = (value, fits) => Array.isArray(value) && value.every(fits);
const isTexts = (value) => isList(value, isText);
const isShare = (value) => typeof value === "number" && value >= 0 && value <= 1;

/** @type {Record<string, [string, (value: any) => boolean]>} */
const SHAPES = {
  title: ["a text", isText],
  goal: ["a list of sentences", isTexts],
  keys: ['a list such as [[["N", "E"], "a step"], ...]',
    (value) => isList(value, (line) => Array.isArray(line) && isTexts(line[0]) && isText(line[1]))],
  pace: ["a number: turns a second, 0 to wait", (value) => typeof value === "number" && value >= 0],
  pad: ["4, 8 or null", (value) => [4, 8, null].includes(value)],
  squares: ["a number of squares", (value) => typeof value === "number" && value > 0],
  fog: ["two numbers from 0 to 1, such as [0.9, 0.4]", (value) => isList(value, isShare) && value.length === 2],
  taken: ["a list of keys, or left out", (value) => value === undefined || isTexts(value)],
};

/** What is wrong with `play`, in words; empty where nothing is. */
export function findMisfit(play) {
  if (play === null || typeof play !== "object") return "it must export an object called play";
  const wrong = Object.entries(SHAPES).find(([key, [, fits]]) => !fits(play[key]));
  return wrong ? `play.${wrong[0]} must be ${wrong[1][0]}` : "";
}
