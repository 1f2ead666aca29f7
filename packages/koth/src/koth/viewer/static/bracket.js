// The bracket of a knockout: a list of rounds, each a list of pairs, joined by lines.

import {make, wrapping} from "./dom.js";
import {visible} from "./names.js";
import {linkTo} from "./place.js";

/** `{rounds, winner}` as koth's `Bracket.as_json` makes it, with the names of matches; `swatchOf(bot)` is its colour. */
export function bracketOf({rounds, winner}, swatchOf) {
  const columns = rounds.map(({name, duels}) => make("li", null, make("h3", null, name),
    make("ol", {className: "duels"}, ...duels.map((duel) => duelItem(duel, swatchOf)))));
  const last = winner === null ? [] : [make("li", null, make("h3", null, "winner"),
    make("p", {className: "champion"}, swatchOf(winner), make("strong", null, visible(winner))))];
  return make("ol", {className: "bracket"}, ...columns, ...last);
}

function duelItem(duel, swatchOf) {
  const {bots, first, tied, bye, same_rank: isSameRank} = duel;
  const sides = bots.map((bot, side) => (bye && bot === null ? null : sideOf(duel, side, swatchOf)));
  const words = [bye ? "a bye" : "", tied ? `tied: ${isSameRank ? "decided by lot" : "the better rank goes on"}` : ""].filter(Boolean);
  const below = first === null ? words : [make("a", {href: linkTo({match: first}), title: "the first match of the pair"}, "watch"), ...words];
  return make("li", {className: bye ? "bye" : ""}, make("div", null, ...sides,
    below.length ? make("p", {className: "hint"}, ...below.flatMap((part, k) => (k ? [" · ", part] : [part]))) : null));
}

function sideOf({bots, seeds, texts, winner}, side, swatchOf) {
  const bot = bots[side];
  if (bot === null) return make("p", {className: "side"}, "not known yet");
  const isWinner = bot === winner;
  return make("p", {className: isWinner ? "side won" : "side"}, make("span", {className: "rank", title: "seed"}, seeds[side]), swatchOf(bot),
    make("a", {href: linkTo({bot})}, wrapping(visible(bot))), make("span", {className: "number"}, texts[side]),
    isWinner ? make("span", {className: "unseen"}, "goes on") : null);
}
