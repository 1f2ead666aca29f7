// The standings of the turn shown: ranks, colours, scores; a click brings a bot into focus.

import {make, makeButton, swatch, wrapping} from "./dom.js";
import {shortNumber} from "./numbers.js";
import {reorder} from "./rows.js";

const EYE = "M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z";

export class Standings {
  #rows = [];
  #columns = "";
  #shown = "";

  /** `focus(team)` and `eyes(team)` are called when a name or an eye is clicked (`eyes` null: no fog here). */
  constructor(root, names, focus, eyes) {
    this.head = root.querySelector("thead tr");
    this.body = root.querySelector("tbody");
    this.body.replaceChildren();
    this.#rows = names.map(({name, isBot, pattern}, team) => (
      this.#row(name, pattern, team, focus, isBot ? eyes : null)));
    this.bots = names.filter(({isBot}) => isBot).length;
    this.hasEyes = eyes !== null;
  }

  #row(name, pattern, team, focus, eyes) {
    const patch = swatch("", pattern);
    const rank = make("td", {className: "rank"});
    const button = makeButton([patch, wrapping(name)], () => focus(team), {title: name});
    const row = make("tr", null, rank, make("td", {className: "name"}, button));
    const eye = eyes ? eyeButton(name, () => eyes(team)) : null;
    return {row, rank, button, patch, eye, cells: [], team};
  }

  /** `values`: {column: [per team]}, the first column ranking; for `until` and `isOver` see `rankTeams`. */
  show(values, colors, focus, eyes, until = [], isOver = false) {
    const columns = Object.keys(values);
    if (columns.join() !== this.#columns) this.#setColumns(columns);
    const shown = JSON.stringify([values, colors, focus, eyes, until, isOver]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const order = rankTeams(values, this.#rows.length, until, isOver, this.bots);
    const someAlive = values.alive?.some((count) => count > 0);
    for (const {team, rank} of order) {
      const row = this.#rows[team];
      row.rank.textContent = rank ?? "";
      row.patch.style.backgroundColor = colors[team];
      row.cells.forEach((td, k) => { td.textContent = shortNumber(values[columns[k]][team]); });
      row.button.setAttribute("aria-pressed", team === focus);
      row.eye?.setAttribute("aria-pressed", team === eyes);
      row.row.classList.toggle("focus", team === focus);
      row.row.classList.toggle("out", Boolean(someAlive) && values.alive[team] === 0);
    }
    reorder(this.body, order.map(({team}) => this.#rows[team].row));
  }

  #setColumns(columns) {
    this.#columns = columns.join();
    const heads = ["#", "Bot", ...columns, ...(this.hasEyes ? [""] : [])];
    const head = (text, k) => make("th", {scope: "col", className: k === 1 ? "name" : ""}, text);
    this.head.replaceChildren(...heads.map((text, k) => (text === "" ? make("td", null) : head(text, k))));
    for (const row of this.#rows) {
      for (const old of [...row.row.children].slice(2)) old.remove();
      row.cells = columns.map(() => make("td"));
      row.row.append(...row.cells);
      if (this.hasEyes) row.row.append(make("td", {className: "eye"}, row.eye));
    }
  }
}

function eyeButton(name, press) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  path.setAttribute("d", EYE);
  svg.append(path);
  return makeButton(svg, press, {title: "See what this bot sees (E)", "aria-label": `See what ${name} sees`});
}

/**
 * Teams in order, with the ranks that those share whom nothing tells apart: by the first column; then the living before
 * the dead, more of them before fewer, who fell later (`until`: the last turn in which somebody of the team lived) before
 * who fell earlier; then by the other columns, which make an order, not ranks. When it `isOver`, only the first makes ranks.
 * Who is not one of the first `bots` stands among them without a rank.
 */
export function rankTeams(values, count, until = [], isOver = false, bots = count) {
  const columns = Object.entries(values).filter(([name]) => name !== "faults").map(([, column]) => column);
  const {alive = []} = values;
  const score = (a, b) => (columns[0][b] ?? -Infinity) - (columns[0][a] ?? -Infinity);
  const living = (a, b) =>
    (alive[b] ?? 0) - (alive[a] ?? 0) || (alive[a] === 0 ? (until[b] ?? 0) - (until[a] ?? 0) : 0);
  const ahead = (a, b) => score(a, b) || (isOver ? 0 : living(a, b));
  const further = (a, b) => {
    for (const column of columns.slice(1)) {
      const more = (column[b] ?? -Infinity) - (column[a] ?? -Infinity);
      if (more) return more;
    }
    return a - b;
  };
  const order = Array.from({length: count}, (_, team) => team)
    .sort((a, b) => score(a, b) || living(a, b) || further(a, b));
  const contest = order.filter((team) => team < bots);
  const ranks = new Map();
  contest.forEach((team, k) => {
    ranks.set(team, k === 0 || ahead(contest[k - 1], team) ? k + 1 : ranks.get(contest[k - 1]));
  });
  return order.map((team) => ({team, rank: ranks.get(team) ?? null}));
}

/** The last turn up to `turn` in which somebody of each team lived; `alive` has a row per turn, as far as it is known. */
export function lastLiving(alive, teams, turn) {
  if (!alive) return [];
  return Array.from({length: teams}, (_, team) => {
    let low = 0;
    let high = Math.min(turn, alive.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (alive[middle]?.[team] > 0) low = middle;
      else high = middle - 1;
    }
    return low;
  });
}
