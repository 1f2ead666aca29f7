// Lists of bots' faults: a block for each bot, a line for each kind, with reasons and links to their turns.

import {make} from "./dom.js";
import {visible} from "./names.js";
import {shortNumber} from "./numbers.js";

const REASON = 300; // characters of a reason

/**
 * Blocks of faults: `groups` are [{head: [nodes], kinds: [{kind, times, reasons: [{text, where}], more}]}], `where` a link
 * or a button to the turn, `more` how many reasons are left out.
 * @param {any[]} groups
 */
export const faultBlocks = (groups) => groups.map(({head, kinds}) => make("li", null,
  make("h3", null, ...head), make("ul", null, ...kinds.map(faultLine))));

const faultLine = ({kind, times, reasons, more = 0}) => make("li", null,
  make("b", null, kind), ` ${times}`,
  make("ul", null, ...reasons.map(({text, where}) => make("li", null, where, text ? ` ${visible(text, REASON)}` : null)),
    more > 0 ? make("li", {className: "hint"}, `and ${shortNumber(more)} other reason${more > 1 ? "s" : ""}`) : null));

/** "once", "12 times", "12 times in 3 matches". */
export function formatTimes(count, matches = 1) {
  const times = count === 1 ? "once" : `${shortNumber(count)} times`;
  return matches > 1 ? `${times} in ${shortNumber(matches)} matches` : times;
}

/** When a bot was asked, in words: in a turn, which count from 1, or while it was starting (0). */
export const whenIn = (turn) => (turn > 0 ? `turn ${shortNumber(turn)}` : "while starting");
