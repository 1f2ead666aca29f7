// What is known of a match beside its replay, once it is over: the words of faults, and what bots wrote to stderr.

import {visible} from "./names.js";

const LINES = 400; // of a bot's stderr

/** Fill `root` (a <details>); `jump(turn)` is called when a fault is clicked. */
export function showTold(root, told, jump) {
  const {faults, stderr} = told ?? {faults: [], stderr: {}};
  const blocks = faults.map((fault) => faultBlock(fault, stderr[fault.bot] ?? "", jump));
  for (const [bot, text] of Object.entries(stderr)) blocks.push(heading(`${visible(bot)}, stderr`), pre(text));
  root.hidden = blocks.length === 0;
  root.querySelector("div").replaceChildren(...blocks);
}

/** A fault, and what the bot wrote then, unless that is shown below. */
function faultBlock({bot, kind, count, turn, text, stderr}, shownBelow, jump) {
  const block = document.createElement("div");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = `${visible(bot)}: ${kind}${count > 1 ? `, ${count} times, first` : ""} after turn ${turn}`;
  button.addEventListener("click", () => jump(turn + 1));
  block.append(button, ...(text ? [pre(text)] : []), ...(stderr && !shownBelow.includes(stderr) ? [pre(stderr)] : []));
  return block;
}

function heading(text) {
  const h3 = document.createElement("h3");
  h3.textContent = text;
  return h3;
}

/** A stranger's text as it is, line by line, each made fit to be shown. */
function pre(text) {
  const element = document.createElement("pre");
  element.tabIndex = 0; // it scrolls
  element.textContent = text.trimEnd().split("\n").slice(-LINES).map(shown).join("\n");
  return element;
}

const shown = (line) => visible(line.replaceAll("\t", "    "), 400);
