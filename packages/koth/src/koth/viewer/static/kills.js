// Kills up to the turn shown: a list for the bot in focus, a table for all.

import {find, make, makeButton, swatch} from "./dom.js";
import {formatEvent} from "./events.js";
import {visible} from "./names.js";
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

  /** `deaths`: events in the order of turns; `team`: the bot in focus, or null. */
  show(deaths, turn, team, colors) {
    this.root.hidden = deaths.length === 0;
    if (!this.root.open) return;
    const count = countUpTo(deaths, turn);
    const key = `${count} ${team} ${colors[0]}`;
    if (key === this.#shown) return;
    this.#shown = key;
    const past = deaths.slice(0, count);
    const content = team === null && this.teams.length <= WIDE ? this.#table(past, colors) : null;
    const own = team === null ? past : past.filter((death) => death.by?.team === team || death.team === team);
    this.root.querySelector("div").replaceChildren(...(content ? [content] : []), this.#list(own, colors));
  }

  /** A row per bot that killed somebody, a column per bot that was killed. */
  #table(past, colors) {
    const counts = new Map();
    const others = new Set();
    for (const {by, kind, team} of past) {
      const killer = by?.team ?? by?.name ?? kind;
      if (by?.team === undefined) others.add(killer);
      const key = `${killer} ${team}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const heads = this.teams.map(({name}, team) => make("th", {scope: "col", title: name}, swatch(colors[team], this.teams[team].pattern)));
    const row = (key, label, patch) => make("tr", null,
      make("th", {scope: "row", className: "name"}, patch, label),
      ...this.teams.map((_, to) => make("td", null, counts.get(`${key} ${to}`) ?? "")));
    const rows = [
      ...this.teams.map(({name}, team) => row(team, name, swatch(colors[team], this.teams[team].pattern))),
      ...[...others].slice(0, 6).map((who) => row(who, visible(who), null)),
    ].filter((one) => [...one.cells].slice(1).some(({textContent}) => textContent));
    return make("table", null, make("thead", null, make("tr", null, make("th", {className: "name"}, "killed"), ...heads)),
      make("tbody", null, ...rows));
  }

  #list(past, colors) {
    const items = past.slice(-LISTED).reverse().map((death) => {
      const words = make("span", null, formatEvent(death, this.teams));
      const at = make("span", {className: "at"}, shortNumber(death.turn));
      return make("li", null, makeButton([at, swatch(colors[death.team], this.teams[death.team]?.pattern), words], () => this.jump(death.turn)));
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
