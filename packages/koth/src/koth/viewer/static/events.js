// Events of a match, as its replay has them (docs/draw-js.md), in words; and which of them a bot can know of.

import {isolated, visible} from "./names.js";

/** Those in which a bot takes part: through its eyes there are no others. `eyes` null: all. */
export const known = (events, eyes) =>
  (eyes === null ? events : events.filter(({team, by}) => team === eyes || by?.team === eyes));

/** "Runner #12 is shot by Coward #3", "Coward #4 is bitten by a zombie", fit to be shown. */
export function formatEvent({text, by, ...of}, teams) {
  const [before, after] = visible(text, 200).split("{by}");
  return `${formatName(of, teams)} ${before}${by ? formatName(by, teams) : ""}${after ?? ""}`.trim();
}

/** @param {any} party */
function formatName({team, name = ""}, teams) {
  const part = visible(name);
  if (!teams[team]) return part;
  const bot = isolated(teams[team].name);
  if (!part) return bot;
  return part.startsWith("its ") ? `${bot}'s ${part.slice(4)}` : `${bot} ${part}`;
}
