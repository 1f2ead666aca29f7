// Who killed whom: a list for the bot in focus, a table for all, up to the turn shown.

import {find, make, makeButton, swatch} from "./dom.js";
import {isolated, visible} from "./names.js";
import {shortNumber} from "./numbers.js";

const WIDE = 9; // bots up to which all of them stand in a table
const LISTED = 60; // deaths in the list, the latest first

export class Kills {
  #shown = "";

  /** `jump(turn)` is called where a death is clicked. */
  constructor(teams, jump) {
    this.root = find("kills");
    this.teams = teams;
    this.jump = jump;
    this.root.addEventListener("toggle", () => { this.#shown = ""; });
  }

  /** `deaths`: {turn, by, who, how, to, whom} in the order of turns; `team`: the bot in focus, or null. */
  show(deaths, turn, team, colors) {
    this.root.hidden = deaths.length === 0;
    if (!this.root.open) return;
    const count = countUpTo(deaths, turn);
    const key = `${count} ${team} ${colors[0]}`;
    if (key === this.#shown) return;
    this.#shown = key;
    const past = deaths.slice(0, count);
    const content = team === null && this.teams.length <= WIDE ? this.#table(past, colors) : null;
    const own = team === null ? past : past.filter(({by, to}) => by === team || to === team);
    this.root.querySelector("div").replaceChildren(...(content ? [content] : []), this.#list(own, colors));
  }

  /** A row per bot that killed somebody, a column per bot that was killed. */
  #table(past, colors) {
    const counts = new Map();
    const others = new Set();
    for (const {by, who, to} of past) {
      if (by === null) others.add(who);
      const key = `${by ?? who} ${to}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const heads = this.teams.map(({name}, team) => make("th", {scope: "col", title: name}, swatch(colors[team], this.teams[team].pattern)));
    const row = (key, label, patch) => make("tr", null,
      make("th", {scope: "row", className: "name"}, patch, label),
      ...this.teams.map((_, to) => make("td", null, counts.get(`${key} ${to}`) ?? "")));
    const rows = [
      ...this.teams.map(({name}, team) => row(team, name, swatch(colors[team], this.teams[team].pattern))),
      ...[...others].slice(0, 6).map((who) => row(who, who, null)),
    ].filter((one) => [...one.cells].slice(1).some(({textContent}) => textContent));
    return make("table", null, make("thead", null, make("tr", null, make("th", {className: "name"}, "killed"), ...heads)),
      make("tbody", null, ...rows));
  }

  #list(past, colors) {
    const items = past.slice(-LISTED).reverse().map((deed) => {
      const team = deed.by ?? deed.to;
      const words = make("span", null, deedInWords(deed, this.teams));
      const at = make("span", {className: "at"}, shortNumber(deed.turn));
      return make("li", null, makeButton([at, team === null ? swatch() : swatch(colors[team], this.teams[team].pattern), words], () => this.jump(deed.turn)));
    });
    return make("ol", null, ...items);
  }
}

function countUpTo(deaths, turn) {
  let low = 0;
  let high = deaths.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (deaths[middle].turn <= turn) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** "Runner #12 shoots Coward #3", "a zombie bites Coward #4", fit to be shown. */
export function deedInWords({by, who, how, to, whom}, teams) {
  const named = (team, words) => {
    const part = visible(words ?? "");
    if (team === null) return part;
    const {isBot} = teams[team];
    const name = isolated(teams[team].name);
    if (!isBot) return part || name;
    if (!part) return name;
    return part.startsWith("#") ? `${name} ${part}` : part.startsWith("its ") ? `${name}'s ${part.slice(4)}` : `${name}, ${part},`;
  };
  return `${named(by, who)} ${visible(how)} ${named(to, whom).replace(/,$/, "")}`;
}
