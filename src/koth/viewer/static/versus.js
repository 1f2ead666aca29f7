// Head to head: in how many of their common matches one bot ended ahead of another.

import {make} from "./dom.js";
import {visible} from "./names.js";
import {shortNumber} from "./numbers.js";
import {linkTo} from "./place.js";

const MOST = 40; // bots of which everybody's table is shown

/** `against(one, other)`: {games, ahead, level} of matches as they are listed. */
export function versus(matches) {
  const counts = new Map();
  const of = (one, other) => {
    const key = JSON.stringify([one, other]);
    if (!counts.has(key)) counts.set(key, {games: 0, ahead: 0, level: 0});
    return counts.get(key);
  };
  for (const {bots, scores} of matches) {
    if (!scores) continue;
    for (const one of bots) {
      for (const other of bots) {
        if (one === other) continue;
        const found = of(one, other);
        found.games += 1;
        if (scores[one] > scores[other]) found.ahead += 1;
        else if (scores[one] === scores[other]) found.level += 1;
      }
    }
  }
  return (one, other) => counts.get(JSON.stringify([one, other])) ?? {games: 0, ahead: 0, level: 0};
}

/** The share of matches, a level one counted half; null where two have never met. */
const share = ({games, ahead, level}) => (games ? (ahead + level / 2) / games : null);

const inWords = (one, other, {games, ahead, level}) =>
  `${visible(one)} ended ahead of ${visible(other)} in ${ahead} of ${games}${level ? `, level in ${level}` : ""}`;

/** A row and a column for everybody, or null where that would be too much. */
export function versusTable(bots, against) {
  if (bots.length < 2 || bots.length > MOST) return null;
  const heads = bots.map((bot, k) => make("th", {scope: "col", title: visible(bot)}, k + 1));
  const rows = bots.map((bot, k) => make("tr", null,
    make("td", {className: "rank"}, k + 1),
    make("th", {scope: "row", className: "name"}, make("a", {href: linkTo({bot})}, visible(bot))),
    ...bots.map((other) => cell(bot, other, against(bot, other)))));
  return make("table", null, make("thead", null, make("tr", null, make("td"), make("th", {scope: "col", className: "name"}, "ahead of"), ...heads)),
    make("tbody", null, ...rows));
}

function cell(bot, other, found) {
  const part = share(found);
  if (bot === other || part === null) return make("td", {className: "none"}, bot === other ? "" : "–");
  const strength = `${Math.round(Math.abs(part - 0.5) * 100)}%`;
  const tint = part >= 0.5 ? "var(--accent)" : "var(--danger)";
  const style = {background: `color-mix(in srgb, ${tint} ${strength}, transparent)`};
  return make("td", {style, title: inWords(bot, other, found)}, Math.round(100 * part));
}

/** How one bot did against each of the others. */
export function versusRows(bot, bots, against) {
  return bots.filter((other) => other !== bot).map((other) => {
    const found = against(bot, other);
    const {games, ahead, level} = found;
    const part = share(found);
    const words = [ahead, level, games - ahead - level, games, part === null ? "–" : `${shortNumber(100 * part)} %`];
    return make("tr", {title: inWords(bot, other, found)},
      make("td", {className: "name"}, make("a", {href: linkTo({bot: other})}, visible(other))),
      ...words.map((word) => make("td", {className: "number"}, word)));
  });
}
