// Head to head: in how many of their common matches one bot ended ahead of another.

import {make, wrapping} from "./dom.js";
import {visible} from "./names.js";
import {shortNumber} from "./numbers.js";
import {linkTo} from "./place.js";

/** `against(one, other)`: {games, ahead, ties}, of `{bot: {other: [ahead, ties, behind]}}`. */
export function versus(counts) {
  return (one, other) => {
    const [ahead, ties, behind] = counts[one]?.[other] ?? [0, 0, 0];
    return {games: ahead + ties + behind, ahead, ties};
  };
}

/** The share of matches, a tie counted half; null where two have never met. */
const share = ({games, ahead, ties}) => (games ? (ahead + ties / 2) / games : null);

const formatShare = (one, other, {games, ahead, ties}) =>
  `${visible(one)} ended ahead of ${visible(other)} in ${ahead} of ${games}${ties ? `, tied in ${ties}` : ""}`;

/** A row and a column for everybody. */
export function versusTable(bots, against) {
  const heads = bots.map((bot) => make("th", {scope: "col", title: visible(bot)}, wrapping(visible(bot))));
  const rows = bots.map((bot) => make("tr", null,
    make("th", {scope: "row", className: "name"}, make("a", {href: linkTo({bot})}, wrapping(visible(bot)))),
    ...bots.map((other) => cell(bot, other, against(bot, other)))));
  const table = make("table", null, make("thead", null, make("tr", null, make("th", {scope: "col", className: "name"}, "ahead of"), ...heads)),
    make("tbody", null, ...rows));
  table.style.setProperty("--bots", String(bots.length)); // a phone makes its letters as small as they need
  return table;
}

function cell(bot, other, found) {
  const part = share(found);
  if (bot === other || part === null) return make("td", {className: "none"}, bot === other ? "" : "–");
  const strength = `${Math.round(Math.abs(part - 0.5) * 100)}%`;
  const tint = part >= 0.5 ? "var(--accent)" : "var(--danger)";
  const style = {background: `color-mix(in srgb, ${tint} ${strength}, transparent)`};
  return make("td", {style, title: formatShare(bot, other, found)}, Math.round(100 * part));
}

/** How one bot did against each of the others. */
export function versusRows(bot, bots, against) {
  return bots.filter((other) => other !== bot).map((other) => {
    const found = against(bot, other);
    const {games, ahead, ties} = found;
    const part = share(found);
    const words = [ahead, ties, games - ahead - ties, games, part === null ? "–" : `${shortNumber(100 * part)} %`];
    return make("tr", {title: formatShare(bot, other, found)},
      make("td", {className: "name"}, make("a", {href: linkTo({bot: other})}, wrapping(visible(other)))),
      ...words.map((word) => make("td", {className: "number"}, word)));
  });
}
