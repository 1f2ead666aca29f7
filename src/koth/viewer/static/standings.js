// The standings of the turn shown: ranks, colours, scores; a click brings a bot into focus.

import {shortNumber} from "./charts.js";
import {reorder} from "./slide.js";

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
    this.#rows = names.map(({name, isBot}, team) => this.#row(name, team, focus, isBot ? eyes : null));
    this.hasEyes = eyes !== null;
  }

  #row(name, team, focus, eyes) {
    const row = document.createElement("tr");
    const rank = cell(row, "rank");
    const button = document.createElement("button");
    const swatch = document.createElement("i");
    const text = document.createElement("span");
    swatch.className = "swatch";
    text.textContent = name;
    button.type = "button";
    button.title = name;
    button.append(swatch, text);
    button.addEventListener("click", () => focus(team));
    cell(row, "name").append(button);
    const eye = eyes ? eyeButton(name, () => eyes(team)) : null;
    return {row, rank, button, swatch, eye, cells: [], team};
  }

  /** `values`: {column: [per team]}, the first column ranking. */
  show(values, colors, focus, eyes) {
    const columns = Object.keys(values);
    if (columns.join() !== this.#columns) this.#setColumns(columns);
    const shown = JSON.stringify([values, colors, focus, eyes]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const order = ranked(values, this.#rows.length);
    const someAlive = values.alive?.some((count) => count > 0);
    for (const {team, rank} of order) {
      const row = this.#rows[team];
      row.rank.textContent = rank;
      row.swatch.style.background = colors[team];
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
    const heads = ["#", "Bot", ...columns, ...(this.hasEyes ? [""] : [])].map((text, k) => {
      const th = document.createElement("th");
      th.scope = "col";
      th.textContent = text;
      if (k === 1) th.className = "name";
      return th;
    });
    this.head.replaceChildren(...heads);
    for (const row of this.#rows) {
      for (const old of [...row.row.children].slice(2)) old.remove();
      row.cells = columns.map(() => cell(row.row, ""));
      if (this.hasEyes) cell(row.row, "eye").append(...(row.eye ? [row.eye] : []));
    }
  }
}

function cell(row, name) {
  const td = document.createElement("td");
  td.className = name;
  row.append(td);
  return td;
}

function eyeButton(name, press) {
  const button = document.createElement("button");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  path.setAttribute("d", EYE);
  svg.append(path);
  button.type = "button";
  button.title = "See what this bot sees (E)";
  button.setAttribute("aria-label", `See what ${name} sees`);
  button.append(svg);
  button.addEventListener("click", press);
  return button;
}

/** Teams in order, with ranks by the first column that ties share; further columns break ties of the order. */
export function ranked(values, count) {
  const columns = Object.entries(values).filter(([name]) => name !== "faults").map(([, column]) => column);
  const compare = (a, b) => {
    for (const column of columns) {
      const more = (column[b] ?? -Infinity) - (column[a] ?? -Infinity);
      if (more) return more;
    }
    return a - b;
  };
  const order = Array.from({length: count}, (_, team) => team).sort(compare);
  let rank = 0;
  return order.map((team, k) => {
    if (k === 0 || columns[0][team] !== columns[0][order[k - 1]]) rank = k + 1;
    return {team, rank};
  });
}
